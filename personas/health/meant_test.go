package health

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health/likely"
	"github.com/naiber/naiber/personas/health/reader"
)

// answering is a model that says the same to everything, or fails.
type answering struct {
	answer string
	err    error
}

func (a answering) Complete(context.Context, llm.Request) (llm.Result, error) {
	return llm.Result{}, llm.ErrAllModelsFailed
}

func (a answering) Structured(_ context.Context, _ llm.Request, _ llm.Schema, out any) error {
	if a.err != nil {
		return a.err
	}
	return json.Unmarshal([]byte(a.answer), out)
}

// What a reply likely means is read back if no model tells, and a model that reads something is
// believed more than weights.
func TestMeant(t *testing.T) {
	t.Parallel()
	const said = "I polished off the lot and asked for seconds"
	for _, tt := range []struct {
		name  string
		model Model
		want  string
	}{
		{"no model", nil, "?good"},
		{"a model that fails", answering{err: errors.New("away")}, "?good"},
		{"a model that sees no answer", answering{answer: `{"verdict":"not_an_answer"}`}, "?good"},
		{"a model that sees another", answering{answer: `{"verdict":"answer","quote":"asked for seconds","value":"fair","confidence":0.9}`}, "?fair"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := hearingWith(t, "en", tt.model).hear(t, "appetite", said); got != tt.want {
				t.Errorf("%q: %s, want %s", said, got, tt.want)
			}
		})
	}
}

// A guess is read back once: who said no to it, and says the same again, is asked in other words.
func TestMeantOnce(t *testing.T) {
	t.Parallel()
	r := newHearing(t).replyTo(t, "appetite", "I polished off the lot and asked for seconds")
	r.s.current().Guessed = true
	r.answer(t.Context())
	if got := outcome(r.s, "appetite"); got != "..." {
		t.Errorf("the second time: %s, want to be asked", got)
	}
}

// Nothing was learned for questions of somebody's own packs, nor for other languages.
func TestLikelyOfOwnQuestions(t *testing.T) {
	t.Parallel()
	shipped, own := reader.Question{ID: "falls", Kind: reader.Boolean}, reader.Question{ID: "garden.watered", Kind: reader.Boolean}
	const said = "I went flat on my face in the yard"
	if m := likely.Of(&shipped, said, reader.Reading{}, reader.Context{Locale: "en-GB"}); m == nil {
		t.Error("nothing is likely of a question that is shipped")
	}
	if m := likely.Of(&own, said, reader.Reading{}, reader.Context{Locale: "en"}); m != nil {
		t.Errorf("of a question of one's own: %v", m)
	}
	if m := likely.Of(&shipped, said, reader.Reading{}, reader.Context{Locale: "de"}); m != nil {
		t.Errorf("in German: %v", m)
	}
}
