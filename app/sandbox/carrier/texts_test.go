package carrier_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/app/sandbox/faults"
)

func (w *world) textForm() url.Values {
	return url.Values{"To": {elder}, "From": {ours}, "Body": {"Hello"}, "StatusCallback": {w.app.URL + "/text?n=1#rc=3"}}
}

func TestTextsAreDelivered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.faults.Set(faults.DuplicateCallbacks, "on")
	code, body := w.post("/Messages.json", w.textForm())
	if code != http.StatusCreated || body["status"] != "queued" || body["body"] != "Hello" || !strings.HasPrefix(body["sid"].(string), "SM") {
		t.Fatalf("%d %v", code, body)
	}
	for _, status := range []string{"sent", "sent", "delivered", "delivered"} {
		h := w.hook("/text")
		if h.form.Get("MessageStatus") != status || h.form.Get("MessageSid") != body["sid"] || h.url != w.app.URL+"/text?n=1" || h.signature != signature(h.url, h.form) {
			t.Errorf("%s: %v", status, h)
		}
	}
	if got := w.carrier.Texts(); len(got) != 1 || got[0].To != elder || got[0].Status != "delivered" {
		t.Errorf("%+v", got)
	}
	for to, want := range map[string]int{elder: 1, "+15550100124": 0} {
		code, page := w.request(http.MethodGet, "/Messages.json?To="+url.QueryEscape(to), nil)
		if list, _ := page["messages"].([]any); code != http.StatusOK || len(list) != want {
			t.Errorf("to %s: %d %v", to, code, page)
		}
	}
}

func TestTextRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		set  url.Values
		code float64
	}{
		"no To": {url.Values{"To": {""}}, 21604}, "To is none": {url.Values{"To": {"112"}}, 21211}, "no From": {url.Values{"From": {""}}, 21603},
		"From is not ours": {url.Values{"From": {elder}}, 21606}, "no body": {url.Values{"Body": {""}}, 21602}, "long body": {url.Values{"Body": {strings.Repeat("x", 1601)}}, 21617},
		"callback": {url.Values{"StatusCallback": {"text"}}, 21609}, "validity": {url.Values{"ValidityPeriod": {"36001"}}, 20001},
	} {
		form := w.textForm()
		maps.Copy(form, tt.set)
		if code, body := w.post("/Messages.json", form); code != http.StatusBadRequest || body["code"] != tt.code {
			t.Errorf("%s: %d %v", name, code, body)
		}
	}
	form := w.textForm()
	form.Del("From")
	form.Set("MessagingServiceSid", "MG1")
	if code, body := w.post("/Messages.json", form); code != http.StatusCreated {
		t.Errorf("by a service: %d %v", code, body)
	}
}

func TestTextFromATelephone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serves("/sms", "<Response><Message>Thanks &amp; bye</Message></Response>")
	answer, err := w.carrier.Text(t.Context(), elder, "Yes")
	if h := w.hook("/sms"); err != nil || answer != "Thanks & bye" || h.form.Get("Body") != "Yes" || h.form.Get("From") != elder || h.signature != signature(h.url, h.form) {
		t.Errorf("%q, %v, %v", answer, err, h)
	}
	if answer, err := w.carrier.Text(t.Context(), elder, " stop "); err != nil || answer != "" || w.hook("/sms").form.Get("Body") != " stop " {
		t.Errorf("after a stop: %q, %v", answer, err)
	}
	if code, body := w.post("/Messages.json", w.textForm()); code != http.StatusBadRequest || body["code"] != 21610.0 {
		t.Errorf("to who has stopped: %d %v", code, body)
	}
	if _, err := w.carrier.Text(t.Context(), elder, "START"); err != nil {
		t.Error(err)
	}
	if code, body := w.post("/Messages.json", w.textForm()); code != http.StatusCreated {
		t.Errorf("after a start: %d %v", code, body)
	}
	w.serves("/sms", "no document")
	if _, err := w.carrier.Text(t.Context(), elder, "hello"); err == nil || w.carrier.Warnings()[12100] != 1 {
		t.Error("an answer that is none is taken")
	}
}

func TestGather(t *testing.T) {
	t.Parallel()
	const ask = `<Gather input="dtmf" numDigits="1" timeout="2" action="/keyed?n=1"><Say>Press a key.</Say></Gather>`
	w := newWorld(t)
	w.serves("/ask", "<Response>"+ask+ask+"<Say>Nobody.</Say></Response>")
	w.serves("/keyed", "<Response><Say>Thank you.</Say></Response>")
	answer := func() *carrier.Handset {
		form := w.callForm("")
		form.Set("Url", w.app.URL+"/ask")
		w.place(form)
		set, err := wait(t, w.rings, "ring").Answer()
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	says := func(set *carrier.Handset, want ...string) {
		t.Helper()
		for _, text := range want {
			if e, _ := heard(t, set, carrier.HeardSay); e.Text != text {
				t.Errorf("heard %q, want %q", e.Text, text)
			}
		}
	}
	set := answer()
	says(set, "Press a key.")
	if err := set.Press("7"); err != nil { // into the middle of it
		t.Fatal(err)
	}
	says(set, "Thank you.")
	if h := w.hook("/keyed"); h.form.Get("Digits") != "7" || h.url != w.app.URL+"/keyed?n=1" {
		t.Errorf("asked %s with %v", h.url, h.form)
	}
	heard(t, set, carrier.HeardClosed)
	set = answer()
	says(set, "Press a key.", "Press a key.", "Nobody.")
	heard(t, set, carrier.HeardClosed)
}
