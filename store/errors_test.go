package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// An error says which query failed and of whom, in a transaction too, and nothing
// else that it was asked with.
func TestErrorsSayWhatWasAsked(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p, nobody := ada(t, s), store.NewPersonID()
	secret := "she likes cake\x00"
	for _, tt := range []struct {
		name string
		do   func() error
		kind error
		want []string
	}{
		{"absent", func() error { _, err := s.Person(t.Context(), nobody); return err }, store.ErrNotFound, []string{"person get", nobody.String()}},
		{"a rule of the schema", func() error {
			_, err := s.AddPause(t.Context(), nobody, people.Pause{Reason: secret[:14]})
			return err
		}, store.ErrConflict, []string{"pause insert", nobody.String(), "pauses_person_id_fkey"}},
		{"in a transaction", func() error {
			return s.InTx(t.Context(), func(tx store.Tx) error {
				return s.AddMemoryFact(t.Context(), tx, memories.Fact{ID: nobody.UUID, PersonID: p.ID, Text: secret, Kind: "like", LearnedAt: time.Now()}, nil, nil)
			})
		}, store.ErrUnstorable, []string{"memory fact insert", p.ID.String()}},
		{"rows", func() error {
			_, err := s.SearchChatEpisodes(t.Context(), secret, chats.EpisodeFilter{Limit: 1})
			return err
		}, store.ErrUnstorable, []string{"chat episodes search"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.do()
			if !errors.Is(err, tt.kind) || strings.Contains(err.Error(), "cake") {
				t.Fatalf("got %v, want %v without what was said", err, tt.kind)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v does not say %q", err, part)
				}
			}
		})
	}
}
