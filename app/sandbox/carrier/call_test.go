package carrier_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/carrier"
)

// A call from its dial to its end: callbacks in order, words both ways, and a
// mark that comes back when what stood before it was played.
func TestConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sid, h, p := w.answered("")

	start, _ := p.start["start"].(map[string]any)
	if start["callSid"] != sid || start["accountSid"] != account || p.start["sequenceNumber"] != "1" {
		t.Errorf("start: %v", p.start)
	}
	if params, _ := start["customParameters"].(map[string]any); params["call"] != "c_1" || params["token"] != "a&b" {
		t.Errorf("parameters: %v", params)
	}
	for name, want := range map[string]string{"User-Agent": "Twilio.TmeWs/1.0", "Origin": "", "Sec-Websocket-Protocol": "", "Sec-Websocket-Extensions": "", "Sec-Websocket-Version": "13"} {
		if got := p.header.Get(name); got != want {
			t.Errorf("upgrade header %s: %q, want %q", name, got, want)
		}
	}
	if p.header.Get("X-Twilio-Signature") == "" {
		t.Error("upgrade without a signature")
	}

	p.play("Good morning, Ada.", 600)
	p.mark("greeting-1")
	e, words := heard(t, h, carrier.HeardMark)
	if e.Text != "greeting-1" || strings.Join(words, " ") != "Good morning, Ada." {
		t.Errorf("before mark %q: %q", e.Text, words)
	}
	if m, _ := p.next("mark")["mark"].(map[string]any); m["name"] != "greeting-1" {
		t.Errorf("mark: %v", m)
	}
	if e, _ := heard(t, h, carrier.HeardSilence); e.Text != "Good morning, Ada." {
		t.Errorf("utterance: %q", e.Text)
	}
	done := h.Say("Who is calling, please?")
	p.hears("Who is calling, please?")
	wait(t, done, "end of the utterance")
	if err := h.Press("1#"); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"1", "#"} {
		if m, _ := p.next("dtmf")["dtmf"].(map[string]any); m["digit"] != want {
			t.Errorf("dtmf: %v, want %s", m, want)
		}
	}
	if err := h.Press("1x"); err == nil {
		t.Error("x was pressed")
	}

	h.HangUp()
	stop, _ := p.next("stop")["stop"].(map[string]any)
	if stop["callSid"] != sid {
		t.Errorf("stop: %v", stop)
	}
	heard(t, h, carrier.HeardClosed)
	wait(t, h.Done(), "end of the call")
	if got, want := w.statuses(), []string{"initiated", "ringing", "in-progress", "completed"}; !slices.Equal(got, want) {
		t.Errorf("callbacks %q, want %q", got, want)
	}
	if n := w.carrier.Live(); n != 0 {
		t.Errorf("%d calls live", n)
	}
	if len(w.carrier.Warnings()) != 0 {
		t.Errorf("warnings: %v", w.carrier.Warnings())
	}
}

// The numbers of media messages are those of the protocol: strings, counted
// from one, in steps of 20 ms.
func TestMediaNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, _, p := w.answered("")
	last := 1
	for i := range 20 {
		m := p.next("media")
		body, _ := m["media"].(map[string]any)
		if got := atoi(t, body["chunk"]); got != i+1 {
			t.Errorf("chunk %d, want %d", got, i+1)
		}
		if got := atoi(t, body["timestamp"]); got != i*20 {
			t.Errorf("timestamp %d, want %d", got, i*20)
		}
		if got := atoi(t, m["sequenceNumber"]); got <= last {
			t.Errorf("sequence number %d after %d", got, last)
		} else {
			last = got
		}
		if body["track"] != "inbound" || len(payload(t, m)) != audio.FrameBytes || !audio.Silent(payload(t, m)) {
			t.Errorf("frame: %v", body)
		}
	}
}

// A barge-in: clear throws the rest away, its marks come back, and the person
// has heard only the beginning.
func TestClear(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, h, p := w.answered("")
	p.play("one two three four five six seven eight nine ten", 120)
	p.mark("end")
	var words []string
	for len(words) < 2 {
		e := wait(t, h.Heard(), "word")
		words = append(words, e.Text)
	}
	p.clear()
	p.mark("after")
	_, more := heard(t, h, carrier.HeardClear)
	words = append(words, more...)
	if len(words) > 6 {
		t.Errorf("heard %q in spite of the clear", words)
	}
	for _, want := range []string{"end", "after"} {
		if m, _ := p.next("mark")["mark"].(map[string]any); m["name"] != want {
			t.Errorf("mark %v, want %s", m, want)
		}
	}
	p.play("Sorry.", 600)
	if e, _ := heard(t, h, carrier.HeardSilence); !strings.HasSuffix(e.Text, "Sorry.") || strings.Contains(e.Text, "ten") {
		t.Errorf("heard %q", e.Text)
	}
}

func TestHush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, h, p := w.answered("")
	done := h.SayAt("I have been thinking about something for a long time now", 60)
	p.hears("I have")
	h.Hush()
	wait(t, done, "end of the utterance")
	h.Say("Never mind.")
	var (
		d     audio.Decoder
		ws    audio.Words
		heard []string
	)
	for !slices.Contains(heard, "mind.") {
		for _, piece := range d.Write(payload(t, p.next("media"))) {
			heard = append(heard, ws.Add(piece)...)
		}
	}
	if slices.Contains(heard, "thinking") {
		t.Errorf("heard %q", heard)
	}
}

func TestHowCallsEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(t *testing.T, w *world, r *carrier.Ring)
		want string
		sip  string
	}{
		{"rejected", func(_ *testing.T, _ *world, r *carrier.Ring) { _ = r.Reject() }, "busy", "486"},
		{"ignored", func(_ *testing.T, _ *world, r *carrier.Ring) { _ = r.Ignore() }, "no-answer", "487"},
		{"undecided", func(*testing.T, *world, *carrier.Ring) {}, "no-answer", "487"},
		{"canceled", func(t *testing.T, w *world, r *carrier.Ring) {
			t.Helper()
			if code, body := w.post("/Calls/"+r.CallSID+".json", url.Values{"Status": {"canceled"}}); code != 200 {
				t.Errorf("cancel: %d %v", code, body)
			}
		}, "canceled", "487"},
		{"completed while ringing", func(t *testing.T, w *world, r *carrier.Ring) {
			t.Helper()
			if code, body := w.post("/Calls/"+r.CallSID+".json", url.Values{"Status": {"completed"}}); code != 200 {
				t.Errorf("complete: %d %v", code, body)
			}
		}, "canceled", "487"},
		{"time limit", func(t *testing.T, _ *world, r *carrier.Ring) {
			t.Helper()
			if _, err := r.Answer(); err != nil {
				t.Error(err)
			}
		}, "completed", "200"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			form := w.callForm(w.stream(""))
			form.Set("Timeout", "5")
			form.Set("TimeLimit", "3")
			form.Set("StatusCallbackEvent", "completed")
			sid := w.place(form)
			r := wait(t, w.rings, "ring")
			if r.From != ours || r.To != elder || r.CallSID != sid {
				t.Errorf("ring: %+v", r)
			}
			tt.do(t, w, r)
			f := w.hook("/status").form
			if f.Get("CallStatus") != tt.want || f.Get("SipResponseCode") != tt.sip {
				t.Errorf("ended as %s (%s), want %s (%s)", f.Get("CallStatus"), f.Get("SipResponseCode"), tt.want, tt.sip)
			}
			if has := f.Get("CallDuration") != ""; has != (tt.want == "completed") {
				t.Errorf("CallDuration %q", f.Get("CallDuration"))
			}
			wait(t, r.Over(), "end of the ring")
			if _, err := r.Answer(); err == nil {
				t.Error("answered afterwards")
			}
		})
	}
}

// A ringing call is either answered or canceled, and the other request fails.
func TestAnswerRacesCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 200 {
		form := w.callForm(`<Pause length="60"/>`)
		form.Set("StatusCallbackEvent", "completed")
		sid := w.place(form)
		r := wait(t, w.rings, "ring")
		answered := make(chan error, 1)
		time.AfterFunc(time.Duration(i)*5*time.Microsecond, func() {
			_, err := r.Answer()
			answered <- err
		})
		code, _ := w.post("/Calls/"+sid+".json", url.Values{"Status": {"canceled"}})
		switch err := wait(t, answered, "decision"); {
		case err == nil && code == 400:
			if code, body := w.post("/Calls/"+sid+".json", url.Values{"Status": {"completed"}}); code != 200 {
				t.Fatalf("complete: %d %v", code, body)
			}
		case err != nil && code == 200:
		default:
			t.Fatalf("answer: %v, cancel: %d", err, code)
		}
		if got := w.hook("/status").form.Get("CallStatus"); (code == 200) != (got == "canceled") {
			t.Fatalf("cancel: %d, and the call ended as %s", code, got)
		}
	}
}

// REST ends a call: stop, close, and closed for the person.
func TestRESTHangsUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sid, h, p := w.answered("<Say>never said</Say>")
	if code, body := w.post("/Calls/"+sid+".json", url.Values{"Status": {"completed"}}); code != 200 {
		t.Fatalf("hang up: %d %v", code, body)
	}
	p.next("stop")
	heard(t, h, carrier.HeardClosed)
	wait(t, h.Done(), "end")
	code, body := w.post("/Calls/"+sid+".json", url.Values{"Status": {"completed"}})
	if code != 400 || body["code"] != 21220.0 {
		t.Errorf("again: %d %v", code, body)
	}
	code, body = w.request("GET", "/Calls/"+sid+".json", nil)
	if code != 200 || body["status"] != "completed" || body["duration"] == nil || body["end_time"] == nil {
		t.Errorf("get: %d %v", code, body)
	}
}

// Somebody calls us.
func TestInbound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serves("/voice", w.stream(""))
	h, err := w.carrier.Dial(t.Context(), elder)
	if err != nil {
		t.Fatal(err)
	}
	asked := w.hook("/voice").form
	if asked.Get("From") != elder || asked.Get("To") != ours || asked.Get("CallStatus") != "ringing" || asked.Get("Direction") != "inbound" || asked.Get("CallSid") != h.CallSID() {
		t.Errorf("asked with %v", asked)
	}
	p := w.peer()
	h.Say("Is this nAIber?")
	p.hears("Is this nAIber?")
	h.HangUp()
	p.next("stop")
	if f := w.hook("/ended").form; f.Get("CallStatus") != "completed" {
		t.Errorf("ended: %v", f)
	}
}

func TestInboundNotTaken(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, twiml, status string }{
		{"rejected", `<Response><Reject/></Response>`, "no-answer"},
		{"rejected as busy", `<Response><Reject reason="busy"/></Response>`, "busy"},
		{"not TwiML", `<html></html>`, "failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.serves("/voice", tt.twiml)
			if _, err := w.carrier.Dial(t.Context(), "anonymous"); err == nil || !strings.Contains(err.Error(), tt.status) {
				t.Errorf("Dial: %v, want %s", err, tt.status)
			}
			if f := w.hook("/ended").form; f.Get("CallStatus") != tt.status {
				t.Errorf("ended as %s", f.Get("CallStatus"))
			}
		})
	}
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, h, _ := w.answered("")
	if err := w.carrier.Close(); err != nil {
		t.Fatal(err)
	}
	heard(t, h, carrier.HeardClosed)
	wait(t, h.Say("hello?"), "end of an utterance into a dead phone")
	if _, err := w.carrier.Dial(t.Context(), elder); err == nil {
		t.Error("dialled a closed carrier")
	}
	if code, _ := w.post("/Calls.json", w.callForm("<Response/>")); code != 503 {
		t.Errorf("create on a closed carrier: %d", code)
	}
}

// An invalid message is not played, and told once a stream.
func TestInvalidMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, h, p := w.answered("")
	for range 3 {
		p.send(`{"event":"media","stream_sid":"SID","media":{"payload":"/w=="}}`)
	}
	p.play("Now it is right.", 600)
	if e, _ := heard(t, h, carrier.HeardSilence); e.Text != "Now it is right." {
		t.Errorf("heard %q", e.Text)
	}
	if n := w.carrier.Warnings()[31951]; n != 1 {
		t.Errorf("%d warnings", n)
	}
}
