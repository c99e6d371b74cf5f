package twilio

import (
	"context"
	"net/url"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// Account is the state of the configured account.
type Account struct {
	Status string `json:"status"` // "active", "suspended", "closed"
	Type   string `json:"type"`   // "Full" or "Trial"
}

// Active reports whether the account may place calls.
func (a Account) Active() bool { return a.Status == "active" }

// Trial reports whether this is a trial account, from which only verified numbers can be called.
func (a Account) Trial() bool { return a.Type == "Trial" }

// Account returns the configured account. Success also proves that the credentials are valid.
func (c *Client) Account(ctx context.Context) (Account, error) {
	var a Account
	_, err := c.rest.Do(ctx, rest.Request{Op: "get account", Path: c.account + ".json", Idempotent: true}, &a)
	return a, err
}

// Number is a phone number that the account owns.
type Number struct {
	PhoneNumber  string `json:"phone_number"`
	Capabilities struct {
		Voice bool `json:"voice"`
		SMS   bool `json:"sms"`
	} `json:"capabilities"`
	VoiceURL       string `json:"voice_url"` // answers inbound calls, unless ApplicationSID is set
	VoiceMethod    string `json:"voice_method"`
	SMSURL         string `json:"sms_url"` // receives text messages
	StatusCallback string `json:"status_callback"`
	ApplicationSID string `json:"voice_application_sid"` // if not empty, Twilio ignores VoiceURL and StatusCallback
}

// Number returns the account's number with the E.164 form phone; found is false if the account does
// not own it.
func (c *Client) Number(ctx context.Context, phone string) (number Number, found bool, err error) {
	var page struct {
		Numbers []Number `json:"incoming_phone_numbers"`
	}
	_, err = c.rest.Do(ctx, rest.Request{
		Op: "find number", Path: c.account + "/IncomingPhoneNumbers.json", Query: url.Values{"PhoneNumber": {phone}}, Idempotent: true,
	}, &page)
	if err != nil {
		return Number{}, false, err
	}
	for _, n := range page.Numbers { // Twilio's filter also matches numbers that merely contain this one
		if n.PhoneNumber == phone {
			return n, true, nil
		}
	}
	return Number{}, false, nil
}
