package score_test

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/cognitive/score"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// What the shipped tasks give as an answer has its points: every wording of an idea, a story
// as it is read out, the words to remember, and a first word of each category.
func TestShippedTasks(t *testing.T) {
	t.Parallel()
	lib, err := tasks.Load()
	if err != nil {
		t.Fatal(err)
	}
	sample := map[string]string{"animals": "dog", "food": "bread", "clothes": "skirt", "household": "kettle", "jobs": "baker", "body": "elbow"}
	for _, task := range lib.Tasks("en") {
		for _, f := range task.Forms {
			for _, it := range f.Items {
				points := func(said string) int {
					return score.Item(task, f, it, []score.Said{{Text: said}}, score.Facts{}).Points
				}
				at := task.ID + " " + f.ID + " " + it.ID
				for _, idea := range it.Ideas {
					for _, wording := range idea.Any {
						if got := points("well " + wording); got < idea.Worth() {
							t.Errorf("%s: %q has %d points of %d", at, wording, got, idea.Worth())
						}
					}
				}
				switch it.Kind {
				case tasks.Story:
					if got := points(it.Say); !it.Later && got != it.Max {
						t.Errorf("%s: told word for word it has %d points of %d", at, got, it.Max)
					}
				case tasks.Recall:
					register, _ := f.Item(it.Of)
					if got := points(strings.Join(register.Words, " ")); got != it.Max || it.Max != len(register.Words) {
						t.Errorf("%s: its words have %d points of %d", at, got, it.Max)
					}
				case tasks.Reason:
					if got := points(it.Say); got > 0 {
						t.Errorf("%s: the question said back has %d points", at, got)
					}
				case tasks.Fluency:
					word := it.Letter + "ilk"
					if it.Category != "" {
						word = sample[it.Category]
					}
					if got := points(word); got != 1 {
						t.Errorf("%s: %q has %d points", at, word, got)
					}
				}
			}
		}
	}
}
