package carrier

import (
	"maps"
	"net/http"
	"strings"
	"time"
)

// number is the account's phone number and where its calls go. The carrier's
// mutex guards hooks.
type number struct {
	sid     string
	created time.Time
	hooks   map[string]string // by their name in JSON
}

// hookFields are the form fields that change a number, and their JSON names.
var hookFields = map[string]string{
	"VoiceUrl": "voice_url", "VoiceMethod": "voice_method",
	"StatusCallback": "status_callback", "StatusCallbackMethod": "status_callback_method",
	"FriendlyName": "friendly_name",
}

func (c *Carrier) hook(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.number.hooks[name]
}

func (c *Carrier) numberResource() map[string]any {
	c.mu.Lock()
	hooks := maps.Clone(c.number.hooks)
	c.mu.Unlock()
	out := map[string]any{
		"sid": c.number.sid, "account_sid": c.cfg.AccountSID, "phone_number": c.cfg.Number,
		"capabilities": map[string]bool{"voice": true, "sms": true, "mms": true, "fax": false},
		"date_created": stamp(c.number.created), "date_updated": stamp(c.number.created),
		"api_version": "2010-04-01", "status": "in-use", "origin": "twilio",
		"uri": "/2010-04-01/Accounts/" + c.cfg.AccountSID + "/IncomingPhoneNumbers/" + c.number.sid + ".json",
	}
	for name, value := range hooks {
		out[name] = value
	}
	return out
}

func (c *Carrier) listNumbers(w http.ResponseWriter, r *http.Request) {
	numbers := []any{}
	// The filter matches any part of the number.
	if strings.Contains(c.cfg.Number, r.FormValue("PhoneNumber")) {
		numbers = append(numbers, c.numberResource())
	}
	answer(w, http.StatusOK, page(r, "incoming_phone_numbers", numbers))
}

func (c *Carrier) oneNumber(w http.ResponseWriter, r *http.Request) {
	if strings.TrimSuffix(r.PathValue("sid"), ".json") != c.number.sid {
		notFound(w, r)
		return
	}
	if r.Method == http.MethodPost {
		for field, name := range hookFields {
			if !r.PostForm.Has(field) {
				continue
			}
			value := r.PostForm.Get(field)
			if strings.HasSuffix(field, "Url") || field == "StatusCallback" {
				if value != "" && !webURL(value) {
					fail(w, http.StatusBadRequest, 21502, "%s is not valid: %s", field, value)
					return
				}
			}
			c.mu.Lock()
			c.number.hooks[name] = value
			c.mu.Unlock()
		}
	}
	answer(w, http.StatusOK, c.numberResource())
}

// page wraps one page of a list.
func page(r *http.Request, name string, items []any) map[string]any {
	return map[string]any{
		name: items, "page": 0, "page_size": 50, "start": 0, "end": max(len(items)-1, 0),
		"uri": r.URL.RequestURI(), "first_page_uri": r.URL.RequestURI(),
		"next_page_uri": nil, "previous_page_uri": nil,
	}
}
