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
				case tasks.Register, tasks.Question, tasks.Digits: // in short_test.go
				}
			}
		}
	}
}

func TestEverydayAnswers(t *testing.T) {
	t.Parallel()
	l, err := tasks.Load()
	if err != nil {
		t.Fatal(err)
	}
	task, _ := l.Task("reasoning", "en")
	tests := []struct {
		form, item, said string
		points           int
	}{
		{"a", "q1", "Oh, I'd pour it straight down the sink.", 2},
		{"a", "q1", "Well I'd have a sniff of it first.", 1},
		{"a", "q1", "I'd drink it.", 0},
		{"a", "q2", "My neighbour Jean has a spare key, I'd go to her.", 2},
		{"a", "q2", "I'd sit on the step and wait.", 1},
		{"a", "q3", "I'd just pop it through their letterbox.", 2},
		{"a", "q3", "I would give it back to the postman tomorrow.", 1},
		{"b", "q1", "Put a new bulb in.", 2},
		{"b", "q1", "I'd find a candle.", 1},
		{"b", "q2", "I'd ring her up and say I can't come.", 2},
		{"b", "q2", "Stay in bed!", 1},
		{"b", "q3", "I'd ask the girl to keep it for me and go home for my purse.", 2},
		{"b", "q3", "I'd be so embarrassed, I'd put it all back.", 1},
		{"c", "q1", "Stuff them with newspaper.", 2},
		{"c", "q1", "Take them off, I suppose.", 1},
		{"c", "q2", "There's always another bus in twenty minutes.", 2},
		{"c", "q2", "I'd walk.", 1},
		{"c", "q3", "Take it to the police station.", 2},
		{"c", "q3", "Keep it.", 0},
		{"d", "q1", "I'd give her a ring straight away.", 2},
		{"d", "q2", "I'd let it ring. They'll ring again.", 2},
		{"d", "q2", "I would hurry to answer it.", 1},
		{"d", "q3", "It would go straight in the bin.", 2},
		{"d", "q3", "I'd cut the green bits off.", 1},
		{"d", "q3", "I'd make a sandwich.", 0},
		{"e", "q1", "I'd go back in and give it back.", 2},
		{"e", "q2", "Give it a good drink of water.", 2},
		{"e", "q3", "I'd phone one of them and make it another day.", 2},
		{"f", "q1", "It'll want a new battery.", 2},
		{"f", "q1", "I'd look at my watch instead.", 1},
		{"f", "q2", "Pour it away and make a fresh cup.", 2},
		{"f", "q3", "I'd nip out to the corner shop.", 2},
		{"f", "q3", "They'd have to do with a cup of tea.", 1},
	}
	for _, tt := range tests {
		f, _ := task.Form(tt.form)
		it, _ := f.Item(tt.item)
		if got := score.Item(task, f, it, []score.Said{{Text: tt.said}}, score.Facts{}); got.Points != tt.points {
			t.Errorf("%s %s %q: %+v, want %d", tt.form, tt.item, tt.said, got, tt.points)
		}
	}
}
