package carrier_test

import (
	"slices"
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/app/sandbox/faults"
)

// set switches a fault on.
func (w *world) set(name, value string) {
	w.t.Helper()
	if err := w.faults.Set(name, value); err != nil {
		w.t.Fatal(err)
	}
}

// A stream that breaks sends no stop; the call goes on.
func TestDroppedStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(faults.DroppedStream, "50*1")
	w.serves("/reconnect", w.stream(""))
	_, h, p := w.answered("<Redirect>" + w.app.URL + "/reconnect</Redirect>")
	for m := range p.messages {
		if m["event"] == "stop" {
			t.Error("a broken stream said stop")
		}
	}
	w.hook("/reconnect")
	w.peer().play("Are you still there?", 600)
	if e, _ := heard(t, h, carrier.HeardSilence); e.Text != "Are you still there?" {
		t.Errorf("heard %q", e.Text)
	}
}

func TestBadSignature(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(faults.BadSignature, "")
	w.place(w.callForm("<Response/>"))
	h := w.hook("/status")
	if h.signature == "" || h.signature == signature(h.url, h.form) {
		t.Errorf("signature %q", h.signature)
	}
}

func TestDuplicateCallbacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(faults.DuplicateCallbacks, "")
	w.place(w.callForm("<Response/>"))
	a, b := w.hook("/status"), w.hook("/status")
	if a.token == "" || a.token != b.token || a.form.Encode() != b.form.Encode() {
		t.Errorf("got %v and %v", a, b)
	}
	_ = wait(t, w.rings, "ring").Reject()
}

func TestOutOfOrderCallbacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(faults.OutOfOrderCallbacks, "")
	w.place(w.callForm("<Response/>"))
	_ = wait(t, w.rings, "ring").Reject()
	var got []string
	for range 3 {
		f := w.hook("/status").form
		got = append(got, f.Get("SequenceNumber")+f.Get("CallStatus"))
	}
	if want := []string{"1ringing", "0initiated", "2busy"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOddMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(faults.NotBase64, "1")
	w.set(faults.UnknownEvent, "")
	_, h, p := w.answered("")
	p.next("weather")
	body, _ := p.next("media")["media"].(map[string]any)
	if body["payload"] != "*** this is not base64 ***" {
		t.Errorf("payload %v", body["payload"])
	}
	h.Say("All is well.")
	p.hears("All is well.")
}

// Callbacks are tried again as their URL's fragment asks, with one token.
func TestCallbackRetries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fragment string
		statuses []int
		tries    int
	}{
		{"", []int{500, 500}, 1},
		{"#rc=3&rp=all", []int{500, 404}, 3},
		{"#rc=1&rp=5xx", []int{500, 500}, 2},
		{"#rc=2&rp=4xx", []int{500, 500}, 1},
		{"#rc=0&rp=all", []int{500}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.fragment, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.status["/status"] = tt.statuses
			form := w.callForm("<Response/>")
			form.Set("StatusCallback", w.app.URL+"/status"+tt.fragment)
			form["StatusCallbackEvent"] = []string{"initiated", "completed"}
			w.place(form)
			_ = wait(t, w.rings, "ring").Reject()
			var tries []hook
			for {
				h := w.hook("/status")
				if h.form.Get("CallStatus") == "busy" {
					break
				}
				if h.signature != signature(h.url, h.form) {
					t.Error("the signature covers something else")
				}
				tries = append(tries, h)
			}
			if len(tries) < tt.tries || len(tries) > tt.tries {
				t.Fatalf("tried %d times, want %d", len(tries), tt.tries)
			}
			for _, h := range tries {
				if h.token != tries[0].token {
					t.Errorf("token %s, then %s", tries[0].token, h.token)
				}
			}
		})
	}
}

// Joined events are no events: their callbacks never come.
func TestJoinedEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	form := w.callForm("<Response/>")
	form["StatusCallbackEvent"] = []string{"initiated,ringing", "completed"}
	w.place(form)
	_ = wait(t, w.rings, "ring").Reject()
	if f := w.hook("/status").form; f.Get("CallStatus") != "busy" || f.Get("SequenceNumber") != "0" {
		t.Errorf("got %v", f)
	}
	if w.carrier.Warnings()[21626] != 1 {
		t.Errorf("warnings: %v", w.carrier.Warnings())
	}
}
