package carrier_test

import (
	"net/http"
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// Two calls hear each other in a conference until one of them leaves; a third one finds it
// full, and what each does next is its own.
func TestConference(t *testing.T) {
	t.Parallel()
	const room = `<Dial timeLimit="600"><Conference maxParticipants="2" endConferenceOnExit="true" beep="false" waitUrl="">room</Conference></Dial>`
	w := newWorld(t)
	w.serves("/one", "<Response>"+room+"<Say>Alone again.</Say></Response>")
	w.serves("/two", "<Response>"+room+"<Say>Over.</Say></Response>")
	join := func(path string) *carrier.Handset {
		form := w.callForm("")
		form.Set("Url", w.app.URL+path)
		w.place(form)
		set, err := wait(t, w.rings, "ring").Answer()
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	hears := func(set *carrier.Handset, kind carrier.HeardKind, want string) {
		t.Helper()
		if e, _ := heard(t, set, kind); e.Text != want {
			t.Errorf("heard %q, want %q", e.Text, want)
		}
	}
	one := join("/one")
	two := join("/two")
	// The second one may not be in it yet.
	spoken := false
	for range 50 {
		<-two.Say("hello")
		select {
		case e := <-one.Heard():
			spoken = e.Kind == carrier.HeardWord && e.Text == "hello"
		default:
		}
		if spoken {
			break
		}
	}
	if !spoken {
		t.Fatal("they do not hear each other")
	}
	<-one.Say("Who is it?")
	hears(two, carrier.HeardSilence, "Who is it?")
	three := join("/two")
	hears(three, carrier.HeardSay, "Over.")
	two.HangUp()
	hears(one, carrier.HeardSay, "Alone again.")
	heard(t, one, carrier.HeardClosed)
}

// A call may be given more time, or less, while it lasts.
func TestTimeLimitOfALiveCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serves("/wait", `<Response><Pause length="3600"/></Response>`)
	form := w.callForm("")
	form.Set("Url", w.app.URL+"/wait")
	sid := w.place(form)
	set, err := wait(t, w.rings, "ring").Answer()
	if err != nil {
		t.Fatal(err)
	}
	w.hook("/wait") // the carrier has seen the answer
	update := func(limit string) int {
		form := w.callForm("")
		clear(form)
		form.Set("TimeLimit", limit)
		code, _ := w.post("/Calls/"+sid+".json", form)
		return code
	}
	if code := update("0"); code != http.StatusBadRequest {
		t.Errorf("no time at all: %d", code)
	}
	if code := update("1"); code != http.StatusOK {
		t.Errorf("a second: %d", code)
	}
	heard(t, set, carrier.HeardClosed)
	if code := update("60"); code == http.StatusOK {
		t.Error("a call that has ended goes on")
	}
}
