package twilio

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

var testText = TextRequest{To: testTo, From: testFrom, Body: "Hello /a/TOKEN", StatusCallback: "https://naiber.example.org/s", Validity: time.Hour}

func wireText(sid, body, direction string, created time.Time) map[string]any {
	return map[string]any{
		"sid": sid, "status": "queued", "direction": direction, "to": testTo, "body": body, "num_segments": "1",
		"date_created": created.UTC().Format(time.RFC1123Z), "error_code": nil,
	}
}

func TestSendText(t *testing.T) {
	t.Parallel()
	c, s := serve(t, answerJSON(http.StatusCreated, wireText("SM1", testText.Body, "outbound-api", time.Now())))
	m, err := c.SendText(t.Context(), testText)
	if err != nil || m.SID != "SM1" || m.Status != "queued" || time.Since(m.Created) > time.Minute {
		t.Fatalf("%+v, %v", m, err)
	}
	want := url.Values{"To": {testTo}, "From": {testFrom}, "Body": {testText.Body}, "StatusCallback": {"https://naiber.example.org/s"}, "ValidityPeriod": {"3600"}}
	if got := s.requests()[0]; got.path != "/2010-04-01/Accounts/AC00/Messages.json" || got.form.Encode() != want.Encode() {
		t.Errorf("%s %s", got.path, got.form.Encode())
	}
	service := testText
	service.ServiceSID = "MG1"
	if _, err := c.SendText(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	if got := s.requests()[1].form; got.Get("MessagingServiceSid") != "MG1" || got.Has("From") {
		t.Errorf("by a service: %s", got.Encode())
	}
}

// A message of unknown outcome is looked for by its body before it is sent again.
func TestSendTextOnce(t *testing.T) {
	t.Parallel()
	list := func(texts ...any) http.HandlerFunc {
		return answerJSON(http.StatusOK, map[string]any{"messages": texts})
	}
	now := time.Now().Add(time.Minute) // not before what is asked below, whenever that is
	others := list(wireText("SM2", "Other", "outbound-api", now), wireText("SM3", testText.Body, "inbound", now), wireText("SM4", testText.Body, "outbound-api", now.Add(-time.Hour)))
	for name, tt := range map[string]struct {
		handlers []http.HandlerFunc
		sid      TextSID
		requests int
		class    Class
	}{
		"sent all the same": {[]http.HandlerFunc{hangUpOnClient, list(wireText("SM1", "Sent from a trial account - "+testText.Body, "outbound-api", now))}, "SM1", 2, ClassOther},
		"found late":        {[]http.HandlerFunc{hangUpOnClient, others, others, list(wireText("SM1", testText.Body, "outbound-api", now))}, "SM1", 4, ClassOther},
		"not sent":          {[]http.HandlerFunc{answerError(503, 20503), others, others, others, answerJSON(http.StatusCreated, wireText("SM5", testText.Body, "outbound-api", now))}, "SM5", 5, ClassOther},
		"never known":       {[]http.HandlerFunc{hangUpOnClient, others, others, others, hangUpOnClient, others}, "", 8, ClassOutcomeUnknown},
		"no name":           {[]http.HandlerFunc{answerJSON(http.StatusCreated, map[string]any{}), list(wireText("SM1", testText.Body, "outbound-api", now))}, "SM1", 2, ClassOther},
		"no look":           {[]http.HandlerFunc{hangUpOnClient, answerError(401, 20003)}, "", 2, ClassOutcomeUnknown},
		"opted out":         {[]http.HandlerFunc{answerError(400, 21610)}, "", 1, ClassNumber},
		"no mobile":         {[]http.HandlerFunc{answerError(400, 21614)}, "", 1, ClassNumber},
		"no such number":    {[]http.HandlerFunc{answerError(400, 21211)}, "", 1, ClassNumber},
		"no permission":     {[]http.HandlerFunc{answerError(400, 21408)}, "", 1, ClassConfiguration},
		"too much":          {[]http.HandlerFunc{answerError(429, 20429), answerJSON(http.StatusCreated, wireText("SM1", testText.Body, "outbound-api", now))}, "SM1", 2, ClassOther},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, tt.handlers...)
			m, err := c.SendText(t.Context(), testText)
			if m.SID != tt.sid || (err == nil) != (tt.sid != "") || ClassOf(err) != tt.class || len(s.requests()) != tt.requests {
				t.Errorf("%q, %v after %d requests; want %q, class %d, %d", m.SID, err, len(s.requests()), tt.sid, tt.class, tt.requests)
			}
		})
	}
}

func TestParseText(t *testing.T) {
	t.Parallel()
	in, err := ParseText(url.Values{"MessageSid": {"SM1"}, "From": {testTo}, "Body": {" Yes "}, "OptOutType": {"STOP"}})
	if err != nil || in != (Text{SID: "SM1", From: testTo, Body: " Yes ", OptOut: "STOP"}) {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := ParseText(url.Values{"Body": {"Yes"}}); err == nil {
		t.Error("a webhook about no message is taken")
	}
	for status, want := range map[string][2]bool{"delivered": {true, false}, "undelivered": {false, true}, "failed": {false, true}, "sent": {}, "partially_delivered": {}} {
		got, err := ParseTextStatus(url.Values{"MessageSid": {"SM1"}, "MessageStatus": {status}, "ErrorCode": {"30003"}})
		if err != nil || [2]bool{got.Delivered(), got.Failed()} != want || got.Code != "30003" {
			t.Errorf("%s: %+v, %v", status, got, err)
		}
	}
	if _, err := ParseTextStatus(url.Values{"MessageStatus": {"sent"}}); err == nil {
		t.Error("a callback about no message is taken")
	}
}
