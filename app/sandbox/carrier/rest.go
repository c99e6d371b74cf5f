package carrier

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
)

// maxForm bounds a REST request's body.
const maxForm = 64 << 10

// apiError is Twilio's error body.
type apiError struct {
	Status   int    `json:"status"`
	Code     int    `json:"code"`
	Message  string `json:"message"`
	MoreInfo string `json:"more_info"`
}

func fail(w http.ResponseWriter, status, code int, format string, args ...any) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="Twilio API"`)
	}
	answer(w, status, apiError{
		status, code, fmt.Sprintf(format, args...),
		"https://www.twilio.com/docs/errors/" + strconv.Itoa(code),
	})
}

func notFound(w http.ResponseWriter, r *http.Request) {
	fail(w, http.StatusNotFound, 20404, "The requested resource %s was not found", r.URL.Path)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone needs no answer
}

// Handler is the REST API, under /2010-04-01.
func (c *Carrier) Handler() http.Handler {
	const root = "/2010-04-01/Accounts/{account}"
	mux := http.NewServeMux()
	mux.HandleFunc("/", notFound)
	mux.HandleFunc("GET "+root, c.getAccount)
	mux.HandleFunc("POST "+root+"/Calls.json", c.createCall)
	mux.HandleFunc("GET "+root+"/Calls.json", c.listCalls)
	mux.HandleFunc("GET "+root+"/Calls/{sid}", c.withCall(c.getCall))
	mux.HandleFunc("POST "+root+"/Calls/{sid}", c.withCall(c.updateCall))
	mux.HandleFunc("GET "+root+"/IncomingPhoneNumbers.json", c.listNumbers)
	mux.HandleFunc("GET "+root+"/IncomingPhoneNumbers/{sid}", c.oneNumber)
	mux.HandleFunc("POST "+root+"/IncomingPhoneNumbers/{sid}", c.oneNumber)
	return c.guard(mux)
}

// guard lets a request through that has the credentials, names the account and
// is not too much, with its form parsed.
func (c *Carrier) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.busy++
		w.Header().Set("Twilio-Concurrent-Requests", strconv.Itoa(c.busy))
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.busy--
		}()
		user, password, _ := r.BasicAuth()
		if !equal(user, c.cfg.AccountSID) || !equal(password, c.cfg.AuthToken) {
			fail(w, http.StatusUnauthorized, 20003, "Authenticate")
			return
		}
		if c.cfg.Faults.On(faults.RateLimit) {
			fail(w, http.StatusTooManyRequests, 20429, "Too Many Requests")
			return
		}
		parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 4)
		if len(parts) < 3 || parts[0] != "2010-04-01" || parts[1] != "Accounts" ||
			strings.TrimSuffix(parts[2], ".json") != c.cfg.AccountSID {
			notFound(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			fail(w, http.StatusBadRequest, 20001, "The request could not be parsed")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// equal compares secrets.
func equal(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

func (c *Carrier) getAccount(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"sid": c.cfg.AccountSID, "friendly_name": "nAIber sandbox", "status": "active", "type": "Full",
		"owner_account_sid": c.cfg.AccountSID, "uri": "/2010-04-01/Accounts/" + c.cfg.AccountSID + ".json",
		"date_created": stamp(c.number.created), "date_updated": stamp(c.number.created),
	})
}

// stamp writes a time as REST and callbacks do: RFC 2822, whole seconds, UTC.
func stamp(t time.Time) string {
	return t.UTC().Format(time.RFC1123Z)
}
