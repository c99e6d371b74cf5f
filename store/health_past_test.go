package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

// history is the person's points, as text.
func history(t *testing.T, s *store.Store, p people.Person, since time.Time) []string {
	t.Helper()
	points, err := s.HealthHistory(t.Context(), p.ID, since)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(points))
	for i, pt := range points {
		out[i] = fmt.Sprintf("%s %s=%s %s", pt.At.UTC().Format("02 15:04"), pt.QuestionID, pt.Value, pt.CallID)
	}
	return out
}

// TestHealthHistoryAcrossCalls: a check that was broken off, gone on with and
// gone on with again is one check, whichever part is written first.
func TestHealthHistoryAcrossCalls(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	check := func(resumes store.CallID, status checks.Status, start time.Time, answers ...checks.Answer) checks.Check {
		return checks.Check{
			CallID: checked(t, s, p, ""), PersonID: p.ID, Status: status, Resumes: resumes, StartedAt: start, EndedAt: start.Add(time.Minute), Answers: answers,
		}
	}
	carried := func(a checks.Answer) checks.Answer {
		a.Carried = true
		return a
	}
	hour := func(n int) time.Time { return aDay.Add(time.Duration(n) * time.Hour) }
	energy, sleep, pain, mood := scale("energy", 5, hour(0)), scale("sleep", 7, hour(0)), scale("pain", 2, hour(0)), scale("mood", 6, hour(0))
	plans := scale("plans", 1, hour(0))
	first := check(store.CallID{}, checks.InProgress, hour(0), energy, sleep, pain, mood, plans, without("falls", "not_reached", time.Time{}))
	second := check(first.CallID, checks.InProgress, hour(1),
		carried(energy), scale("sleep", 3, hour(1)), carried(pain), carried(mood), without("plans", "unclear", hour(1)))
	third := check(second.CallID, checks.Completed, hour(2),
		carried(energy), carried(second.Answers[1]), scale("pain", 4, hour(2)), without("mood", "refused", hour(2)),
		without("plans", "not_reached", time.Time{}), scale("falls", 0, hour(2)))
	want := []string{
		"02 10:30 energy=5 " + first.CallID.String(), "02 10:30 plans=1 " + first.CallID.String(), "02 11:30 sleep=3 " + second.CallID.String(),
		"02 12:30 falls=0 " + third.CallID.String(), "02 12:30 pain=4 " + third.CallID.String(),
	}
	for _, order := range [][]checks.Check{{first, second, third}, {third, second, first}, {second, third, first}, {third, first, second}} {
		if _, err := s.Pool().Exec(t.Context(), "delete from health_checks"); err != nil {
			t.Fatal(err)
		}
		save(t, s, order...)
		if diff := cmp.Diff(want, history(t, s, p, aDay.AddDate(0, 0, -1))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for id, next := range map[store.CallID]store.CallID{first.CallID: second.CallID, second.CallID: third.CallID, third.CallID: {}} {
			if got, err := s.HealthCheckOfCall(t.Context(), id); err != nil || got.ContinuedBy != next {
				t.Errorf("%s is continued by %s, %v; want %s", id, got.ContinuedBy, err, next)
			}
		}
	}
	if got := history(t, s, p, hour(2)); len(got) != 2 {
		t.Errorf("since noon: %v", got)
	}
}

// TestHealthHistoryBeforeAllIsWritten: the later part alone tells what was carried, once.
func TestHealthHistoryBeforeAllIsWritten(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	answer := scale("sleep", 7, aDay)
	answer.Carried = true
	first := checked(t, s, p, "")
	var want string
	for i := range 2 { // two calls went on with the same check
		hc := checks.Check{CallID: checked(t, s, p, ""), PersonID: p.ID, Status: checks.InProgress, Resumes: first, Answers: []checks.Answer{answer}}
		hc.StartedAt = aDay.Add(time.Duration(i) * time.Hour)
		save(t, s, hc)
		want = hc.CallID.String()
	}
	if got := history(t, s, p, aDay); len(got) != 1 || got[0] != "02 10:30 sleep=7 "+want {
		t.Errorf("history = %v; want one answer, of %s", got, want)
	}
}

func TestHealthHistoryHoldsEveryKindOfAnswer(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	allows(t, s, p)
	save(t, s, whole(p, checked(t, s, p, "")))
	points, err := s.HealthHistory(t.Context(), p.ID, aDay)
	if err != nil || len(points) != 3 {
		t.Fatalf("points = %+v, %v; want the three that were answered", points, err)
	}
	got := map[string]checks.Point{}
	for _, pt := range points {
		got[pt.QuestionID] = pt
	}
	if w := got["weight"]; w.Unit != "kg" || string(w.Value) != "68.5" || w.Ordinal == nil || *w.Ordinal != 8 || w.Type != "number" || w.Short != "weight" {
		t.Errorf("weight = %+v", w)
	}
	if w := got["sleep.why"]; w.Ordinal != nil || string(w.Value) != `"the wind"` || w.Question != "What kept you awake?" || w.Pack != "daily" {
		t.Errorf("sleep.why = %+v", w)
	}
	if points, err := s.HealthHistory(t.Context(), ada(t, s).ID, aDay); err != nil || len(points) != 0 {
		t.Errorf("somebody else's history = %+v, %v", points, err)
	}
}

func TestUnfinishedHealthCheck(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	part := func(status checks.Status, hours int, resumes store.CallID) checks.Check {
		hc := whole(p, checked(t, s, p, ""))
		hc.Status, hc.StartedAt, hc.Resumes = status, aDay.Add(time.Duration(hours)*time.Hour), resumes
		hc.EndedAt = hc.StartedAt.Add(time.Minute)
		save(t, s, hc)
		return hc
	}
	want := func(when string, since time.Time, id store.CallID) {
		t.Helper()
		hc, found, err := s.UnfinishedHealthCheck(t.Context(), p.ID, since)
		if past := s.HealthPast(t.Context(), p.ID, store.NewCallID(), since, since); past.Unfinished != found || past.BrokenErr != nil || !errors.Is(past.CallErr, store.ErrNotFound) {
			t.Errorf("%s: the past has one: %v, %v, %v", when, past.Unfinished, past.BrokenErr, past.CallErr)
		}
		if err != nil || found != (id != store.CallID{}) || hc.CallID != id {
			t.Errorf("%s: %s, %v, %v; want %s", when, hc.CallID, found, err, id)
		}
		if found && (len(hc.Answers) != 5 || string(hc.Questions) != `[{"id": "sleep"}]`) {
			t.Errorf("%s: it came without what is needed to go on: %+v", when, hc)
		}
	}
	want("nothing yet", aDay, store.CallID{})
	first := part(checks.InProgress, 0, store.CallID{})
	want("one broken off", aDay, first.CallID)
	want("too long ago", aDay.Add(2*time.Minute), store.CallID{})
	second := part(checks.InProgress, 1, store.CallID{})
	want("another one", aDay, second.CallID)
	third := part(checks.InProgress, 2, second.CallID)
	want("gone on with, and broken off again", aDay, third.CallID)
	part(checks.Completed, 3, third.CallID)
	want("finished", aDay, store.CallID{})
	part(checks.Stopped, 4, store.CallID{})
	fifth := part(checks.InProgress, 5, store.CallID{})
	want("broken off after that", aDay, fifth.CallID)
	part(checks.Stopped, 6, store.CallID{})
	want("the person wanted no more", aDay, store.CallID{})
}

func TestHealthAskedAndScreens(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	item := func(id, pack, status string, at time.Time) checks.Answer {
		a := checks.Answer{QuestionID: id, Question: id, Pack: pack, Screen: true, Type: "choice", Status: status, At: at}
		if status == "answered" || status == "keypad" {
			a.Value = json.RawMessage(`"several_days"`)
		}
		return a
	}
	total := 2
	day := func(n int) time.Time { return aDay.AddDate(0, 0, n) }
	for n, c := range []struct {
		answers []checks.Answer
		scores  []checks.Score
	}{
		{[]checks.Answer{item("a", "phq2", "answered", day(0)), item("b", "phq2", "keypad", day(0).Add(time.Minute)), scale("energy", 4, day(0))}, []checks.Score{{Pack: "phq2", Total: &total, Highest: 6, Answered: 2, Of: 2}}},
		{[]checks.Answer{item("c", "gad2", "answered", day(1)), item("d", "gad2", "not_reached", time.Time{})}, []checks.Score{{Pack: "gad2", Highest: 6, Answered: 1, Of: 2}}},
		{[]checks.Answer{item("e", "ucla3", "refused", day(2)), item("f", "ucla3", "skipped", day(2))}, nil},
		{[]checks.Answer{item("g", "frail", "not_reached", day(3)), without("energy", "skipped", day(3))}, nil},
		{[]checks.Answer{item("h", "steadi3", "unclear", day(3).Add(time.Hour)), item("i", "steadi3", "not_reached", time.Time{})}, nil},
		{[]checks.Answer{item("c", "gad2", "answered", day(1)), item("d", "gad2", "answered", day(4))}, []checks.Score{{Pack: "gad2", Total: &total, Highest: 6, Answered: 2, Of: 2}}},
	} {
		save(t, s, checks.Check{CallID: checked(t, s, p, ""), PersonID: p.ID, Status: checks.Completed, StartedAt: day(n), Answers: c.answers, Scores: c.scores})
	}
	past := s.HealthPast(t.Context(), p.ID, store.NewCallID(), aDay, aDay)
	want := []checks.Screen{
		{Pack: "phq2", At: day(0).Add(time.Minute), Outcome: checks.ScreenComplete},
		{Pack: "gad2", At: day(1), Outcome: checks.ScreenPartial},
		{Pack: "ucla3", At: day(2), Outcome: checks.ScreenRefused},
		{Pack: "steadi3", At: day(3).Add(time.Hour), Outcome: checks.ScreenUnanswered},
		{Pack: "gad2", At: day(4), Outcome: checks.ScreenComplete},
	}
	if diff := cmp.Diff(want, past.Screens, instants); past.ScreensErr != nil || diff != "" {
		t.Errorf("screens: %v\n%s", past.ScreensErr, diff)
	}
	asked, err := past.Asked, past.AskedErr
	if err != nil || !asked["energy"].Equal(day(3)) || !asked["d"].Equal(day(4)) {
		t.Errorf("asked = %v, %v", asked, err)
	}
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, []string{"a", "b", "c", "d", "e", "energy", "f", "h"}) {
		t.Errorf("asked = %v", got)
	}
}

func TestLastHealthCall(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	before := time.Now().Add(-time.Hour)
	first, second := checked(t, s, p, "conv_1"), checked(t, s, p, "conv_2")
	checked(t, s, p, "")           // nobody spoke
	other := newCallAgain(t, s, p) // about something else
	if err := s.AddConversation(t.Context(), other.ID, "conv_3"); err != nil {
		t.Fatal(err)
	}
	reached(t, s, other.ID, nil)
	checkedAlive(t, s, ada(t, s)) // somebody else's
	live := checkedAlive(t, s, p) // the one that asks
	for _, tt := range []struct {
		name   string
		before store.CallID
		since  time.Time
		want   store.CallID
	}{
		{"the newest", live, before, second},
		{"before that", second, before, first},
		{"none before", first, before, store.CallID{}},
		{"too long ago", live, time.Now().Add(time.Hour), store.CallID{}},
	} {
		past := s.HealthPast(t.Context(), p.ID, tt.before, tt.since, tt.since)
		if past.BrokenErr != nil || past.Last.ID != tt.want || past.Call.ID != tt.before || past.CallErr != nil {
			t.Errorf("%s: %s, %v; want %s", tt.name, past.Last.ID, past.BrokenErr, tt.want)
		}
	}
}

// checkedAlive is a health check by telephone that goes on.
func checkedAlive(t *testing.T, s *store.Store, p people.Person) store.CallID {
	t.Helper()
	c, err := s.Dial(t.Context(), time.Now(), calls.NewCall{PersonID: p.ID, Type: calls.CallHealthCheck, Direction: calls.Outbound},
		func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddConversation(t.Context(), c.ID, "conv_of_"+c.ID.String()); err != nil {
		t.Fatal(err)
	}
	return c.ID
}
