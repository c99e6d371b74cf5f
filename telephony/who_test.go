package telephony

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/prompts"
)

// phones is somebody who phones with what their carrier says of their number.
func (h *house) phones(sid, from, verstat string) string {
	h.t.Helper()
	return h.hook("/twilio/voice", "CallSid", sid, "From", from, "CallStatus", "ringing", "Direction", "inbound", "StirVerstat", verstat).Body.String()
}

func (h *house) keys(sid, from, try, digits string) string {
	h.t.Helper()
	return h.hook("/twilio/check?try="+try, "CallSid", sid, "From", from, "CallStatus", "in-progress", "Digits", digits).Body.String()
}

func (h *house) bySID(sid string) calls.Call {
	h.t.Helper()
	c, err := h.st.CallBySID(h.t.Context(), sid)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

const asksForKeys = "<Gather"

// A PIN is asked for only where the carrier vouches for the number, and there is one.
func TestPINIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		check   InboundCheck
		verstat string
		pin     bool
		asked   bool
	}{
		"vouched for":         {CheckKeyed, "TN-Validation-Passed-A", true, true},
		"without a PIN":       {CheckKeyed, "TN-Validation-Passed-A", false, false},
		"less than vouched":   {CheckKeyed, "TN-Validation-Passed-B", true, false},
		"a failed validation": {CheckKeyed, "TN-Validation-Failed-A", true, false},
		"nothing is known":    {CheckKeyed, "", true, false},
		"not configured":      {CheckCallback, "TN-Validation-Passed-A", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, func(c *Config) { c.InboundCheck = tt.check })
			ada := h.person("Ada", "+15550100123")
			if tt.pin {
				if err := h.st.SetPIN(t.Context(), ada.ID, "271828"); err != nil {
					t.Fatal(err)
				}
			}
			body := h.phones("CA1", ada.Phone, tt.verstat)
			if got := strings.Contains(body, asksForKeys); got != tt.asked {
				t.Fatalf("asked: %t\n%s", got, body)
			}
			if strings.Contains(body, "Ada") {
				t.Errorf("a name is said before anybody has shown who they are: %s", body)
			}
			if !tt.asked {
				if c := h.bySID("CA1"); !c.Withheld() || c.BelievedID != ada.ID {
					t.Errorf("the call is %+v", c)
				}
			}
		})
	}
}

func TestPIN(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := newHouse(t, func(c *Config) { c.InboundCheck, c.Now = CheckKeyed, func() time.Time { return now } })
	ada := h.person("Ada", "+15550100123")
	if err := h.st.SetPIN(t.Context(), ada.ID, "271828"); err != nil {
		t.Fatal(err)
	}
	first := h.phones("CA1", ada.Phone, attested)
	again := h.keys("CA1", ada.Phone, "1", "27182")
	if !strings.Contains(again, asksForKeys) || again == first {
		t.Errorf("after a wrong one: %s", again)
	}
	if body := h.keys("CA1", ada.Phone, "2", "271828"); !answered(body) {
		t.Fatalf("after the right one: %s", body)
	}
	if c := h.bySID("CA1"); c.PersonID != ada.ID || c.Verified != calls.Keyed || c.Withheld() {
		t.Errorf("the call is %+v", c)
	}
	h.hook("/twilio/status", "CallSid", "CA1", "CallStatus", "completed")

	// Nothing keyed, and three wrong ones: a caller whom nobody knows.
	h.phones("CA2", ada.Phone, attested)
	if body := h.keys("CA2", ada.Phone, "0", ""); !answered(body) || !h.bySID("CA2").Withheld() {
		t.Errorf("nothing keyed: %s", body)
	}
	h.hook("/twilio/status", "CallSid", "CA2", "CallStatus", "completed")
	for i, try := range []string{"1", "2", "3"} {
		if body := h.keys("CA3", ada.Phone, try, "1111"); answered(body) != (i == 2) {
			t.Errorf("wrong one %s: %s", try, body)
		}
	}
	if c := h.bySID("CA3"); !c.Withheld() || c.BelievedID != ada.ID {
		t.Errorf("the call is %+v", c)
	}
	h.hook("/twilio/status", "CallSid", "CA3", "CallStatus", "completed")

	// Now not even the right one helps, nor is it asked for; an hour later it does.
	if body := h.phones("CA4", ada.Phone, attested); strings.Contains(body, asksForKeys) {
		t.Errorf("a locked PIN is asked for: %s", body)
	}
	h.hook("/twilio/status", "CallSid", "CA4", "CallStatus", "completed")
	h.keys("CA5", ada.Phone, "3", "271828")
	if !h.bySID("CA5").Withheld() {
		t.Error("a locked PIN opens")
	}
	h.hook("/twilio/status", "CallSid", "CA5", "CallStatus", "completed")
	now = now.Add(time.Hour)
	h.keys("CA6", ada.Phone, "1", "271828")
	if h.bySID("CA6").Withheld() {
		t.Error("the PIN does not open after its lock")
	}
	for _, bad := range []string{"123", "123456789", "12a4", "0000"} {
		if err := h.st.SetPIN(t.Context(), ada.ID, bad); !errors.Is(err, people.ErrPIN) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Tries at once do not make more tries.
func TestPINIsNotGuessedAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ada := h.person("Ada", "+15550100123")
	if err := h.st.SetPIN(t.Context(), ada.ID, "4711"); err != nil {
		t.Fatal(err)
	}
	var tries sync.WaitGroup
	for i := range 6 {
		tries.Go(func() {
			if right, err := h.st.TryPIN(t.Context(), ada.ID, []string{"4712", "4713", "4714"}[i%3], time.Now()); right || err != nil {
				t.Errorf("a wrong PIN: %t, %v", right, err)
			}
		})
	}
	tries.Wait()
	if right, err := h.st.TryPIN(t.Context(), ada.ID, "4711", time.Now()); right || err != nil {
		t.Errorf("after six wrong ones: %t, %v", right, err)
	}
}

// A caller is promised to be rung back where that will be done, and then it is, once an hour.
func TestRingBack(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := newHouse(t, func(c *Config) { c.DailyCap, c.Now = 3, func() time.Time { return now } })
	ada := h.person("Ada", "+15550100123")
	// Where she lives it is noon, so that all of it happens on one day.
	if _, err := h.st.Pool().Exec(t.Context(), "update people set timezone = $2 where id = $1", ada.ID, fmt.Sprintf("Etc/GMT%+d", now.UTC().Hour()-12)); err != nil {
		t.Fatal(err)
	}
	promised := func(sid string) bool {
		t.Helper()
		h.phones(sid, ada.Phone, "")
		c := h.bySID(sid)
		line, _, err := h.lineOf(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := h.opening(t.Context(), line, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{in.Prompt, *in.FirstMessage, in.UserID} {
			if strings.Contains(text, "Ada") || strings.Contains(text, ada.ID.String()) {
				t.Errorf("a caller who has not shown who they are begins with %s", text)
			}
		}
		return strings.Contains(*in.FirstMessage, "ring this telephone back")
	}
	if !promised("CA1") {
		t.Error("nothing is promised")
	}
	c := h.bySID("CA1")
	// The caller is still on the line: nobody can be rung.
	if rung, err := h.RingBack(t.Context(), c); rung || !refusedBy(err, RuleLiveCall) {
		t.Errorf("while they are on the line: %t, %v", rung, err)
	}
	h.hook("/twilio/status", "CallSid", "CA1", "CallStatus", "completed")
	if rung, err := h.RingBack(t.Context(), c); !rung || err != nil {
		t.Errorf("after the call: %t, %v", rung, err)
	}
	back, err := h.st.LiveCallOf(t.Context(), ada.ID)
	if err != nil || back.Direction != calls.Outbound || back.PersonID != ada.ID || back.Verified != "" || back.Reason != RingBackReason {
		t.Errorf("the call back is %+v, %v", back, err)
	}
	if body := h.phones("CA2", ada.Phone, ""); answered(body) {
		t.Error("a second call with the same telephone is answered")
	}
	h.status(back, "no-answer")
	if promised("CA3") {
		t.Error("promised again within the hour")
	}
	c = h.bySID("CA3")
	h.hook("/twilio/status", "CallSid", "CA3", "CallStatus", "completed")
	if rung, err := h.RingBack(t.Context(), c); rung || err != nil {
		t.Errorf("again within the hour: %t, %v", rung, err)
	}
	now = now.Add(ringBackRest + time.Minute)
	if !promised("CA4") {
		t.Error("not promised after the hour")
	}
	h.hook("/twilio/status", "CallSid", "CA4", "CallStatus", "completed")
	h.status(h.place(ada), "no-answer")
	if promised("CA5") {
		t.Error("promised the last call of the day")
	}
	h.hook("/twilio/status", "CallSid", "CA5", "CallStatus", "completed")
}

func refusedBy(err error, rule string) bool {
	no, ok := errors.AsType[*Refusal](err)
	return ok && no.Rule == rule
}

// A check asks for the person first, and nothing in that shows what the call is for.
func TestCheckAsksWho(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.DailyCap = 10 })
	ada := h.person("Ada", "+15550100123")
	for _, kind := range []calls.CallType{calls.CallHealthCheck, calls.CallCognitive} {
		for _, tag := range []string{"en", "de", "es"} {
			ada.Language = tag
			c := calls.Call{ID: h.place(ada).ID, PersonID: ada.ID, Type: kind, Direction: calls.Outbound, Phone: ada.Phone}
			line := calls.Line{Call: c, Person: ada}
			in, _, err := h.opening(t.Context(), line, false)
			if err != nil {
				t.Fatal(err)
			}
			text, err := h.dep.Prompts.Text(prompts.Meant, h.openingData(t.Context(), line))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(*in.FirstMessage, "Ada?") || strings.Contains(*in.FirstMessage, lastSentences(text)) {
				t.Errorf("%s in %s begins with %q and goes on with %q", kind, tag, *in.FirstMessage, text)
			}
			h.status(h.call(c.ID), "no-answer")
		}
	}
}

func lastSentences(text string) string {
	_, rest, _ := strings.Cut(text, ". ")
	return rest
}

// Who has denied to be the person is nobody at the end of the call, too, although the database was away
// when they did; unless they were found to be the person after that.
func TestDenialOutlivesTheDatabase(t *testing.T) {
	t.Parallel()
	for after, want := range map[calls.Verified]calls.Outcome{"": calls.OutcomeSomeoneElse, calls.Confirmed: calls.OutcomeReached} {
		h := newHouse(t, nil)
		ada := h.person("Ada", "+15550100123")
		call := h.place(ada)
		h.status(call, "in-progress")
		lc := h.carry(call, ada)
		lc.facts.heard()

		change := func(sql string) {
			t.Helper()
			if _, err := h.st.Pool().Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		change("alter table calls add constraint away check (verified <> '') not valid")
		line, err := h.Verify(t.Context(), call.ID, "")
		if err != nil || !line.Call.Withheld() || h.call(call.ID).Verified != calls.Presumed {
			t.Fatalf("%+v, %v", line, err)
		}
		change("alter table calls drop constraint away")
		if after != "" {
			if _, err := h.Verify(t.Context(), call.ID, after); err != nil {
				t.Fatal(err)
			}
		} else if line, _, err := h.LineByCall(t.Context(), call.ID); err != nil || !line.Call.Withheld() {
			t.Errorf("what is on record counts again: %+v, %v", line, err)
		}
		h.status(call, "completed")
		<-lc.done
		if c := h.call(call.ID); c.Verified != after || c.Ending == nil || c.Ending.Outcome != want {
			t.Errorf("ended as %q, %+v; want %q, %s", c.Verified, c.Ending, after, want)
		}
	}
}

// What the gate would say to another call like one that goes on does not hang on that call, but on how
// many there were.
func TestAnotherCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		others int
		cost   float64 // that a person's calls of a month may come to, at 10 each
		want   string
	}{{0, 15, ""}, {1, 25, RuleDailyCap}, {0, 5, RuleCostCap}} {
		h := newHouse(t, func(c *Config) {
			c.DailyCap, c.TimeLimit, c.Costs = 2, 10*time.Minute, Costs{PerMinute: 1}
		})
		ada := h.person("Ada", "+15550100123")
		for range test.others {
			h.status(h.place(ada), "no-answer")
		}
		c := h.place(ada)
		h.status(c, "in-progress")
		h.cfg.Costs.Person = test.cost
		no, err := h.Another(t.Context(), c, time.Now().Add(time.Hour))
		if err != nil || (no != nil) != (test.want != "") || no != nil && (no.Rule != test.want || no.Until == nil) {
			t.Errorf("%+v: %+v, %v", test, no, err)
		}
	}
}
