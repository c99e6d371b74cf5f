package health

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
)

// What a turn asks a model for ends when nobody waits for the reply any more, and leaves
// nothing running when it ends before that: neither of its ends has a goroutine of its
// own that could panic, or stay.
func TestUntilAbandoned(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(leave, cancel context.CancelFunc)
		want error // of the turn
	}{
		{"the person leaves", func(leave, _ context.CancelFunc) { leave() }, context.Canceled},
		{"the work is done", func(_, cancel context.CancelFunc) { cancel() }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				turn, leave := context.WithCancel(context.Background())
				in := inputOf(turn, &orchestration.Turn{})
				ctx, cancel := in.untilAbandoned(context.Background())
				tt.end(leave, cancel)
				<-ctx.Done() // a bubble in which this never comes fails the test
				if !errors.Is(turn.Err(), tt.want) {
					t.Errorf("the turn's context: %v, want %v", turn.Err(), tt.want)
				}
				cancel()
				leave()
			})
		})
	}
}

func TestMissed(t *testing.T) {
	t.Parallel()
	const spoken = "Thank you. How well did you sleep last night, from 1 for hardly at all to 10 for very well?"
	for _, tt := range []struct {
		name string
		in   input
		want bool
	}{
		{"heard to its end", input{}, false},
		{"cut in the lead", input{wasCut: true, cut: "Thank you. How..."}, true},
		{"cut behind the question's point", input{wasCut: true, cut: "Thank you. How well did you sleep last night, from 1 for hardly at all—"}, false},
		{"cut within a word", input{wasCut: true, cut: "Thank you. How well did you sle"}, true},
		{"other words were cut", input{wasCut: true, cut: "Take your time"}, false},
		{"never spoken", input{unheard: true}, true},
	} {
		if got := tt.in.missed(spoken); got != tt.want {
			t.Errorf("%s: missed is %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestValuesSurviveBothForms(t *testing.T) {
	t.Parallel()
	for _, v := range []packs.Value{
		{Type: packs.TypeScale, Number: 7}, {Type: packs.TypeBoolean, Bool: true}, {Type: packs.TypeBoolean, Bool: false}, packs.Chosen("poor"), {Type: packs.TypeNumber, Number: 71.5}, {Type: packs.TypeText, Text: "in the garden"}, {Type: packs.TypeTime, Text: "22:30"},
	} {
		if got := toPacks(toReader(v)); got != v {
			t.Errorf("by the reader's form %+v became %+v", v, got)
		}
		got, err := decode(string(v.Type), encode(v), v.Unit)
		if err != nil || got != v {
			t.Errorf("as stored %+v became %+v, %v", v, got, err)
		}
	}
	if v, err := decode("scale", nil, ""); err != nil || v.Given() {
		t.Errorf("no value became %+v, %v", v, err)
	}
	for _, bad := range []string{`"seven"`, `{`} {
		if v, err := decode("scale", []byte(bad), ""); err == nil {
			t.Errorf("%s became %+v", bad, v)
		}
	}
	if _, err := decode("colour", []byte("1"), ""); err == nil {
		t.Error("an unknown type was decoded")
	}
}

func TestConsentWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said                  string
		on, stop, now, fetchs bool // goes on, stops, not now, fetches
	}{
		{said: "No, no, go on", on: true},
		{said: "Yes, carry on dear", on: true},
		{said: "It's fine, fire away", on: true},
		{said: "I don't want to go on", stop: true},
		{said: "Stop here please", stop: true},
		{said: "No need to stop"},
		{said: "Don't stop now", on: true},
		{said: "Not just now", now: true},
		{said: "I'm about to eat", now: true},
		{said: "I'll get her for you", fetchs: true},
		{said: "Seven"},
	} {
		if got := [4]bool{goesOn(tt.said), stops(tt.said), notNow(tt.said), fetches(tt.said)}; got != [4]bool{tt.on, tt.stop, tt.now, tt.fetchs} {
			t.Errorf("%q: goes on, stops, not now, fetches: %v", tt.said, got)
		}
	}
}

// What was written in a form that is not today's is refused.
func TestRestoreRefusesOtherForms(t *testing.T) {
	t.Parallel()
	m, err := (&Persona{}).compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, questions string
		want            error // nil: it is read
	}{
		{"today's", `{"schema":1,"language":"de","entries":[]}`, nil},
		{"older", `{"schema":0,"entries":[]}`, graph.ErrSchema},
		{"newer", `{"schema":99,"entries":[]}`, graph.ErrSchema},
		{"not ours", `{"schema":1,"entries":7}`, graph.ErrSchema},
	} {
		s, err := restore(m, checks.Check{Questions: []byte(tt.questions)})
		if !errors.Is(err, tt.want) || err == nil && s.Language != "de" {
			t.Errorf("%s: got %+v, %v; want %v", tt.name, s, err, tt.want)
		}
	}
	if _, err := restore(m, checks.Check{Questions: []byte(`[`)}); err == nil {
		t.Error("broken JSON was read")
	}
}

// A model is shown the exchanges before the question and the reply to it, and none to read
// an item of an instrument by.
func TestBefore(t *testing.T) {
	t.Parallel()
	lines := func(list ...string) (out []llm.Message) {
		for _, l := range list {
			role, content, _ := strings.Cut(l, " ")
			out = append(out, llm.Message{Role: role, Content: content})
		}
		return out
	}
	for _, tt := range []struct {
		name          string
		history, want []llm.Message
	}{
		{"the first reply", lines("assistant Hello?", "user Yes"), lines()},
		{"nothing", nil, lines()},
		{"an exchange", lines("assistant Sleep?", "user Badly", "assistant Pain?", "user The same"), lines("assistant Sleep?", "user Badly")},
		{"a reply in two turns, to words in two", lines("user Badly", "assistant I see.", "assistant Pain?", "user The", "user same"), lines("user Badly")},
	} {
		if diff := cmp.Diff(tt.want, (&input{history: tt.history}).before(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
	model := &recordedModel{}
	for _, id := range []string{"energy", "phq.down"} {
		h := hearingWith(t, "en", model)
		in := &input{words: "Like I said of the other thing.", conversation: "c", at: heardAt, report: &report{}, history: lines(
			"assistant Sleep?", "user A bag of nails", "assistant "+id, "user Like I said of the other thing.")}
		model.unknown = nil
		h.persona.newReply(h.state(t, id), in).answer(t.Context())
		if len(model.unknown) != 1 || strings.Contains(model.unknown[0].User, "A bag of nails") != (id == "energy") {
			t.Errorf("%s: asked %+v", id, model.unknown)
		}
	}
}

// A check that is gone on with keeps what was answered and begins the open question anew.
func TestGoOnWith(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	old := &State{Entries: []Entry{
		{Question: packs.Question{Item: packs.Item{ID: "a"}}, Asked: 2, Answer: &Answer{Status: "answered", Value: packs.Value{Type: packs.TypeScale, Number: 4}, At: at}},
		{Question: packs.Question{Item: packs.Item{ID: "b"}}, Asked: 3, Wording: 2, Failed: 2, Waits: 1, Keyed: true, Guessed: true},
	}, Pending: []Pending{{ID: "b", Times: 2}}}
	var s State
	s.goOnWith(old)
	want := []Entry{
		{Question: packs.Question{Item: packs.Item{ID: "a"}}, Answer: &Answer{Status: "answered", Value: packs.Value{Type: packs.TypeScale, Number: 4}, At: at, Carried: true, Asked: 2}},
		{Question: packs.Question{Item: packs.Item{ID: "b"}}},
	}
	if diff := cmp.Diff(want, s.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if len(s.Pending) != 1 || s.Pending[0].Times != 0 {
		t.Errorf("pending: %+v", s.Pending)
	}
}

// The sentences that all questions of a pack share are saved once, and found again.
func TestLeadsAreKeptOnce(t *testing.T) {
	t.Parallel()
	lib, err := packs.Load()
	if err != nil {
		t.Fatal(err)
	}
	var s State
	questions := lib.Select(packs.Profile{Language: "en"}, packs.History{}, time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)).Questions
	for _, q := range questions {
		s.insert(len(s.Entries), Entry{Question: q})
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), `"leads"`); n != 1 || len(raw) > 10<<10 {
		t.Errorf("leads are saved %d times, %d bytes in all", n, len(raw))
	}
	for i, q := range questions {
		if diff := cmp.Diff(q, s.whole(s.Entries[i].Question)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", q.ID, diff)
		}
	}
}

func TestWordsForUs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said string
		is   func(string) bool
		want bool
	}{
		{"Who is this?", asksWho, true},
		{"Am I talking to a machine?", asksWho, true},
		{"My doctor is a real person", asksWho, false},
		{"And how are you?", asksAfter, true},
		{"How much longer?", asksHowLong, true},
		{"What's the time?", asksUs, true},
		{"Did I tell you about the wedding?", asksUs, false},
		{"It is raining.", asksUs, false},
		{"Hello?", greets, true},
		{"Hello, yes", greets, false},
		{"She's asleep", absent, true},
		{"Here she is", absent, false},
		{"I didn't quite hear you", missedIt, true},
		{"I heard the wind", missedIt, false},
		{"I miss him so", grieves, true},
		{"I missed the bus", grieves, false},
	} {
		if got := tt.is(tt.said); got != tt.want {
			t.Errorf("%q: %t, want %t", tt.said, got, tt.want)
		}
	}
}

// "No" to an option that is read back denies the reading, and is not the option of that word.
func TestNoToAnOptionReadBack(t *testing.T) {
	t.Parallel()
	lib, err := packs.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := &Persona{cfg: Config{Packs: lib}}
	i := slices.IndexFunc(shipped(lib, "en"), func(q packs.Question) bool { return q.ID == "phq.interest" })
	s := &State{Language: "en", Entries: []Entry{{Question: shipped(lib, "en")[i]}}}
	for _, tt := range []struct {
		said string
		want bool
	}{{"No", true}, {"Yes", true}, {"Not at all", false}, {"No, nearly every day", false}} {
		in := &input{words: tt.said, at: heardAt, report: &report{}}
		turn := p.newReply(s, in)
		rd := reader.Read(s.Entries[0].question(heardAt), tt.said, turn.rc)
		if got := turn.verdict(&s.Entries[0], rd); got != tt.want {
			t.Errorf("%q: a verdict: %t, want %t", tt.said, got, tt.want)
		}
	}
}

// Every shipped question is heard with replies of the lengths at which words outgrow their
// array, and of others.
func TestReplyOfAnyLength(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("reader/testdata/replies/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no replies: %v", err)
	}
	var said []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if parts := strings.SplitN(line, " | ", 3); len(parts) == 3 && !strings.HasPrefix(line, "#") {
				said = append(said, strings.Fields(parts[2])...)
			}
		}
	}
	h := newHearing(t)
	for i, q := range h.questions {
		for _, n := range []int{1, 2, 5, 14, 15, 16, 17, 34, 35, 75, 76, 120} {
			at := (i*1009 + n*211) % (len(said) - n)
			h.hear(t, q.ID, strings.Join(said[at:at+n], " "))
		}
	}
}

// A reply whose reading panics counts as one that was not understood: it ends neither
// turn nor check.
func TestPanicAsksAgain(t *testing.T) {
	t.Parallel()
	h := newHearing(t)
	s := &State{Call: store.NewCallID(), Language: "en", Phase: PhaseAsking}
	s.insert(0, Entry{Question: h.question(t, "energy"), Asked: 1})
	turn := h.persona.newReply(s, &input{words: "seven", at: heardAt, report: &report{}})
	read := func() {
		defer turn.unread()
		panic("out of range")
	}
	read()
	if s.Next == "" || s.Prompt.Lead == "" || s.Entries[0].Failed != 1 || s.Entries[0].Answer != nil {
		t.Fatalf("next is %q, with %+v; %+v", s.Next, s.Prompt, s.Entries[0])
	}
	s.Phase, s.Next = PhaseConfirmPerson, ""
	if read(); s.Next != nodeAsk || !s.Prompt.Quiet || s.Phase != PhaseConfirmPerson {
		t.Errorf("to who speaks it is said %+v in %s", s.Prompt, s.Phase)
	}
}

func TestOkayAgreesToWhatIsOurs(t *testing.T) {
	t.Parallel()
	h := newHearing(t)
	for _, tt := range []struct {
		phase Phase
		said  string
		want  reader.Intent
	}{
		{PhaseOpening, "Okay.", reader.IntentYes},
		{PhaseOpening, "Oh, okay then, dear", reader.IntentYes},
		{PhaseOpening, "All right", reader.IntentYes},
		{PhaseOpening, "Yes, that's fine", reader.IntentYes},
		{PhaseOpening, "Right", reader.IntentYes},
		{PhaseReadingBack, "okay", reader.IntentYes},
		{PhaseConfirmExit, "All right then", reader.IntentYes},
		{PhaseOpening, "Um, well", reader.IntentFiller},
		{PhaseOpening, "Hello?", reader.IntentFiller},
		{PhaseOpening, "Okay, just a minute", reader.IntentHold},
		{PhaseOpening, "That's not right", reader.IntentNo},
		{PhaseReadingBack, "That's not right", reader.IntentNo},
		{PhaseAsking, "Okay.", reader.IntentFiller},
	} {
		s := &State{Phase: tt.phase, Language: "en", Open: -1}
		if got := h.persona.newReply(s, &input{words: tt.said, at: heardAt, report: &report{}}).intent(); got != tt.want {
			t.Errorf("%s: %q is %q, want %q", tt.phase, tt.said, got, tt.want)
		}
	}
}

// What a reply tells besides is kept, whatever it was to and whatever came of it.
func TestToldBesideIsKeptInAnyPhase(t *testing.T) {
	t.Parallel()
	h := newHearing(t)
	for _, tt := range []struct {
		phase Phase
		said  string
		want  string
	}{
		{PhaseOpening, "Yes, but I missed a pill this morning", "no"},
		{PhaseOpening, "No, not now, I forgot my tablets this morning", "no"},
		{PhaseOpening, "Hold on a minute, I forgot my tablets", "no"},
		{PhaseConfirmExit, "Yes, stop here please. I missed a pill this morning.", "no"},
		{PhaseDistress, "I want to stop. I haven't taken my tablets.", "no"},
		{PhaseAsking, "Hold on, I forgot my tablets", "no"},
		{PhaseAsking, "I have to go now, I missed my tablets this morning", "no"},
		{PhaseConfirmPerson, "She forgot her tablets. I'm her daughter.", ""},
		{PhaseConfirmPerson, "I forgot my tablets", ""},
		{PhaseAsking, "Wrong number, I'm her son. I took my tablets.", ""},
	} {
		s := &State{Call: store.NewCallID(), Language: "en", Phase: tt.phase, Conversation: "c", Open: -1}
		for i, id := range []string{"energy", "medication"} {
			s.insert(i, Entry{Question: h.question(t, id)})
		}
		if tt.phase != PhaseOpening {
			s.Open, s.Entries[0].Asked = 0, 1
		}
		h.persona.newReply(s, &input{words: tt.said, conversation: "c", at: heardAt, report: &report{}}).respond(t.Context())
		if got := s.entry("medication").recorded(); got != tt.want {
			t.Errorf("%s: %q: %q for the medicines, want %q", tt.phase, tt.said, got, tt.want)
		}
	}
}
