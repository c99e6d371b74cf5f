package carrier_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// The TwiML goes on when the stream is closed from our side.
func TestAfterTheStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serves("/reconnect", w.stream("<Say>Goodbye.</Say>"))
	_, h, p := w.answered("<Redirect>" + w.app.URL + "/reconnect?n=1&amp;m=2</Redirect>")
	_ = p.conn.Close(websocket.StatusNormalClosure, "")
	asked := w.hook("/reconnect")
	if asked.form.Get("CallStatus") != "in-progress" || asked.url != w.app.URL+"/reconnect?n=1&m=2" {
		t.Errorf("asked %s with %v", asked.url, asked.form)
	}
	if want := signature(asked.url, asked.form); asked.signature != want {
		t.Errorf("signature %s, want %s", asked.signature, want)
	}
	p = w.peer()
	p.play("Here I am again.", 600)
	if e, _ := heard(t, h, carrier.HeardSilence); e.Text != "Here I am again." {
		t.Errorf("heard %q", e.Text)
	}
	_ = p.conn.CloseNow()
	if e, _ := heard(t, h, carrier.HeardSay); e.Text != "Goodbye." {
		t.Errorf("heard %q", e.Text)
	}
	heard(t, h, carrier.HeardClosed)
}

// signature is Twilio's, written once more.
func signature(target string, form url.Values) string {
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(target))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		mac.Write([]byte(name + form.Get(name)))
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// REST sends a live call elsewhere: the stream stops first.
func TestRedirectByREST(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"Twiml", "Url"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			const doc = "<Response><Say>Please hold.</Say><Hangup/><Say>never</Say></Response>"
			w.serves("/other", doc)
			sid, h, p := w.answered("<Say>never</Say>")
			form := url.Values{"Twiml": {doc}}
			if by == "Url" {
				form = url.Values{"Url": {w.app.URL + "/other"}}
			}
			if code, body := w.post("/Calls/"+sid+".json", form); code != http.StatusOK {
				t.Fatalf("redirect: %d %v", code, body)
			}
			p.next("stop")
			if e, _ := heard(t, h, carrier.HeardSay); e.Text != "Please hold." {
				t.Errorf("heard %q", e.Text)
			}
			heard(t, h, carrier.HeardClosed)
		})
	}
}

// Connect's action decides what comes after the stream.
func TestAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serves("/action", "<Response><Hangup/></Response>")
	doc := strings.Replace(w.stream("<Say>never</Say>"), "<Connect>", `<Connect action="`+w.app.URL+`/action">`, 1)
	w.place(w.callForm(doc))
	h, err := wait(t, w.rings, "ring").Answer()
	if err != nil {
		t.Fatal(err)
	}
	p := w.peer()
	_ = p.conn.Close(websocket.StatusNormalClosure, "")
	w.hook("/action")
	heard(t, h, carrier.HeardClosed)
}

// What is wrong with a document, or with the server behind it, is heard and
// ends the call.
func TestBadInstructions(t *testing.T) {
	t.Parallel()
	const sorry = "We are sorry, an application error has occurred. Goodbye."
	tests := []struct {
		name  string
		twiml func(w *world) string
		says  string
		code  int
	}{
		{"not XML", func(*world) string { return "hello" }, sorry, 12100},
		{"other root", func(*world) string { return "<html/>" }, sorry, 12100},
		{"two roots", func(*world) string { return "<Response/><Response/>" }, sorry, 12100},
		{"relative redirect", func(*world) string { return "<Response><Redirect>/x</Redirect></Response>" }, sorry, 15004},
		{"redirect to an error", func(w *world) string {
			w.status["/x"] = []int{500, 500}
			return "<Response><Redirect>" + w.app.URL + "/x</Redirect></Response>"
		}, sorry, 11200},
		{"redirect to no TwiML", func(w *world) string { return "<Response><Redirect>" + w.app.URL + "/x</Redirect></Response>" }, sorry, 11200},
		{"unknown verb", func(*world) string { return "<Response><Sing/><Say>On.</Say></Response>" }, "On.", 12200},
		{"unknown noun", func(*world) string { return "<Response><Connect><Room/></Connect><Say>On.</Say></Response>" }, "On.", 12200},
		{"refused stream", func(w *world) string {
			return strings.Replace(w.stream("<Say>On.</Say>"), "/media", "/refuse", 1)
		}, "On.", 31920},
		{"stream with a query", func(w *world) string {
			return strings.Replace(w.stream("<Say>On.</Say>"), "/media", "/media?call=1", 1)
		}, "On.", 31920},
		{"stream over http", func(w *world) string {
			return strings.Replace(w.stream("<Say>On.</Say>"), "ws://", "http://", 1)
		}, "On.", 31920},
		{"plain stream to another host", func(*world) string {
			return `<Response><Connect><Stream url="ws://naiber.example.org/media"/></Connect><Say>On.</Say></Response>`
		}, "On.", 31920},
		{"long parameter", func(w *world) string {
			return strings.Replace(w.stream("<Say>On.</Say>"), "c_1", strings.Repeat("c", 500), 1)
		}, "", 12200},
		{"both tracks", func(w *world) string {
			return strings.Replace(w.stream("<Say>On.</Say>"), "<Stream ", `<Stream track="both_tracks" `, 1)
		}, "On.", 31941},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.place(w.callForm(tt.twiml(w)))
			h, err := wait(t, w.rings, "ring").Answer()
			if err != nil {
				t.Fatal(err)
			}
			if tt.says == "" {
				p := w.peer()
				_ = p.conn.Close(websocket.StatusNormalClosure, "")
				tt.says = "On."
			}
			if e, _ := heard(t, h, carrier.HeardSay); e.Text != tt.says {
				t.Errorf("heard %q, want %q", e.Text, tt.says)
			}
			heard(t, h, carrier.HeardClosed)
			if w.carrier.Warnings()[tt.code] == 0 {
				t.Errorf("no warning %d: %v", tt.code, w.carrier.Warnings())
			}
		})
	}
}

// A call with a Url asks it when it is answered.
func TestURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serves("/first", "<Response><Pause length=\"1\"/><Say>Second.</Say></Response>")
	form := w.callForm("<Response><Say>ignored beside a Url</Say></Response>")
	form.Set("Url", w.app.URL+"/first")
	w.place(form)
	h, err := wait(t, w.rings, "ring").Answer()
	if err != nil {
		t.Fatal(err)
	}
	if f := w.hook("/first").form; f.Get("CallStatus") != "in-progress" || f.Get("Direction") != "outbound-api" {
		t.Errorf("asked with %v", f)
	}
	if e, _ := heard(t, h, carrier.HeardSay); e.Text != "Second." {
		t.Errorf("heard %q", e.Text)
	}
}

func TestStreamCallbacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, events := range map[string][]string{"/media": {"stream-started", "stream-stopped"}, "/refuse": {"stream-error"}} {
		doc := strings.Replace(w.stream(""), "<Stream ", `<Stream statusCallback="`+w.app.URL+`/stream" `, 1)
		w.place(w.callForm(strings.Replace(doc, "/media", path, 1)))
		h, err := wait(t, w.rings, "ring").Answer()
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range events {
			f := w.hook("/stream").form
			if f.Get("StreamEvent") != want || f.Get("StreamName") != "main" {
				t.Errorf("callback %v, want %s", f, want)
			}
			if i == 0 && path == "/media" {
				h.HangUp()
			}
		}
		wait(t, h.Done(), "end of the call")
	}
}
