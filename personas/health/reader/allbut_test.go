package reader_test

import (
	"testing"

	"github.com/naiber/naiber/personas/health/reader"
)

// TestAllBut reads what leaves something out of a task, and what only goes on after "all".
func TestAllBut(t *testing.T) {
	t.Parallel()
	for _, w := range []wording{
		{"en", "pills", "every one but the heart pill", "answered no"},
		{"en", "pills", "yes, every one but the heart pill", "answered no"},
		{"en", "pills", "I took them all bar one", "answered no"},
		{"en", "pills", "all except the blue one", "answered no"},
		{"en", "pills", "I took all of them but one", "answered no"},
		{"en", "pills", "I've had the lot, bar one", "answered no"},
		{"en", "pills", "I took every one save the heart one", "answered no"},
		{"en", "pills", "all minus one", "answered no"},
		{"en", "pills", "I took them all, all but", "answered no"},
		{"en", "missed", "I took them all bar one", "answered yes"},
		{"en", "missed", "every one but the heart pill", "answered yes"},
		{"es", "pills", "las tomé todas menos la azul", "answered no"},
		{"en", "pills", "I took them all, but I was late", "answered yes"},
		{"en", "pills", "I took them all but I was late", "answered yes"},
		{"en", "pills", "I took them all, but the blue one made me sick", "answered yes"},
		{"en", "pills", "all of them, but I feel sick", "answered yes"},
		{"en", "ate", "I ate the lot but the crusts", "answered yes"},
	} {
		w.check(t)
	}
	pills, _ := question("pills")
	for _, said := range []string{"I took them all but my hands were shaking", "all of them but the little white one that the doctor gave me for my heart"} {
		if r := reader.Read(pills, said, now); r.Settled && !r.Risky {
			t.Errorf("Read(%q) = %s, and is not read back", said, written(r))
		}
	}
}

// TestFallsTold reads falls that are told as something less, or as over.
func TestFallsTold(t *testing.T) {
	t.Parallel()
	for _, w := range []wording{
		{"en", "fall", "I did not fall, I slid off the bed onto the floor", "unclear ?yes"},
		{"en", "fall", "no, I just slid off the chair", "answered yes"},
		{"en", "fall", "I rolled out of bed", "answered yes"},
		{"en", "fall", "I slipped off the chair", "answered yes"},
		{"en", "fall", "not since Tuesday", "unclear ?yes"},
		{"en", "fall", "No, not since Tuesday.", "unclear ?yes"},
		{"en", "fall", "no, I haven't, not since yesterday", "unclear ?yes"},
		{"en", "fall", "I haven't fallen since Sunday", "unclear ?yes"},
		{"en", "fall", "No falls since last Monday", "unclear ?yes"},
		{"en", "dizzy breath", "not since Tuesday", "unclear ?yes"},
		{"en", "fall dizzy", "not since", "answered no"},
		{"en", "fall", "not since we last spoke", "answered no"},
		{"en", "fall", "not since Christmas", "answered no"},
		{"en", "fall", "No, I've been in bed since Tuesday", "answered no"},
		{"en", "fall", "no, the blanket slid off the bed", "answered no"},
		{"en", "pills", "not since Tuesday", "answered no"},
		{"es", "fall", "me escurrí de la cama", "answered yes"},
		{"es", "fall", "no me he caído desde el martes", "unclear ?yes"},
		{"es", "fall", "no desde el martes", "unclear ?yes"},
	} {
		w.check(t)
	}
}
