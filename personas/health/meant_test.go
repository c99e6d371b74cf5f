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
	asked  *int // counts the questions, unless nil
}

func (a answering) Complete(context.Context, llm.Request) (llm.Result, error) {
	return llm.Result{}, llm.ErrAllModelsFailed
}

func (a answering) Structured(_ context.Context, _ llm.Request, _ llm.Schema, out any) error {
	if a.asked != nil {
		*a.asked++
	}
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

// Where a model sees an answer that its quote does not bear out, what the weights see is read back;
// where it sees none, they must be surer.
func TestModelAndWeightsSeeAnAnswer(t *testing.T) {
	t.Parallel()
	const said = "Hoy el aire me llega hasta abajo, chica."
	for answer, want := range map[string]string{
		`{"verdict":"answer","quote":"nobody said this","value":"better","confidence":0.9}`: "?better",
		`{"verdict":"not_an_answer"}`: "...",
	} {
		if got := hearingWith(t, "es", answering{answer: answer}).hear(t, "lungs.breath", said); got != want {
			t.Errorf("%s: %s, want %s", answer, got, want)
		}
	}
}

// What rules read and weights all but exclude is asked of the model, and read back if it sees an
// answer: rules do not decide because there is a model.
func TestModelIsAskedWhatIsDoubted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ question, said, answer, want string }{
		{"plans", "Who is it you are looking for, my dear? There is nobody called Alan here.", `{"verdict":"not_an_answer"}`, "..."},
		{"plans", "Is it raining where you are, my dear? It has the look of it over the hills.", `{"verdict":"answer","quote":"It has the look of it over the hills","value":null,"confidence":0.9}`, "?It has the look of it over the hills"},
		{"phq.interest", "Interest? The bank gives one percent on the savings. One! Did you ever hear the like?", `{"verdict":"not_an_answer"}`, "..."},
		{"phq.interest", "Interest? The bank gives one percent on the savings. One! Did you ever hear the like?", `{"verdict":"refusal","quote":"Did you ever hear the like?","value":null,"confidence":0.9}`, "refused"},
	} {
		if got := hearingWith(t, "en", answering{answer: tt.answer}).hear(t, tt.question, tt.said); got != tt.want {
			t.Errorf("%s: %q, a model that says %s: %s, want %s", tt.question, tt.said, tt.answer, got, tt.want)
		}
	}
}

// Free text that is likely an answer, and not surely, is one unless a model sees none. The model is
// asked once a turn, and a model that fails decides nothing.
func TestModelSeesFreeText(t *testing.T) {
	t.Parallel()
	const said = "My daughter-in-law also sings, but she sings through her nose."
	for _, tt := range []struct {
		model answering
		want  string
	}{
		{answering{answer: `{"verdict":"not_an_answer","confidence":0.9}`}, "..."},
		{answering{answer: `{"verdict":"not_an_answer","confidence":0.5}`}, "text"},
		{answering{answer: `{"verdict":"answer","quote":"she sings through her nose","value":null,"confidence":0.9}`}, "text"},
		{answering{answer: `{"verdict":"answer","quote":"she sings through her nose","value":null,"confidence":0.2}`}, "text"},
		{answering{answer: `{"verdict":"refusal","quote":"she sings through her nose","value":null,"confidence":0.9}`}, "refused"},
		{answering{err: errors.New("away")}, "text"},
	} {
		tt.model.asked = new(int)
		if got := hearingWith(t, "en", tt.model).hear(t, "medicines.missed.why", said); got != tt.want || *tt.model.asked != 1 {
			t.Errorf("a model that says %s, %v: %s after %d questions, want %s after 1", tt.model.answer, tt.model.err, got, *tt.model.asked, tt.want)
		}
	}
}

// Free text that hardly answers the question is asked for once more; what is said then is the answer.
func TestFreeTextSaidAgain(t *testing.T) {
	t.Parallel()
	const said = "Is it raining where you are, my dear? It has the look of it over the hills."
	for asked, want := range map[int]string{1: "...", 2: "text"} {
		r := newHearing(t).replyTo(t, "plans", said)
		r.s.current().Asked = asked
		r.answer(t.Context())
		if got := outcome(r.s, "plans"); got != want {
			t.Errorf("asked %d times: %s, want %s", asked, got, want)
		}
	}
}

// What people say who have nothing to add needs no model, and is not asked for again.
func TestNothingToAdd(t *testing.T) {
	t.Parallel()
	for language, said := range map[string][]string{
		"en": {"no, that was all, thank you", "No, that's all.", "No thank you, dear.", "Nothing else, no."},
		"es": {"No, eso era todo, gracias.", "No, nada más.", "No, todo bien."},
	} {
		asked := new(int)
		h := hearingWith(t, language, answering{answer: `{"verdict":"not_an_answer","confidence":0.9}`, asked: asked})
		for _, words := range said {
			if got := h.hear(t, "other", words); got != "text" || *asked > 0 {
				t.Errorf("%q: %s, and a model was asked %d times", words, got, *asked)
			}
		}
		if got := hearingIn(t, "en").hear(t, "other", "That's everything, thank you."); got != "text" {
			t.Errorf("that is everything: %s", got)
		}
	}
}

// Rules and weights together: what either reads wrongly by itself.
func TestRulesAndWeights(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, question, said, want string }{
		{"en", "diabetes.meal", "haven't had brekkie yet so it'd be last night's chops at seven", "19:00"},
		{"es", "diabetes.meal", "Anoche, a las ocho, una arepita pelada; hoy todavía ni un bocado.", "20:00"},
		{"en", "pressure.dizzy", "Busy? No, I'm not busy at all today.", "~no"},
		{"en", "pressure.dizzy", "Dizzy? No, not at all, not today.", "no"},
		{"en", "pressure.dizzy", "Sorry? No, not at all, not today.", "no"},
		{"es", "medicines.missed", "¿Que si he dejado la misa? Jamás, jamás en sesenta años.", "~no"},
		{"en", "falls", "Aye and no.", "..."},
		{"en", "lungs.reliever", "Let's see, three in the night and two since I got up.", "~2"},
		{"en", "lungs.reliever", "five goes no i tell a lie six wi that one on the landing", "~6"},
		{"en", "sleep", "Out like a light till half past six. Knock two off top marks for that.", "?2"},
		{"en", "plans", "which plan you are asking is it the mobile phone plan", "..."},
		{"es", "medicines.missed", "Ya, mijita, se me está quemando el arroz. ¡Chao, chao!", "exit"},
		{"en", "breathing", "How are you? Did I tell you that my grandson is getting married? Well, let me see, no, not really.", "~no"},
		{"en", "diabetes.sugar", "Sugar? Two in the tea, and none in coffee, and I am not sorry.", "~2"},
		{"en", "frail.weight_now", "Hold on! Madam, that is a hundred rupees a pound!", "~100 lb"},
		{"en", "frail.weight_now", "The butcher wants two hundred dollars a pound now, imagine.", "~200 lb"},
		{"en", "other", "Right. I'm finished talking.", "exit"},
		{"en", "steadi.unsteady", "My granddaughter brought her new puppy on Sunday.", "..."},
	} {
		if got := hearingIn(t, tt.language).hear(t, tt.question, tt.said); got != tt.want {
			t.Errorf("%s: %q: %s, want %s", tt.question, tt.said, got, tt.want)
		}
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
