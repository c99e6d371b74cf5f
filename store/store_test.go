package store_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func ada(t *testing.T, s *store.Store) people.Person {
	t.Helper()
	p, err := s.CreatePerson(t.Context(), people.Person{
		Name: "Ada King", PreferredName: "Ada", Phone: "+15550100123", Timezone: "America/St_Johns", Language: "en",
	}, []people.Contact{{Name: "Tom", Relation: "son"}}, []people.Consent{{Scope: people.ScopeCalls, GivenBy: "Ada", How: "by telephone"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newCall(t *testing.T, s *store.Store, p people.Person) calls.Call {
	t.Helper()
	c, err := s.Dial(t.Context(), time.Now(), calls.NewCall{
		PersonID: p.ID, Type: calls.CallGeneral, Direction: calls.Outbound, StreamToken: "tok-" + p.ID.String(),
	}, func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMigrateIsRepeatableAndReversible(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	if steps, err := s.Migrate(t.Context()); err != nil || len(steps) != 0 {
		t.Fatalf("second migrate took %v, %v; want nothing", steps, err)
	}
	all, err := s.Migrations(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatalf("migrations: %v, %v", all, err)
	}
	for range all {
		if _, err := s.MigrateDown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if steps, err := s.Migrate(t.Context()); err != nil || len(steps) != len(all) {
		t.Fatalf("after going down, migrate took %d steps, %v; want %d", len(steps), err, len(all))
	}
}

func TestPersonRoundTrip(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	p.QuietHours = &people.QuietHours{Start: "21:30", End: "08:15"}
	p.Conditions = []string{"arthritis"}
	if _, err := s.UpdatePerson(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	got, err := s.Person(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{p.QuietHours, p.Conditions}, []any{got.QuietHours, got.Conditions}); diff != "" {
		t.Error(diff)
	}
	if c, err := s.Contacts(t.Context(), p.ID); err != nil || len(c) != 1 || c[0].Priority != 1 {
		t.Errorf("contacts = %+v, %v; want one of priority 1, kept by an update without contacts", c, err)
	}
	if _, err := s.Person(t.Context(), store.NewPersonID()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown person: %v; want ErrNotFound", err)
	}
	if err := s.DeletePerson(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Person(t.Context(), p.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleted person: %v; want ErrNotFound", err)
	}
}

func TestOptOutStandsAndSurvivesOtherChanges(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s) // as somebody read her before the opt-out
	for range 2 {
		if err := s.OptOut(t.Context(), p.ID, "by telephone"); err != nil {
			t.Fatal(err)
		}
	}
	p.Notes = "likes tulips"
	got, err := s.UpdatePerson(t.Context(), p, nil)
	if err != nil || got.OptedOutAt == nil || got.OptedOutHow != "by telephone" {
		t.Fatalf("after an update: opted out %v %q, %v; want it to stand", got.OptedOutAt, got.OptedOutHow, err)
	}
	for _, want := range []bool{true, false} {
		if was, err := s.OptIn(t.Context(), p.ID, "cli", "Ada"); err != nil || was != want {
			t.Fatalf("opt in: %t, %v; want %t", was, err, want)
		}
	}
	if got, err = s.Person(t.Context(), p.ID); err != nil || got.OptedOutAt != nil {
		t.Errorf("after opting in: %v, %v", got.OptedOutAt, err)
	}
	if err := s.OptOut(t.Context(), store.NewPersonID(), ""); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("nobody opts out: %v; want ErrNotFound", err)
	}
}

// An opt-out takes the consent to calls with it, and an opt-in gives back what went
// with it: not what was never given, and not what was taken back by itself.
func TestOptInGivesNoConsentThatTheOptOutDidNotTake(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	calls := people.Consent{Scope: people.ScopeCalls, GivenBy: "Ada", How: "on paper"}
	for name, tt := range map[string]struct {
		before func(id store.PersonID) error
		want   bool
	}{
		"given":       {func(id store.PersonID) error { _, err := s.GiveConsent(t.Context(), id, calls); return err }, true},
		"never given": {func(store.PersonID) error { return nil }, false},
		"revoked": {func(id store.PersonID) error {
			if _, err := s.GiveConsent(t.Context(), id, calls); err != nil {
				return err
			}
			_, err := s.RevokeConsent(t.Context(), id, people.ScopeCalls, "Ada", "by letter")
			return err
		}, false},
	} {
		p, err := s.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "UTC"}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.OptIn(t.Context(), p.ID, "cli", "Ada") // nothing to take back
		if err := errors.Join(err, tt.before(p.ID), s.OptOut(t.Context(), p.ID, "by telephone")); err != nil {
			t.Fatal(err)
		}
		if scopes, err := s.ConsentScopes(t.Context(), p.ID); err != nil || scopes[people.ScopeCalls] {
			t.Errorf("%s: after the opt-out: %v, %v", name, scopes, err)
		}
		if _, err := s.OptIn(t.Context(), p.ID, "cli", "her daughter"); err != nil {
			t.Fatal(err)
		}
		ledger, err := s.Consents(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		stands := len(ledger) > 0 && ledger[len(ledger)-1].RevokedAt == nil
		if stands != tt.want || stands && ledger[len(ledger)-1].GivenBy != "her daughter" {
			t.Errorf("%s: after the opt-in: %+v", name, ledger)
		}
		var actor, by string
		row := s.Pool().QueryRow(t.Context(), "select actor, data->>'by' from audit where person_id = $1 and action = 'person.opt_in'", p.ID.UUID)
		if err := row.Scan(&actor, &by); err != nil || actor != "cli" || by != "her daughter" {
			t.Errorf("%s: audit: %q %q, %v", name, actor, by, err)
		}
	}
}

// A call keeps what danger was told of since when, until it is over; done again, nothing is told twice.
func TestDangerIsMarked(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	c := newCall(t, s, ada(t, s))
	at := time.Now().Truncate(time.Microsecond)
	mark := func(kind string, at time.Time) {
		t.Helper()
		if err := s.MarkDanger(t.Context(), c.ID, kind, at); err != nil {
			t.Fatal(err)
		}
	}
	mark("fall", at)
	mark("fall", at)
	mark("breath", at.Add(time.Second))
	if err := s.EndDanger(t.Context(), c.ID, at.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Call(t.Context(), c.ID)
	if err != nil || got.Danger == nil || got.Danger.Kind != "breath" || !got.Danger.At.Equal(at) || got.Danger.OverAt == nil {
		t.Errorf("marked %+v, %v", got.Danger, err)
	}
	events, err := s.EventsAfter(t.Context(), c.ID, 0)
	if err != nil || len(events) != 3 {
		t.Errorf("timeline %+v, %v", events, err)
	}
	mark("fall", at.Add(time.Hour))
	if got, err = s.Call(t.Context(), c.ID); err != nil || got.Danger.OverAt != nil {
		t.Errorf("danger again is over: %+v, %v", got.Danger, err)
	}
	if err := s.MarkDanger(t.Context(), store.NewCallID(), "fall", at); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no such call: %v; want ErrNotFound", err)
	}
}

func TestNobodyIsDeletedInMidCall(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	c := newCall(t, s, p)
	if err := s.DeletePerson(t.Context(), p.ID); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("delete in mid-call: %v; want ErrConflict", err)
	}
	if _, _, err := s.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: calls.OutcomeReached}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.DeletePerson(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
}

func TestSchemaRefusesWhatBreaksARule(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	good := people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "UTC"}
	for name, change := range map[string]func(*people.Person){
		"blank name":     func(p *people.Person) { p.Name = "  " },
		"local number":   func(p *people.Person) { p.Phone = "0555 0100" },
		"no time zone":   func(p *people.Person) { p.Timezone = "" },
		"quiet 25 hours": func(p *people.Person) { p.QuietHours = &people.QuietHours{Start: "25:00", End: "09:00"} },
	} {
		p := good
		change(&p)
		if _, err := s.CreatePerson(t.Context(), p, nil, nil); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v; want ErrConflict", name, err)
		}
	}
}

func TestConsentLedgerKeepsItsLines(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	if had, err := s.RevokeConsent(t.Context(), p.ID, people.ScopeCalls, "Ada", "by voice"); err != nil || !had {
		t.Fatalf("revoke: %v, %v", had, err)
	}
	if scopes, err := s.ConsentScopes(t.Context(), p.ID); err != nil || scopes[people.ScopeCalls] {
		t.Fatalf("scopes after revoking: %v, %v", scopes, err)
	}
	if _, err := s.GiveConsent(t.Context(), p.ID, people.Consent{Scope: people.ScopeCalls, GivenBy: "Ada", How: "letter"}); err != nil {
		t.Fatal(err)
	}
	lines, err := s.Consents(t.Context(), p.ID)
	if err != nil || len(lines) != 2 || lines[0].RevokedBy != "Ada" || lines[1].RevokedAt != nil {
		t.Fatalf("ledger = %+v, %v; want a revoked line and a standing one", lines, err)
	}
}

func TestDialIsDecidedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	refused := errors.New("live call")
	var placed, denied atomic.Int32
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			_, err := s.Dial(context.WithoutCancel(t.Context()), time.Now(), calls.NewCall{PersonID: p.ID, Type: calls.CallGeneral, Direction: calls.Outbound},
				func(f calls.DialFacts) error {
					if f.Live != nil {
						return refused
					}
					return nil
				})
			switch {
			case err == nil:
				placed.Add(1)
			case errors.Is(err, refused):
				denied.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if placed.Load() != 1 || denied.Load() != 11 {
		t.Errorf("%d placed, %d refused; want 1 and 11", placed.Load(), denied.Load())
	}
}

func TestDialFactsCountTheLocalDay(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	c := newCall(t, s, p)
	if _, _, err := s.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: calls.OutcomeReached, Cause: "goodbye", By: "person"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		now  time.Time
		want int
	}{
		{"the same moment", c.CreatedAt, 1},
		{"two days later", c.CreatedAt.Add(48 * time.Hour), 0},
	} {
		f, err := s.DialFacts(t.Context(), tc.now, p.ID, 0)
		if err != nil || f.DialsToday != tc.want || f.Live != nil {
			t.Errorf("%s: %d dials, live %v, %v; want %d", tc.name, f.DialsToday, f.Live, err, tc.want)
		}
	}
}

func TestStatusOnlyMovesForward(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	c := newCall(t, s, ada(t, s))
	for _, step := range []struct {
		status calls.CallStatus
		moved  bool
	}{
		{calls.StatusRinging, true},
		{calls.StatusInitiated, false},
		{calls.StatusInProgress, true},
		{calls.StatusRinging, false},
		{calls.StatusCompleted, true},
		{calls.StatusBusy, false},
	} {
		_, moved, err := s.FoldStatus(t.Context(), c.ID, step.status, time.Now())
		if err != nil || moved != step.moved {
			t.Errorf("%s: moved %v, %v; want %v", step.status, moved, err, step.moved)
		}
	}
	if got, err := s.Call(t.Context(), c.ID); err != nil || got.Status != calls.StatusCompleted || got.AnsweredAt == nil {
		t.Errorf("call = %+v, %v", got, err)
	}
}

// Twilio's last word may be lost, and is still heard when it comes late.
func TestEndedCallHasAnEndedStatus(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		before   []calls.CallStatus
		unplaced bool
		want     calls.CallStatus
		late     calls.CallStatus
		then     calls.CallStatus
	}{
		{"in the middle of a talk", []calls.CallStatus{calls.StatusInProgress}, false, calls.StatusCompleted, calls.StatusInProgress, calls.StatusCompleted},
		{"while it rings", []calls.CallStatus{calls.StatusRinging}, false, calls.StatusCanceled, calls.StatusInProgress, calls.StatusCanceled},
		{"while it rings, and it was busy", []calls.CallStatus{calls.StatusRinging}, false, calls.StatusCanceled, calls.StatusBusy, calls.StatusBusy},
		{"never placed", nil, true, calls.StatusFailed, calls.StatusRinging, calls.StatusFailed},
		{"after the last word", []calls.CallStatus{calls.StatusNoAnswer}, false, calls.StatusNoAnswer, calls.StatusCompleted, calls.StatusNoAnswer},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := storetest.New(t)
			c := newCall(t, s, ada(t, s))
			if !tc.unplaced {
				if err := s.SetCallSID(t.Context(), c.ID, "CA1"); err != nil {
					t.Fatal(err)
				}
			}
			for _, status := range tc.before {
				if _, _, err := s.FoldStatus(t.Context(), c.ID, status, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			ended, _, err := s.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: calls.OutcomeReached}, nil)
			if err != nil || ended.Status != tc.want {
				t.Errorf("ended as %s, %v; want %s", ended.Status, err, tc.want)
			}
			if _, _, err := s.FoldStatus(t.Context(), c.ID, tc.late, time.Now()); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Call(t.Context(), c.ID); err != nil || got.Status != tc.then {
				t.Errorf("then %s, %v; want %s", got.Status, err, tc.then)
			}
		})
	}
}

func TestStreamTokenIsSpentOnce(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	c := newCall(t, s, p)
	if got, err := s.TakeStreamToken(t.Context(), "tok-"+p.ID.String()); err != nil || got.ID != c.ID {
		t.Fatalf("first take: %v, %v", got.ID, err)
	}
	for _, token := range []string{"tok-" + p.ID.String(), "guess", ""} {
		if _, err := s.TakeStreamToken(t.Context(), token); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("take %q: %v; want ErrNotFound", token, err)
		}
	}
	if _, err := s.Reconnect(t.Context(), c.ID, "second"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.TakeStreamToken(t.Context(), "second"); err != nil || got.Reconnects != 1 {
		t.Errorf("after reconnect: %+v, %v", got, err)
	}
}

func TestFinishHappensOnceAndWhole(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	c := newCall(t, s, ada(t, s))
	end := calls.Ending{Outcome: calls.OutcomeReached, Cause: "goodbye", By: "naiber"}
	broken := errors.New("queue is down")
	if _, _, err := s.FinishCall(t.Context(), c.ID, end, func(store.Tx, calls.Call) error { return broken }); !errors.Is(err, broken) {
		t.Fatalf("finish with a failing follow-up: %v", err)
	}
	if got, err := s.Call(t.Context(), c.ID); err != nil || !got.Live() {
		t.Fatalf("a call whose follow-up failed must still be live: %+v, %v", got.Ending, err)
	}
	ran := 0
	for range 2 {
		if _, _, err := s.FinishCall(t.Context(), c.ID, end, func(store.Tx, calls.Call) error { ran++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if ran != 1 {
		t.Errorf("the follow-up ran %d times; want once", ran)
	}
}

func TestTranscriptCorrection(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	c := newCall(t, s, ada(t, s))
	if _, err := s.AddUtterance(t.Context(), calls.Utterance{CallID: c.ID, Role: calls.RoleAssistant, Text: "Hello Ada. How are you?", ConversationID: "conv", EventID: 5, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if found, err := s.CorrectUtterance(t.Context(), c.ID, "conv", 5, "whatever was meant", "Hello Ada."); err != nil || !found {
		t.Fatalf("correct: %v, %v", found, err)
	}
	if found, err := s.CorrectUtterance(t.Context(), c.ID, "conv", 6, "something else", "x"); err != nil || found {
		t.Fatalf("correct an unknown line: %v, %v", found, err)
	}
	lines, err := s.Transcript(t.Context(), c.ID)
	if err != nil || len(lines) != 1 || lines[0].Text != "Hello Ada." || lines[0].Intended != "Hello Ada. How are you?" {
		t.Fatalf("transcript = %+v, %v", lines, err)
	}
}

// A correction whose number is not that of a line is matched by the words that
// were meant to be said.
func TestTranscriptCorrectionByItsWords(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	grace, err := s.CreatePerson(t.Context(), people.Person{Name: "Grace Hopper", Phone: "+15550100124", Timezone: "UTC", Language: "en"},
		nil, []people.Consent{{Scope: people.ScopeCalls, GivenBy: "Grace", How: "by telephone"}})
	if err != nil {
		t.Fatal(err)
	}
	c, other := newCall(t, s, ada(t, s)), newCall(t, s, grace)
	const meant = "I am still here. Take your time."
	for i, u := range []calls.Utterance{
		{CallID: c.ID, Role: calls.RoleAssistant, Text: meant, EventID: 1}, // said twice: the later one was cut
		{CallID: c.ID, Role: calls.RoleUser, Text: meant, EventID: 2},
		{CallID: c.ID, Role: calls.RoleAssistant, Text: "I am still here. \nTake your time.", EventID: 3},
		{CallID: c.ID, Role: calls.RoleAssistant, Text: "How are you?", EventID: 4},
		{CallID: other.ID, Role: calls.RoleAssistant, Text: meant, EventID: 9},
	} {
		u.ConversationID, u.At = "conv", time.Now().Add(time.Duration(i)*time.Second)
		if _, err := s.AddUtterance(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	for _, heard := range []string{"I am still here. Take", "I am still"} { // corrected twice
		if found, err := s.CorrectUtterance(t.Context(), c.ID, "conv", 9, " "+meant, heard); err != nil || !found {
			t.Fatalf("correct to %q: %v, %v", heard, found, err)
		}
	}
	if found, err := s.CorrectUtterance(t.Context(), c.ID, "conv", 9, "", ""); err != nil || found {
		t.Errorf("correct without words: %v, %v", found, err)
	}
	lines, err := s.Transcript(t.Context(), c.ID)
	var got []string
	for _, u := range lines {
		got = append(got, u.Text)
	}
	if want := []string{meant, meant, "I am still", "How are you?"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("transcript = %q, %v; want %q", got, err, want)
	}
}

func TestTurnRoundTrip(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	c := newCall(t, s, ada(t, s))
	want := calls.Turn{ID: store.NewTurnID(), CallID: c.ID, ConversationID: "conv", Place: 3, Attempt: 2, Kind: calls.TurnSpeech, Heard: "hello", Persona: "general", At: time.Now().UTC().Truncate(time.Millisecond)}
	if err := s.StartTurn(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	want.TurnResult = calls.TurnResult{Reply: "Hi.", Outcome: calls.TurnSpoken, Model: "m", TTFT: 1500 * time.Microsecond, Duration: time.Second, Joined: 1}
	if err := s.FinishTurn(t.Context(), want.ID, want.TurnResult); err != nil {
		t.Fatal(err)
	}
	got, err := s.Turns(t.Context(), c.ID)
	if err != nil || len(got) != 1 {
		t.Fatalf("turns = %v, %v", got, err)
	}
	got[0].At = got[0].At.UTC()
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
}

func TestTopicsCountOncePerCall(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	c := newCall(t, s, p)
	at := time.Now().Truncate(time.Millisecond)
	for range 3 { // retries
		if err := s.SaveTopics(t.Context(), p.ID, c.ID, at, []memories.TopicMention{{Label: "Garden", Mentions: 2}, {Label: " garden "}, {Label: "Tom"}, {Label: " "}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: calls.OutcomeReached}, nil); err != nil {
		t.Fatal(err)
	}
	second := newCallAgain(t, s, p)
	if err := s.SaveTopics(t.Context(), p.ID, second.ID, at.Add(time.Hour), []memories.TopicMention{{Label: "GARDEN", Mentions: 1}}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Topics(t.Context(), p.ID, 10)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, topic := range got {
		counts[topic.Label] = topic.Mentions
	}
	if diff := cmp.Diff(map[string]int{"Garden": 4, "Tom": 1}, counts); diff != "" {
		t.Error(diff)
	}
	if !got[0].LastMentionedAt.Equal(at.Add(time.Hour)) {
		t.Errorf("garden last mentioned %v; want %v", got[0].LastMentionedAt, at.Add(time.Hour))
	}
	if err := s.SaveTopics(t.Context(), p.ID, c.ID, at, nil); err != nil {
		t.Fatal(err)
	}
	if got, err = s.Topics(t.Context(), p.ID, 10); err != nil || len(got) != 1 || got[0].Mentions != 1 {
		t.Errorf("after the first call's topics were taken back: %+v, %v", got, err)
	}
}

func newCallAgain(t *testing.T, s *store.Store, p people.Person) calls.Call {
	t.Helper()
	c, err := s.Dial(t.Context(), time.Now(), calls.NewCall{PersonID: p.ID, Type: calls.CallGeneral, Direction: calls.Outbound}, func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEventsAreFollowedAndDeduplicated(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	f := s.Follow(t.Context())
	defer f.Stop()
	c := newCall(t, s, ada(t, s))
	grown, stop := f.Watch(c.ID)
	defer stop()
	for i, want := range []bool{true, false} {
		if kept, err := s.AddEvent(t.Context(), c.ID, "answered", []byte(`{"n":1}`), "answered"); err != nil || kept != want {
			t.Fatalf("telling %d: kept %v, %v; want %v", i+1, kept, err, want)
		}
	}
	select {
	case <-grown:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was told of the event")
	}
	events, err := s.EventsAfter(t.Context(), c.ID, 0)
	if err != nil || len(events) != 1 || !bytes.Contains(events[0].Data, []byte(`"n"`)) {
		t.Fatalf("events = %+v, %v", events, err)
	}
	if rest, err := s.EventsAfter(t.Context(), c.ID, events[0].ID); err != nil || len(rest) != 0 {
		t.Fatalf("events after the last = %v, %v", rest, err)
	}
}

// Whoever keeps copies of what is known of a person hears that they are old, or that
// the person is deleted, from whichever process.
func TestTouchIsFollowed(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	one, other := storetest.Open(t, url), storetest.Open(t, url)
	f := one.Follow(t.Context())
	defer f.Stop()
	told := make(chan store.PersonID, 10)
	f.OnTouch(func(store.PersonID) { panic("it ends neither the listening nor who else is told") })
	f.OnTouch(func(id store.PersonID) { told <- id })
	p, gone := ada(t, other), ada(t, other)
	deleted := sync.OnceFunc(func() {
		if err := other.DeletePerson(t.Context(), gone.ID); err != nil {
			t.Error(err)
		}
	})
	limit := time.After(10 * time.Second)
	again := time.NewTicker(50 * time.Millisecond) // until it listens
	defer again.Stop()
	for {
		select {
		case id := <-told:
			if id == gone.ID {
				return
			}
			if id == p.ID {
				deleted()
			}
		case <-again.C:
			if err := other.InTx(t.Context(), func(tx store.Tx) error { return other.TouchPerson(t.Context(), tx, p.ID) }); err != nil {
				t.Fatal(err)
			}
		case <-limit:
			t.Fatal("nobody was told")
		}
	}
}

func TestAdmissionIsOneAtATimeAndLimited(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	one, other := storetest.Open(t, url), storetest.Open(t, url) // as two processes
	limit, now := store.Limit{Starts: 2, Per: time.Minute}, time.Now()
	release, wait, err := one.Admit(t.Context(), "q", limit, now)
	if err != nil || wait != 0 {
		t.Fatalf("first: wait %v, %v", wait, err)
	}
	if _, wait, err := other.Admit(t.Context(), "q", limit, now); err != nil || wait == 0 {
		t.Fatalf("while it runs: wait %v, %v; want to wait", wait, err)
	}
	release()
	release, wait, err = other.Admit(t.Context(), "q", limit, now.Add(time.Second))
	if err != nil || wait != 0 {
		t.Fatalf("after it ended: wait %v, %v", wait, err)
	}
	release()
	if _, wait, err := one.Admit(t.Context(), "q", limit, now.Add(10*time.Second)); err != nil || wait.Round(time.Second) != 50*time.Second {
		t.Fatalf("third within the minute: wait %v, %v; want 50s", wait, err)
	}
	release, wait, err = one.Admit(t.Context(), "q", limit, now.Add(61*time.Second))
	if err != nil || wait != 0 {
		t.Fatalf("a minute later: wait %v, %v", wait, err)
	}
	release()
}

func TestAdmissionHoldsNoConnection(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), pooled(t, storetest.URL(t), "1"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	release, wait, err := s.Admit(t.Context(), "q", store.Limit{Starts: 2, Per: time.Minute}, time.Now())
	if err != nil || wait != 0 {
		t.Fatalf("wait %v, %v", wait, err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	until := func() (at time.Time) {
		if err := s.Pool().QueryRow(ctx, "select until from job_turns").Scan(&at); err != nil {
			t.Fatalf("while the job runs: %v", err)
		}
		return at
	}
	for first := until(); !until().After(first); { // it is renewed by and by
		<-time.After(50 * time.Millisecond)
	}
}

func TestTurnOfADeadProcessEnds(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	limit := store.Limit{Starts: 2, Per: time.Minute}
	for _, tc := range []struct {
		until string
		waits bool
	}{{"now() + interval '5 minutes'", true}, {"now() - interval '1 second'", false}} {
		if _, err := s.Pool().Exec(t.Context(), "insert into job_turns values ('q', gen_random_uuid(), "+tc.until+
			") on conflict (queue) do update set until = excluded.until"); err != nil {
			t.Fatal(err)
		}
		release, wait, err := s.Admit(t.Context(), "q", limit, time.Now())
		if err != nil || tc.waits != (wait > 0) {
			t.Errorf("until %s: wait %v, %v", tc.until, wait, err)
		}
		if release != nil {
			release()
		}
	}
}

// pooled is the address with another pool_max_conns, or none.
func pooled(t *testing.T, address, conns string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Del("pool_max_conns")
	if conns != "" {
		q.Set("pool_max_conns", conns)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func TestPoolSize(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	for conns, want := range map[string]int32{"5": 5, "": 7} {
		s, err := store.Open(t.Context(), pooled(t, address, conns), slog.New(slog.DiscardHandler), store.MaxConns(7))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Pool().Config().MaxConns; got != want {
			t.Errorf("pool_max_conns=%s: at most %d connections, want %d", conns, got, want)
		}
		s.Close()
	}
}
