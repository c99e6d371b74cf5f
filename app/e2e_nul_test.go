package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// What PostgreSQL cannot keep is the client's mistake, at whatever address and place,
// and never a failure of ours.
func TestNULIsAClientsMistake(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{
		"NAIBER_CHAT_PER_MINUTE": "60000", "NAIBER_CHAT_BURST": "1000", // or what is refused for its number proves nothing
	}})
	p := h.addPerson(nil)
	var described struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(h.knock("GET", "/openapi.json", "").body), &described); err != nil || len(described.Paths) < 5 {
		t.Fatalf("openapi.json: %d paths, %v", len(described.Paths), err)
	}
	const apiKey = "Bearer " + houseAPIToken
	tried := 0
	for path, methods := range described.Paths {
		if path == "/status" || path == "/models/props" { // take nothing; the second asks the model's server
			continue
		}
		for method := range methods {
			method = strings.ToUpper(method)
			for _, target := range []string{
				inBraces.ReplaceAllString(path, "%00"), inBraces.ReplaceAllString(path, "a%FFb"),
				inBraces.ReplaceAllString(strings.Replace(path, "{id}", p.ID, 1), "%00"),
				inBraces.ReplaceAllString(strings.Replace(path, "{id}", p.ID, 1), "a%FFb"),
			} {
				for _, body := range []string{`{"text":"a\u0000b","name":"\u0000"}`, "{\"name\":\"\x00\"}"} {
					if method == http.MethodGet || method == http.MethodDelete {
						body = ""
					}
					if method == http.MethodDelete && target == "/api/v1/people/"+p.ID {
						continue
					}
					tried++
					got := h.knock(method, target, body, "Authorization", apiKey, "Content-Type", "application/json")
					if got.status >= 500 || got.status == http.StatusTooManyRequests || body != "" && got.status < 400 {
						t.Errorf("%s %s with %q: %d %.200s", method, target, body, got.status, got.body)
					}
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d requests were tried", tried)
	}
	// A turn of a call is never refused: the history would hold it for ever.
	got := h.knock("POST", "/v1/chat/completions", `{"model":"m","user":"\u0000","messages":[{"role":"user","content":"a\u0000b"}]}`,
		"Authorization", "Bearer "+houseLLMToken, "Content-Type", "application/json")
	if got.status >= 500 {
		t.Errorf("/v1: %d %s", got.status, got.body)
	}
	if log := h.process.out.String(); strings.Contains(log, "SQLSTATE 22") {
		t.Error("the database was asked to keep a NUL")
	}
}
