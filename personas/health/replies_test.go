package health

import (
	"bufio"
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
)

// TestReplies reads replies to the questions of the shipped packs, as a turn does: with
// what they say in passing, and with what they say otherwise than before. A file of
// testdata/replies has lines "question | what came of it | said"; "= falls no" gives the
// answers on record for the lines below it. What came of a reply is the answer to its question,
// and "other=answer" for each other one, with these signs: "~" it is to be read back, "?" it is a
// guess to be read back, "..." nothing was made out, and "exit", "distress" or "person" for
// what is asked instead. A file whose name begins with "es_" holds replies in Spanish.
func TestReplies(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/replies/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no replies: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			hearingIn(t, languageOf(file)).readFile(t, file)
		})
	}
}

// heardAt is when the replies are spoken.
var heardAt = time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)

// hearing is a check of the daily questions, and of one more where that is asked.
type hearing struct {
	persona   *Persona
	language  string
	questions []packs.Question
	known     map[string]packs.Value // what is on record
}

// languageOf is the language of the replies in a file, by the beginning of its name.
func languageOf(file string) string {
	if tag, _, ok := strings.Cut(filepath.Base(file), "_"); ok && len(tag) == 2 && tag != "en" {
		return tag
	}
	return "en"
}

func newHearing(tb testing.TB) *hearing {
	tb.Helper()
	return hearingIn(tb, "en")
}

func hearingIn(tb testing.TB, language string) *hearing {
	tb.Helper()
	lib, err := packs.Load()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := New(Config{Packs: lib, Checkpoints: checkpoint.NewMemory(0), Store: struct{ Store }{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	return &hearing{persona: p, language: language, questions: shipped(lib, language)}
}

// shipped are the questions of all packs in a language, and the follow-ups to any answer.
func shipped(lib *packs.Library, language string) []packs.Question {
	var all []packs.Question
	for _, k := range lib.Packs() {
		if k.Language != "en" {
			continue // it has the ids of the English one
		}
		for _, q := range lib.Continue(k.ID, language, nil, heardAt) {
			all = append(all, q)
			for _, v := range answers(&q) {
				all = append(all, q.FollowUp(v)...)
			}
		}
	}
	return all
}

// answers are all that a question with follow-ups can be answered.
func answers(q *packs.Question) []packs.Value {
	all := []packs.Value{{Type: packs.TypeBoolean, Bool: true}, {Type: packs.TypeBoolean, Bool: false}}
	for n := q.Min; n <= q.Max; n++ {
		all = append(all, packs.Value{Type: packs.TypeScale, Number: float64(n)})
	}
	for _, c := range q.Choices {
		all = append(all, packs.Chosen(c.Value))
	}
	return all
}

func (h *hearing) readFile(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if known, ok := strings.CutPrefix(line, "="); ok {
			h.know(t, strings.Fields(known))
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, " | ", 3)
		if len(parts) != 3 {
			t.Fatalf("%s:%d: %q is not question | what came of it | said", file, n, line)
		}
		if got := h.hear(t, parts[0], parts[2]); got != parts[1] {
			t.Errorf("%s:%d: %s: %q: %s, want %s", file, n, parts[0], parts[2], got, parts[1])
		}
	}
}

// know puts pairs of question and answer on record, in the order in which they were given.
func (h *hearing) know(t *testing.T, pairs []string) {
	t.Helper()
	h.known = map[string]packs.Value{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q := h.question(t, pairs[i])
		v := packs.Value{Type: q.Type, Text: pairs[i+1]}
		switch q.Type {
		case packs.TypeBoolean:
			v = packs.Value{Type: packs.TypeBoolean, Bool: pairs[i+1] == "yes"}
		case packs.TypeScale:
			if _, err := fmt.Sscan(pairs[i+1], &v.Number); err != nil {
				t.Fatal(err)
			}
			v.Text = ""
		case packs.TypeChoice, packs.TypeText, packs.TypeNumber, packs.TypeTime:
		}
		h.known[pairs[i]] = v
	}
}

func (h *hearing) question(tb testing.TB, id string) packs.Question {
	tb.Helper()
	i := slices.IndexFunc(h.questions, func(q packs.Question) bool { return q.ID == id })
	if i < 0 {
		tb.Fatalf("no question %q", id)
	}
	return h.questions[i]
}

// parent is the question on record that asks for a follow-up.
func (h *hearing) parent(asked string) string {
	for _, q := range h.questions {
		if v := h.known[q.ID]; v.Given() && slices.ContainsFunc(q.FollowUp(v), func(f packs.Question) bool { return f.ID == asked }) {
			return q.ID
		}
	}
	return ""
}

// hear is what comes of a reply to a question.
func (h *hearing) hear(tb testing.TB, asked, said string) string {
	tb.Helper()
	r := h.replyTo(tb, asked, said)
	r.answer(tb.Context())
	r.keep(PhaseAsking)
	return outcome(r.s, asked)
}

// replyTo is a reply that nothing was made of.
func (h *hearing) replyTo(tb testing.TB, asked, said string) *reply {
	tb.Helper()
	return h.persona.newReply(h.state(tb, asked), &input{words: said, conversation: "c", at: heardAt, report: &report{}})
}

// state is a check in which a question was just asked.
func (h *hearing) state(tb testing.TB, asked string) *State {
	tb.Helper()
	s := &State{Call: store.NewCallID(), Name: "Margaret", Language: h.language, Zone: "UTC", StartedAt: heardAt, Phase: PhaseAsking, Conversation: "c", Spoken: h.question(tb, asked).Wording(0)}
	for _, q := range h.questions {
		if daily := q.Pack == "daily" && q.Text != q.Short; daily || q.ID == asked || h.known[q.ID].Given() { // a follow-up is its own short name
			s.insert(len(s.Entries), Entry{Question: q})
		}
	}
	for i := range s.Entries {
		if e := &s.Entries[i]; h.known[e.Question.ID].Given() && e.Question.ID != asked {
			e.Asked, e.Answer = 1, &Answer{Status: "answered", Value: h.known[e.Question.ID], At: heardAt.Add(time.Duration(i-100) * time.Second)}
		}
	}
	s.Open = s.index(asked)
	if s.Open < 0 {
		tb.Fatalf("no question %q", asked)
	}
	s.Entries[s.Open].Asked, s.Entries[s.Open].FollowUpOf = 1, h.parent(asked)
	return s
}

// outcome is what a turn came to, in the words of [TestReplies].
func outcome(s *State, asked string) string {
	own, rest := "...", ""
	switch s.Phase {
	case PhaseConfirmExit:
		own = "exit"
	case PhaseDistress:
		own = "distress"
	case PhaseConfirmPerson:
		own = "person"
	case PhaseOpening, PhaseAsking, PhaseReadingBack, PhaseKeypad, PhaseClosing:
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		got := cmp.Or(s.awaited(e.Question.ID), e.recorded())
		switch {
		case got == "":
		case e.Question.ID == asked:
			own = got
		default:
			rest += " " + e.Question.ID + "=" + got
		}
	}
	return own + rest
}

// recorded is what the turn put on record.
func (e *Entry) recorded() string {
	switch a := e.Answer; {
	case e.Reopened:
		return "again"
	case a == nil || !a.At.Equal(heardAt):
		return ""
	case a.given() && a.Value.Type == packs.TypeText:
		return "text"
	case a.given():
		return a.Value.String()
	default:
		return a.Status
	}
}

// awaited is what is to be read back.
func (s *State) awaited(id string) string {
	for _, pd := range s.Pending {
		if pd.ID == id && pd.Guess {
			return "?" + pd.Answer.Value.String()
		}
		if pd.ID == id {
			return "~" + pd.Answer.Value.String()
		}
	}
	return ""
}
