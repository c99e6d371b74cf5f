package carrier_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
)

func TestCreateRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := []struct {
		name string
		set  url.Values // nil values are removed
		http int
		code float64
	}{
		{"no To", url.Values{"To": nil}, 400, 21201},
		{"no From", url.Values{"From": nil}, 400, 21213},
		{"To is no number", url.Values{"To": {"555-0100"}}, 400, 21211},
		{"To has letters", url.Values{"To": {"+1555CALLME"}}, 400, 21211},
		{"From is no number", url.Values{"From": {"me"}}, 400, 21212},
		{"From is not ours", url.Values{"From": {"+15550100555"}}, 400, 21210},
		{"neither Url nor Twiml", url.Values{"Twiml": nil}, 400, 21205},
		{"Url is none", url.Values{"Url": {"/relative"}}, 400, 21205},
		{"Twiml too long", url.Values{"Twiml": {strings.Repeat("x", 4001)}}, 400, 20001},
		{"callback host with underscore", url.Values{"StatusCallback": {"https://my_host.example.org/x"}}, 400, 21609},
		{"callback is no URL", url.Values{"AsyncAmdStatusCallback": {"amd"}}, 400, 21609},
		{"unknown detection", url.Values{"MachineDetection": {"true"}}, 400, 20001},
		{"detection that holds the call back", url.Values{"MachineDetection": {"DetectMessageEnd"}}, 400, 20001},
		{"Timeout too long", url.Values{"Timeout": {"601"}}, 400, 20001},
		{"TimeLimit is no number", url.Values{"TimeLimit": {"20m"}}, 400, 20001},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			form := w.callForm("<Response/>")
			for name, value := range tt.set {
				form[name] = value
				if value == nil {
					form.Del(name)
				}
			}
			code, body := w.post("/Calls.json", form)
			if code != tt.http || body["code"] != tt.code || body["status"] != float64(tt.http) {
				t.Errorf("got %d %v, want %d %v", code, body, tt.http, tt.code)
			}
			if body["message"] == "" || !strings.HasPrefix(body["more_info"].(string), "https://www.twilio.com/docs/errors/") {
				t.Errorf("body: %v", body)
			}
		})
	}
	if n := w.carrier.Live(); n != 0 {
		t.Errorf("%d calls were placed", n)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		user, password, path string
		http                 int
		code                 float64
	}{
		{account, "wrong", "/Accounts/" + account + ".json", 401, 20003},
		{"", "", "/Accounts/" + account + ".json", 401, 20003},
		{account, token, "/Accounts/AC9999.json", 404, 20404},
		{account, token, "/Accounts/" + account + "/Nothing.json", 404, 20404},
		{account, token, "/Accounts/" + account + "/Calls/CA00.json", 404, 20404},
		{account, token, "/Accounts/" + account + ".json", 200, 0},
	} {
		rec := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/2010-04-01"+tt.path, nil)
		if tt.user != "" {
			req.SetBasicAuth(tt.user, tt.password)
		}
		w.carrier.Handler().ServeHTTP(rec, req)
		var body map[string]any
		if err := json.NewDecoder(rec.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
		if rec.Code != tt.http || tt.code != 0 && body["code"] != tt.code {
			t.Errorf("%s as %q: %d %v", tt.path, tt.user, rec.Code, body)
		}
		if tt.code == 0 && body["status"] != "active" {
			t.Errorf("account: %v", body)
		}
	}
}

func TestUpdateRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sid, _, _ := w.answered("")
	for _, form := range []url.Values{
		{"Url": {"http://x/"}, "Twiml": {"<Response/>"}},
		{"Status": {"busy"}},
		{"Url": {"relative"}},
		{"Twiml": {strings.Repeat("x", 4001)}},
	} {
		if code, body := w.post("/Calls/"+sid+".json", form); code != 400 {
			t.Errorf("%v: %d %v", form, code, body)
		}
	}
	if code, body := w.post("/Calls/"+sid+".json", url.Values{"Status": {"canceled"}}); code != 400 || body["code"] != 21220.0 {
		t.Errorf("cancel in progress: %d %v", code, body)
	}
	if code, _ := w.post("/Calls/"+sid+".json", url.Values{"Status": {"completed"}}); code != 200 {
		t.Errorf("end: %d", code)
	}
	if got := w.statuses(); got[len(got)-1] != "completed" {
		t.Errorf("ended with %q", got)
	}
}

// A client that does not know whether its call was placed can look.
func TestListFindsTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	since := time.Now().Add(-time.Second).UTC()
	if err := w.faults.Set(faults.CreateTimeout, ""); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Timeout: 200 * time.Millisecond}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.rest.URL+"/2010-04-01/Accounts/"+account+"/Calls.json", strings.NewReader(w.callForm("<Response/>").Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(account, token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if resp, err := client.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Fatal("the request was answered")
	}
	ring := wait(t, w.rings, "ring")
	for query, want := range map[string]int{
		"To=" + url.QueryEscape(elder) + "&StartTime%3E=" + since.Format(time.RFC3339):                1,
		"To=" + url.QueryEscape(elder) + "&StartTime%3E=" + since.Add(time.Hour).Format(time.RFC3339): 0,
		"To=%2B15550100777":             0,
		"Status=ringing&PageSize=1":     1,
		"Status=completed":              0,
		"From=" + url.QueryEscape(ours): 1,
		"StartTime%3C=2020-01-01":       0,
	} {
		code, body := w.request(http.MethodGet, "/Calls.json?"+query, nil)
		calls, _ := body["calls"].([]any)
		if code != 200 || len(calls) != want {
			t.Errorf("%s: %d with %d calls, want %d", query, code, len(calls), want)
		}
		if want == 1 {
			if c, _ := calls[0].(map[string]any); c["sid"] != ring.CallSID || c["start_time"] == nil {
				t.Errorf("%s: %v", query, c)
			}
		}
	}
	for _, bad := range []string{"StartTime%3E=yesterday", "PageSize=0"} {
		if code, _ := w.request(http.MethodGet, "/Calls.json?"+bad, nil); code != 400 {
			t.Errorf("%s: %d", bad, code)
		}
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.faults.Set(faults.RateLimit, "2"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code, body := w.post("/Calls.json", w.callForm("<Response/>")); code != 429 || body["code"] != 20429.0 {
			t.Errorf("got %d %v", code, body)
		}
	}
	w.place(w.callForm("<Response/>"))
}

func TestNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, body := w.request(http.MethodGet, "/IncomingPhoneNumbers.json?PhoneNumber="+url.QueryEscape(ours), nil)
	list, _ := body["incoming_phone_numbers"].([]any)
	if len(list) != 1 {
		t.Fatalf("list: %v", body)
	}
	n, _ := list[0].(map[string]any)
	if caps, _ := n["capabilities"].(map[string]any); n["phone_number"] != ours || caps["voice"] != true || n["voice_url"] != w.app.URL+"/voice" || n["voice_method"] != "POST" {
		t.Errorf("number: %v", n)
	}
	_, body = w.request(http.MethodGet, "/IncomingPhoneNumbers.json?PhoneNumber=%2B4411", nil)
	if list, _ := body["incoming_phone_numbers"].([]any); len(list) != 0 {
		t.Errorf("other number: %v", body)
	}
}
