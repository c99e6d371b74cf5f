package elders

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/internal/english"
)

func loaded(t *testing.T) []Elder {
	t.Helper()
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestLoadHasEveryMannerAndThreeToBeginWith(t *testing.T) {
	t.Parallel()
	all := loaded(t)
	if len(all) < 7 {
		t.Errorf("there are %d elders", len(all))
	}
	zones, manners := map[string]bool{}, map[Manner]bool{}
	for i, e := range all {
		manners[e.Manner] = true
		zones[e.Timezone] = true
		if (i < 3) != (e.Seeded == i+1) {
			t.Errorf("%s stands at %d and is seeded as %d", e.ID, i, e.Seeded)
		}
		if i < 3 && (len(e.History) == 0 || len(e.Conditions) == 0 || len(e.Medications) == 0) {
			t.Errorf("%s is put into the database without a life", e.ID)
		}
		if found, ok := Find(all, strings.ToUpper(e.ID)); !ok || found.Name != e.Name {
			t.Errorf("%s is not found by name", e.ID)
		}
	}
	for _, m := range Manners() {
		if !manners[m] {
			t.Errorf("nobody is %s", m)
		}
	}
	if len(zones) != len(all) {
		t.Errorf("%d elders share %d zones", len(all), len(zones))
	}
	if _, ok := Find(all, "nobody"); ok {
		t.Error("somebody is called nobody")
	}
}

// Everybody has what a call with them needs, and nothing that could reach a real person.
func TestEldersAreSound(t *testing.T) {
	t.Parallel()
	fictional := regexp.MustCompile(`^\+1555\d{7}$`)
	sound := func(d Duration) bool { return d.Min >= 0 && d.Max >= d.Min && d.Max <= time.Minute }
	phones := map[string]string{}
	for _, e := range loaded(t) {
		wrong := func(is bool, what string) {
			t.Helper()
			if is {
				t.Errorf("%s: %s", e.ID, what)
			}
		}
		ear := earOf(e.Language)
		for key, value := range map[string]string{"name": e.Name, "preferredName": e.PreferredName, "language": e.Language, "notes": e.Notes, "address": e.Address} {
			wrong(strings.TrimSpace(value) == "", key+" is missing")
		}
		wrong(!fictional.MatchString(e.Phone), "the phone is not of the form +1555…")
		wrong(phones[e.Phone] != "", "the phone is that of "+phones[e.Phone])
		phones[e.Phone] = e.ID
		_, err := time.LoadLocation(e.Timezone)
		wrong(e.Timezone == "" || err != nil, "the timezone is not known")
		wrong(!slices.Contains(Manners(), e.Manner), "the manner is not known")
		wrong(len(e.Contacts) == 0, "contacts are missing")
		for _, c := range e.Contacts {
			wrong(c.Name == "" || !fictional.MatchString(c.Phone) || c.Priority < 1, "a contact needs a name, a phone of the form +1555… and a priority from 1")
		}
		wrong(!e.Consent.Calls || e.Consent.Source == "", "consent for calls, with its source, is missing")
		wrong(e.Turns.Min < 4 || e.Turns.Max > 8 || e.Turns.Min > e.Turns.Max, "turns must lie between 4 and 8")
		wrong(!sound(e.Thinking) || !sound(e.Pause) || e.Manner == Slow && e.Pause.Max == 0, "thinking and pause must be spans of time, and the slow need a pause")
		o := e.Odds
		wrong(min(o.Busy, o.NoAnswer, o.Machine) < 0 || o.Busy+o.NoAnswer+o.Machine >= 1 || !sound(o.PickUp) || o.PickUp.Max == 0, "ring: the odds must leave room for an answer")
		wrong(o.Machine > 0 && o.Greeting == "", "ring: greeting is missing")
		for _, p := range e.History {
			wrong(p.DaysAgo < 1 || p.CallType == "" || p.Summary == "" || p.CallType == "health_check", "history needs daysAgo from 1, callType (no health check) and summary")
		}
		for _, line := range e.Lines["goodbye"] {
			wrong(!ear.takesLeave(line), "this does not take leave: "+line)
		}
		kinds := []string{"fillers", "goodbye", "hello", "news", "opening", "quirks"}
		wrong(!slices.Equal(slices.Sorted(maps.Keys(e.Lines)), kinds), "lines are of other kinds than "+strings.Join(kinds, ", "))
		lists := maps.Clone(e.Lines)
		for name, list := range e.Answers {
			lists["answers."+name] = list
			wrong(!slices.ContainsFunc(ear.cues, func(s subject) bool { return s.Subject == name }), "no cues lead to answers."+name)
		}
		for name, list := range e.Check {
			lists["check."+name] = list
			wrong(!slices.ContainsFunc(ear.check.Subjects, func(s subject) bool { return s.Subject == name }), "no question leads to check."+name)
		}
		for key, list := range lists {
			wrong(len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" }), key+" is empty or has an empty line")
		}
	}
}

func TestCuesAreWellFormed(t *testing.T) {
	t.Parallel()
	for language, ear := range ears() {
		all := ear.cues
		for _, s := range ear.check.Subjects {
			if len(s.Lines) == 0 {
				t.Errorf("%s: check: %s has no lines", language, s.Subject)
			}
			all = append(slices.Clone(all), subject{Subject: "check." + s.Subject, Cues: s.Cues})
		}
		all = append(all, subject{Subject: "begins", Cues: ear.check.Begins}, subject{Subject: "leaves", Cues: ear.check.Leaves})
		seen := map[string]bool{}
		for _, c := range all {
			if len(c.Cues) == 0 || seen[c.Subject] {
				t.Errorf("%s: %s is empty or there twice", language, c.Subject)
			}
			seen[c.Subject] = true
			for _, cue := range c.Cues {
				if cue != english.Plain(cue) {
					t.Errorf("%s: %q of %s is not in lower case without marks", language, cue, c.Subject)
				}
			}
		}
		if len(ear.check.Nothing) == 0 {
			t.Errorf("%s: nobody asks who is there", language)
		}
	}
}

func TestRingFollowsTheOddsAndTheSeed(t *testing.T) {
	t.Parallel()
	for _, e := range loaded(t) {
		count := map[Outcome]float64{}
		const calls = 4000
		for seed := range uint64(calls) {
			r := e.Ring(seed)
			if r != e.Ring(seed) {
				t.Fatalf("%s: seed %d rings in two ways", e.ID, seed)
			}
			count[r.Outcome]++
			switch r.Outcome {
			case Answer:
				if r.After < e.Odds.PickUp.Min || r.After > e.Odds.PickUp.Max+10*time.Millisecond || r.Greeting != "" {
					t.Fatalf("%s: seed %d: %+v", e.ID, seed, r)
				}
			case Machine:
				if r.After == 0 || r.Greeting == "" {
					t.Fatalf("%s: seed %d: %+v", e.ID, seed, r)
				}
			case Busy, NoAnswer:
				if r.After != 0 || r.Greeting != "" {
					t.Fatalf("%s: seed %d: %+v", e.ID, seed, r)
				}
			}
		}
		o := e.Odds
		for outcome, want := range map[Outcome]float64{Busy: o.Busy, NoAnswer: o.NoAnswer, Machine: o.Machine, Answer: 1 - o.Busy - o.NoAnswer - o.Machine} {
			if got := count[outcome] / calls; got < want-0.03 || got > want+0.03 {
				t.Errorf("%s: %s is %.3f of calls, want %.3f", e.ID, outcome, got, want)
			}
		}
	}
}
