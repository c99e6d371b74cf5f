package store_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// aDay is a moment that the database keeps to the digit.
var aDay = time.Date(2026, 3, 2, 10, 30, 0, 123456000, time.UTC)

// allows lets the person's words be kept.
func allows(t *testing.T, s *store.Store, p people.Person) {
	t.Helper()
	if _, err := s.GiveConsent(t.Context(), p.ID, people.Consent{Scope: people.ScopeRecording, GivenBy: "Ada", How: "on paper"}); err != nil {
		t.Fatal(err)
	}
}

// checked is a health check by telephone that is over.
func checked(t *testing.T, s *store.Store, p people.Person, conversation string) store.CallID {
	t.Helper()
	c, err := s.Dial(t.Context(), time.Now(), calls.NewCall{PersonID: p.ID, Type: calls.CallHealthCheck, Direction: calls.Outbound},
		func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if conversation != "" {
		if err := s.AddConversation(t.Context(), c.ID, conversation); err != nil {
			t.Fatal(err)
		}
	}
	reached(t, s, c.ID, nil)
	return c.ID
}

func save(t *testing.T, s *store.Store, checks ...checks.Check) {
	t.Helper()
	for _, hc := range checks {
		if err := s.SaveHealthCheck(t.Context(), hc); err != nil {
			t.Fatal(err)
		}
	}
}

// scale is an answer on a scale that was given at a time.
func scale(id string, n int, at time.Time) checks.Answer {
	value, ordinal := []byte{byte('0' + n)}, float64(n)
	return checks.Answer{
		QuestionID: id, Question: "How is your " + id + "?", Short: id, Pack: "daily", PackVersion: "1.0.0", Type: "scale", Status: "answered",
		Value: value, Ordinal: &ordinal, Quote: "a good " + string(value), Confidence: 0.9, Source: "rules", Attempts: 1, At: at,
	}
}

// without is a question that got no answer.
func without(id, status string, at time.Time) checks.Answer {
	return checks.Answer{QuestionID: id, Question: id + "?", Pack: "daily", Type: "scale", Status: status, At: at}
}

func whole(p people.Person, id store.CallID) checks.Check {
	total := 3
	sleep, weight := scale("sleep", 7, aDay), scale("weight", 8, aDay.Add(time.Minute))
	sleep.Earlier = []checks.Reading{{Status: "answered", Value: json.RawMessage("4"), Quote: "four", Confidence: 0.8, At: aDay.Add(-time.Second)}}
	weight.Type, weight.Unit, weight.Value = "number", "kg", json.RawMessage("68.5")
	why := checks.Answer{
		QuestionID: "sleep.why", FollowUpOf: "sleep", Question: "What kept you awake?", Short: "Why", Pack: "daily", PackVersion: "1.0.0", Type: "text",
		Status: "answered", Value: json.RawMessage(`"the wind"`), Quote: "the wind", Confidence: 1, Source: "rules", Attempts: 2, At: aDay, Carried: true,
	}
	return checks.Check{
		CallID: id, PersonID: p.ID, Status: checks.Completed, StartedAt: aDay, EndedAt: aDay.Add(5 * time.Minute),
		Questions: json.RawMessage(`[{"id": "sleep"}]`),
		Answers:   []checks.Answer{weight, sleep, why, without("plans", "refused", aDay), without("other", "not_reached", time.Time{})},
		Scores: []checks.Score{
			{Pack: "phq2", Version: "1.0.0", Title: "PHQ-2", Total: &total, Highest: 6, Band: "positive", Meaning: "A reason to look.", Positive: true, Answered: 2, Of: 2},
			{Pack: "gad2", Highest: 6, Answered: 1, Of: 2},
		},
	}
}

// instants are compared as such, whatever zone they are written in.
var instants = cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })

func TestHealthCheckRoundTrip(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	allows(t, s, p)
	hc := whole(p, checked(t, s, p, "conv_1"))
	save(t, s, hc, hc)
	got, err := s.HealthCheckOfCall(t.Context(), hc.CallID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hc, got, instants); diff != "" {
		t.Errorf("saved twice (-want +got):\n%s", diff)
	}
	hc.Status, hc.Answers, hc.Scores, hc.Questions = checks.Stopped, hc.Answers[1:2], nil, nil
	save(t, s, hc)
	list, err := s.HealthChecks(t.Context(), p.ID, checks.Query{Limit: 9})
	if err != nil || len(list) != 1 {
		t.Fatalf("checks = %+v, %v", list, err)
	}
	if diff := cmp.Diff(hc, list[0], instants); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	if _, err := s.HealthCheckOfCall(t.Context(), store.NewCallID()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a call without a check: %v; want ErrNotFound", err)
	}
}

func TestHealthCheckThatBreaksARuleChangesNothing(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p, other := ada(t, s), ada(t, s)
	allows(t, s, p)
	hc := whole(p, checked(t, s, p, "conv_1"))
	save(t, s, hc)
	for name, change := range map[string]func(*checks.Check){
		"somebody else's call":  func(hc *checks.Check) { hc.PersonID = other.ID },
		"no such call":          func(hc *checks.Check) { hc.CallID = store.NewCallID() },
		"unknown status":        func(hc *checks.Check) { hc.Status = "lost" },
		"resumes itself":        func(hc *checks.Check) { hc.Resumes = hc.CallID },
		"resumes nothing":       func(hc *checks.Check) { hc.Resumes = store.NewCallID() },
		"a question twice":      func(hc *checks.Check) { hc.Answers[1] = hc.Answers[0] },
		"a refusal of seven":    func(hc *checks.Check) { hc.Answers[0].Status = "refused" },
		"an answer of nothing":  func(hc *checks.Check) { hc.Answers[0].Value = nil },
		"an answer out of time": func(hc *checks.Check) { hc.Answers[0].At = time.Time{} },
		"surer than sure":       func(hc *checks.Check) { hc.Answers[0].Confidence = 1.1 },
		"unknown answer status": func(hc *checks.Check) { hc.Answers[4].Status = "perhaps" },
		"unknown answer type":   func(hc *checks.Check) { hc.Answers[4].Type = "date" },
		"a score twice":         func(hc *checks.Check) { hc.Scores[1].Pack = hc.Scores[0].Pack },
	} {
		broken := hc
		broken.Answers, broken.Scores = slices.Clone(hc.Answers), slices.Clone(hc.Scores)
		change(&broken)
		if err := s.SaveHealthCheck(t.Context(), broken); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v; want ErrConflict", name, err)
		}
	}
	got, err := s.HealthCheckOfCall(t.Context(), hc.CallID)
	if diff := cmp.Diff(hc, got, instants); err != nil || diff != "" {
		t.Errorf("after all that: %v\n%s", err, diff)
	}
}

func TestHealthCheckWithoutWords(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s) // has never agreed to be recorded
	hc := whole(p, checked(t, s, p, "conv_1"))
	hc.EndedAt = time.Time{}
	save(t, s, hc)
	got, err := s.HealthCheckOfCall(t.Context(), hc.CallID)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range got.Answers {
		want := string(hc.Answers[i].Value)
		if a.Type == "text" && want != "" {
			want = `""` // it was words
		}
		if a.Quote != "" || string(a.Value) != want {
			t.Errorf("%s: value %s, quote %q; want %s and no words", a.QuestionID, a.Value, a.Quote, want)
		}
		for _, r := range a.Earlier {
			if r.Quote != "" || string(r.Value) != "4" {
				t.Errorf("%s: earlier reading %+v", a.QuestionID, r)
			}
		}
	}
	c, err := s.Call(t.Context(), hc.CallID)
	if err != nil || !got.EndedAt.Equal(*c.EndedAt) {
		t.Errorf("ended at %v, want the call's ending %v (%v)", got.EndedAt, c.EndedAt, err)
	}
	if hc.Answers[0].Quote == "" || hc.Answers[1].Earlier[0].Quote == "" {
		t.Error("the caller's own copy lost its words")
	}
}

func TestHealthChecksInPages(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p, other := ada(t, s), ada(t, s)
	var want []store.CallID // newest first
	for i := range 5 {
		hc := whole(p, checked(t, s, p, ""))
		if i > 2 {
			i = 2 // the last three began in the same instant
		}
		hc.StartedAt = aDay.AddDate(0, 0, i)
		save(t, s, hc)
		want = slices.Insert(want, 0, hc.CallID)
	}
	save(t, s, whole(other, checked(t, s, other, "")))
	var got []store.CallID
	q := checks.Query{Limit: 2}
	for range 9 {
		list, err := s.HealthChecks(t.Context(), p.ID, q)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			break
		}
		for _, hc := range list {
			got = append(got, hc.CallID)
			if len(hc.Answers) != 5 || len(hc.Scores) != 2 {
				t.Errorf("%s has %d answers, %d scores", hc.CallID, len(hc.Answers), len(hc.Scores))
			}
		}
		at := list[len(list)-1].Cursor()
		q.Before = &at
	}
	if !slices.Equal(got, want) {
		t.Errorf("checks = %v, want %v", got, want)
	}
	if list, err := s.HealthChecks(t.Context(), p.ID, checks.Query{Limit: 9, Since: aDay.AddDate(0, 0, 1)}); err != nil || len(list) != 4 {
		t.Errorf("since the second day: %d checks, %v; want 4", len(list), err)
	}
}

func TestHealthChecksGoWithTheirPerson(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	first := whole(p, checked(t, s, p, ""))
	later := whole(p, checked(t, s, p, ""))
	later.Resumes = first.CallID
	save(t, s, later, first)
	if err := s.DeletePerson(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"health_checks", "health_answers", "health_scores"} {
		var n int
		if err := s.Pool().QueryRow(t.Context(), "select count(*) from "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s holds %d rows, %v", table, n, err)
		}
	}
}
