package app_test

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Whoever guesses keys is logged and counted, without the guess, and locks nobody
// out: the right key works at once, from the same address too.
func TestWrongKeysLockNobodyOut(t *testing.T) {
	t.Parallel()
	const password = "admin-password-for-tests"
	inner := "127.0.0.1:" + strconv.Itoa(freePort(t))
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_ADMIN_PASSWORD": password, "NAIBER_SERVER_METRICS_ADDR": inner}})
	done := make(chan struct{})
	for range 50 {
		go func() {
			defer func() { done <- struct{}{} }()
			for path, header := range map[string]string{"/": basic("admin", "guess-31415"), "/api/v1/people": "Bearer guess-31415", "/v1/models": "Bearer guess-31415"} {
				if got := h.knock("GET", path, "", "Authorization", header); got.status != http.StatusUnauthorized && got.status != http.StatusTooManyRequests {
					t.Errorf("%s with a guess: %d", path, got.status)
				}
			}
		}()
	}
	for range 50 {
		<-done
	}
	for path, header := range map[string]string{"/": basic("admin", password), "/api/v1/people": "Bearer " + houseAPIToken, "/v1/models": "Bearer " + houseLLMToken} {
		fastest := time.Hour
		for range 10 { // a busy machine may be slow with one of them
			began := time.Now()
			if got := h.knock("GET", path, "", "Authorization", header); got.status != http.StatusOK {
				t.Errorf("%s with the right key: %d", path, got.status)
			}
			if fastest = min(fastest, time.Since(began)); fastest < 900*time.Millisecond {
				break
			}
		}
		if fastest >= 900*time.Millisecond {
			t.Errorf("%s with the right key takes %s, as with a wrong one", path, fastest)
		}
	}
	if log := h.process.out.String(); !strings.Contains(log, "wrong key") || !strings.Contains(log, "address=127.0.0.1") || strings.Contains(log, "31415") {
		t.Error("the log does not say who guessed, or says what")
	}

	if got := h.knock("GET", "/metrics", ""); got.status != http.StatusUnauthorized {
		t.Errorf("/metrics without a bearer: %d", got.status)
	}
	counted := h.knock("GET", "/metrics", "", "Authorization", "Bearer "+houseAPIToken).body
	for _, door := range []string{"console", "api", "model"} {
		if want := `naiber_auth_refused_total{door="` + door + `"} 50`; !strings.Contains(counted, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	within := *h
	within.url = "http://" + inner
	if got := within.knock("GET", "/metrics", ""); got.status != http.StatusOK || !strings.Contains(got.body, "naiber_auth_refused_total") {
		t.Errorf("/metrics on the inner port: %d", got.status)
	}
	if got := within.knock("GET", "/status", ""); got.status != http.StatusNotFound {
		t.Errorf("/status on the inner port: %d", got.status)
	}
	for key, details := range map[string]bool{"": false, "Bearer " + houseAPIToken: true} {
		if got := h.knock("GET", "/status", "", "Authorization", key); got.status != http.StatusOK || strings.Contains(got.body, "services") != details || !strings.Contains(got.body, `"version"`) {
			t.Errorf("/status with %q: %s", key, got.body)
		}
	}
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
