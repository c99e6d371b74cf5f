package memory

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive"
)

// broken panics where consents are asked for.
type broken struct{ *shelf }

func (broken) ConsentScopes(context.Context, store.PersonID) (map[store.Scope]bool, error) {
	panic("in ConsentScopes")
}

// A panic in what memory does beside a search, or a load that others wait for,
// is the failure of that alone.
func TestPanicInMemoryIsAFailure(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	p := NewProfile(Config{Source: allowed(), Consents: broken{allowed()}, Log: quiet})
	t.Cleanup(p.Close)
	for range 2 { // a failure is not kept
		if _, err := p.Recall(t.Context(), margaret(), "roses"); !errors.Is(err, survive.ErrPanic) {
			t.Errorf("recall: %v", err)
		}
	}
	s := &Service{cfg: ServiceConfig{Log: quiet}} // no store: who asks it for names panics
	names := s.namesSoon(t.Context(), Query{Scope: Scope{Person: store.NewPersonID()}, Text: "How is my granddaughter?"}, Settings{KeywordWeight: 1})
	if got := <-names; got != nil {
		t.Errorf("names: %q", got)
	}
}
