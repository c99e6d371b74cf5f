package telephony

import (
	"encoding/xml"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ada := h.person("Ada", "+15550100123")
	c, err := h.Place(t.Context(), PlaceRequest{Phone: "+1 555 010 0123", Type: calls.CallHealthCheck, Reason: "weekly", By: "cli"})
	if err != nil {
		t.Fatal(err)
	}
	if c.PersonID != ada.ID || c.SID == "" || c.Status != calls.StatusQueued || c.Type != calls.CallHealthCheck || c.Phone != ada.Phone {
		t.Errorf("placed %+v", c)
	}
	if got, want := h.kinds(c.ID), []string{"queued", "dialled"}; !slices.Equal(got, want) {
		t.Errorf("timeline %v, want %v", got, want)
	}
	form := h.carrier.calls[0].form
	for name, want := range map[string]string{
		"To": ada.Phone, "From": houseNumber, "Timeout": "30", "TimeLimit": "1230",
		"MachineDetection": "DetectMessageEnd", "AsyncAmd": "true",
	} {
		if got := form.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	for name, path := range map[string]string{"StatusCallback": "/twilio/status", "AsyncAmdStatusCallback": "/twilio/amd"} {
		u, err := url.Parse(form.Get(name))
		if err != nil || u.Path != path || u.Query().Get("call") != c.ID.String() || !strings.Contains(u.Fragment, "rc=3&rp=all") {
			t.Errorf("%s = %q, %v", name, form.Get(name), err)
		}
	}
	token, redirect := readConnect(t, form.Get("Twiml"))
	if !strings.HasPrefix(redirect, houseURL+"/twilio/reconnect?call="+c.ID.String()+"#rc=5&rp=all") {
		t.Errorf("redirect = %q", redirect)
	}
	if len(form.Get("Twiml")) > 4000 || len(token) < 26 {
		t.Errorf("TwiML of %d characters, token of %d", len(form.Get("Twiml")), len(token))
	}
	if got, err := h.st.TakeStreamToken(t.Context(), token); err != nil || got.ID != c.ID {
		t.Errorf("the token opens %v, %v", got.ID, err)
	}
	if _, err := h.st.TakeStreamToken(t.Context(), token); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the token opens twice: %v", err)
	}
	for _, secret := range []string{token, "5550100", houseToken} {
		if strings.Contains(h.log.String(), secret) {
			t.Errorf("log holds %q", secret)
		}
	}
}

// readConnect takes the token and the redirect out of TwiML.
func readConnect(t *testing.T, twiml string) (token, redirect string) {
	t.Helper()
	var doc struct {
		Stream struct {
			URL          string `xml:"url,attr"`
			Status       string `xml:"statusCallback,attr"`
			StatusMethod string `xml:"statusCallbackMethod,attr"`
			Parameters   []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"Parameter"`
		} `xml:"Connect>Stream"`
		Redirect string `xml:"Redirect"`
	}
	if err := xml.Unmarshal([]byte(twiml), &doc); err != nil {
		t.Fatalf("%v in %s", err, twiml)
	}
	if doc.Stream.URL != "wss://naiber.example.org/outbound-media-stream" {
		t.Fatalf("stream url %q in %s", doc.Stream.URL, twiml)
	}
	if s := doc.Stream; !strings.HasPrefix(s.Status, houseURL+"/twilio/stream?call=") || !strings.HasSuffix(s.Status, "#"+eventTuning) ||
		s.StatusMethod != http.MethodPost {
		t.Errorf("stream status goes by %s to %q", s.StatusMethod, s.Status)
	}
	for _, p := range doc.Stream.Parameters {
		if p.Name == paramToken {
			token = p.Value
		}
	}
	return token, doc.Redirect
}

func TestPlaceRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.Types = []calls.CallType{calls.CallGeneral, calls.CallCognitive} })
	ada := h.person("Ada", "+15550100123", people.ScopeCognitive)
	h.person("Bo", "+15550100124")
	h.person("Cleo", "+15550100124")
	dora := h.person("Dora", "+15550100125", people.ScopeCalls)
	late := h.person("Eve", "+15550100126")
	if err := h.st.OptOut(t.Context(), late.ID, "test"); err != nil {
		t.Fatal(err)
	}
	rule := func(name string) func(error) bool {
		return func(err error) bool {
			no, ok := errors.AsType[*Refusal](err)
			return ok && no.Rule == name
		}
	}
	is := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	for _, c := range []struct {
		name string
		r    PlaceRequest
		want func(error) bool
	}{
		{"unknown call type", PlaceRequest{PersonID: ada.ID, Type: "poetry"}, is(ErrUnknownCallType)},
		{"call type without a persona", PlaceRequest{PersonID: ada.ID, Type: calls.CallApplianceHelp}, is(ErrUnknownCallType)},
		{"no call type", PlaceRequest{PersonID: ada.ID}, is(ErrUnknownCallType)},
		{"unknown person", PlaceRequest{PersonID: store.NewPersonID(), Type: calls.CallGeneral}, is(ErrUnknownPerson)},
		{"unknown number", PlaceRequest{Phone: "+15550100777", Type: calls.CallGeneral}, is(ErrUnknownPerson)},
		{"shared number", PlaceRequest{Phone: "+15550100124", Type: calls.CallGeneral}, is(ErrAmbiguousPhone)},
		{"no number", PlaceRequest{Type: calls.CallGeneral}, is(ErrInvalidPhone)},
		{"not a number", PlaceRequest{Phone: "grandma", Type: calls.CallGeneral}, is(ErrInvalidPhone)},
		{"a number without its country", PlaceRequest{Phone: "5550100123", Type: calls.CallGeneral}, is(ErrInvalidPhone)},
		{"no consent", PlaceRequest{PersonID: dora.ID, Type: calls.CallGeneral}, rule(RuleNoConsent)},
		{"no consent to cognitive checks", PlaceRequest{PersonID: ada.ID, Type: calls.CallCognitive}, rule(RuleNoConsent)},
		{"opted out", PlaceRequest{PersonID: late.ID, Type: calls.CallGeneral}, rule(RuleOptedOut)},
	} {
		if got, err := h.Place(t.Context(), c.r); !c.want(err) || got.ID != (store.CallID{}) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	if n, _ := h.carrier.count(); n != 0 {
		t.Errorf("%d calls were created", n)
	}
	if calls, err := h.st.Calls(t.Context(), calls.CallFilter{Limit: 10}); err != nil || len(calls) != 0 {
		t.Errorf("calls on record: %v, %v", calls, err)
	}
}

func TestGateHoldsInPlace(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.DailyCap = 2 })
	ada := h.person("Ada", "+15550100123")
	expect := func(want string) {
		t.Helper()
		_, err := h.Place(t.Context(), PlaceRequest{PersonID: ada.ID, Type: calls.CallGeneral})
		if no, ok := errors.AsType[*Refusal](err); !ok || no.Rule != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	c := h.place(ada)
	expect(RuleLiveCall)
	h.status(c, "busy")
	c = h.place(ada)
	h.status(c, "no-answer")
	expect(RuleDailyCap)
	if _, err := h.st.AddPause(t.Context(), ada.ID, people.Pause{StartsAt: time.Now().Add(-time.Hour), Reason: "in hospital"}); err != nil {
		t.Fatal(err)
	}
	expect(RulePaused)
	if _, err := h.st.RevokeConsent(t.Context(), ada.ID, people.ScopeCalls, "Ada", "by telephone"); err != nil {
		t.Fatal(err)
	}
	expect(RuleNoConsent)
}

// A couple with one telephone: the line is busy for both.
func TestSharedTelephone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	bo, cleo := h.person("Bo", "+15550100124"), h.person("Cleo", "+15550100124")
	c := h.place(bo)
	_, err := h.Place(t.Context(), PlaceRequest{PersonID: cleo.ID, Type: calls.CallGeneral})
	if no, ok := errors.AsType[*Refusal](err); !ok || no.Rule != RuleLiveCall {
		t.Errorf("got %v, want %s", err, RuleLiveCall)
	}
	h.status(c, "busy")
	h.place(cleo)
}

func TestManyWishesOneCall(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.DailyCap = 100 })
	ada := h.person("Ada", "+15550100123")
	const wishes = 20
	errs := make([]error, wishes)
	var wg sync.WaitGroup
	for i := range wishes {
		wg.Go(func() {
			_, errs[i] = h.Place(t.Context(), PlaceRequest{PersonID: ada.ID, Type: calls.CallGeneral})
		})
	}
	wg.Wait()
	placed := 0
	for _, err := range errs {
		no, refused := errors.AsType[*Refusal](err)
		switch {
		case err == nil:
			placed++
		case !refused || no.Rule != RuleLiveCall:
			t.Errorf("unexpected: %v", err)
		}
	}
	if requests, calls := h.carrier.count(); placed != 1 || requests != 1 || calls != 1 {
		t.Errorf("%d placed, %d requested, %d made; want 1", placed, requests, calls)
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ada := h.person("Ada", "+15550100123")
	r := PlaceRequest{PersonID: ada.ID, Type: calls.CallGeneral, Reason: "to chat", IdempotencyKey: "k1"}
	ids := make([]store.CallID, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			c, err := h.Place(t.Context(), r)
			if err != nil {
				t.Error(err)
			}
			ids[i] = c.ID
		})
	}
	wg.Wait()
	if len(slices.Compact(ids)) != 1 {
		t.Errorf("one key, several calls: %v", ids)
	}
	other := r
	other.Reason = "to check"
	if _, err := h.Place(t.Context(), other); !errors.Is(err, ErrIdempotencyMismatch) {
		t.Errorf("another request under the same key: %v", err)
	}
	h.status(h.call(ids[0]), "busy")
	if c, err := h.Place(t.Context(), r); err != nil || c.ID != ids[0] {
		t.Errorf("the key outlives the call: got %v, %v", c.ID, err)
	}
	if n, _ := h.carrier.count(); n != 1 {
		t.Errorf("%d calls were created", n)
	}
}

func TestPlaceWhenTwilioDoesNotWantTo(t *testing.T) {
	t.Parallel()
	always := func(status, code int) func(int, http.ResponseWriter) (bool, bool) {
		return func(_ int, w http.ResponseWriter) (bool, bool) {
			fault(w, status, code)
			return true, false
		}
	}
	html := func(n int, w http.ResponseWriter) (bool, bool) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>bad gateway</html>"))
		return true, n == 1 // the first one rings all the same
	}
	failed := func(by string) *calls.Ending {
		return &calls.Ending{Outcome: calls.OutcomeFailed, Cause: causeFailed, By: by}
	}
	for _, c := range []struct {
		name     string
		onCreate func(int, http.ResponseWriter) (bool, bool)
		want     error
		end      *calls.Ending // nil: live
		requests int
	}{
		{"a number that cannot be called", always(http.StatusBadRequest, 21214), ErrNumberRefused, failed(byTwilio), 1},
		{"wrong credentials", always(http.StatusUnauthorized, 20003), ErrCarrierConfiguration, failed(byNaiber), 1},
		{"a country that is not enabled", always(http.StatusBadRequest, 21215), ErrCarrierConfiguration, failed(byNaiber), 1},
		{"something new", always(http.StatusBadRequest, 29999), ErrCarrierFailed, failed(byNaiber), 1},
		{"too many requests, for long", always(http.StatusTooManyRequests, 20429), ErrCarrierBusy, failed(byTwilio), 3},
		{
			"too many requests, once",
			func(n int, w http.ResponseWriter) (bool, bool) {
				if n == 1 {
					fault(w, http.StatusTooManyRequests, 20429)
				}
				return n == 1, n != 1
			}, nil, nil, 2,
		},
		{"an answer that got lost: the call is found", html, nil, nil, 1},
		{
			"a request that got lost: placed once more",
			func(n int, w http.ResponseWriter) (bool, bool) {
				if n == 1 {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				return n == 1, n != 1
			}, nil, nil, 2,
		},
		{"nobody knows", always(http.StatusServiceUnavailable, 0), ErrCarrierUnclear, nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, nil)
			h.carrier.onCreate = c.onCreate
			got, err := h.Place(t.Context(), PlaceRequest{PersonID: h.person("Ada", "+15550100123").ID, Type: calls.CallGeneral})
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			requests, calls := h.carrier.count()
			if requests != c.requests || calls > 1 || c.want == nil && calls != 1 {
				t.Errorf("%d requests made %d calls", requests, calls)
			}
			h.ended(got.ID, c.end)
			if c.want == nil && h.call(got.ID).SID != h.carrier.calls[0].SID {
				t.Errorf("sid = %q", h.call(got.ID).SID)
			}
			if err != nil && strings.Contains(err.Error(), "5550100") {
				t.Errorf("error holds the number: %v", err)
			}
			if h.post.count() != 0 {
				t.Error("a call that nobody answered has something to look back on")
			}
		})
	}
}

func TestHangUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	for range 2 {
		if err := h.HangUp(t.Context(), c.ID, "nurse"); err != nil {
			t.Fatal(err)
		}
	}
	h.ended(c.ID, &calls.Ending{Outcome: calls.OutcomeCanceled, Cause: causeOperator, By: byOperator})
	if got := h.carrier.asked(); len(got) != 1 || got[0] != c.SID+" completed" {
		t.Errorf("asked %v", got)
	}
	if err := h.HangUp(t.Context(), store.NewCallID(), "nurse"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a call that never was: %v", err)
	}
}

// TestWebhookFragments holds what is asked of Twilio within what it takes.
func TestWebhookFragments(t *testing.T) {
	t.Parallel()
	bounds := map[string][2]int{"rc": {1, 5}, "ct": {100, 10_000}, "rt": {100, 15_000}, "tt": {100, 15_000}}
	for _, f := range WebhookFragments() {
		values, err := url.ParseQuery(f)
		if err != nil || values.Get("rp") != "all" {
			t.Errorf("fragment %q: %v", f, err)
		}
		values.Del("rp")
		for key := range values {
			n, err := strconv.Atoi(values.Get(key))
			if err != nil || n < bounds[key][0] || n > bounds[key][1] {
				t.Errorf("fragment %q: %s is out of bounds", f, key)
			}
		}
	}
}
