package doctor

import (
	"maps"
	"testing"
	"time"

	"github.com/naiber/naiber/telephony/twilio"
)

const (
	testSID    = "AC00000000000000000000000000000000"
	testNumber = "+15551234567"
	testPublic = "https://naiber.example.org"
)

func twilioClient(t *testing.T, base string) *twilio.Client {
	t.Helper()
	c, err := twilio.New(twilio.Config{AccountSID: testSID, AuthSecret: "hunter2", BaseURL: base, RetryWait: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTwilioAccount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply reply
		want  want
	}{
		{"active", reply{200, `{"sid":"AC","status":"active","type":"Full"}`}, want{OK, "active"}},
		{"trial", reply{200, `{"status":"active","type":"Trial"}`}, want{Warn, "trial|Upgrade"}},
		{"suspended", reply{200, `{"status":"suspended","type":"Full"}`}, want{Fail, "suspended"}},
		{"wrong token", reply{401, `{"code":20003,"message":"Authenticate","status":401}`}, want{Fail, "refused|TWILIO_AUTH_TOKEN"}},
		{"unknown", reply{404, `{"code":20404,"message":"not found","status":404}`}, want{Fail, "does not know"}},
		{"down", reply{503, `oh no`}, want{Fail, "status.twilio.com"}},
		{"not Twilio", reply{200, `<html>`}, want{Fail, "TWILIO_BASE_URL"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]reply{"/2010-04-01/Accounts/" + testSID + ".json": tt.reply})
			tt.want.check(t, find(t, TwilioAccount(twilioClient(t, s.URL))), "hunter2")
		})
	}
	want{Fail, "TWILIO_ACCOUNT_SID|--sandbox"}.check(t, find(t, TwilioAccount(nil)))
	want{Fail, "TWILIO_BASE_URL"}.check(t, find(t, TwilioAccount(twilioClient(t, closed()))))
}

func TestTwilioNumber(t *testing.T) {
	t.Parallel()
	number := func(change map[string]any) reply {
		n := map[string]any{
			"sid": "PN1", "phone_number": testNumber, "capabilities": map[string]any{"voice": true},
			"voice_url": testPublic + "/twilio/voice", "voice_method": "POST", "status_callback": testPublic + "/twilio/status",
		}
		maps.Copy(n, change)
		return reply{200, asJSON(t, map[string]any{"incoming_phone_numbers": []any{n}})}
	}
	tests := []struct {
		name  string
		reply reply
		want  want
	}{
		{"as it should be", number(nil), want{OK, "…67"}},
		{"with tuning", number(map[string]any{"voice_url": testPublic + "/twilio/voice#rc=3"}), want{OK, "…67"}},
		{"not ours", reply{200, `{"incoming_phone_numbers":[]}`}, want{Fail, "no number …67|TWILIO_NUMBER"}},
		{"contains ours", number(map[string]any{"phone_number": testNumber + "8"}), want{Fail, "no number …67"}},
		{"no voice", number(map[string]any{"capabilities": map[string]any{"sms": true}}), want{Fail, "voice"}},
		{"an app is in the way", number(map[string]any{"voice_application_sid": "AP1"}), want{Fail, "AP1|/twilio/voice"}},
		{"goes nowhere", number(map[string]any{"voice_url": ""}), want{Fail, "nowhere|" + testPublic + "/twilio/voice, HTTP POST|" + testPublic + "/twilio/status"}},
		{"goes elsewhere", number(map[string]any{"voice_url": "https://u:hunter2@demo.example.com/v?key=hunter2"}), want{Fail, "…@demo.example.com/v?…|/twilio/voice"}},
		{"by GET", number(map[string]any{"voice_method": "GET"}), want{Fail, "GET|HTTP POST"}},
		{"ends unheard", number(map[string]any{"status_callback": ""}), want{Warn, "/twilio/status"}},
		{"texts unheard", number(map[string]any{"capabilities": map[string]any{"voice": true, "sms": true}}), want{Warn, "text messages|" + testPublic + "/twilio/sms, HTTP POST"}},
		{"texts", number(map[string]any{"capabilities": map[string]any{"voice": true, "sms": true}, "sms_url": testPublic + "/twilio/sms"}), want{OK, "…67"}},
		{"wrong token", reply{401, `{"code":20003,"message":"Authenticate"}`}, want{Skip, "refused"}},
		{"down", reply{500, `{}`}, want{Fail, "status.twilio.com"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]reply{"/2010-04-01/Accounts/" + testSID + "/IncomingPhoneNumbers.json": tt.reply})
			tt.want.check(t, find(t, TwilioNumber(twilioClient(t, s.URL), testNumber, testPublic+"/", true)), "hunter2", testNumber, "5551234567")
		})
	}
	c := twilioClient(t, serve(t, map[string]reply{"/2010-04-01/Accounts/" + testSID + "/IncomingPhoneNumbers.json": number(nil)}).URL)
	want{Skip, "no account"}.check(t, find(t, TwilioNumber(nil, testNumber, testPublic, true)))
	want{Fail, "TWILIO_NUMBER"}.check(t, find(t, TwilioNumber(c, "", testPublic, true)))
	want{Skip, "PUBLIC_URL"}.check(t, find(t, TwilioNumber(c, testNumber, "", true)))
}
