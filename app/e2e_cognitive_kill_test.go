package app_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// examinee is a person who goes through a cognitive check with a good memory, and says
// digits back up to four, or backward up to three.
type examinee struct {
	*line

	library *tasks.Library
	words   []string // to be remembered
	story   string
	given   map[string]bool // the items that were answered, by what was asked
	turns   int
	task    string // that was last put
}

// find returns the item that a reply ends with: the longest, since one list of digits may
// be the end of another.
func (e *examinee) find(text string) (task tasks.Task, form tasks.Form, item tasks.Item, put bool) {
	plain := func(s string) string { return " " + strings.Join(strings.Fields(s), " ") }
	for _, t := range e.library.Tasks("en") {
		for _, f := range t.Forms {
			for _, it := range f.Items {
				if strings.HasSuffix(plain(text), plain(it.Say)) && len(it.Say) > len(item.Say) {
					task, form, item, put = t, f, it, true
				}
			}
		}
	}
	return task, form, item, put
}

// answer is what the person says to a reply.
func (e *examinee) answer(text string) string {
	task, form, it, put := e.find(text)
	switch {
	case strings.Contains(text, "two words after me"):
		return "Yellow, twelve."
	case strings.Contains(text, "is anything different today"):
		return "No, nothing."
	case !put:
		return "That's all." // more is asked for, or whether it is all
	}
	if key := task.ID + form.ID + it.ID; it.Kind != tasks.Question && e.given[key] {
		e.t.Errorf("%s was answered, and is put again: %q", key, text)
	} else {
		e.given[key] = true
	}
	e.task = task.ID
	now := time.Now().UTC()
	switch it.Kind {
	case tasks.Register:
		e.words = it.Words
		return strings.Join(it.Words, ", ")
	case tasks.Recall:
		return strings.Join(e.words, ", ")
	case tasks.Digits:
		said := []byte(it.Digits)
		if task.ID == "digits_back" {
			for i := range len(said) / 2 {
				said[i], said[len(said)-1-i] = said[len(said)-1-i], said[i]
			}
		}
		if it.Level > 4 || task.ID == "digits_back" && it.Level > 3 {
			said[0], said[1] = said[1], said[0]
		}
		return strings.Join(strings.Split(string(said), ""), " ")
	case tasks.Story:
		if !it.Later {
			e.story = it.Say
		}
		return e.story
	case tasks.Fluency:
		words := map[string]string{"b": "bread, butter, bottle", "c": "cake, cold, candle", "f": "fish, flower, farm", "l": "lamp, lemon, light", "m": "milk, mother, mouse", "p": "paper, pot, plate", "s": "sun, salt, stone", "t": "table, tea, tree"}
		return words[strings.ToLower(it.Letter)] + ". That's all."
	case tasks.Reason:
		return "I would ask my neighbour to help me."
	case tasks.Question:
	}
	return map[string]string{
		"tomorrow": now.AddDate(0, 0, 1).Weekday().String(), "season": []string{"winter", "spring", "summer", "autumn"}[now.Month()%12/3],
		"year": strconv.Itoa(now.Year()), "month": now.Month().String(), "weekday": now.Weekday().String(), "day": strconv.Itoa(now.Day()),
		"place": "at home", "time": now.Format("15:04"),
	}[it.Ask]
}

// check goes through a check; before each turn, meanwhile may let something happen, and
// hang up.
func (e *examinee) check(first string, meanwhile func() (gone bool)) error {
	words := first
	for e.turns = 0; e.turns < 150; e.turns++ {
		if meanwhile() {
			return nil
		}
		h, err := e.says(words, false)
		if err != nil || h.ended {
			return err
		}
		words = e.answer(h.text)
	}
	return fmt.Errorf("no end after %d turns: %v", e.turns, e.messages[len(e.messages)-4:])
}

// The process is killed between turns and under them, again and again: each answer is on
// record once and nothing is put again. Where the person is gone with the process, what was
// finished is kept, and the task that was under way has no score.
func TestCognitiveChecksSurviveKills(t *testing.T) {
	t.Parallel()
	c := newClinic(t, clinicOptions{})
	library, err := tasks.Load()
	if err != nil {
		t.Fatal(err)
	}
	client := callers(t)
	for i, tt := range []struct {
		name string
		kill func(e *examinee) func() bool
	}{
		{"between turns", func(e *examinee) func() bool {
			return func() bool {
				if e.turns%6 == 4 {
					c.restart()
				}
				return false
			}
		}},
		{"under turns", func(e *examinee) func() bool {
			return func() bool {
				if e.turns%8 == 5 {
					done := make(chan struct{})
					go func() { defer close(done); c.restart() }()
					e.t.Cleanup(func() { <-done })
				}
				return false
			}
		}},
		{"with the line", func(e *examinee) func() bool {
			return func() bool {
				if e.task != "story" {
					return false
				}
				c.restart()
				return true
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { //nolint:paralleltest // they share the process that is killed
			p := c.patient(people.Person{Name: "Ada King", Phone: fmt.Sprintf("+1555010%04d", 700+i), Timezone: "UTC", Language: "en"})
			l, err := c.ringFor(t, client, p, calls.CallCognitive)
			if err != nil {
				t.Fatal(err)
			}
			e := &examinee{line: l, library: library, given: map[string]bool{}}
			if err := e.check("Yes, it is a good moment.", tt.kill(e)); err != nil {
				t.Fatal(err)
			}
			if err := l.status("completed"); err != nil {
				t.Fatal(err)
			}
			got := c.awaitCognitive(t, l.call)
			defer func() {
				if t.Failed() {
					t.Log(l.messages)
				}
			}()
			want, status := map[string]int{"six_item": 6, "digits_forward": 4, "digits_back": 3, "story": 20, "story_later": 20, "letter": 3, "orientation": 5}, cognition.Complete
			if tt.name == "with the line" {
				status = cognition.Partial
			}
			for i, task := range got.Tasks {
				complete := status == cognition.Complete || i < 3
				if (task.Status == cognition.TaskComplete) != complete || (task.Raw != nil) != complete {
					t.Errorf("%s is %s (%s), score %v", task.TaskID, task.Status, task.Why, task.Raw)
				} else if n, known := want[task.TaskID]; complete && known && *task.Raw != n {
					t.Errorf("%s came to %d on %+v, want %d", task.TaskID, *task.Raw, task.Evidence, n)
				}
			}
			if got.Status != status || len(got.Tasks) != 9 || len(got.Confounders) != 0 {
				t.Errorf("the check is %s with %d tasks, disturbed by %v; want %s with 9", got.Status, len(got.Tasks), got.Confounders, status)
			}
		})
	}
	for limit := time.Now().Add(linePatience); ; { // they go after the check is written
		c.hurry()
		c.rescue()
		var threads int
		err := c.db.Pool().QueryRow(context.Background(), `select count(data) from checkpoint_threads`).Scan(&threads)
		if err == nil && threads == 0 {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("%d threads are left, %v", threads, err)
		}
		<-time.After(200 * time.Millisecond)
	}
}

// awaitCognitive waits for the check of a call that is over.
func (c *clinic) awaitCognitive(t *testing.T, call calls.Call) cognition.Check {
	t.Helper()
	for limit := time.Now().Add(linePatience); ; {
		c.hurry()
		c.rescue()
		got, err := c.db.CognitiveCheckOfCall(context.Background(), call.ID)
		if err == nil {
			return got
		}
		if time.Now().After(limit) {
			t.Fatalf("the check is not written: %v", err)
		}
		<-time.After(200 * time.Millisecond)
	}
}
