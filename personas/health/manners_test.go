package health_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const (
	// mostBefore is how many sentences may stand before a question.
	mostBefore = 2
	// stem marks an instrument, whose words are not ours to shorten.
	stem = "Over the last 2 weeks"
)

// TestManners reads all scenes as the person hears them: little is said before a
// question, one thing is asked at a time, and nobody is asked twice in a row with
// the same words who did not ask to hear them again.
func TestManners(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenes/*.txtar")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d scenes: %v", len(files), err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		last, heard := "", true
		for line := range strings.Lines(part(ar, "dialogue")) {
			said, ours := strings.CutPrefix(strings.TrimSpace(line), "naiber: ")
			switch {
			case strings.HasPrefix(line, "* "), strings.HasPrefix(line, "elder: ") && asksToRepeat(line):
				heard = false // it comes again for a reason
			case ours && !strings.HasPrefix(said, "Hello Margaret") && !strings.Contains(said, stem):
				before, asked := split(said)
				if before > mostBefore {
					t.Errorf("%s: %d sentences before the question: %s", file, before, said)
				}
				if heard && asked != "" && asked == last {
					t.Errorf("%s: the same words again: %s", file, said)
				}
				last, heard = asked, true
			}
		}
	}
}

func asksToRepeat(line string) bool {
	return strings.Contains(line, "ardon?") || strings.Contains(line, "What was that") || strings.Contains(line, "quite hear")
}

// split counts the sentences before the question of a reply, and returns the question.
func split(said string) (before int, asked string) {
	head, _, found := strings.Cut(said, "?")
	if !found {
		return 0, ""
	}
	sentences := strings.Split(strings.ReplaceAll(head, "etc.", "etc"), ". ")
	return len(sentences) - 1, sentences[len(sentences)-1]
}
