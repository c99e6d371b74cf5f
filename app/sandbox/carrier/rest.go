package carrier

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

// maxForm bounds a REST request's body, in bytes.
const maxForm = 64 << 10

// apiError is Twilio's error body.
type apiError struct {
	Status   int    `json:"status"`
	Code     int    `json:"code"`
	Message  string `json:"message"`
	MoreInfo string `json:"more_info"`
}

// Error returns the message for the client.
func (e *apiError) Error() string { return e.Message }

func refuse(status, code int, format string, args ...any) *apiError {
	return &apiError{status, code, fmt.Sprintf(format, args...), "https://www.twilio.com/docs/errors/" + strconv.Itoa(code)}
}

// bad returns the error of a request that is refused with 400.
func bad(code int, format string, args ...any) *apiError {
	return refuse(http.StatusBadRequest, code, format, args...)
}

func notFound(r *http.Request) *apiError {
	return refuse(http.StatusNotFound, 20404, "The requested resource %s was not found", r.URL.Path)
}

// Handler returns the handler of the REST API, under /2010-04-01.
func (c *Carrier) Handler() http.Handler {
	const root = "/2010-04-01/Accounts/{account}"
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(*http.Request) (any, *apiError){
		"/":                                          func(r *http.Request) (any, *apiError) { return nil, notFound(r) },
		"GET " + root:                                c.getAccount,
		"POST " + root + "/Calls.json":               c.createCall,
		"GET " + root + "/Calls.json":                c.listCalls,
		"GET " + root + "/Calls/{sid}":               c.getCall,
		"POST " + root + "/Calls/{sid}":              c.updateCall,
		"POST " + root + "/Messages.json":            c.createText,
		"GET " + root + "/Messages.json":             c.listTexts,
		"GET " + root + "/IncomingPhoneNumbers.json": c.listNumbers,
	} {
		mux.HandleFunc(pattern, c.answer(serve))
	}
	return mux
}

// answer returns a handler that calls serve for a request that has the credentials, names the
// account and is admitted, with its form parsed.
func (c *Carrier) answer(serve func(*http.Request) (any, *apiError)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.busy++
		w.Header().Set("Twilio-Concurrent-Requests", strconv.Itoa(c.busy))
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.busy--
		}()
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		body, err := any(nil), c.admit(r)
		if err == nil {
			body, err = serve(r)
		}
		switch {
		case err != nil:
			if err.Status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Basic realm="Twilio API"`)
			}
			wire.JSON(w, err.Status, err)
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "s.json"): // a call or a message was created
			wire.JSON(w, http.StatusCreated, body)
		default:
			wire.JSON(w, http.StatusOK, body)
		}
	}
}

func (c *Carrier) admit(r *http.Request) *apiError {
	user, password, _ := r.BasicAuth()
	account, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/2010-04-01/Accounts/"), "/")
	switch {
	case !wire.Equal(user, c.cfg.AccountSID) || !wire.Equal(password, c.cfg.AuthToken):
		return refuse(http.StatusUnauthorized, 20003, "Authenticate")
	case c.cfg.Faults.On(faults.RateLimit):
		return refuse(http.StatusTooManyRequests, 20429, "Too Many Requests")
	case strings.TrimSuffix(account, ".json") != c.cfg.AccountSID:
		return notFound(r)
	case r.ParseForm() != nil:
		return bad(20001, "The request could not be parsed")
	}
	return nil
}

func (c *Carrier) getAccount(*http.Request) (any, *apiError) {
	return map[string]any{
		"sid": c.cfg.AccountSID, "friendly_name": "nAIber sandbox", "status": "active", "type": "Full",
		"owner_account_sid": c.cfg.AccountSID, "uri": c.uri(""),
		"date_created": stamp(c.created), "date_updated": stamp(c.created),
	}, nil
}

// listNumbers lists the account's number, if it contains the text that is searched for.
func (c *Carrier) listNumbers(r *http.Request) (any, *apiError) {
	numbers := []any{}
	if strings.Contains(c.cfg.Number, r.FormValue("PhoneNumber")) {
		numbers = append(numbers, map[string]any{
			"sid": c.numberSID, "account_sid": c.cfg.AccountSID, "phone_number": c.cfg.Number, "friendly_name": c.cfg.Number,
			"capabilities": map[string]bool{"voice": true, "sms": true, "mms": true, "fax": false},
			"date_created": stamp(c.created), "date_updated": stamp(c.created),
			"voice_url": c.cfg.VoiceURL, "voice_method": http.MethodPost,
			"sms_url": c.cfg.TextURL, "status_callback": c.cfg.StatusCallback, "status_callback_method": http.MethodPost,
			"api_version": "2010-04-01", "status": "in-use", "origin": "twilio", "uri": c.uri("/IncomingPhoneNumbers/" + c.numberSID),
		})
	}
	return page(r, "incoming_phone_numbers", numbers), nil
}

// uri returns the REST path of a resource of the account.
func (c *Carrier) uri(path string) string {
	return "/2010-04-01/Accounts/" + c.cfg.AccountSID + path + ".json"
}

// page returns items as the only page of a list.
func page(r *http.Request, name string, items []any) map[string]any {
	return map[string]any{
		name: items, "page": 0, "page_size": 50, "start": 0, "end": max(len(items)-1, 0),
		"uri": r.URL.RequestURI(), "first_page_uri": r.URL.RequestURI(),
		"next_page_uri": nil, "previous_page_uri": nil,
	}
}

// stamp formats a time as REST and callbacks do: RFC 2822, whole seconds, UTC.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC1123Z) }
