package elevenlabs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// AgentID names an agent: the configuration that conversations run under.
type AgentID string

// ConversationID names one conversation. A call whose conversation broke and was followed by
// another has several.
type ConversationID string

// SecretID names a secret stored in the workspace. The name is not secret.
type SecretID string

// WebhookID names a webhook of the workspace.
type WebhookID string

// Secret is a credential. It prints as "[redacted]" under every verb and in JSON, to keep it out of
// logs.
type Secret = rest.Secret

// DefaultBaseURL is the host with global routing. Residency workspaces have their own hosts, and
// their keys work only there.
const DefaultBaseURL = "https://api.elevenlabs.io"

// Config configures access to an ElevenLabs workspace.
type Config struct {
	// APIKey is the workspace's key. Required.
	APIKey Secret
	// BaseURL is the root of the REST API. It must be https, or http on
	// loopback. Empty means [DefaultBaseURL].
	BaseURL string
	// HTTPClient sends the requests. Nil means a client of this package that follows no redirects.
	HTTPClient *http.Client
	// Timeout bounds each attempt at a request. Zero means 10 s.
	Timeout time.Duration
	// RetryWait is the first pause before a retry; later ones grow up to 3 s. Zero means 200 ms.
	RetryWait time.Duration
}

// Client calls ElevenLabs' REST API. It may be used concurrently.
//
// A request refused with 429 is sent again, at most three times in all. Reads are also sent again
// after a failure of the server or of the network.
type Client struct{ rest rest.Client }

// New returns a client for the workspace in cfg, or an error that names everything wrong with cfg.
// It sends no request.
func New(cfg Config) (*Client, error) {
	key := string(cfg.APIKey)
	c := &Client{rest.Client{
		BaseURL: cfg.BaseURL, HTTP: cfg.HTTPClient, Timeout: cfg.Timeout, RetryWait: cfg.RetryWait,
		Authorize: func(r *http.Request) { r.Header.Set("xi-api-key", key) },
		Refused:   refused, NotSent: ClassUnavailable,
	}}
	var noKey error
	if key == "" {
		noKey = errors.New("API key is missing")
	}
	if err := errors.Join(noKey, c.rest.Complete(DefaultBaseURL)); err != nil {
		return nil, fmt.Errorf("elevenlabs: %w", err)
	}
	return c, nil
}

// Error is a failed request to ElevenLabs. It contains no credential and no signed URL.
type Error = rest.Error

// Class is the class of a failure, which determines whether to retry.
type Class = rest.Class

// The classes of ElevenLabs' failures.
const (
	ClassOther = rest.Other
	// ClassBusy means refused because of load, ours or theirs: wait and retry.
	ClassBusy = rest.Retryable
	// ClassUnavailable means a failure of ElevenLabs or of the network, which may pass. A request
	// that changes state may have been processed.
	ClassUnavailable   = rest.OutcomeUnknown
	ClassConfiguration = rest.Configuration
	ClassBilling       = rest.Billing
	ClassInvalid       = rest.Invalid
	ClassNotFound      = rest.NotFound
)

// ClassOf returns the class of the first [*Error] in err's chain, or
// [ClassOther] when there is none.
func ClassOf(err error) Class { return rest.ClassOf(err) }

// statusClasses holds ElevenLabs' status strings that are more specific than the HTTP status.
var statusClasses = map[string]Class{
	"invalid_api_key":              ClassConfiguration,
	"missing_permissions":          ClassConfiguration,
	"voice_not_found":              ClassConfiguration,
	"quota_exceeded":               ClassBilling,
	"too_many_concurrent_requests": ClassBusy,
	"concurrent_limit_exceeded":    ClassBusy,
	"system_busy":                  ClassBusy,
}

// httpClasses holds the HTTP statuses that have a special meaning here.
var httpClasses = map[int]Class{
	http.StatusPaymentRequired:     ClassBilling,
	http.StatusUnprocessableEntity: ClassInvalid,
	http.StatusBadRequest:          ClassInvalid,
}

// maxFields bounds how many refused fields an error names.
const maxFields = 20

// refused parses the body of an answer that is not a success into e. The detail is an object, a
// plain string or a list of refused fields; a proxy may send anything else, and what cannot be read
// is left out.
func refused(e *Error, body []byte) {
	var wire struct {
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &wire) == nil {
		e.Status, e.Message = readDetail(wire.Detail)
	}
	if e.Status == "" && e.Message == "" {
		e.Message = http.StatusText(e.HTTPStatus)
	}
	e.Class = cmp.Or(statusClasses[e.Status], httpClasses[e.HTTPStatus], rest.StatusClass(e.HTTPStatus))
}

func readDetail(detail json.RawMessage) (status, message string) {
	var object struct {
		Status  string `json:"status"`
		Code    string `json:"code"` // in newer answers, besides or instead of status
		Message string `json:"message"`
	}
	var text string
	var list []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	}
	switch {
	case len(detail) == 0:
	case detail[0] == '"' && json.Unmarshal(detail, &text) == nil:
		return "", rest.CleanMessage(text)
	case detail[0] == '{' && rest.Tolerant(json.Unmarshal(detail, &object)) == nil:
		return rest.CleanMessage(cmp.Or(object.Status, object.Code)), rest.CleanMessage(object.Message)
	case detail[0] == '[' && rest.Tolerant(json.Unmarshal(detail, &list)) == nil:
		var fields []string
		for _, f := range list[:min(len(list), maxFields)] {
			if len(f.Loc) > 0 || f.Msg != "" {
				path := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(f.Loc)), "."), "[]") // names and indices
				fields = append(fields, rest.CleanMessage(path)+": "+rest.CleanMessage(f.Msg))
			}
		}
		return "", strings.Join(fields, ": ")
	}
	return "", ""
}
