package carrier_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// FuzzREST: whatever form is sent, the answer is JSON, an error says its code,
// and what was refused is no call.
func FuzzREST(f *testing.F) {
	f.Add("POST", "Calls.json", "To=%2B15550100123&From=%2B15550100999&Twiml=%3CResponse%2F%3E&Timeout=5")
	f.Add("POST", "Calls.json", "To=911&From=x&Url=javascript:1&TimeLimit=99999999999999999999")
	f.Add("GET", "Calls.json?PageSize=-1&To=%zz", "")
	f.Add("POST", "Calls/CA1.json", "Status=completed&Twiml=%3C")
	f.Add("POST", "IncomingPhoneNumbers/PN1.json", "VoiceUrl=%00")
	f.Fuzz(func(t *testing.T, method, path, form string) {
		if method != http.MethodGet && method != http.MethodPost {
			return
		}
		target, err := url.Parse("/2010-04-01/Accounts/" + account + "/" + path)
		if err != nil {
			return
		}
		c := carrier.New(carrier.Config{AccountSID: account, AuthToken: token, Number: ours, Log: slog.New(slog.DiscardHandler), Second: second})
		defer func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}()
		r := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(form))
		r.URL = target
		r.SetBasicAuth(account, token)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		c.Handler().ServeHTTP(w, r)
		if w.Code >= 300 && w.Code < 400 {
			return // net/http cleans the path
		}
		var answer struct {
			Code int `json:"code"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code >= 400 && answer.Code == 0 {
			t.Errorf("%s %s %q: %d %s", method, path, form, w.Code, w.Body)
		}
		if w.Code >= 400 && c.Live() != 0 {
			t.Errorf("%s %s %q: refused, and a call lives", method, path, form)
		}
	})
}
