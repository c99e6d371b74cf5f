package telephony

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

// inDanger is a desk at which Tom is called because of what Ada says in a call that goes on.
func inDanger(t *testing.T) (*desk, calls.Call, alerts.Alert, Notice) {
	t.Helper()
	d := newDesk(t)
	d.dep.PutThrough = func(kind string) bool { return kind != "abuse" }
	ada := d.person("Ada", "+14165550170")
	c := d.place(ada)
	d.conversed(c, "I fell.")
	a, _, err := d.st.RaiseAlert(t.Context(), alerts.New{PersonID: ada.ID, CallID: c.ID, Tier: alerts.Urgent, Kind: "fall_stuck"})
	if err != nil {
		t.Fatal(err)
	}
	return d, d.call(c.ID), a, d.step(a, alerts.Call, tomPhone)[0]
}

const offer = "Ada Example is still on the line with me. Press 3"

// Who takes care of an alert is put through to the person: both calls join one conference,
// and Ada's comes back from it.
func TestPutThrough(t *testing.T) {
	t.Parallel()
	d, c, a, n := inDanger(t)
	if got := d.presses(n, "3"); strings.Contains(got, "Conference") {
		t.Errorf("who has not taken it is put through: %s", got)
	}
	if got := d.presses(n, "1"); !strings.Contains(got, offer) {
		t.Errorf("not offered: %s", got)
	}
	room := "<Dial timeLimit=\"1800\"><Conference maxParticipants=\"2\" endConferenceOnExit=\"true\" beep=\"false\" waitUrl=\"\">" + c.ID.String() + "</Conference></Dial>"
	for range 2 { // Twilio asks twice where it got no answer
		if got := d.presses(n, "3"); !strings.Contains(got, "I am putting you through.") || !strings.Contains(got, strings.Replace(room, " waitUrl=\"\"", "", 1)+"<Redirect>"+houseURL+"/twilio/notice?token=") {
			t.Errorf("Tom's call: %s", got)
		}
	}
	var asked string
	for range 200 { // more time is asked for after the answer
		if asked = strings.Join(d.carrier.asked(), "\n"); strings.Count(asked, "TimeLimit=") == 4 {
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	for _, want := range []string{"Tom is on the telephone for you.", room + "<Redirect>" + houseURL + "/twilio/reconnect?after=" + n.ID.String() + "&call=" + c.ID.String() + "#rc=5"} {
		if !strings.Contains(asked, strings.ReplaceAll(want, "&", "&amp;")) {
			t.Errorf("Ada's call lacks %q: %s", want, asked)
		}
	}
	if strings.Count(asked, "TimeLimit=") != 4 {
		t.Errorf("time limits: %s", asked)
	}
	if got := d.presses(n, "2"); strings.Contains(got, offer) {
		t.Errorf("offered while they talk: %s", got)
	}
	if now := d.call(c.ID); !connected(now.Connected, time.Now()) || now.Connected.Notice != n.ID || !slices.Contains(d.kinds(c.ID), "connected") {
		t.Errorf("not on record: %+v, %v", now.Connected, d.kinds(c.ID))
	}
	var told []string
	for _, e := range d.alert(a).Events {
		if e.Kind == "put_through" {
			told = append(told, e.ByWhom)
		}
	}
	if !slices.Equal(told, []string{"Tom", "Tom"}) { // he pressed it twice
		t.Errorf("on the alert: %q", told)
	}
	if got := d.hook("/twilio/reconnect?after="+n.ID.String()+"&call="+c.ID.String(), "CallSid", c.SID, "CallStatus", "in-progress").Body.String(); !strings.Contains(got, "<Stream ") {
		t.Errorf("Ada's call does not come back: %s", got)
	}
	now := d.call(c.ID)
	if connected(now.Connected, time.Now()) || !cameBack(now.Connected, time.Now()) || d.firstMessageOf(now) != "I'm with you again, Ada. Is help on its way to you?" {
		t.Errorf("after it: %+v, %q", now.Connected, d.firstMessageOf(now))
	}
	if got := d.presses(n, "2"); !strings.Contains(got, offer) {
		t.Errorf("not offered again: %s", got)
	}
}

// firstMessageOf is what a conversation of a call that was picked up again begins with.
func (d *desk) firstMessageOf(c calls.Call) string {
	d.t.Helper()
	line, _, err := d.lineOf(d.t.Context(), c)
	if err != nil {
		d.t.Fatal(err)
	}
	in, _, err := d.opening(d.t.Context(), line, true)
	if err != nil {
		d.t.Fatal(err)
	}
	return *in.FirstMessage
}

// Nobody is put through to a call that is over, to one that has somebody else on it, or where
// the carrier refuses; and not about what somebody close may be the cause of.
func TestNotPutThrough(t *testing.T) {
	t.Parallel()
	const gone = "You cannot be put through any more."
	t.Run("over", func(t *testing.T) {
		t.Parallel()
		d, c, _, n := inDanger(t)
		d.presses(n, "1")
		d.status(c, "completed")
		if got := d.presses(n, "3"); !strings.Contains(got, gone) || !strings.Contains(got, "5 5 5 0 1 7 0") {
			t.Errorf("%s", got)
		}
		if got := d.presses(n, "2"); strings.Contains(got, offer) {
			t.Errorf("offered: %s", got)
		}
	})
	t.Run("busy", func(t *testing.T) {
		t.Parallel()
		d, c, _, n := inDanger(t)
		d.presses(n, "1")
		if err := d.st.Connect(t.Context(), c.ID, store.NewPersonID().UUID, time.Now()); err != nil {
			t.Fatal(err)
		}
		if got := d.presses(n, "3"); !strings.Contains(got, "Somebody else is talking with them already.") || strings.Contains(got, "<Conference") {
			t.Errorf("%s", got)
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		d, c, _, n := inDanger(t)
		d.presses(n, "1")
		d.carrier.onUpdate = func(w http.ResponseWriter) bool {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"code": 21220, "message": "Call is not in-progress."}`))
			return true
		}
		if got := d.presses(n, "3"); !strings.Contains(got, gone) {
			t.Errorf("%s", got)
		}
		if now := d.call(c.ID); connected(now.Connected, time.Now()) || slices.Contains(d.kinds(c.ID), "connected") {
			t.Errorf("%+v", now.Connected)
		}
	})
	t.Run("unclear", func(t *testing.T) { // then it may have been done
		t.Parallel()
		d, c, _, n := inDanger(t)
		d.presses(n, "1")
		d.carrier.onUpdate = func(w http.ResponseWriter) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		if got := d.presses(n, "3"); strings.Contains(got, gone) || !strings.Contains(got, "<Conference") {
			t.Errorf("%s", got)
		}
		if now := d.call(c.ID); !connected(now.Connected, time.Now()) {
			t.Errorf("%+v", now.Connected)
		}
	})
	t.Run("the speaker is somebody else", func(t *testing.T) {
		t.Parallel()
		d, c, _, n := inDanger(t)
		if err := d.st.SetVerified(t.Context(), c.ID, ""); err != nil {
			t.Fatal(err)
		}
		if got := d.presses(n, "1"); strings.Contains(got, offer) {
			t.Errorf("offered: %s", got)
		}
	})
	t.Run("abuse was told of as well", func(t *testing.T) {
		t.Parallel()
		d, c, a, n := inDanger(t)
		if _, _, err := d.st.RaiseAlert(t.Context(), alerts.New{PersonID: a.PersonID, CallID: c.ID, Tier: alerts.Urgent, Kind: "abuse"}); err != nil {
			t.Fatal(err)
		}
		if got := d.presses(n, "1"); strings.Contains(got, offer) {
			t.Errorf("offered: %s", got)
		}
	})
	t.Run("who must not be told of something else", func(t *testing.T) {
		t.Parallel()
		d, c, a, n := inDanger(t)
		d.dep.MayBeTold = func(_ context.Context, a alerts.Alert, _, _ string) (bool, error) { return a.Kind != "confusion", nil }
		if _, _, err := d.st.RaiseAlert(t.Context(), alerts.New{PersonID: a.PersonID, CallID: c.ID, Tier: alerts.Urgent, Kind: "confusion"}); err != nil {
			t.Fatal(err)
		}
		if got := d.presses(n, "1"); strings.Contains(got, offer) {
			t.Errorf("offered: %s", got)
		}
	})
	t.Run("another kind", func(t *testing.T) {
		t.Parallel()
		d, _, _, n := inDanger(t)
		d.dep.PutThrough = func(string) bool { return false }
		if got := d.presses(n, "1"); strings.Contains(got, offer) {
			t.Errorf("offered: %s", got)
		}
		if got := d.presses(n, "3"); !strings.Contains(got, gone) {
			t.Errorf("%s", got)
		}
	})
}

// Where Tom hangs up and no process carries Ada's call any more, she is taken back instead of
// being hung up upon; but not out of a conversation that goes on.
func TestPutThroughAndGone(t *testing.T) {
	t.Parallel()
	long := func(t *testing.T) (*desk, calls.Call, Notice) {
		t.Helper()
		d, c, _, n := inDanger(t)
		d.presses(n, "1")
		d.presses(n, "3")
		d.note(t.Context(), c.ID, "stream_status", "", map[string]any{"event": "stream-stopped", "streamSid": "MZ1"})
		if _, err := d.st.Pool().Exec(t.Context(), "update call_events set at = at - interval '30 minutes'"); err != nil {
			t.Fatal(err)
		}
		if _, err := d.st.Pool().Exec(t.Context(), "update calls set answered_at = now() - interval '40 minutes', connected_at = now() - interval '25 minutes' where id = $1", c.ID); err != nil {
			t.Fatal(err)
		}
		d.carrier.set(c.SID, "in-progress") // it may be asked for more time still
		return d, c, n
	}
	reconciled := func(d *desk, c calls.Call) string {
		d.t.Helper()
		before := len(d.carrier.asked())
		if err := d.Reconcile(d.t.Context()); err != nil {
			d.t.Fatal(err)
		}
		d.ended(c.ID, nil)
		var of []string
		for _, what := range d.carrier.asked()[before:] {
			if strings.HasPrefix(what, c.SID) && !strings.Contains(what, " TimeLimit=") {
				of = append(of, what)
			}
		}
		return strings.Join(of, "\n")
	}
	over := func(d *desk, c calls.Call, n Notice) {
		d.t.Helper()
		d.hook("/twilio/notice/status?notice="+n.ID.String(), "CallSid", "CA00000000000000000000000000000002", "CallStatus", "completed")
		if now := d.call(c.ID); now.Connected == nil || now.Connected.OverAt == nil {
			d.t.Fatalf("they still talk: %+v", now.Connected)
		}
	}
	later := func(d *desk, c calls.Call) {
		d.t.Helper()
		if _, err := d.st.Pool().Exec(d.t.Context(), "update calls set connected_over_at = now() - interval '2 minutes' where id = $1", c.ID); err != nil {
			d.t.Fatal(err)
		}
	}
	t.Run("they talk", func(t *testing.T) {
		t.Parallel()
		d, c, _ := long(t)
		if got := reconciled(d, c); got != "" {
			t.Errorf("asked %s", got)
		}
	})
	t.Run("on the way back", func(t *testing.T) {
		t.Parallel()
		d, c, n := long(t)
		over(d, c, n)
		if got := reconciled(d, c); got != "" {
			t.Errorf("asked %s", got)
		}
	})
	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		d, c, n := long(t)
		over(d, c, n)
		later(d, c)
		if got := reconciled(d, c); !strings.Contains(got, "<Stream ") {
			t.Errorf("asked %q", got)
		}
	})
	t.Run("back", func(t *testing.T) {
		t.Parallel()
		d, c, n := long(t)
		over(d, c, n)
		later(d, c)
		d.note(t.Context(), c.ID, "stream_started", "", map[string]any{"streamSid": "MZ2"})
		if got := reconciled(d, c); got != "" {
			t.Errorf("asked %q", got)
		}
		if err := d.takeBack(t.Context(), d.call(c.ID)); !errors.Is(err, errCarried) {
			t.Errorf("taken out of a conversation: %v", err)
		}
	})
	t.Run("after many broken lines", func(t *testing.T) {
		t.Parallel()
		d, c, n := long(t)
		for range 9 {
			if _, err := d.st.Reconnect(t.Context(), c.ID, rand.Text()); err != nil {
				t.Fatal(err)
			}
		}
		if got := d.hook("/twilio/reconnect?after="+n.ID.String()+"&call="+c.ID.String(), "CallSid", c.SID, "CallStatus", "in-progress").Body.String(); !strings.Contains(got, "<Stream ") {
			t.Errorf("given up on: %s", got)
		}
	})
}
