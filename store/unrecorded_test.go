package store_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// reached ends a call and blanks it where it is not to be recorded; held, where
// it is not nil, runs between that and the commit.
func reached(t *testing.T, s *store.Store, id store.CallID, held func()) (blanked bool) {
	t.Helper()
	_, ended, err := s.FinishCall(t.Context(), id, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "person"},
		func(tx store.Tx, c calls.Call) (err error) {
			blanked, err = s.BlankUnrecorded(t.Context(), tx, c.ID)
			if held != nil {
				held()
			}
			return err
		})
	if err != nil || !ended {
		t.Errorf("finish: %v, %v", ended, err)
	}
	return blanked
}

func startTurn(t *testing.T, s *store.Store, id store.CallID, place int) store.TurnID {
	t.Helper()
	turn := calls.Turn{
		ID: store.NewTurnID(), CallID: id, Place: place, Attempt: 1, Kind: calls.TurnSpeech,
		Heard: "my knee hurts", Persona: "general", At: time.Now(),
	}
	if err := s.StartTurn(t.Context(), turn); err != nil {
		t.Error(err)
	}
	return turn.ID
}

func finishTurn(t *testing.T, s *store.Store, id store.TurnID) {
	t.Helper()
	if err := s.FinishTurn(t.Context(), id, calls.TurnResult{Reply: "I am sorry.", Outcome: calls.TurnSpoken, Model: "m"}); err != nil {
		t.Error(err)
	}
}

// words counts the turns of a call that hold any, and those that do not.
func words(t *testing.T, s *store.Store, id store.CallID) (with, without int) {
	t.Helper()
	turns, err := s.Turns(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range turns {
		if turn.Heard != "" || turn.Reply != "" {
			with++
		} else {
			without++
		}
	}
	return with, without
}

func TestBlankUnrecorded(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	give := func(p people.Person, scopes ...people.Scope) {
		for _, scope := range scopes {
			if _, err := s.GiveConsent(t.Context(), p.ID, people.Consent{Scope: scope, GivenBy: "Ada", How: "on paper"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	allow := func(p people.Person) { give(p, people.ScopeRecording) }
	in := func(facility bool, scopes ...people.Scope) func(people.Person) {
		return func(p people.Person) {
			p.Facility = facility
			if _, err := s.UpdatePerson(t.Context(), p, nil); err != nil {
				t.Fatal(err)
			}
			give(p, scopes...)
		}
	}
	for _, tc := range []struct {
		name    string
		person  func(p people.Person) // what they have said about being recorded
		unknown bool
		keeps   bool
	}{
		{name: "never asked", person: func(people.Person) {}},
		{name: "allowed", person: allow, keeps: true},
		{name: "taken back", person: func(p people.Person) {
			allow(p)
			if _, err := s.RevokeConsent(t.Context(), p.ID, people.ScopeRecording, "Ada", "by telephone"); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "an unknown caller", unknown: true},
		{name: "written down alone", person: in(false, people.ScopeTranscript), keeps: true},
		{name: "the room at home", person: in(false, people.ScopeRoom)},
		{name: "recorded in a care home", person: in(true, people.ScopeRecording)},
		{name: "recorded in a care home, for the room as well", person: in(true, people.ScopeRecording, people.ScopeRoom), keeps: true},
		{name: "written down in a care home", person: in(true, people.ScopeRecording, people.ScopeTranscript), keeps: true},
	} {
		var c calls.Call
		if tc.unknown {
			var err error
			if c, err = s.CreateCall(t.Context(), calls.NewCall{Type: calls.CallGeneral, Direction: calls.Inbound, Phone: "+15550100777"}); err != nil {
				t.Fatal(err)
			}
		} else {
			p := ada(t, s)
			tc.person(p)
			c = newCall(t, s, p)
		}
		finishTurn(t, s, startTurn(t, s, c.ID, 1))
		late := startTurn(t, s, c.ID, 3)
		if with, without := words(t, s, c.ID); with != 2 || without != 0 {
			t.Errorf("%s: during the call %d turns have words, %d have none; want 2 and 0", tc.name, with, without)
		}
		if blanked := reached(t, s, c.ID, nil); blanked == tc.keeps {
			t.Errorf("%s: blanked = %v", tc.name, blanked)
		}
		finishTurn(t, s, late)
		finishTurn(t, s, startTurn(t, s, c.ID, 5)) // nobody could say it any more, yet the request came
		with, without := words(t, s, c.ID)
		if want := map[bool]int{true: 3}[tc.keeps]; with != want || with+without != 3 {
			t.Errorf("%s: after the call %d turns have words, %d have none; want %d with words", tc.name, with, without, want)
		}
		turns, err := s.Turns(t.Context(), c.ID)
		if err != nil || turns[1].Outcome != calls.TurnSpoken || turns[1].Model != "m" {
			t.Errorf("%s: the late result is %+v, %v", tc.name, turns[1].TurnResult, err)
		}
	}
}

func TestTurnOfNoCallIsRefused(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	turn := calls.Turn{ID: store.NewTurnID(), CallID: store.NewCallID(), Kind: calls.TurnSpeech, At: time.Now()}
	if err := s.StartTurn(t.Context(), turn); !errors.Is(err, store.ErrConflict) {
		t.Errorf("err = %v; want a conflict", err)
	}
}

// A turn that is written between the blanking and its commit waits for it.
func TestBlankUnrecordedHoldsBackLateTurns(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	s, watch := storetest.Open(t, url), storetest.Open(t, url)
	second, third := storetest.Open(t, url), storetest.Open(t, url)
	c := newCall(t, s, ada(t, s))
	open := startTurn(t, s, c.ID, 1)
	var late sync.WaitGroup
	reached(t, s, c.ID, func() {
		late.Go(func() { finishTurn(t, second, open) })
		late.Go(func() { startTurn(t, third, c.ID, 3) })
		waiting(t, watch, 2)
	})
	late.Wait()
	if with, without := words(t, s, c.ID); with != 0 || without != 2 {
		t.Errorf("%d turns have words, %d have none; want 0 and 2", with, without)
	}
}

// waiting returns when n statements wait for a lock in the test's database.
func waiting(t *testing.T, s *store.Store, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for got := -1; got != n; {
		err := s.Pool().QueryRow(ctx,
			"select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'").Scan(&got)
		if err != nil {
			t.Errorf("%d statements wait, want %d: %v", got, n, err)
			return
		}
	}
}

// Whatever the order, no word outlives the call, and nobody waits for ever.
func TestBlankUnrecordedRaces(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	for range 20 {
		c := newCallAgain(t, s, p)
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() { finishTurn(t, s, startTurn(t, s, c.ID, i)) })
		}
		all.Go(func() { reached(t, s, c.ID, nil) })
		all.Wait()
		if with, without := words(t, s, c.ID); with != 0 || without != 3 {
			t.Fatalf("%d turns have words, %d have none; want 0 and 3", with, without)
		}
	}
}

// An event inside a transaction is told with the commit, or never.
func TestAddEventTx(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	f := s.Follow(t.Context())
	defer f.Stop()
	c := newCall(t, s, ada(t, s))
	undone := errors.New("undone")
	add := func(fate error) error {
		return s.InTx(t.Context(), func(tx store.Tx) error {
			if kept, err := s.AddEventTx(t.Context(), tx, c.ID, "ended", []byte(`{"by":"person"}`), "ended"); err != nil || !kept {
				t.Errorf("kept %v, %v", kept, err)
			}
			return fate
		})
	}
	if err := add(undone); !errors.Is(err, undone) {
		t.Fatal(err)
	}
	if events, err := s.EventsAfter(t.Context(), c.ID, 0); err != nil || len(events) != 0 {
		t.Fatalf("events of a transaction that was undone: %v, %v", events, err)
	}
	grown, stop := f.Watch(c.ID)
	defer stop()
	if err := add(nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-grown:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was told of the event")
	}
	events, err := s.EventsAfter(t.Context(), c.ID, 0)
	if err != nil || len(events) != 1 || !bytes.Contains(events[0].Data, []byte("person")) {
		t.Fatalf("events = %+v, %v", events, err)
	}
}
