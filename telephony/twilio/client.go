package twilio

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// AccountSID names a Twilio account ("AC…").
type AccountSID string

// CallSID names one call leg ("CA…").
type CallSID string

// StreamSID names one Media Stream of a call ("MZ…"). A call that was re-established after its
// stream broke has a new one.
type StreamSID string

// Secret is a credential. It prints as "[redacted]" under every verb and in JSON, to keep it out of
// logs.
type Secret = rest.Secret

// DefaultBaseURL is Twilio's US1 region, which serves all accounts that did not choose another one.
const DefaultBaseURL = "https://api.twilio.com"

// defaultLookWait is the pause between the lookups after a call creation with unknown outcome.
// Twilio's call list is eventually consistent, with no time given; three lookups a second apart are
// our judgement.
const defaultLookWait = time.Second

// Config configures access to a Twilio account.
type Config struct {
	// AccountSID is the account whose calls and numbers are used. Required.
	AccountSID AccountSID
	// AuthUser is the user of Basic authentication: an API key's SID ("SK…"), or
	// empty for the account SID.
	AuthUser string
	// AuthSecret is the password of AuthUser: the API key's secret, or the account's auth token.
	// Required.
	AuthSecret Secret
	// BaseURL is the root of the REST API. It must be https, or http on
	// loopback. Empty means [DefaultBaseURL].
	BaseURL string
	// HTTPClient sends the requests. Nil means a client of this package that follows no redirects.
	HTTPClient *http.Client
	// Timeout bounds each attempt at a request. Zero means 10 s.
	Timeout time.Duration
	// RetryWait is the first pause before a retry; later ones grow up to 3 s. Zero means 200 ms.
	RetryWait time.Duration
	// LookWait is the pause between the lookups of a call or message with unknown outcome. Zero
	// means 1 s.
	LookWait time.Duration
}

// Client places and ends calls over Twilio's REST API. It may be used
// concurrently.
//
// A request that Twilio refuses with 429 was not processed; it is sent again, at most three times
// in all. Idempotent requests (reads, hanging up) are also sent again if the outcome is unknown;
// creating a call never is, see [Client.PlaceCall].
type Client struct {
	rest     rest.Client
	account  string // the path prefix of all resources
	lookWait time.Duration
}

// New returns a client for the account in cfg, or an error that names everything wrong with cfg. It
// sends no request.
func New(cfg Config) (*Client, error) {
	user, secret := cmp.Or(cfg.AuthUser, string(cfg.AccountSID)), string(cfg.AuthSecret)
	c := &Client{
		rest: rest.Client{
			BaseURL: cfg.BaseURL, HTTP: cfg.HTTPClient, Timeout: cfg.Timeout, RetryWait: cfg.RetryWait,
			Authorize: func(r *http.Request) { r.SetBasicAuth(user, secret) },
			Refused:   refused, NotSent: ClassRetryable,
		},
		account:  "/2010-04-01/Accounts/" + url.PathEscape(string(cfg.AccountSID)),
		lookWait: cmp.Or(cfg.LookWait, defaultLookWait),
	}
	var errs []error
	if cfg.AccountSID == "" {
		errs = append(errs, errors.New("account SID is missing"))
	}
	if secret == "" {
		errs = append(errs, errors.New("auth secret is missing"))
	}
	if err := errors.Join(append(errs, c.rest.Complete(DefaultBaseURL))...); err != nil {
		return nil, fmt.Errorf("twilio: %w", err)
	}
	return c, nil
}

// Error is a failed request to Twilio. It contains no phone number and no credential.
type Error = rest.Error

// Class is the class of a failure, which determines whether to retry.
type Class = rest.Class

// The classes of Twilio's failures; see package rest for what they mean.
const (
	ClassOther          = rest.Other
	ClassRetryable      = rest.Retryable
	ClassOutcomeUnknown = rest.OutcomeUnknown
	ClassNumber         = rest.Number
	ClassConfiguration  = rest.Configuration
	ClassNotFound       = rest.NotFound
	ClassNotInProgress  = rest.NotInProgress
)

// ClassOf returns the class of the first [*Error] in err's chain, or
// [ClassOther] when there is none.
func ClassOf(err error) Class { return rest.ClassOf(err) }

// codeClasses holds Twilio's error codes that are more specific than the HTTP status.
var codeClasses = map[int]Class{
	13227: ClassConfiguration, // no geographic permission for that country
	20003: ClassConfiguration, // bad credentials, wrong region, suspended account
	20404: ClassNotFound,
	20429: ClassRetryable,
	21210: ClassConfiguration, // From is not verified or owned
	21211: ClassNumber,        // To is not valid
	21214: ClassNumber,        // To cannot be reached
	21215: ClassConfiguration, // no geographic permission for that country
	21217: ClassNumber,        // To is not valid
	21219: ClassConfiguration, // trial account, and To is not verified
	21220: ClassNotInProgress,
	21408: ClassConfiguration, // no permission for text messages to that country
	21606: ClassConfiguration, // From cannot send text messages, or not to To
	21610: ClassNumber,        // the recipient has sent STOP
	21612: ClassNumber,        // To cannot be reached from From
	21614: ClassNumber,        // To accepts no text messages
	21659: ClassConfiguration, // the account does not own From
	21703: ClassConfiguration, // the messaging service has no number
	22005: ClassConfiguration, // the account's call queue is longer than 24 h
	32205: ClassConfiguration, // no geographic permission for that country
}

// phoneNumber matches what may be a phone number in an error message: an international number, or a
// free-standing run of at least seven digits.
var phoneNumber = regexp.MustCompile(`(?:\+|%2B)\d[\d ().-]{5,}\d|\b\d{7,}\b`)

// refused parses the body of an answer that is not a success into e. The body is Twilio's JSON in
// one of two forms, or anything that a proxy may send instead; what cannot be read is left out, and
// phone numbers are masked.
func refused(e *Error, body []byte) {
	var wire struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if err := rest.Tolerant(json.Unmarshal(body, &wire)); err == nil {
		e.Message = rest.CleanMessage(phoneNumber.ReplaceAllString(wire.Message, "[number]"))
	} else {
		e.Message = http.StatusText(e.HTTPStatus)
	}
	if wire.Code != 0 {
		e.Status = "code " + strconv.Itoa(wire.Code)
	}
	e.Class = cmp.Or(codeClasses[wire.Code], rest.StatusClass(e.HTTPStatus))
}
