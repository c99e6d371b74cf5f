package elders

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
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
		if i < 3 && (len(e.History) == 0 || len(e.Conditions) == 0 || len(e.Medications) == 0 || len(e.Life.People) == 0) {
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
	if got := all[0].String(); got != "Margaret Ellis (chatty)" {
		t.Errorf("the first is %s", got)
	}
}

func TestLoadRefusesMistakes(t *testing.T) {
	t.Parallel()
	good, err := people.ReadFile("people/bernice.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, from, to, want string }{
		{"unknown key", "manner: plain", "maner: plain", "maner"},
		{"unknown manner", "manner: plain", "manner: rude", `manner "rude"`},
		{"real telephone", "+15550100808", "+12125550100", "phone"},
		{"unknown zone", "Pacific/Honolulu", "Pacific/Atlantis", "timezone"},
		{"no name", "name: Bernice Kealoha", `name: ""`, "name is missing"},
		{"too many turns", "turns: {min: 4, max: 8}", "turns: {min: 4, max: 80}", "turns"},
		{"backward time", "thinking: {min: 400ms, max: 1000ms}", "thinking: {min: 4s, max: 1s}", "thinking"},
		{"odds above one", "busy: 0.05", "busy: 0.95", "odds"},
		{"machine without greeting", `greeting: "Aloha, Bernice is swimming. Please leave a message after the beep."`, `greeting: ""`, "greeting"},
		{"goodbye that stays", "It was nice talking to you. Goodbye.", "It was nice talking to you.", "take leave"},
		{"subject without cues", "  lonely:", "  submarines:", "submarines"},
		{"empty list", `quirks: ["That's right."]`, "quirks: []", "quirks"},
		{"no consent", "calls: true", "calls: false", "consent"},
		{"health check without answers", "callType: general", "callType: health_check", "belongs in checks"},
		{"not YAML", "name:", "\t:", "elder bernice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(string(good), tt.from, tt.to, 1)
			if text == string(good) {
				t.Fatalf("%q is not in the file", tt.from)
			}
			_, err := loadFrom(fstest.MapFS{"people/bernice.yaml": {Data: []byte(text)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
	if _, err := loadFrom(fstest.MapFS{"people/a.yaml": {Data: good}, "people/b.yaml": {Data: good}}); err == nil || !strings.Contains(err.Error(), "phone is that of a") {
		t.Errorf("two elders with one telephone: %v", err)
	}
}

func TestLoadReportsAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	_, err := loadFrom(fstest.MapFS{
		"people/a.yaml": {Data: []byte("name: A\nmanner: rude\n")},
		"people/b.yaml": {Data: []byte("nose: long\n")},
	})
	for _, want := range []string{"elder a: manner", "elder a: phone", "elder a: hello", "elder b:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

func TestCuesAreWellFormed(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("cues.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cues, err := parseCues(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cues {
		if len(c.Cues) == 0 || slices.ContainsFunc(cues[:i], func(o subjectCues) bool { return o.Subject == c.Subject }) {
			t.Errorf("%s is empty or there twice", c.Subject)
		}
	}
	for _, bad := range []string{"- subject: a\n  cues: [Don't]\n", "- subject: a\n  cuse: [b]\n"} {
		if _, err := parseCues([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
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

func FuzzParseElder(f *testing.F) {
	good, err := people.ReadFile("people/walter.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("name: A\nlife: {people: [{name: B}]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parseElder("x", data)
		if err != nil {
			return
		}
		// Whoever is accepted can be talked with.
		s := NewScript(e, 1)
		for range 20 {
			if s.Next("How are you?").HangUp {
				return
			}
		}
		t.Error("the call does not end")
	})
}
