package elders

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asks are what nAIber might say; they go round in every scripted call.
var asks = []string{
	"Hello, this is nAIber, your AI companion. How are you today?",
	"How lovely. How did you sleep last night?",
	"I see. Does anything hurt at the moment, your knee perhaps?",
	"Thank you. Who is coming to see you next?",
	"What did you have for lunch today?",
	"Is that so. What are you looking forward to?",
	"What did you like to do when you were young?",
	"How is the weather where you are?",
	"Have you taken your medicine today?",
	"What has kept you busy?",
}

// callWith plays a call, without breaking in, until the elder hangs up.
func callWith(t *testing.T, e Elder, seed uint64) []Reaction {
	t.Helper()
	s := NewScript(e, seed)
	out := []Reaction{s.Next("")}
	for i := range 30 {
		r := s.Next(asks[i%len(asks)])
		out = append(out, r)
		if r.HangUp {
			return out
		}
	}
	t.Fatalf("%s, seed %d: the call does not end", e.ID, seed)
	return nil
}

func TestCallsLastFourToEightTurnsAndEndInGoodbye(t *testing.T) {
	t.Parallel()
	for _, e := range loaded(t) {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(50) {
				all := callWith(t, e, seed)
				turns := all[1 : len(all)-1] // without the hello and the hanging up
				if len(turns) < 4 || len(turns) > 8 {
					t.Fatalf("seed %d: %d turns", seed, len(turns))
				}
				if last := turns[len(turns)-1].Text(); !earOf(e.Language).takesLeave(last) {
					t.Fatalf("seed %d: the last words are %q", seed, last)
				}
				if !slices.Contains(e.Lines["hello"], all[0].Say) {
					t.Errorf("seed %d: picked up with %q", seed, all[0].Say)
				}
				for i, r := range turns {
					if r.Say == "" && !r.Silent || r.Interrupt || r.Delay <= 0 {
						t.Errorf("seed %d, turn %d: %+v", seed, i, r)
					}
				}
				if diff := cmp.Diff(all, callWith(t, e, seed)); diff != "" {
					t.Fatalf("seed %d plays in two ways:\n%s", seed, diff)
				}
			}
		})
	}
}

func TestCallsDifferBySeed(t *testing.T) {
	t.Parallel()
	for _, e := range loaded(t) {
		seen := map[string]bool{}
		for seed := range uint64(20) {
			seen[fmt.Sprint(callWith(t, e, seed))] = true
		}
		if len(seen) < 5 {
			t.Errorf("%s: twenty calls are %d", e.ID, len(seen))
		}
	}
}

// Only quirks and fillers may come twice: nobody tells a story twice, but the
// confused do ask the same again.
func TestContentComesOnce(t *testing.T) {
	t.Parallel()
	for _, e := range loaded(t) {
		for seed := range uint64(20) {
			seen := map[string]bool{}
			for _, r := range callWith(t, e, seed) {
				say := r.Say
				if say == "" || slices.Contains(e.Lines["quirks"], say) || slices.Contains(e.Lines["fillers"], say) {
					continue
				}
				if seen[r.Text()] && e.Manner != Slow {
					t.Errorf("%s, seed %d: %q is said twice", e.ID, seed, r.Text())
				}
				seen[r.Text()] = true
			}
		}
	}
}

// tally counts, over many calls, in how many turns a manner shows.
func tally(t *testing.T, m Manner, shows func(e Elder, r Reaction) bool) float64 {
	t.Helper()
	all := loaded(t)
	e := all[slices.IndexFunc(all, func(e Elder) bool { return e.Manner == m })]
	n, turns := 0.0, 0.0
	for seed := range uint64(60) {
		for _, r := range callWith(t, e, seed)[1:] {
			turns++
			if shows(e, r) {
				n++
			}
		}
	}
	return n / turns
}

func TestMannersAreVisible(t *testing.T) {
	t.Parallel()
	quirk := func(e Elder, r Reaction) bool { return slices.Contains(e.Lines["quirks"], r.Say) }
	startsWithQuirk := func(e Elder, r Reaction) bool {
		return slices.ContainsFunc(e.Lines["quirks"], func(q string) bool { return strings.HasPrefix(r.Say, q) })
	}
	tests := []struct {
		manner   Manner
		shows    func(Elder, Reaction) bool
		from, to float64
	}{
		{HardOfHearing, quirk, 0.1, 0.5},
		{Confused, quirk, 0.1, 0.5},
		{Distressed, startsWithQuirk, 0.25, 0.7},
		{Quiet, func(_ Elder, r Reaction) bool { return r.Silent }, 0.05, 0.4},
		{Quiet, func(_ Elder, r Reaction) bool { return len(strings.Fields(r.Text())) > 8 }, 0, 0},
		{Slow, func(_ Elder, r Reaction) bool { return len(r.Rest) > 0 }, 0.5, 1},
		{Chatty, func(_ Elder, r Reaction) bool { return len(strings.Fields(r.Text())) > 20 }, 0.5, 1},
		{WrongPerson, func(_ Elder, r Reaction) bool {
			return strings.Contains(r.Text(), "neighbour") || strings.Contains(r.Text(), "sister") || strings.Contains(r.Text(), "tell her")
		}, 0.5, 1},
		{Plain, func(e Elder, r Reaction) bool { return quirk(e, r) || r.Silent || len(r.Rest) > 0 }, 0, 0},
	}
	for _, tt := range tests {
		if got := tally(t, tt.manner, tt.shows); got < tt.from || got > tt.to {
			t.Errorf("%s shows in %.2f of turns, want %.2f to %.2f", tt.manner, got, tt.from, tt.to)
		}
	}
}

func elder(t *testing.T, id string) Elder {
	t.Helper()
	e, ok := Find(loaded(t), id)
	if !ok {
		t.Fatalf("no elder %s", id)
	}
	return e
}

func TestAnswersFitTheQuestion(t *testing.T) {
	t.Parallel()
	tests := []struct{ heard, subject string }{
		{"That is nice. How did you sleep?", "sleep"},
		{"And the rain! Have you taken your tablets today?", "medicine"},
		{"Sleep is precious. Who is coming to see you next?", "visitors"},
		{"How would you rate your energy, on a scale from one to ten?", "scale"},
		{"Good morning. Am I speaking with Bernice?", "identity"},
		{"How are the flowers in your garden?", "garden"},
		{"I am an AI, a computer program.", "machine"},
		{"What music do you like?", "music"},
	}
	e := elder(t, "bernice")
	for _, tt := range tests {
		s := NewScript(e, 3)
		s.Next("")
		s.Next("Good morning.") // the opening
		got := s.Next(tt.heard).Text()
		if !slices.Contains(e.Answers[tt.subject], got) {
			t.Errorf("%q got %q, want one of %q", tt.heard, got, e.Answers[tt.subject])
		}
	}
}

// Somebody who wants something done answers in order, says the last again, and does not
// leave in the middle of it; but not for ever.
func TestErrandsAreSeenThrough(t *testing.T) {
	t.Parallel()
	e := elder(t, "dorothy")
	s := NewScript(e, 3)
	s.Next("")
	if got := s.Next("Good morning.").Text(); !strings.Contains(got, "won't start") {
		t.Errorf("she opens with %q", got)
	}
	model := e.Answers["appliance.model"]
	for i := range 12 {
		if got, want := s.Next("What is the model number, which is usually on a label?").Text(), model[min(i, len(model)-1)]; got != want {
			t.Errorf("the %d. time: %q, want %q", i+1, got, want)
		}
	}
	for _, heard := range []string{"How are you?", "How did you sleep?"} {
		if got := s.Next(heard).Text(); earOf("en").takesLeave(got) {
			t.Errorf("she answers %q with %q: none of that was talk", heard, got)
		}
	}
	for range 30 {
		s.Next("What is the model number, which is usually on a label?")
	}
	if !s.Over() {
		t.Error("she never gives up")
	}
}

func TestChattyBreaksIn(t *testing.T) {
	t.Parallel()
	e := elder(t, "margaret")
	broke := 0
	for seed := range uint64(40) {
		s := NewScript(e, seed)
		s.Next("")
		for range 4 {
			s.Next(asks[0])
			words := strings.Fields("Thank you for telling me that, and now I wonder how your knees are today, Margaret.")
			in := 0
			for n := range words {
				if r, ok := s.Overhear(strings.Join(words[:n+1], " ")); ok {
					in++
					if !r.Interrupt || r.Say == "" || n < 3 {
						t.Fatalf("seed %d: broke in after %d words with %+v", seed, n+1, r)
					}
				}
			}
			if in > 1 {
				t.Fatalf("seed %d: broke in %d times in one turn", seed, in)
			}
			broke += in
		}
	}
	if broke < 20 {
		t.Errorf("she broke in %d times in 160 turns", broke)
	}
	quiet := NewScript(elder(t, "arthur"), 1)
	quiet.Next("")
	quiet.Next(asks[0])
	if _, ok := quiet.Overhear(strings.Repeat("word ", 50)); ok {
		t.Error("the quiet one breaks in")
	}
}

func TestGoodbyeOfOneSideBringsThatOfTheOther(t *testing.T) {
	t.Parallel()
	for _, e := range loaded(t) {
		s := NewScript(e, 7)
		s.Next("")
		if r := s.Next("It was lovely talking with you. Goodbye."); !earOf(e.Language).takesLeave(r.Text()) || !s.Over() {
			t.Errorf("%s answers a goodbye with %q", e.ID, r.Text())
		}
		if r := s.Next(""); !r.HangUp {
			t.Errorf("%s stays on the line: %+v", e.ID, r)
		}
		if _, ok := s.Overhear("one two three four five six seven eight nine ten eleven"); ok {
			t.Errorf("%s breaks in after the goodbye", e.ID)
		}
	}
}

func TestSilenceOfNAIberEndsTheCall(t *testing.T) {
	t.Parallel()
	s := NewScript(elder(t, "bernice"), 1)
	s.Next("")
	for i := range 2 {
		if r := s.Next(""); !strings.HasPrefix(r.Say, "Hello?") || r.Delay < time.Second {
			t.Errorf("silence %d got %+v", i, r)
		}
	}
	if r := s.Next(""); !r.HangUp {
		t.Errorf("the third silence got %+v", r)
	}
}

func TestKeysArePressedWhenAsked(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"If that is right, press one.":                      "1",
		"Please press 7 now.":                               "7",
		"Press star to go on.":                              "*",
		"Press the pound key.":                              "#",
		"Press 9 to stop these calls.":                      "",
		"Press 9 to stop these calls. Press 1 to talk now.": "1",
		"I hope the press is kind.":                         "",
	}
	for heard, want := range tests {
		s := NewScript(elder(t, "bernice"), 1)
		s.Next("")
		r := s.Next(heard)
		if r.Press != want || (want != "" && r.Say != "") {
			t.Errorf("%q got %+v, want the key %q", heard, r, want)
		}
	}
}

func TestSlowPiecesJoinToTheLine(t *testing.T) {
	t.Parallel()
	for _, line := range elder(t, "walter").Lines["news"] {
		pieces := halting(line)
		if got := strings.Join(pieces, " "); got != line || len(pieces) < 2 {
			t.Errorf("%q is cut into %q", line, pieces)
		}
	}
	r := Reaction{Say: "Well now,", Rest: []Piece{{time.Second, "I slept"}, {time.Second, "all right."}}}
	if got := r.Text(); got != "Well now, I slept all right." {
		t.Errorf("got %q", got)
	}
}

func FuzzScript(f *testing.F) {
	f.Add(uint64(1), "How are you?\nPress 1.\n\nGoodbye")
	f.Add(uint64(9), "???\n\xff\n...")
	all, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, seed uint64, heard string) {
		s := NewScript(all[seed%uint64(len(all))], seed)
		lines := strings.Split(heard, "\n")
		for i := range 40 {
			line := lines[i%len(lines)]
			s.Overhear(line)
			r := s.Next(line)
			if r.HangUp {
				return
			}
			if r.Say == "" && !r.Silent && r.Press == "" {
				t.Fatalf("nothing happens after %q", line)
			}
		}
		t.Error("the call does not end")
	})
}
