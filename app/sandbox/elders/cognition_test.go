package elders

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const cognitiveOpening = "I'd like to do a few short exercises for memory and attention with you, as we agreed. Is this a good moment?"

// checkUp begins a cognitive check with an elder, on the 12th of May 2026, a Tuesday.
func checkUp(t *testing.T, id string, before int, seed uint64) *Script {
	t.Helper()
	s := NewScript(elder(t, id), seed)
	s.now = func() time.Time { return time.Date(2026, 5, 12, 18, 10, 0, 0, time.UTC) }
	s.Checks(before)
	s.Next("")
	s.Next(cognitiveOpening)
	if !s.Checked() {
		t.Fatalf("%s has not noticed the check", id)
	}
	return s
}

// answers returns what an elder says, asked again where they did not hear.
func answers(s *Script, heard string) string {
	r := s.Next(heard)
	for strings.HasPrefix(r.Say, "Pardon?") {
		r = s.Next(heard)
	}
	return r.Text()
}

func TestHealthyMindAnswersACognitiveCheck(t *testing.T) {
	t.Parallel()
	tests := []struct{ heard, want string }{
		{"Would you say these two words after me, please: Window. … Seven.", "Window, seven."},
		{"Is anything different today? An illness, a bad night, a new medicine, or a low mood?", "No, nothing different."},
		{"There is no hurry. I'll say them slowly. Apple. … Table. … Penny.", "Apple, table, penny."},
		{"Thank you. What year is it now?", "It's 2026."},
		{"And what month is it?", "It's May."},
		{"And what day of the week is it?", "It's Tuesday."},
		{"And what day of the week will it be tomorrow?", "Wednesday."},
		{"What date is it today? I mean the day of the month.", "The 12th."},
		{"Which season of the year are we in?", "Spring."},
		{"And what is your date of birth? Day, month and year, please.", "17 May 1943."},
		{"How old are you now?", "I'm 82."},
		{"Now, what were the three words I asked you to keep in mind?", "Apple, table, penny."},
		{"Please say them back to me in the same order. Three. … Seven. … Five.", "Three, seven, five."},
		{"This time, backward. If I say two, five, you would say five, two. Here are the first ones. Two. … Nine.", "Nine, two."},
		{"Two. … Six. … Four.", "Four, six, two."},
		{"Shall we stop here for today?", "No, let's go on."},
		{"Some of it is easy.", ""},
	}
	// A healthy mind has its slips too, so that most are right, not all.
	const minds = 20
	right, other := make([]int, len(tests)), make([]string, len(tests))
	for seed := range uint64(minds) {
		s := checkUp(t, "margaret", 0, seed)
		for i, tt := range tests {
			if got := answers(s, tt.heard); got == tt.want {
				right[i]++
			} else {
				other[i] = got
			}
		}
	}
	for i, tt := range tests {
		if right[i] < minds*6/10 {
			t.Errorf("%q: %d of %d say %q, others as %q", tt.heard, right[i], minds, tt.want, other[i])
		}
	}
}

// points are how much of a small check an elder manages: nothing is read but what they say.
func points(s *Script) (n int) {
	const words = "Apple. … Table. … Penny."
	answers(s, "I'll say three words. "+words)
	if strings.Contains(answers(s, "What year is it now?"), "2026") {
		n++
	}
	got := answers(s, "Now, what were the three words I asked you to keep in mind?")
	for _, w := range []string{"apple", "table", "penny"} {
		if strings.Contains(strings.ToLower(got), w) {
			n++
		}
	}
	if answers(s, "Say them back in the same order. Five. … Eight. … Two. … Nine. … One.") == "Five, eight, two, nine, one." {
		n++
	}
	said := strings.FieldsFunc(answers(s, "Please tell me the names of animals. … Any animals at all. You can start now."), func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(said)
	return n + len(slices.Compact(said))
}

func TestMindsDiffer(t *testing.T) {
	t.Parallel()
	mean := func(id string, before int) float64 {
		sum := 0
		for seed := range uint64(20) {
			sum += points(checkUp(t, id, before, seed))
		}
		return float64(sum) / 20
	}
	healthy, mild := mean("margaret", 0), mean("edith", 0)
	early, late := mean("walter", 2), mean("walter", 7)
	if healthy < mild+6 {
		t.Errorf("a healthy mind has %.1f points, one with a mild impairment %.1f", healthy, mild)
	}
	if early < healthy-2 || late > early-6 {
		t.Errorf("a declining mind has %.1f points in its third check and %.1f in its eighth, a healthy one %.1f", early, late, healthy)
	}
}

func TestSameSeedSameCognitiveCheck(t *testing.T) {
	t.Parallel()
	const heard = "Please tell me the names of animals. … You can start now."
	a, b := checkUp(t, "walter", 6, 3).Next(heard), checkUp(t, "walter", 6, 3).Next(heard)
	if a.Text() != b.Text() || a.Text() == "" || len(a.Rest) == 0 {
		t.Errorf("%+v and %+v, want the same, in several pieces", a, b)
	}
	var length time.Duration
	for _, p := range a.Rest {
		length += p.Pause
	}
	if length > 50*time.Second {
		t.Errorf("pauses of %v leave no time in a minute", length)
	}
}

// What is not told cannot be known.
func TestAMindHasOnlyWhatItHeard(t *testing.T) {
	t.Parallel()
	s := checkUp(t, "margaret", 0, 1)
	for _, heard := range []string{
		"Now, what were the three words I asked you to keep in mind?",
		"Please tell me the story once more.",
	} {
		if r := s.Next(heard); r.Say != "" {
			t.Errorf("%q got %q", heard, r.Say)
		}
	}
	s.Next("I'll tell you a short story. Please tell it back to me. Anna Bell went to the market in Leeds. She bought six brown eggs. On the bus, a boy fell against her. Every egg was broken.")
	if got := answers(s, "Earlier I told you a story. What do you still remember of it?"); !strings.Contains(got, "Anna") && !strings.Contains(got, "eggs") {
		t.Errorf("of the story she keeps %q", got)
	}
}

func TestMannersShowInACognitiveCheck(t *testing.T) {
	t.Parallel()
	says := func(id, prefix string) (n int) {
		for seed := range uint64(20) {
			s := checkUp(t, id, 0, seed)
			for _, heard := range []string{"I'll say three words. Apple. … Table. … Penny.", "Now, what were the three words I asked you to keep in mind?", "And what month is it?"} {
				if r := s.Next(heard); strings.HasPrefix(r.Say, prefix) {
					n++
				}
			}
		}
		return n
	}
	if n := says("rosa", "Pardon?"); n < 3 || says("margaret", "Pardon?") > 0 {
		t.Errorf("Rosa, who is hard of hearing, asks again %d times in 60", n)
	}
	if n := says("dorothy", "My daughter says"); n < 5 || says("edith", "My daughter says") > 0 {
		t.Errorf("Dorothy's daughter helps %d times in 60", n)
	}
	s := checkUp(t, "dorothy", 0, 1)
	s.Next("How kind that somebody is with you. Could we go on with just the two of us?")
	s.Next("I'll say three words. Apple. … Table. … Penny.")
	for range 20 {
		if r := s.Next("Now, what were the three words I asked you to keep in mind?"); strings.Contains(r.Say, "daughter") {
			t.Fatalf("helped after all: %q", r.Say)
		}
	}
}

func TestSilenceInACognitiveCheck(t *testing.T) {
	t.Parallel()
	s := checkUp(t, "margaret", 0, 1)
	s.Next("Please tell me the names of animals. … You can start now.")
	var said []string
	for n := range mostWaits + 1 {
		r := s.Next("")
		if r.Say != "" {
			said = append(said, r.Say)
		}
		if r.HangUp != (n == mostWaits) {
			t.Fatalf("silence %d: %+v", n, r)
		}
	}
	if !slices.Equal(said, []string{"That's all I can think of."}) {
		t.Errorf("said %q", said)
	}
}
