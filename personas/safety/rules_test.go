package safety

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// broken is a persona whose model is down.
var broken = orchestration.PersonaFunc(func(context.Context, *orchestration.Turn, *orchestration.Speech) error { return errPersona })

var errPersona = errors.New("the persona was asked")

// talk is a call as it goes on, in one conversation.
type talk struct {
	rules    *Rules
	line     calls.Line
	persona  orchestration.Persona
	messages []llm.Message
	silences int
	place    int
}

func newTalk(t *testing.T, st Store, line calls.Line, next orchestration.Persona) *talk {
	t.Helper()
	w, err := New(Config{Store: st, Retry: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return &talk{rules: w, line: line, persona: w.Middleware(next)}
}

func (k *talk) naiber(said string) {
	k.messages = append(k.messages, llm.Message{Role: llm.RoleAssistant, Content: said})
}

// says plays a turn, "" being silence, and returns what came of it.
func (k *talk) says(ctx context.Context, words string) (orchestration.Spoken, error) {
	turn := &orchestration.Turn{Line: k.line, Kind: calls.TurnSpeech, Heard: words, At: time.Now(), Place: k.place, Since: k.place}
	content := words
	if words == "" {
		k.silences++
		turn.Kind, turn.Silences, content = calls.TurnSilence, k.silences, "..."
	} else {
		k.silences = 0
	}
	k.messages = append(k.messages, llm.Message{Role: llm.RoleUser, Content: content})
	turn.Messages = append(turn.Messages, k.messages...)
	s := orchestration.NewSpeech()
	err := k.persona.Reply(ctx, turn, s)
	if got := s.Spoken(); err == nil {
		k.naiber(got.Text)
	}
	return s.Spoken(), err
}

// hears plays a turn and wants a text of ours as the answer.
func (k *talk) hears(t *testing.T, words, want string) orchestration.Spoken {
	t.Helper()
	got, err := k.says(t.Context(), words)
	if err != nil || !strings.Contains(got.Text, strings.TrimSpace(want)) {
		t.Fatalf("to %q: %q, %v; want %q", words, got.Text, err, want)
	}
	return got
}

func (k *talk) reachesPersona(t *testing.T, words string) {
	t.Helper()
	if got, err := k.says(t.Context(), words); !errors.Is(err, errPersona) {
		t.Fatalf("%q never reached the persona: %q, %v", words, got.Text, err)
	}
}

func lineTo(t *testing.T, st *store.Store, language string) calls.Line {
	t.Helper()
	p, err := st.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+442071838750", Timezone: "Europe/London", Language: language}, nil,
		[]people.Consent{{Scope: people.ScopeCalls, GivenBy: "Ada", How: "on paper"}, {Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := st.CreateCall(t.Context(), calls.NewCall{PersonID: p.ID, Type: calls.CallHealthCheck, Direction: calls.Inbound, Phone: p.Phone})
	if err != nil {
		t.Fatal(err)
	}
	return calls.Line{Call: c, Person: p}
}

// wishes are an opt-out, a no, a yes and danger in each language.
var wishes = map[string]struct{ out, no, yes, danger, fine string }{
	"en": {"Please stop calling me", "No, keep calling.", "Yes, please.", "I am on the floor, call an ambulance", "I'm all right, it was a mistake"},
	"de": {"Rufen Sie mich nicht mehr an", "Nein, rufen Sie weiter an.", "Ja, bitte.", "Ich liege auf dem Boden, rufen Sie einen Krankenwagen", "Alles in Ordnung, es war ein Versehen"},
	"es": {"Por favor, deje de llamarme", "No, siga llamando.", "Sí, por favor.", "Estoy en el suelo, llame a una ambulancia", "Estoy bien, ha sido un error"},
}

func TestOptOutIsAskedBackAndKeptInEachLanguage(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for _, code := range codes {
		x, w := languages[code].Texts, wishes[code]
		k := newTalk(t, st, lineTo(t, st, code), broken)
		who := k.line.Person.ID
		k.naiber("Thank you. How did you sleep, from 1 to 10? 1 is hardly at all.")
		k.hears(t, w.out, x.AskOptOut)
		no := k.hears(t, w.no, x.GoOnCalling+" How did you sleep, from 1 to 10? 1 is hardly at all.")
		if p, err := st.Person(t.Context(), who); err != nil || p.OptedOutAt != nil || no.Ended {
			t.Fatalf("%s: a no opted out: %+v, %v", code, p, err)
		}
		k.reachesPersona(t, "Seven")
		k.hears(t, w.out, x.AskOptOut)
		k.naiber("Take your time, there's no hurry. I'm listening.") // the silence ladder's
		if yes := k.hears(t, w.yes, x.OptedOut); !yes.Ended || yes.EndReason != "opted_out" {
			t.Errorf("%s: confirmed %+v", code, yes)
		}
		p, err := st.Person(t.Context(), who)
		scopes, err2 := st.ConsentScopes(t.Context(), who)
		if err != nil || err2 != nil || p.OptedOutAt == nil || p.OptedOutHow != byTelephone || scopes[people.ScopeCalls] || !scopes[people.ScopeMemory] {
			t.Errorf("%s: %+v %v %v %v", code, p, scopes, err, err2)
		}
	}
}

func TestOptOutIsPromisedOnlyOnceItIsKept(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	k := newTalk(t, st, lineTo(t, st, "en"), broken)
	x := languages["en"].Texts
	k.naiber(x.AskOptOut)
	st.Close() // the database is away
	if got := k.hears(t, "Yes", x.NotKept); got.Ended {
		t.Errorf("promised what was not kept: %+v", got)
	}
	k.hears(t, "Stop calling me", x.NotKept) // said once more, it is tried once more
}

func TestOptOutIsKeptAfterHangUp(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	k := newTalk(t, st, lineTo(t, st, "en"), broken)
	k.naiber(languages["en"].Texts.AskOptOut)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	if _, err := k.says(ctx, "Yes"); err != nil {
		t.Errorf("Reply: %v", err)
	}
	if who, err := st.Person(t.Context(), k.line.Person.ID); err != nil || who.OptedOutAt == nil {
		t.Errorf("person: %+v, %v", who, err)
	}
}

// A yes to what the model asked is no yes to an opt-out.
func TestOnlyOurOwnQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	k := newTalk(t, nowhere{}, calls.Line{}, broken)
	k.naiber("Shall I stop calling you Margaret, then?")
	k.reachesPersona(t, "Yes, please.")
}

// Danger is met by fixed text, without a model and in the person's language: it names
// the number, says that nAIber cannot call, and keeps the persona out until all is well.
func TestDangerStopsThePersonaUntilAllIsWell(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for _, code := range codes {
		x, w := languages[code].Texts, wishes[code]
		k := newTalk(t, st, lineTo(t, st, code), broken)
		k.naiber("I am glad. Have you had a fall since we last spoke?")
		got := k.hears(t, w.danger, "9 9 9")
		if got.Ended || !saysText(english.Plain(got.Text), x.answer("fall_stuck")) {
			t.Errorf("%s: answered %+v", code, got)
		}
		for i, words := range []string{"", "Seven", "hm", "..?"} {
			k.hears(t, words, strings.ReplaceAll(x.Emergency.Stay[i%len(x.Emergency.Stay)], "{number}", strings.ReplaceAll(x.Number, "{digits}", "9 9 9")))
		}
		if d := k.kept(t, st).Danger; d.At.IsZero() || d.OverAt != nil {
			t.Errorf("%s: marked %+v", code, d)
		}
		k.hears(t, w.fine, "Have you had a fall since we last spoke?")
		k.reachesPersona(t, "No")
		if d := k.kept(t, st).Danger; d.OverAt == nil {
			t.Errorf("%s: not over: %+v", code, d)
		}
		events, err := st.EventsAfter(t.Context(), k.line.Call.ID, 0)
		if err != nil || len(events) != 2 || events[0].Kind != "danger" || events[1].Kind != "danger_over" {
			t.Errorf("%s: timeline %+v, %v", code, events, err)
		}
		k.hears(t, w.danger, "9 9 9")
		k.hears(t, "", "9 9 9")
	}
}

// kept is the call as it is marked once all is kept.
func (k *talk) kept(t *testing.T, st *store.Store) calls.Call {
	t.Helper()
	k.rules.work.Wait()
	c, err := st.Call(t.Context(), k.line.Call.ID)
	if err != nil || c.Danger == nil {
		t.Fatalf("the call is not marked: %+v, %v", c, err)
	}
	return c
}

// Whoever wants to ring for help is let go, and so is a line on which nobody speaks.
func TestDangerFreesTheLine(t *testing.T) {
	t.Parallel()
	x := languages["en"].Texts
	for _, last := range [][]string{{"I'll ring them now"}, {"Goodbye"}, {"", "", "", "", ""}} {
		k := newTalk(t, nowhere{}, calls.Line{Person: people.Person{Phone: "+15550100123"}}, broken)
		k.hears(t, "I can't breathe", "9 1 1")
		var got orchestration.Spoken
		for _, words := range last {
			if got.Ended {
				t.Errorf("%q: ended before the last", last)
			}
			got, _ = k.says(t.Context(), words)
		}
		if !got.Ended || !saysText(english.Plain(got.Text), x.Emergency.Leave) {
			t.Errorf("after %q: %+v", last, got)
		}
	}
}

// Where it is to end, a call ends after the next words of somebody in an emergency; not
// before they said any, nor where they are all right or despair.
func TestDangerEndsTheCallWhereItIsToEnd(t *testing.T) {
	t.Parallel()
	x := languages["en"].Texts
	for _, tt := range []struct {
		said  []string
		ended bool
		text  string
	}{
		{[]string{"I can't breathe", "I don't know where the phone is"}, true, x.Emergency.Leave},
		{[]string{"I can't breathe", ""}, false, x.Emergency.Stay[0]},
		{[]string{"I can't breathe", "I'm fine now, it has passed"}, false, x.Emergency.Over},
		{[]string{"I want to die", "yes"}, false, x.Despair.Stay[0]},
	} {
		k := newTalk(t, nowhere{}, calls.Line{Person: people.Person{Phone: "+15550100123"}}, broken)
		k.rules.cfg.Ends = true
		var got orchestration.Spoken
		for _, words := range tt.said {
			got, _ = k.says(t.Context(), words)
		}
		if got.Ended != tt.ended || !saysText(english.Plain(got.Text), tt.text) {
			t.Errorf("after %q: %+v", tt.said, got)
		}
	}
}

func TestHelpOnItsWayIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	k := newTalk(t, nowhere{}, calls.Line{}, broken)
	k.hears(t, "I've fallen and I can't get up", "ring the emergency number")
	k.hears(t, "My daughter is with me, the ambulance is on its way", languages["en"].Texts.Emergency.Helped)
}

// Words that were cut short after three were a text of ours all the same.
func TestDangerLastsThoughItsAnswerWasCutShort(t *testing.T) {
	t.Parallel()
	k := newTalk(t, nowhere{}, calls.Line{}, broken)
	k.hears(t, "I can't breathe", "")
	k.messages[len(k.messages)-1].Content = "This sounds like"
	k.hears(t, "what did you say", languages["en"].Texts.Emergency.Stay[0][:20])
}

// A conversation goes on where it was before nobody spoke.
func TestQuestionBeforeSilenceIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, prompt := range orchestration.DefaultLadder.Prompts {
		k := newTalk(t, nowhere{}, calls.Line{}, broken)
		k.naiber("I see. How did you sleep?")
		k.naiber(prompt)
		k.hears(t, "I can't breathe", "")
		if got := k.hears(t, "I'm all right, it was a mistake", "How did you sleep?"); !strings.HasSuffix(got.Text, "How did you sleep?") {
			t.Errorf("after %q: %q", prompt, got.Text)
		}
	}
}

// Of an answer that was cut short at once nothing can be told; the words before it tell.
func TestDangerLastsThoughItsAnswerWasHardlyHeard(t *testing.T) {
	t.Parallel()
	x := languages["en"].Texts.Emergency
	for _, heard := range []string{"This", "This sounds..."} {
		k := newTalk(t, nowhere{}, calls.Line{}, broken)
		k.naiber("Good.")
		k.hears(t, "I can't breathe", "")
		k.messages[len(k.messages)-1].Content = heard
		k.hears(t, "what did you say", x.Stay[0][:20])
		k.hears(t, "I'm all right, it was a mistake", x.Over[:20])
		k.reachesPersona(t, "Seven")
	}
}

// A line that is picked up again has a history of its own; the mark tells.
func TestDangerOutlivesAReconnect(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	line := lineTo(t, st, "en")
	line.Call.ConversationID, line.ConversationID = "conv_1", "conv_2"
	at := time.Now()
	if err := st.MarkDanger(t.Context(), line.Call.ID, "fall", at); err != nil {
		t.Fatal(err)
	}
	k := newTalk(t, st, line, broken)
	k.naiber("Sorry, we were cut off.")
	k.hears(t, "Hello?", "9 9 9")
	if err := st.EndDanger(t.Context(), line.Call.ID, at); err != nil {
		t.Fatal(err)
	}
	k = newTalk(t, st, line, broken)
	k.reachesPersona(t, "Hello?")
}

// After a line was picked up again, a need is answered again only where the answer to it
// was not heard before; and danger that nobody had answered when the process died is.
func TestNeedsAndDangersAcrossAReconnect(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	x := languages["en"].Texts
	const cold, stuck = "The boiler's broken and I'm freezing", "I have fallen and I can't get up"
	for name, before := range map[string]string{"died before the answer": "", "died after it": promise.ReplaceAllString(x.Told["no_heat"], "$1")} {
		line := lineTo(t, st, "en")
		line.Call.ConversationID, line.ConversationID = "conv_1", "conv_2"
		if before != "" {
			_, err := st.AddUtterance(t.Context(), calls.Utterance{CallID: line.Call.ID, Role: calls.RoleAssistant, Text: before, ConversationID: "conv_1", EventID: 1, At: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
		}
		k := newTalk(t, st, line, broken)
		k.naiber("Sorry, the line broke.")
		if got, err := k.says(t.Context(), cold); errors.Is(err, errPersona) != (before != "") {
			t.Errorf("%s: answered %q, %v", name, got.Text, err)
		}
	}

	line := lineTo(t, st, "en")
	dir := t.TempDir()
	line.Call.ConversationID, line.ConversationID = "conv_1", "conv_1"
	dying, stop := context.WithCancel(t.Context())
	w := rulesOver(t, &down{Store: st}, dir)
	k := &talk{rules: w, line: line, persona: w.Middleware(broken)}
	stop() // nothing is heard of the answer
	if _, err := k.says(dying, stuck); err != nil {
		t.Fatal(err)
	}
	w.Close()
	w = rulesOver(t, st, dir)
	w.Replay(t.Context())
	w.work.Wait()
	line.ConversationID = "conv_2"
	k = &talk{rules: w, line: line, persona: w.Middleware(broken)}
	k.naiber("Sorry, the line broke.")
	k.hears(t, "Hello?", "9 9 9")
	k.hears(t, stuck, "You have had a fall")
	w.work.Wait()
	if list, err := st.Alerts(t.Context(), alerts.Filter{PersonID: line.Person.ID, Limit: 10}); err != nil || len(list) != 1 {
		t.Errorf("%d alerts, %v; want one", len(list), err)
	}
}

// nowhere is a store that keeps nothing and knows nobody.
type nowhere struct{}

func (nowhere) Call(context.Context, store.CallID) (calls.Call, error) { return calls.Call{}, nil }

func (nowhere) Transcript(context.Context, store.CallID) ([]calls.Utterance, error) { return nil, nil }

func (nowhere) MarkDanger(context.Context, store.CallID, string, time.Time) error {
	return nil
}
func (nowhere) EndDanger(context.Context, store.CallID, time.Time) error { return nil }
func (nowhere) RaiseAlert(context.Context, alerts.New) (alerts.Alert, bool, error) {
	return alerts.Alert{}, true, nil
}
func (nowhere) OptOut(context.Context, store.PersonID, string) error { return nil }

// away is a store that fails a while.
type away struct {
	nowhere

	tries  atomic.Int32
	marked chan string
}

func (a *away) MarkDanger(_ context.Context, _ store.CallID, kind string, _ time.Time) error {
	if a.tries.Add(1) < 4 {
		return errors.New("the database is away")
	}
	a.marked <- kind
	return nil
}

func TestDangerIsMarkedOnceTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	st := &away{marked: make(chan string, 1)}
	k := newTalk(t, st, calls.Line{}, broken)
	k.hears(t, "I can't breathe", languages["en"].Texts.Danger[:20])
	if kind := <-st.marked; kind != "breathing" {
		t.Errorf("marked %q", kind)
	}
}

func TestEmergencyNumberIsThatOfTheCountry(t *testing.T) {
	t.Parallel()
	w, err := New(Config{Store: nowhere{}, Numbers: map[string]string{"AT": "144"}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for phone, want := range map[string]string{
		"+15550100123": "911", "+12125550123": "911", "+14165550123": "911", "+442071838750": "999", "+4930123456": "112", "+4312345678": "144",
		"+34911234567": "112", "+61212345678": "000", "+6441234567": "111", "+81312345678": "119", "": "", "+999123456": "", "anonymous": "",
	} {
		if got := w.Number(phone); got != want {
			t.Errorf("%s: %q, want %q", phone, got, want)
		}
	}
}

// Every language has every word and every text, and each text names the number where it must.
func TestEachLanguageIsWhole(t *testing.T) {
	t.Parallel()
	for _, code := range codes {
		l := languages[code]
		for name, tb := range map[string]*phrases.Table{
			"opt_out": &l.OptOut, "not_opt_out": &l.NotOptOut, "agree": &l.Agree, "decline": &l.Decline, "never_was": &l.NeverWas, "not_meant": &l.NotMeant, "all_right": &l.AllRight,
			"they_are_well": &l.TheyAreWell, "somebody_else": &l.SomebodyElse, "not_all_right": &l.NotAllRight, "helped": &l.Helped, "asks_what": &l.AsksWhat, "leaving": &l.Leaving, "goodbye": &l.Goodbye,
		} {
			if tb.Empty() {
				t.Errorf("%s has no words of %s", code, name)
			}
		}
		if l.Version == "" {
			t.Errorf("the words of %s have no version", code)
		}
		for kind, k := range kinds {
			if said := l.Danger[kind]; said.Empty() && l.Both[kind] == "" && (code != "de" || k.act == emergency) {
				t.Errorf("%s does not hear %s", code, kind)
			}
			if text := l.Texts.answer(kind); k.act == once || k.act == despair {
				if text == l.Texts.Danger || !strings.HasSuffix(strings.TrimSpace(text), "?") {
					t.Errorf("%s answers %s with %q, want a text of its own that asks something", code, kind, text)
				}
			} else if text == l.Texts.Danger && l.Texts.Ask[kind] == "" && k.act == emergency {
				t.Errorf("%s asks nothing about %s", code, kind)
			}
		}
		x := l.Texts
		for _, text := range []string{x.AskOptOut, x.OptedOut, x.UnknownOut, x.NotKept, x.GoOnCalling, x.Computer, x.Emergency.Helped, x.NoNumber} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s lacks a text", code)
			}
		}
		for _, text := range append([]string{x.Danger, x.Emergency.Leave, x.Emergency.Over}, x.Emergency.Stay...) {
			if text != x.Emergency.Stay[0] && !strings.Contains(text, "{number}") {
				t.Errorf("%s: %q names no number", code, text)
			}
		}
	}
}

func FuzzHeard(f *testing.F) {
	f.Add("don't' call '")
	f.Add("Help! ... ¿no puedo respirar?")
	f.Fuzz(func(_ *testing.T, said string) {
		for _, l := range languages {
			toks := l.Tokens(english.Scan(said))
			l.flagsIn(toks, said, &inTalk)
			l.optsOut(toks)
			l.takesBack(toks, needs{})
		}
		hear(&orchestration.Turn{Kind: calls.TurnSpeech, Heard: said}).answer()
	})
}

// Somebody who has only the number may end the calls to it, as the law wants; people hear of it.
func TestOptOutOfSomebodyWhoHasNotShownWhoTheyAre(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	known := lineTo(t, st, "en")
	if _, _, err := st.FinishCall(t.Context(), known.Call.ID, calls.Ending{Outcome: calls.OutcomeSilent, Cause: "hung_up", By: "person"}, nil); err != nil {
		t.Fatal(err)
	}
	c, err := st.CreateCall(t.Context(), calls.NewCall{BelievedID: known.Person.ID, Type: calls.CallGeneral, Direction: calls.Inbound, Phone: known.Person.Phone})
	if err != nil {
		t.Fatal(err)
	}
	line := calls.Line{Call: c, Person: known.Person}.Told()
	if line.Person.Name != "" || line.Person.ID.Known() {
		t.Fatalf("the line tells %+v", line)
	}
	k := newTalk(t, st, line, broken)
	x := &languages["en"].Texts
	k.hears(t, "Please stop calling me", x.AskOptOut)
	k.hears(t, "Yes, please.", x.OptedOut)
	k.rules.Close()
	p, err := st.Person(t.Context(), known.Person.ID)
	list, err2 := st.Alerts(t.Context(), alerts.Filter{PersonID: p.ID, Limit: 5})
	if err != nil || err2 != nil || p.OptedOutAt == nil || len(list) != 1 || list[0].Kind != "opted_out" || !list[0].Unsure {
		t.Errorf("opted out at %v, alerts %+v, %v %v", p.OptedOutAt, list, err, err2)
	}
}

// A nine ends all calls, unless a number was asked for; star and nine always do.
func TestKeyEndsAllCalls(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for _, test := range []struct {
		call       calls.CallType
		said, keys string
		out        bool
	}{
		{calls.CallHealthCheck, "Shall we begin with a few questions about how you are?", "9", true},
		{calls.CallHealthCheck, "How did you sleep, from 1 to 10?", "9", false},
		{calls.CallHealthCheck, "How many glasses of water did you drink?", "9", false},
		{calls.CallHealthCheck, "How did you sleep, from 1 to 10?", "*9", true},
		{calls.CallGeneral, "To stop these calls for good, press 9 at any time. How are you today?", "9", true},
		{calls.CallGeneral, "Shall we begin?", "99", false},
		{calls.CallGeneral, "Shall we begin?", "1", false},
	} {
		k := newTalk(t, st, lineTo(t, st, "en"), broken)
		k.line.Call.Type = test.call
		k.naiber(test.said)
		turn := &orchestration.Turn{Line: k.line, Kind: calls.TurnKeypad, Keypad: test.keys, Messages: k.messages, At: time.Now()}
		s := orchestration.NewSpeech()
		err := k.persona.Reply(t.Context(), turn, s)
		p, err2 := st.Person(t.Context(), k.line.Person.ID)
		if err2 != nil || (p.OptedOutAt != nil) != test.out || test.out != s.Spoken().Ended || test.out == errors.Is(err, errPersona) {
			t.Errorf("%q after %q: opted out %v, %+v, %v, %v", test.keys, test.said, p.OptedOutAt, s.Spoken(), err, err2)
		}
	}
}

// A line that was cut short where many lines begin alike asks nothing of ours: no yes to it ends all
// calls, and no reply to it is one of danger.
func TestCutLineIsNoTextOfOurs(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for _, c := range []struct{ language, line, reply string }{
		{"en", "I'm sorry, I", "Yes, this is Margaret."},
		{"en", "Please tell me", "Yes."},
		{"en", "I want to", "Yes, yes."},
		{"en", "I am glad", "So am I."},
		{"en", "Thank you for", "Yes."},
		{"es", "¿Se ha caído", "Sí."},
		{"de", "Es tut mir", "Ja."},
	} {
		k := newTalk(t, st, lineTo(t, st, c.language), broken)
		k.says(t.Context(), "I was in the garden this morning.")
		k.naiber(c.line)
		k.reachesPersona(t, c.reply)
		if p, err := st.Person(t.Context(), k.line.Person.ID); err != nil || p.OptedOutAt != nil {
			t.Errorf("%q after %q: opted out at %v, %v", c.reply, c.line, p.OptedOutAt, err)
		}
	}
}
