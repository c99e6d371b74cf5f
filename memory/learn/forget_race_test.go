package learn

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// forget forgets for good what the person said about a topic.
func (h *house) forget(t *testing.T, topic string) {
	t.Helper()
	if _, err := h.svc.Forget(t.Context(), forget.Request{Person: h.who.ID, Topic: topic}); err != nil {
		t.Error(err)
	}
}

// summedUp is what stands of a call in its summary and on its timeline.
func (h *house) summedUp(t *testing.T) []string {
	t.Helper()
	return h.column(t, "select text from summaries union all select data->>'text' from call_events where kind = 'summary'")
}

// retold sums up in the words of the person.
func retold(task Task) (any, error) {
	var said []string
	for l := range strings.Lines(task.User) {
		if _, words, ok := strings.Cut(l, "Person: "); ok {
			said = append(said, strings.Trim(strings.TrimSpace(words), "«»"))
		}
	}
	return SummaryAnswer{Summary: strings.Join(said, " ")}, nil
}

func TestForgottenWhileACallIsSummedUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskSummary, func(task Task) (any, error) {
		h.forget(t, "brother") // between the question and what is made of the answer
		return retold(task)
	})
	c := h.call(t, tuesday, "My brother drinks.", "I grow roses.")
	if err := h.Learn(t.Context(), c); !errors.Is(err, errChanged) {
		t.Errorf("err = %v", err)
	}
	if got := h.summedUp(t); len(got) != 0 {
		t.Errorf("summed up: %q", got)
	}
	h.learn(t, c)
	if diff := cmp.Diff([]string{"I grow roses.", "I grow roses."}, h.summedUp(t)); diff != "" {
		t.Error(diff)
	}
}

func TestBarredWhileACallIsSummedUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskSummary, func(task Task) (any, error) {
		if _, err := h.svc.SetLimit(t.Context(), memories.Limit{PersonID: h.who.ID, Topic: "brother", Rule: memories.NeverRaise, By: "Margaret"}); err != nil {
			return nil, err
		}
		return retold(task)
	})
	c := h.call(t, tuesday, "My brother drinks.", "I grow roses.")
	if err := h.Learn(t.Context(), c); !errors.Is(err, errChanged) {
		t.Errorf("err = %v", err)
	}
	h.learn(t, c)
	if diff := cmp.Diff([]string{"I grow roses.", "I grow roses."}, h.summedUp(t)); diff != "" {
		t.Error(diff)
	}
}

func TestForgottenWhileASummaryIsTold(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskSummary, retold)
	c := h.call(t, tuesday, "My brother drinks.", "I grow roses.")
	if err := h.st.SaveSummary(t.Context(), nil, memories.Summary{CallID: c.ID, PersonID: h.who.ID, Text: "Her brother drinks."}); err != nil {
		t.Fatal(err)
	}
	h.boundary = func(point string) error {
		if point == "summary read" {
			h.forget(t, "brother")
		}
		return nil
	}
	if err := h.Learn(t.Context(), c); !errors.Is(err, errChanged) {
		t.Errorf("err = %v", err)
	}
	if got := h.summedUp(t); len(got) != 0 {
		t.Errorf("summed up: %q", got)
	}
	h.boundary = nil
	h.learn(t, c)
	if diff := cmp.Diff([]string{"I grow roses.", "I grow roses."}, h.summedUp(t)); diff != "" {
		t.Error(diff)
	}
}

// TestForgottenWhileAPersonIsSummedUp forgets what only the last summary still
// speaks of: all turns since are there.
func TestForgottenWhileAPersonIsSummedUp(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]string{"gone": "", "another under its id": "Margaret grows roses."} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, settings)
			personal := func(task Task) (any, error) {
				a, err := retold(task)
				if _, last, ok := strings.Cut(task.User, "SUMMARY SO FAR\n"); ok {
					last, _, _ = strings.Cut(last, "\n")
					a = SummaryAnswer{Summary: last}
				}
				return a, err
			}
			h.model.on(TaskSummary, personal)
			h.learn(t, h.call(t, tuesday, "I grow roses.", "My brother drinks too much of the red wine.", "It is cold."))
			h.model.on(TaskSummary, func(task Task) (any, error) {
				if task.System == personTask {
					last, _, err := h.st.PersonSummary(t.Context(), nil, h.who.ID)
					if err != nil || !strings.Contains(last.Text, "brother") {
						t.Errorf("last %q, %v", last.Text, err)
					}
					h.forget(t, "brother")
					if last.Text = again; again != "" {
						err = h.st.InTx(t.Context(), func(tx store.Tx) error { return h.st.AddPersonSummary(t.Context(), tx, last) })
					}
					if err != nil {
						return nil, err
					}
				}
				return personal(task)
			})
			h.learn(t, h.call(t, time.Now(), "It rains on the garden and on the street.", "I baked a large apple cake."))
			for _, text := range h.column(t, "select text from memory_summaries") {
				if strings.Contains(text, "brother") {
					t.Errorf("brought back: %q", text)
				}
			}
		})
	}
}
