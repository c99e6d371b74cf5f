package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/storetest"
)

// TestFinishTurnTellsTheTimeline: the result and its line are one thing, and
// told twice it stays one line.
func TestFinishTurnTellsTheTimeline(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	c := newCall(t, s, ada(t, s))
	turn := calls.Turn{ID: store.NewTurnID(), CallID: c.ID, Place: 2, Attempt: 1, Kind: calls.TurnSpeech, Heard: "hello", At: time.Now()}
	if err := s.StartTurn(t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	result := calls.TurnResult{Reply: "Good morning.", Outcome: calls.TurnSpoken, Event: []byte(`{"place":2}`)}
	for range 2 {
		if err := s.FinishTurn(t.Context(), turn.ID, result); err != nil {
			t.Fatal(err)
		}
	}
	events, err := s.EventsAfter(t.Context(), c.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events {
		if e.Kind == "turn" {
			told = append(told, strings.ReplaceAll(string(e.Data), " ", ""))
		}
	}
	if len(told) != 1 || told[0] != `{"place":2}` {
		t.Errorf("timeline %q; want one line about the turn", told)
	}
	if got, err := s.Turns(t.Context(), c.ID); err != nil || len(got) != 1 || got[0].Reply != "Good morning." {
		t.Errorf("turns %+v, %v", got, err)
	}
}

// TestFinishTurnWithoutEvent: a result that says nothing of the timeline adds nothing to it.
func TestFinishTurnWithoutEvent(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	c := newCall(t, s, ada(t, s))
	turn := calls.Turn{ID: store.NewTurnID(), CallID: c.ID, Place: 2, Attempt: 1, Kind: calls.TurnSpeech, At: time.Now()}
	if err := s.StartTurn(t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishTurn(t.Context(), turn.ID, calls.TurnResult{Outcome: calls.TurnSpoken}); err != nil {
		t.Fatal(err)
	}
	events, err := s.EventsAfter(t.Context(), c.ID, 0)
	if err != nil || len(events) != 0 {
		t.Errorf("timeline %+v, %v; want nothing", events, err)
	}
}

// TestUUIDsTravelWhole: ids go to the database and come back; the zero one is null.
func TestUUIDsTravelWhole(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	want := uuid.New()
	for _, tt := range []struct {
		name string
		sent any
		want *uuid.UUID
	}{
		{"an id", want, &want},
		{"a pointer", &want, &want},
		{"no id", (*uuid.UUID)(nil), nil},
		{"text", want.String(), &want},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got *uuid.UUID
			if err := s.Pool().QueryRow(t.Context(), "select $1::uuid", tt.sent).Scan(&got); err != nil {
				t.Fatal(err)
			}
			if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
				t.Errorf("sent %v, got %v", tt.sent, got)
			}
		})
	}
	for _, id := range []uuid.UUID{want, {}} {
		var null bool
		back, person, call := uuid.New(), store.NewPersonID(), store.NewCallID() // what is read replaces these
		err := s.Pool().QueryRow(t.Context(), "select $1::uuid is null, $1::uuid, $2::uuid, $3::uuid", id, store.PersonID{UUID: id}, store.CallID{UUID: id}).
			Scan(&null, &back, &person, &call)
		if err != nil || null != (id == uuid.Nil) || back != id || person.UUID != id || call.UUID != id {
			t.Errorf("sent %s: null %v, %s, %s, %s, %v", id, null, back, person, call, err)
		}
	}
	var ids []uuid.UUID
	if err := s.Pool().QueryRow(t.Context(), "select $1::uuid[]", []uuid.UUID{want, want}).Scan(&ids); err != nil || len(ids) != 2 || ids[1] != want {
		t.Errorf("a list came back as %v, %v", ids, err)
	}
}
