package twilio

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// Account is the state of the configured account.
type Account struct {
	SID    AccountSID `json:"sid"`
	Name   string     `json:"friendly_name"`
	Status string     `json:"status"` // "active", "suspended", "closed"
	Type   string     `json:"type"`   // "Full" or "Trial"
}

// Active reports whether the account may place calls.
func (a Account) Active() bool { return a.Status == "active" }

// Trial reports whether only verified numbers can be called.
func (a Account) Trial() bool { return a.Type == "Trial" }

// Account returns the configured account, which also proves the credentials.
func (c *Client) Account(ctx context.Context) (Account, error) {
	var a Account
	_, err := c.do(ctx, request{op: "get account", method: http.MethodGet, path: ".json", idempotent: true}, &a)
	return a, err
}

// Number is a phone number that the account owns.
type Number struct {
	SID            NumberSID
	PhoneNumber    string
	Voice, SMS     bool   // what the number can do
	VoiceURL       string // answers inbound calls, unless ApplicationSID is set
	VoiceMethod    string
	StatusCallback string
	SMSURL         string
	ApplicationSID string // when not empty, Twilio ignores VoiceURL and StatusCallback
}

// Number returns the account's number in E.164 form; found is false when the
// account does not own it.
func (c *Client) Number(ctx context.Context, phone string) (number Number, found bool, err error) {
	var page struct {
		Numbers []struct {
			SID          NumberSID `json:"sid"`
			PhoneNumber  string    `json:"phone_number"`
			Capabilities struct {
				Voice bool `json:"voice"`
				SMS   bool `json:"sms"`
			} `json:"capabilities"`
			VoiceURL       string `json:"voice_url"`
			VoiceMethod    string `json:"voice_method"`
			StatusCallback string `json:"status_callback"`
			SMSURL         string `json:"sms_url"`
			ApplicationSID string `json:"voice_application_sid"`
		} `json:"incoming_phone_numbers"`
	}
	_, err = c.do(ctx, request{
		op: "find number", method: http.MethodGet, path: "/IncomingPhoneNumbers.json", idempotent: true,
		query: url.Values{"PhoneNumber": {phone}},
	}, &page)
	if err != nil {
		return Number{}, false, err
	}
	for _, w := range page.Numbers { // Twilio's filter also finds numbers that merely contain this one
		if w.PhoneNumber == phone {
			return Number{
				SID: w.SID, PhoneNumber: w.PhoneNumber, Voice: w.Capabilities.Voice, SMS: w.Capabilities.SMS,
				VoiceURL: w.VoiceURL, VoiceMethod: w.VoiceMethod, StatusCallback: w.StatusCallback, SMSURL: w.SMSURL,
				ApplicationSID: w.ApplicationSID,
			}, true, nil
		}
	}
	return Number{}, false, nil
}

// SetNumberWebhooks makes Twilio ask voiceURL what to do with inbound calls,
// and report their progress to statusURL. Both are sent as POST.
func (c *Client) SetNumberWebhooks(ctx context.Context, sid NumberSID, voiceURL, statusURL string) error {
	op := "set webhooks of number " + string(sid)
	if strings.Trim(string(sid), ".") == "" {
		return &Error{Op: op, Err: errors.New("number SID is missing")}
	}
	_, err := c.do(ctx, request{
		op: op, method: http.MethodPost, idempotent: true,
		path: "/IncomingPhoneNumbers/" + url.PathEscape(string(sid)) + ".json",
		form: url.Values{
			"VoiceUrl": {voiceURL}, "VoiceMethod": {http.MethodPost},
			"StatusCallback": {statusURL}, "StatusCallbackMethod": {http.MethodPost},
		},
	}, nil)
	return err
}
