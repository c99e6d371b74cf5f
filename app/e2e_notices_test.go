package app_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

const (
	noticesElder   = "+14165550170"
	noticesContact = "+14165550171"
)

// noticesHouse is a house that tells Tom, who cares for Ada, by text message and then in a
// call; how soon after is the test's.
func noticesHouse(t *testing.T, after string) (*house, store.PersonID) {
	t.Helper()
	h := openHouse(t, houseOptions{env: map[string]string{
		"NAIBER_ALERTS_URGENT": `["first by sms every ` + after + `", "first by call every 10m"]`,
	}})
	p, err := h.db.CreatePerson(t.Context(), people.Person{Name: "Ada King", Phone: noticesElder, Timezone: "UTC", Language: "en"},
		[]people.Contact{{Name: "Tom King", Phone: noticesContact}}, []people.Consent{{Scope: people.ScopeCalls, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	// What the program does within the transaction of an alert that is raised in it.
	h.db.OnAlert(func(ctx context.Context, tx store.Tx, a alerts.Alert) error {
		args, err := json.Marshal(map[string]any{"alert": a.ID, "run": a.Run, "step": a.Step})
		if err == nil {
			_, err = tx.Exec(ctx, `insert into river_job (kind, args, queue, state, max_attempts, scheduled_at) values ('escalate', $1, 'alerts', 'available', 25, now())`, args)
		}
		return err
	})
	return h, p.ID
}

func (h *house) raise(p store.PersonID, kind string) alerts.Alert {
	h.t.Helper()
	a, _, err := h.db.RaiseAlert(h.t.Context(), alerts.New{PersonID: p, Tier: alerts.Urgent, Kind: kind})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// textTo waits for the nth text message to a number.
func (h *house) textTo(number string, n int) carrier.Text {
	h.t.Helper()
	return await(h, "a text message", func() (carrier.Text, bool) {
		var got []carrier.Text
		for _, text := range h.world.Phones().Texts() {
			if text.To == number {
				got = append(got, text)
			}
		}
		if len(got) < n {
			return carrier.Text{}, false
		}
		return got[n-1], true
	})
}

// becomes waits for an alert to stand as wanted.
func (h *house) becomes(a alerts.Alert, what string, is func(alerts.Alert) bool) alerts.Alert {
	h.t.Helper()
	return await(h, what, func() (alerts.Alert, bool) {
		now, err := h.db.Alert(h.t.Context(), a.ID)
		return now, err == nil && is(now)
	})
}

// hearsSaid waits until the carrier's voice says something on a line.
func hearsSaid(t *testing.T, set *carrier.Handset, want string) string {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case e, open := <-set.Heard():
			if !open {
				t.Fatalf("the call is over before %q was heard", want)
			}
			if e.Kind == carrier.HeardSay && strings.Contains(e.Text, want) {
				return e.Text
			}
		case <-late:
			t.Fatalf("%q is not heard", want)
		}
	}
}

// A fall, a text message that nobody answers, a call, the key 1, and the alert is closed.
func TestNoticesUntilSomebodyTakesCare(t *testing.T) {
	t.Parallel()
	h, p := noticesHouse(t, "2s")
	a := h.raise(p, "fall_stuck")
	text := h.textTo(noticesContact, 1)
	if !strings.HasPrefix(text.Body, "nAIber: Ada King: a fall, and cannot get up (") || !strings.Contains(text.Body, h.url+"/a/") {
		t.Errorf("text: %s", text.Body)
	}
	ring := h.ring()
	if ring.To != noticesContact {
		t.Fatalf("%s rings", ring.To)
	}
	set, err := ring.Answer()
	if err != nil {
		t.Fatal(err)
	}
	if said := hearsSaid(t, set, "This is nAIber, a computer."); !strings.Contains(said, "Ada King") || strings.Contains(said, "fall") {
		t.Errorf("before a key: %s", said)
	}
	if err := set.Press("1"); err != nil {
		t.Fatal(err)
	}
	hearsSaid(t, set, "a fall, and cannot get up")
	set.HangUp()
	a = h.becomes(a, "the acknowledgement", func(a alerts.Alert) bool { return a.Status == alerts.Acknowledged })
	states := map[string]string{}
	for _, n := range a.Notices {
		states[n.Channel] = n.Status
	}
	if a.AcknowledgedBy != "Tom King" || len(a.Notices) != 2 || states[alerts.SMS] != alerts.Delivered || states[alerts.Call] != alerts.Answered {
		t.Errorf("by %q: %+v", a.AcknowledgedBy, a.Notices)
	}
	code, body := h.request(http.MethodPost, "/api/v1/alerts/"+a.ID.String()+"/close", map[string]string{"by": "Tom King", "outcome": "She is on her feet again."}, nil)
	if code != http.StatusOK || !strings.Contains(body, `"closed"`) {
		t.Errorf("close: %d %s", code, body)
	}
	var calls int
	if err := h.db.Pool().QueryRow(t.Context(), "select count(*) from calls").Scan(&calls); err != nil || calls != 0 {
		t.Errorf("%d calls of people, %v", calls, err)
	}
}

// Whoever says stop gets no more text messages, and is rung at once instead; what they
// cannot do goes on to nobody else here. Ada's own stop is an opt-out.
func TestNoticesStop(t *testing.T) {
	t.Parallel()
	h, p := noticesHouse(t, "10m")
	a := h.raise(p, "fall_injury")
	h.textTo(noticesContact, 1)
	h.becomes(a, "the delivery", func(a alerts.Alert) bool { return len(a.Notices) > 0 && a.Notices[0].Status == alerts.Delivered })
	if answer, err := h.world.Phones().Text(t.Context(), noticesContact, "BAJA"); err != nil || !strings.Contains(answer, "no more text messages") {
		t.Errorf("stop is answered %q, %v", answer, err)
	}
	ring := h.ring()
	if ring.To != noticesContact {
		t.Fatalf("%s rings", ring.To)
	}
	if err := ring.Reject(); err != nil {
		t.Fatal(err)
	}
	a = h.becomes(a, "the busy line", func(a alerts.Alert) bool { return len(a.Notices) == 2 && a.Notices[1].Status == alerts.Failed })
	if a.Notices[1].Detail != "busy" {
		t.Errorf("%+v", a.Notices[1])
	}
	if _, err := h.world.Phones().Text(t.Context(), noticesElder, "STOP"); err != nil {
		t.Fatal(err)
	}
	if p, err := h.db.Person(t.Context(), p); err != nil || p.OptedOutAt == nil {
		t.Errorf("Ada is still rung: %v", err)
	}
	if n := len(h.world.Phones().Texts()); n != 4 { // one each way with Tom, what he was answered, and Ada's
		t.Errorf("%d text messages", n)
	}
}

// Two processes on one database send each notice once, whichever is asked by the carrier.
func TestNoticesByTwoProcesses(t *testing.T) {
	t.Parallel()
	h, p := noticesHouse(t, "2s")
	spawn(t, dataDir(t), append(slices.Clip(h.env), "PORT="+strconv.Itoa(freePort(t))), "serve").says(t, "nAIber is running: ")
	const many = 5
	for range many {
		h.raise(p, "no_heat")
	}
	h.textTo(noticesContact, many)
	for range many {
		if answer, err := h.world.Phones().Text(t.Context(), noticesContact, "yes"); err != nil || !strings.Contains(answer, "Thank you, Tom King.") {
			t.Errorf("answered %q, %v", answer, err)
		}
	}
	list, err := h.db.Alerts(t.Context(), alerts.Filter{Limit: 100})
	if err != nil || len(list) != many {
		t.Fatal(len(list), err)
	}
	for _, a := range list {
		texts := 0
		for _, n := range a.Notices {
			if n.Channel == alerts.SMS {
				texts++
			}
		}
		if a.AcknowledgedBy != "Tom King" || texts != 1 {
			t.Errorf("by %q, %+v", a.AcknowledgedBy, a.Notices)
		}
	}
	sent := 0
	for _, text := range h.world.Phones().Texts() {
		if text.To == noticesContact && strings.Contains(text.Body, "/a/") {
			sent++
		}
	}
	if sent != many {
		t.Errorf("%d text messages about %d alerts", sent, many)
	}
}
