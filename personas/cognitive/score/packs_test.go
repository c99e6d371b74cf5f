package score_test

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/cognitive/score"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// What a task itself says is the full answer to it, and what another form of it says is none.
func TestFullAnswers(t *testing.T) {
	t.Parallel()
	l, err := tasks.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range l.Tasks("en") {
		for i, f := range task.Forms {
			next := task.Forms[(i+1)%len(task.Forms)]
			for k, it := range f.Items {
				points := func(said string) int {
					return score.Item(task, f, it, []score.Said{{Text: said}}, score.Facts{}).Points
				}
				switch {
				case it.Kind == tasks.Recall:
					full, _ := f.Item(it.Of)
					none, _ := next.Item(it.Of)
					if got, of := points(strings.Join(full.Words, ", ")), points(strings.Join(none.Words, ", ")); got != it.Max || of != 0 {
						t.Errorf("%s %s: %d points for its words, %d for those of %s", task.ID, f.ID, got, of, next.ID)
					}
				case it.Kind == tasks.Story && !it.Later:
					if got, of := points(it.Say), points(next.Items[k].Say); got != it.Max || of > 3 {
						t.Errorf("%s %s: %d points for its text, %d for that of %s", task.ID, f.ID, got, of, next.ID)
					}
				case it.Kind == tasks.Reason:
					for _, idea := range it.Ideas {
						for _, w := range idea.Any {
							if got := points("I'd " + w); got < idea.Worth() {
								t.Errorf("%s %s %s: %d points for %q, want %d", task.ID, f.ID, it.ID, got, w, idea.Worth())
							}
						}
					}
					if got := points("I don't know, really."); got != 0 {
						t.Errorf("%s %s %s: %d points for knowing nothing", task.ID, f.ID, it.ID, got)
					}
				}
			}
		}
	}
}
