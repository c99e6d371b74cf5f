package wishes

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/safety"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var errPersona = errors.New("the persona was asked")

var persona = orchestration.PersonaFunc(func(context.Context, *orchestration.Turn, *orchestration.Speech) error { return errPersona })

var parts = map[string]schedules.Window{
	"window:morning": {From: "09:00", To: "11:30"}, "after:lunch": {From: "13:30", To: "15:30"}, "window:evening": {From: "18:00", To: "20:00"},
	"after:dinner": {From: "19:30", To: "21:00"}, "window:afternoon": {From: "14:00", To: "17:00"},
}

// began is when calls in tests begin: a Wednesday, at a quarter past ten in London.
var began = time.Date(2026, 11, 25, 10, 15, 0, 0, time.UTC)

type talk struct {
	*testing.T

	st       *store.Store
	line     calls.Line
	persona  orchestration.Persona
	messages []llm.Message
	planned  []uuid.UUID
	refused  time.Time // until when the gate refuses another call; zero: it does not
}

// newTalk begins a call of a type to somebody who speaks a language, in front of the rules of safety.
func newTalk(t *testing.T, st *store.Store, language string, kind calls.CallType) *talk {
	t.Helper()
	p, err := st.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+442071838750", Timezone: "Europe/London", Language: language}, nil,
		[]people.Consent{{Scope: people.ScopeCalls, GivenBy: "Ada", How: "on paper"}, {Scope: people.ScopeRecording, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := st.CreateCall(t.Context(), calls.NewCall{PersonID: p.ID, Type: kind, Direction: calls.Outbound, Phone: p.Phone})
	if err != nil {
		t.Fatal(err)
	}
	c.CreatedAt = began
	k := &talk{T: t, st: st, line: calls.Line{Call: c, Person: p}}
	log := slog.New(slog.DiscardHandler)
	w, err := New(Config{
		Store: st, Parts: parts, Quiet: people.QuietHours{Start: "20:30", End: "09:00"}, Log: log, Now: func() time.Time { return began.Add(time.Minute) },
		Check: func(s schedules.Schedule) (schedules.Schedule, error) { return s, nil },
		Refused: func(context.Context, calls.Call, time.Time) (time.Time, bool, error) {
			return k.refused, !k.refused.IsZero(), nil
		},
		Planned: func(_ context.Context, id uuid.UUID) { k.planned = append(k.planned, id) },
	})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := safety.New(safety.Config{Store: st, Lesser: Hears, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rules.Close)
	k.persona = rules.Middleware(w.Middleware(persona))
	k.naiber("Good morning, Ada, this is Naiber.")
	return k
}

func (k *talk) naiber(said string) {
	k.messages = append(k.messages, llm.Message{Role: llm.RoleAssistant, Content: said})
}

func (k *talk) schedule(kind calls.CallType, rule, from, to string) uuid.UUID {
	k.Helper()
	s, err := k.st.CreateSchedule(k.Context(), schedules.Schedule{
		PersonID: k.line.Person.ID, CallType: kind, RRule: rule, Window: schedules.Window{From: from, To: to}, JitterMinutes: 15,
		Essential: kind == calls.CallHealthCheck, StartsOn: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC),
	}, began.Add(-time.Hour))
	if err != nil {
		k.Fatal(err)
	}
	return s.ID
}

// says plays a turn, "" being silence, and returns nAIber's answer.
func (k *talk) says(words string) (orchestration.Spoken, error) {
	k.Helper()
	turn := &orchestration.Turn{Line: k.line, Kind: calls.TurnSpeech, Heard: words, At: began, Place: len(k.messages) + 1}
	content := words
	if words == "" {
		turn.Kind, turn.Silences, content = calls.TurnSilence, 1, "..."
	}
	k.messages = append(k.messages, llm.Message{Role: llm.RoleUser, Content: content})
	turn.Messages = append(turn.Messages, k.messages...)
	s := orchestration.NewSpeech()
	err := k.persona.Reply(k.Context(), turn, s)
	if err == nil {
		k.naiber(s.Spoken().Text)
	}
	return s.Spoken(), err
}

func (k *talk) hears(words, want string) orchestration.Spoken {
	k.Helper()
	got, err := k.says(words)
	if err != nil || !strings.Contains(got.Text, want) {
		k.Fatalf("to %q: %q, %v; want %q", words, got.Text, err, want)
	}
	return got
}

func (k *talk) rule(id uuid.UUID) string {
	k.Helper()
	s, err := k.st.Schedule(k.Context(), id)
	if err != nil {
		k.Fatal(err)
	}
	paused := ""
	if s.Paused {
		paused = " paused"
	}
	return s.RRule + " " + s.Window.From + "-" + s.Window.To + paused
}

func (k *talk) changes() []schedules.Change {
	k.Helper()
	list, err := k.st.CallChanges(k.Context(), k.line.Person.ID, uuid.Nil, 10)
	if err != nil {
		k.Fatal(err)
	}
	return list
}

func TestChangeIsKeptOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, said, asked, yes, rule string }{
		{"en", "Not on Sundays, please.", "So not on Sundays any more, and the other days as before. Is that right?", "Yes, please.", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA 10:00-12:00"},
		{"en", "Could you call me after lunch?", "So I ring you between half past one in the afternoon and half past three in the afternoon from now on. Is that right?", "That's right.", "FREQ=DAILY 13:30-15:30"},
		{"en", "Could you call at ten instead?", "So I ring you between ten in the morning and eleven in the morning from now on. Is that right?", "Yes", "FREQ=DAILY 10:00-11:00"},
		{"en", "Every other day is enough, dear.", "So every other day from now on. Is that right?", "Yes, that's fine.", "FREQ=DAILY;INTERVAL=2 10:00-12:00"},
		{"en", "Don't call on Wednesday mornings.", "So not on Wednesdays any more, and the other days as before. Is that right?", "Lovely.", "FREQ=DAILY;BYDAY=MO,TU,TH,FR,SA,SU 10:00-12:00"},
		{"en", "Just call me on Mondays and Thursdays.", "So only on Mondays and Thursdays from now on. Is that right?", "Yes", "FREQ=WEEKLY;BYDAY=MO,TH 10:00-12:00"},
		{"es", "Los domingos no me llame.", "Entonces, no le llamo más los domingos, y los demás días como hasta ahora. ¿Está bien así?", "Sí, está bien.", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA 10:00-12:00"},
		{"es", "Llámeme después de comer.", "Entonces, le llamo entre la una y media de la tarde y las tres y media de la tarde de ahora en adelante. ¿Está bien así?", "Claro.", "FREQ=DAILY 13:30-15:30"},
	} {
		t.Run(test.said, func(t *testing.T) {
			t.Parallel()
			st := storetest.New(t)
			k := newTalk(t, st, test.language, calls.CallGeneral)
			id := k.schedule(calls.CallGeneral, "FREQ=DAILY", "10:00", "12:00")
			before := k.rule(id)
			k.hears(test.said, test.asked)
			if now := k.rule(id); now != before || len(k.changes()) > 0 {
				t.Fatalf("changed before it was confirmed: %s", now)
			}
			x := languageOf(test.language).Texts
			k.hears("", test.asked) // a silence
			k.hears(test.yes, strings.TrimSuffix(x.Done, "{what}."))
			if now := k.rule(id); now != test.rule {
				t.Errorf("became %s, want %s", now, test.rule)
			}
			list := k.changes()
			if len(list) != 1 || list[0].CallID != k.line.Call.ID || list[0].Said != test.said || len(list[0].Before) != 1 || list[0].Before[0].RRule != "FREQ=DAILY" ||
				list[0].After[0].RRule+" "+list[0].After[0].From+"-"+list[0].After[0].To != test.rule || len(k.planned) != 1 {
				t.Errorf("changes %+v, planned %v", list, k.planned)
			}
			if got, err := k.says("Yes"); !errors.Is(err, errPersona) {
				t.Errorf("a second yes was taken: %q, %v", got.Text, err)
			}
		})
	}
}

func TestWithoutAYesNothingChanges(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for _, answer := range []string{"No, leave it.", "Yes, no, I don't know.", "My cat is on the table."} {
		k := newTalk(t, st, "en", calls.CallGeneral)
		id := k.schedule(calls.CallGeneral, "FREQ=DAILY", "10:00", "12:00")
		k.naiber("How is the garden?")
		k.hears("Don't ring me on Sundays.", "Is that right?")
		k.hears(answer, "I leave your calls as they are. How is the garden?")
		if now := k.rule(id); now != "FREQ=DAILY 10:00-12:00" {
			t.Errorf("%q changed it to %s", answer, now)
		}
	}
}

func TestCorrectedWishIsReadBackAgain(t *testing.T) {
	t.Parallel()
	k := newTalk(t, storetest.New(t), "en", calls.CallGeneral)
	id := k.schedule(calls.CallGeneral, "FREQ=DAILY", "10:00", "12:00")
	k.hears("Don't ring me on Sundays.", "So not on Sundays any more")
	k.hears("No, don't ring on Saturdays I mean.", "So not on Saturdays any more")
	k.hears("Yes", "I've changed it: not on Saturdays any more")
	if now := k.rule(id); now != "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SU 10:00-12:00" {
		t.Error(now)
	}
}

// Somebody else may change the schedule between the question and the answer.
func TestOnlyWhatWasReadBackIsKept(t *testing.T) {
	t.Parallel()
	k := newTalk(t, storetest.New(t), "en", calls.CallGeneral)
	id := k.schedule(calls.CallGeneral, "FREQ=DAILY", "10:00", "12:00")
	k.hears("Don't ring me on Sundays.", "So not on Sundays any more")
	if _, err := k.st.ChangeSchedule(k.Context(), id, began, func(s *schedules.Schedule) error { s.RRule = "FREQ=MONTHLY;BYDAY=2TU"; return nil }); err != nil {
		t.Fatal(err)
	}
	k.hears("Yes", "I have noted it for the people who look after you.")
	if now := k.rule(id); now != "FREQ=MONTHLY;BYDAY=2TU 10:00-12:00" {
		t.Error(now)
	}
}

func TestCallsAreLeftOutForAWhile(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	for _, test := range []struct {
		said, asked string
		from, to    time.Time
	}{
		{"Not this week, I'm at my daughter's.", "no more calls this week, and again from Monday on", began, day(30)},
		{"Don't call me next week.", "no calls next week", day(30), day(37)},
		{"I'm out, don't ring tomorrow.", "no calls tomorrow", day(26), day(27)},
		{"I'm away, so don't call me until Friday.", "no more calls until Friday", began, day(27)},
		{"Don't ring me this Sunday.", "no calls this Sunday", day(29), day(30)},
	} {
		k := newTalk(t, storetest.New(t), "en", calls.CallGeneral)
		k.hears(test.said, test.asked)
		k.hears("Yes", "I've changed it")
		list, err := k.st.CallChanges(t.Context(), k.line.Person.ID, uuid.Nil, 1)
		if err != nil || len(list) != 1 || list[0].PauseFrom == nil || !list[0].PauseFrom.Equal(test.from) || !list[0].PauseTo.Equal(test.to) {
			t.Errorf("%s: %+v, %v; want %s to %s", test.said, list, err, test.from, test.to)
		}
	}
}

func TestOneMoreCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ said, asked, starts, window string }{
		{"Ring me later in the day.", "between a quarter past", "2026-11-25", "11:15-13:15"},
		{"Call me tomorrow instead.", "once tomorrow, between", "2026-11-26", "10:15-12:15"},
		{"Could you ring me tomorrow after lunch instead?", "once tomorrow, between half past one", "2026-11-26", "13:30-15:30"},
	} {
		k := newTalk(t, storetest.New(t), "en", calls.CallGeneral)
		k.hears(test.said, strings.TrimPrefix(test.asked, "between a "))
		if got := k.hears("Yes please", "Goodbye until then"); !got.Ended {
			t.Errorf("%s: the call goes on", test.said)
		}
		list := k.changes()
		if len(list) != 1 || len(list[0].After) != 1 || len(list[0].Before) != 0 {
			t.Fatalf("%s: %+v", test.said, list)
		}
		s, err := k.st.Schedule(t.Context(), list[0].After[0].ScheduleID)
		if err != nil || s.RRule != "FREQ=DAILY;COUNT=1" || s.StartsOn.Format(time.DateOnly) != test.starts || s.Window.From+"-"+s.Window.To != test.window {
			t.Errorf("%s: %+v, %v", test.said, s, err)
		}
	}
}

// What the gate would refuse today is offered for tomorrow, or noted where it would be refused then as
// well; an essential call is made all the same.
func TestOneMoreCallThatTheGateRefuses(t *testing.T) {
	t.Parallel()
	x := languages["en"].Texts
	midnight, month := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		of      calls.CallType
		rule    string // of a schedule; empty: there is none
		refused time.Time
		said    string
		want    string
		starts  string // of the call that is added; empty: none
	}{
		{calls.CallGeneral, "", midnight, "Ring me later in the day.", "So I may not ring you again today, but I ring you once tomorrow, between quarter past ten", "2026-11-26"},
		{calls.CallGeneral, "FREQ=WEEKLY;BYDAY=MO", midnight, "Ring me later in the day.", "tomorrow, between ten", "2026-11-26"},
		{calls.CallGeneral, "FREQ=DAILY", midnight, "Ring me later in the day.", x.Full, ""},
		{calls.CallGeneral, "", month, "Ring me later in the day.", x.Noted, ""},
		{calls.CallGeneral, "", month, "Call me tomorrow instead.", x.Noted, ""},
		{calls.CallGeneral, "", midnight, "Call me tomorrow instead.", "once tomorrow, between", "2026-11-26"},
		{calls.CallHealthCheck, "FREQ=DAILY", midnight, "Ring me later in the day.", "again today, between", "2026-11-25"},
	} {
		k := newTalk(t, storetest.New(t), "en", test.of)
		k.refused = test.refused
		if test.rule != "" {
			k.schedule(test.of, test.rule, "10:00", "12:00")
		}
		k.hears(test.said, test.want)
		if test.starts == "" {
			if list := k.changes(); len(list) > 0 {
				t.Errorf("%+v: %+v", test, list)
			}
			continue
		}
		k.hears("Yes please", "Goodbye until then")
		if list := k.changes(); len(list) != 1 || list[0].After[0].StartsOn != test.starts {
			t.Errorf("%+v: %+v", test, list)
		}
	}
}

func TestWhatCannotBeKeptIsNoted(t *testing.T) {
	t.Parallel()
	x := languages["en"].Texts
	k := newTalk(t, storetest.New(t), "en", calls.CallGeneral)
	k.schedule(calls.CallGeneral, "FREQ=MONTHLY;BYDAY=2TU", "10:00", "12:00")
	k.hears("Don't ring me on Sundays.", x.Noted)
	k.hears("Could you ring at some other time?", x.AskWhen)
	k.hears("Oh, whenever the cat lets me.", x.Noted)
	k.hears("Ring me after dinner.", "I may not ring you then") // until nine
	list, err := k.st.Alerts(t.Context(), alerts.Filter{PersonID: k.line.Person.ID, Limit: 10})
	if err != nil || len(list) != 2 || list[0].Kind != KindWish || list[0].Tier != alerts.Digest || list[1].Quote != "Don't ring me on Sundays." {
		t.Errorf("alerts %+v, %v", list, err)
	}
	k.hears("Could you ring at another time?", x.AskWhen)
	k.hears("Mornings.", x.Ask[:3]) // needs no more words
}

// The one who looks after somebody hears of an essential call that is not made any more.
func TestEssentialCallsThatEndAreTold(t *testing.T) {
	t.Parallel()
	k := newTalk(t, storetest.New(t), "en", calls.CallHealthCheck)
	id := k.schedule(calls.CallHealthCheck, "FREQ=DAILY", "10:00", "12:00")
	k.hears("No more health checks, please.", "So no more health checks at all, and the other calls as before. Is that right?")
	k.hears("Yes", "I've changed it: no more health checks at all")
	list, err := k.st.Alerts(t.Context(), alerts.Filter{PersonID: k.line.Person.ID, Limit: 10})
	if err != nil || len(list) != 1 || list[0].Kind != KindNotChecked || list[0].Tier != alerts.SameDay || !strings.HasSuffix(k.rule(id), " paused") {
		t.Errorf("alerts %+v, %v; schedule %s", list, err, k.rule(id))
	}
}

// So they do of one that is left out for a while, whichever call that was asked for in, and of no other.
func TestEssentialCallsThatArePausedAreTold(t *testing.T) {
	t.Parallel()
	const daily = "FREQ=DAILY"
	for _, test := range []struct {
		in, of       calls.CallType
		rule, window string
		said         string
		told         bool
	}{
		{calls.CallGeneral, calls.CallHealthCheck, daily, "10:00-12:00", "Not this week, I'm at my daughter's.", true},
		{calls.CallHealthCheck, calls.CallHealthCheck, daily, "10:00-12:00", "Don't call me next week.", true},
		{calls.CallGeneral, calls.CallHealthCheck, daily, "10:00-12:00", "I'm out, don't ring tomorrow.", true},
		{calls.CallGeneral, calls.CallHealthCheck, "FREQ=WEEKLY;BYDAY=TU", "10:00-12:00", "I'm out, don't ring tomorrow.", false},
		{calls.CallGeneral, calls.CallHealthCheck, daily, "10:00-12:00", "No more calls today.", true},
		{calls.CallGeneral, calls.CallHealthCheck, daily, "08:00-10:00", "No more calls today.", false},     // it is over
		{calls.CallHealthCheck, calls.CallHealthCheck, daily, "10:00-12:00", "No more calls today.", false}, // it is this one
		{calls.CallHealthCheck, calls.CallHealthCheck, daily, "18:00-19:00", "No more calls today.", true},  // it is another one
		{calls.CallGeneral, calls.CallGeneral, daily, "10:00-12:00", "Not this week, I'm at my daughter's.", false},
	} {
		k := newTalk(t, storetest.New(t), "en", test.in)
		from, to, _ := strings.Cut(test.window, "-")
		k.schedule(test.of, test.rule, from, to)
		k.hears(test.said, "Is that right?")
		k.hears("Yes", "I've changed it")
		list, err := k.st.Alerts(t.Context(), alerts.Filter{PersonID: k.line.Person.ID, Limit: 10})
		if err != nil || (len(list) == 1) != test.told || test.told && (list[0].Kind != KindNotCheckedFor || list[0].Tier != alerts.SameDay || list[0].Quote != test.said) {
			t.Errorf("%+v: alerts %+v, %v", test, list, err)
		}
	}
}

func TestItIsSaidToBeChangedOnlyOnceItIs(t *testing.T) {
	t.Parallel()
	k := newTalk(t, storetest.New(t), "en", calls.CallGeneral)
	k.schedule(calls.CallGeneral, "FREQ=DAILY", "10:00", "12:00")
	k.hears("Don't ring me on Sundays.", "So not on Sundays any more")
	k.st.Close() // the database is away
	k.hears("Yes", languages["en"].Texts.NotKept)
}

// A persona that asks in the same words is no question about calls.
func TestPersonasQuestionIsNoQuestionAboutCalls(t *testing.T) {
	t.Parallel()
	k := newTalk(t, storetest.New(t), "en", calls.CallGeneral)
	if _, err := k.says("We lived in Leeds then."); !errors.Is(err, errPersona) {
		t.Fatal(err)
	}
	k.naiber("So you grew up in Leeds. Is that right?")
	if got, err := k.says("Yes"); !errors.Is(err, errPersona) {
		t.Errorf("taken for ours: %q, %v", got.Text, err)
	}
}

// An answer to a question about something else is not about calls; nor is a caller certain.
func TestOnlyWhoIsCalledChangesCalls(t *testing.T) {
	t.Parallel()
	k := newTalk(t, storetest.New(t), "en", calls.CallHealthCheck)
	k.schedule(calls.CallHealthCheck, "FREQ=DAILY", "10:00", "12:00")
	k.naiber("When do you take your tablets?")
	if got, err := k.says("After breakfast would be best."); !errors.Is(err, errPersona) {
		t.Errorf("taken for a wish: %q, %v", got.Text, err)
	}
	k.line.Call.Direction = calls.Inbound
	k.hears("Don't ring me on Sundays.", languages["en"].Texts.Noted)
	if got, err := k.says("Stop calling me."); err != nil || !strings.Contains(got.Text, "Shall I stop calling you") {
		t.Errorf("opt-out: %q, %v", got.Text, err)
	}
	k.hears("No.", "")
	k.line.Call.Verified = calls.Keyed
	if got, err := k.says("Don't ring me on Sundays."); err != nil || !strings.Contains(got.Text, "not on Sundays") || strings.Contains(got.Text, languages["en"].Texts.Noted) {
		t.Errorf("a caller who has shown who they are: %q, %v", got.Text, err)
	}
}

// Who does not hear what is read back is told it again, and loses no wish by it.
func TestReadBackAgain(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for _, test := range []struct{ language, said, again, yes string }{
		{"en", "Don't ring me on Sundays.", "What did you say?", "Yes, no problem."},
		{"en", "Don't ring me on Sundays.", "I can't hear you, dear.", "Oh yes, why not."},
		{"es", "Los domingos no me llame.", "¿Cómo? No le oigo.", "Sí, no hay problema."},
	} {
		k := newTalk(t, st, test.language, calls.CallGeneral)
		id := k.schedule(calls.CallGeneral, "FREQ=DAILY", "10:00", "12:00")
		asked, err := k.says(test.said)
		if err != nil {
			t.Fatal(err)
		}
		k.hears(test.again, asked.Text)
		k.hears(test.yes, "")
		if now := k.rule(id); now != "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA 10:00-12:00" {
			t.Errorf("%q, then %q made it %s", test.again, test.yes, now)
		}
		if list := k.changes(); len(list) != 1 || list[0].Said != test.said {
			t.Errorf("changes %+v", list)
		}
	}
	k := newTalk(t, st, "en", calls.CallGeneral)
	id := k.schedule(calls.CallGeneral, "FREQ=DAILY", "10:00", "12:00")
	k.hears("Don't ring me on Sundays.", "Is that right?")
	for range 2 {
		k.hears("What?", "Is that right?")
	}
	k.hears("What?", "I leave your calls as they are.")
	if now := k.rule(id); now != "FREQ=DAILY 10:00-12:00" {
		t.Errorf("unheard, it became %s", now)
	}
}
