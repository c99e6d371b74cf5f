package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/app/sandbox/faults"
)

// troubled is a call in a house in which something goes wrong.
type troubled struct {
	*house

	p     person
	id    string
	ada   *elder
	fault string
	value string

	before int // how often the model was asked before the call
}

// faultScene is one fault: when it is switched on, what the person does and must
// hear, and what must be on record after the call.
type faultScene struct {
	fault, value string
	early        bool // on before the call is placed, not only after the greeting
	play         func(t *testing.T, s *troubled)
	check        func(t *testing.T, s *troubled, c callView)
}

// Things go wrong one by one. Whatever it is, the person hears something
// sensible, the call goes on to its goodbye, and the record is right. The calls of
// one part of the world follow each other in one house, so each also shows that the
// trouble before it has left nothing behind.
func TestFaults(t *testing.T) {
	t.Parallel()
	for part, of := range map[string]struct {
		env    map[string]string
		scenes []faultScene
	}{
		"model": {map[string]string{"NAIBER_TURN_FILLER_AFTER": "300ms", "NAIBER_TURN_FIRST_TOKEN_DEADLINE": "2600ms"}, []faultScene{
			{fault: faults.SlowModel, value: "1500", play: hearsFiller, check: hasFiller},
			{fault: faults.ModelError, play: hearsCalm, check: hasOutcome("fallback")},
			{fault: faults.ModelHTML, play: hearsCalm, check: hasOutcome("fallback")},
			{fault: faults.ModelEmpty, play: hearsCalm, check: hasOutcome("fallback")},
			{fault: faults.ModelHang, play: hearsCalm, check: hasOutcome("fallback")},
			{fault: faults.ModelHalfChunk, play: hearsAll, check: nothingOdd},
			{fault: faults.ModelLength, play: hearsAll, check: nothingOdd},
		}},
		"voice": {nil, []faultScene{
			{fault: faults.RepeatedTurn, play: hearsLateReply, check: joined},
			{fault: faults.LLMRetries, value: "150", play: hearsLateReply, check: joined},
			{fault: faults.DroppedVoice, value: "3000*1", early: true, play: hears("the line broke"), check: tookUp},
			{fault: faults.VoiceBusy, early: true, play: hearsReply, check: nothingOdd},
			{fault: faults.LateAudio, play: breaksIn, check: nothingOdd},
		}},
		"line": {nil, []faultScene{
			{fault: faults.DroppedStream, value: "3000*1", early: true, play: hears("the line broke"), check: tookUpLine},
			{fault: faults.RateLimit, early: true, play: hearsReply, check: nothingOdd},
			{fault: faults.DuplicateCallbacks, early: true, play: hearsReply, check: nothingOdd},
			{fault: faults.OutOfOrderCallbacks, early: true, play: hearsReply, check: nothingOdd},
			{fault: faults.NotBase64, value: "5", play: hearsReply, check: nothingOdd},
			{fault: faults.UnknownEvent, early: true, play: hearsReply, check: nothingOdd},
		}},
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			h := openHouse(t, houseOptions{env: of.env})
			for _, sc := range of.scenes {
				t.Run(sc.fault, func(t *testing.T) { sc.run(t, h.in(t)) })
			}
		})
	}
}

// run plays the scene in a call of a new person's.
func (sc faultScene) run(t *testing.T, h *house) {
	t.Helper()
	s := &troubled{house: h, fault: sc.fault, value: sc.value, before: len(h.asked.all())}
	if sc.early {
		h.fault(sc.fault, sc.value)
	}
	s.p = h.addPerson(nil)
	s.id = h.place(s.p)
	s.ada = h.answer()
	s.ada.hears(t, "Naiber", "moment")
	if !sc.early {
		h.fault(sc.fault, sc.value)
	}
	sc.play(t, s)
	h.fault(sc.fault, "off")
	s.ada.answers(t, "My neighbour brought me apples this afternoon.")
	s.ada.says(t, "Goodbye for now.")
	s.ada.listens(t)
	s.ada.waitsForEnd(t)
	c := s.settled(s.id)
	if c.Status != "completed" || c.Outcome != "reached" || c.EndedCause != "goodbye" {
		t.Errorf("the call is %+v", c)
	}
	oneRing(t, h)
	oncePerPlace(t, c)
	sc.check(t, s, c)
}

// oneRing checks that nobody's telephone rings a second time.
func oneRing(t *testing.T, h *house) {
	t.Helper()
	select {
	case r := <-h.rings:
		t.Errorf("the telephone of %s rang again", r.To)
	default:
	}
}

// oncePerPlace checks that what was said is in the transcript once.
func oncePerPlace(t *testing.T, c callView) {
	t.Helper()
	for _, part := range []string{"apples", "Goodbye for now"} {
		if n := strings.Count(strings.Join(c.said("user"), "\n"), part); n != 1 {
			t.Errorf("%q is in the transcript %d times: %q", part, n, c.said("user"))
		}
	}
}

const inTrouble = "I have been reading a book about lighthouses."

func hearsReply(t *testing.T, s *troubled) {
	t.Helper()
	s.ada.answers(t, inTrouble)
}

func hears(parts ...string) func(*testing.T, *troubled) {
	return func(t *testing.T, s *troubled) {
		t.Helper()
		s.ada.says(t, inTrouble)
		s.ada.hears(t, parts...)
	}
}

func hearsCalm(t *testing.T, s *troubled) {
	t.Helper()
	s.ada.says(t, inTrouble)
	s.ada.hears(t, "I'm sorry, I didn't quite catch that")
}

func hearsFiller(t *testing.T, s *troubled) {
	t.Helper()
	s.ada.says(t, inTrouble)
	s.ada.hears(t, "Let me think")
	s.house.fault(s.fault, "off")
	s.ada.listens(t)
}

// hearsLateReply lets the model be slow, so that the voice service has reason
// to ask again.
func hearsLateReply(t *testing.T, s *troubled) {
	t.Helper()
	s.house.fault(faults.SlowModel, "700")
	s.ada.answers(t, inTrouble)
	s.house.fault(faults.SlowModel, "off")
}

// hearsAll hears a reply to its end though the model is cut off again and again.
func hearsAll(t *testing.T, s *troubled) {
	t.Helper()
	if reply := s.ada.answers(t, inTrouble); !strings.ContainsAny(reply[len(reply)-1:], ".?!") {
		t.Errorf("heard %q, want a whole sentence", reply)
	}
}

// breaksIn interrupts a reply and must hear no more of it.
func breaksIn(t *testing.T, s *troubled) {
	t.Helper()
	s.ada.says(t, inTrouble)
	s.ada.breaksIn(t, 2, "Just a moment, somebody is at the door, it is the postman.")
	next := s.ada.until(t, "silence", func(e carrier.HeardEvent) bool {
		return e.Kind == carrier.HeardWord || e.Kind == carrier.HeardSilence
	})
	if next.Kind == carrier.HeardWord {
		t.Errorf("%q of the interrupted reply was heard after the interruption", next.Text)
	}
	s.ada.listens(t)
}

func nothingOdd(t *testing.T, s *troubled, c callView) {
	t.Helper()
	if c.Reconnects != 0 {
		t.Errorf("%d reconnects, want none", c.Reconnects)
	}
	for _, turn := range c.speech() {
		if turn.Outcome != "spoken" && turn.Outcome != "replaced" {
			t.Errorf("turn %+v, want it spoken", turn)
		}
	}
	kinds, _ := timeline(t, s.db, s.id)
	for _, once := range []string{"answered", "first_word", "ended", "post_call_done"} {
		if n := count(kinds, once); n != 1 {
			t.Errorf("%d × %s on the timeline, want 1: %v", n, once, kinds)
		}
	}
	if count(kinds, "initiated") > 1 || count(kinds, "ringing") > 1 { // one that is overtaken is no news
		t.Errorf("statuses are on the timeline more than once: %v", kinds)
	}
}

func hasOutcome(want string) func(*testing.T, *troubled, callView) {
	return func(t *testing.T, _ *troubled, c callView) {
		t.Helper()
		if !slices.ContainsFunc(c.speech(), func(turn turnView) bool {
			return turn.Outcome == want && strings.Contains(turn.Heard, "lighthouses")
		}) {
			t.Errorf("no turn about lighthouses is %s: %+v", want, c.Turns)
		}
	}
}

func hasFiller(t *testing.T, _ *troubled, c callView) {
	t.Helper()
	for _, turn := range c.speech() {
		if strings.Contains(turn.Heard, "lighthouses") && (!turn.Filler || turn.Outcome != "spoken" || strings.Contains(turn.Reply, "Let me think")) {
			t.Errorf("the covered turn is %+v", turn)
		}
	}
}

// joined checks that a turn that was asked for more than once was answered once.
func joined(t *testing.T, s *troubled, c callView) {
	t.Helper()
	nothingOdd(t, s, c)
	n := 0
	for _, turn := range c.speech() {
		if strings.Contains(turn.Heard, "lighthouses") {
			n++
			if turn.Joined < 1 {
				t.Errorf("the repeated turn is %+v, want its repeats to have joined it", turn)
			}
		}
	}
	if n != 1 {
		t.Errorf("the repeated turn is on record %d times: %+v", n, c.Turns)
	}
	asked := slices.DeleteFunc(s.asked.all()[s.before:], func(body string) bool {
		return !strings.Contains(body, `"stream":true`) || !strings.Contains(body, "lighthouses") || strings.Contains(body, "apples")
	})
	if len(asked) != 1 {
		t.Errorf("the model was asked %d times for one turn", len(asked))
	}
}

// tookUp checks that a conversation broke and another one went on.
func tookUp(t *testing.T, s *troubled, _ callView) {
	t.Helper()
	kinds, _ := timeline(t, s.db, s.id)
	if missing := inOrder(kinds, "conversation_started", "reconnecting", "conversation_started", "ended"); missing != "" {
		t.Errorf("the timeline lacks %s in its place: %v", missing, kinds)
	}
	if heard := s.ada.transcript(); strings.Count(heard, "My name is Naiber") != 1 {
		t.Errorf("heard more than one greeting: %s", heard)
	}
}

func tookUpLine(t *testing.T, s *troubled, c callView) {
	t.Helper()
	tookUp(t, s, c)
	if c.Reconnects != 1 {
		t.Errorf("%d reconnects, want 1", c.Reconnects)
	}
}

// Twilio places the call but never says so: it is found, not placed again.
func TestCreateTimeout(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	h.fault(faults.CreateTimeout, "1")
	p := h.addPerson(nil)
	placed := make(chan string, 1)
	go func() {
		_, text := h.request(http.MethodPost, "/call", object{"userId": p.ID, "callType": "general"}, nil)
		placed <- text
	}()
	ada := h.answer()
	ada.hears(t, "Naiber", "moment")
	ada.answers(t, "It is raining here, but I have a good book.")
	ada.says(t, "Goodbye now.")
	ada.listens(t)
	ada.waitsForEnd(t)
	if text := <-placed; !strings.Contains(text, "callSid") || !strings.Contains(text, "CA") {
		t.Errorf("POST /call: %s", text)
	}
	c := h.settled(h.latestCall("?userId=" + p.ID))
	if c.CallSID != ada.set.CallSID() || c.Outcome != "reached" || c.EndedCause != "goodbye" {
		t.Errorf("the call is %+v, want that of %s", c, ada.set.CallSID())
	}
	oneRing(t, h)
}

// Whoever cannot sign as Twilio does learns nothing and changes nothing: the call
// that was placed says not a word, and is settled by asking Twilio.
func TestBadSignature(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	h.fault(faults.BadSignature, "on")
	id := h.place(h.addPerson(nil))
	ada := h.answer()
	ada.waitsForEnd(t)
	await(h, "the last callback to be given up", func() (int, bool) { n := h.world.Phones().Live(); return n, n == 0 })
	assertNothingPrivate(t, ada.transcript())
	if strings.Contains(ada.transcript(), "Naiber") {
		t.Errorf("heard %q though nothing was signed", ada.transcript())
	}
	if w := h.world.Phones().Warnings(); w[31920] == 0 || w[11200] == 0 {
		t.Errorf("the carrier's warnings are %v, want a refused stream and refused webhooks", w)
	}
	// On a slow machine nAIber may have asked Twilio by itself that the call was taken.
	if c := h.call(id); c.Status != "queued" && c.Status != "in-progress" || c.Outcome != "" || len(c.Transcript)+len(c.Turns) != 0 {
		t.Errorf("after unsigned callbacks the call is %+v", c)
	}
	h.fault(faults.BadSignature, "off")
	h.process.kill()
	h.open()
	if c := h.ended(id); c.Outcome != "silent" || c.Status != "completed" {
		t.Errorf("after a restart the call is %+v", c)
	}
}

// The voice service speaks another audio format: nobody has to listen to noise.
func TestWrongFormat(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	h.fault(faults.WrongFormat, "on")
	id := h.place(h.addPerson(nil))
	ada := h.answer()
	ada.hears(t, "I'm sorry", "It is not your fault")
	ada.waitsForEnd(t)
	if heard := ada.transcript(); strings.Contains(heard, "My name is") {
		t.Errorf("heard %q in the wrong format", heard)
	}
	c := h.ended(id)
	if c.Outcome != "failed" || c.EndedCause != "audio_format" || c.EndedBy != "elevenlabs" {
		t.Errorf("the call is %+v", c)
	}
}
