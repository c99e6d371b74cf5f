package twilio

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Error is a request to Twilio that did not succeed. It carries no phone
// number and no credential.
type Error struct {
	// Op is what was being tried, with the id of what it was tried on.
	Op string
	// HTTPStatus is the answer's status, or 0 when there was no answer.
	HTTPStatus int
	// Code is Twilio's error code, or 0 when the answer had none.
	Code int
	// Message is Twilio's explanation, with phone numbers masked.
	Message string
	// MoreInfo is the address of Twilio's page about Code.
	MoreInfo string
	// Err is the underlying cause where there is one: a transport error, a
	// timeout, an answer that could not be read.
	Err error

	class Class
}

// Class says what a failure means for trying again.
type Class int

const (
	// ClassOther is a refusal that nobody recognises. It counts as our fault, and
	// trying the same again will not help.
	ClassOther Class = iota
	// ClassRetryable was certainly not processed: the rate limit refused it, or
	// it never left this machine.
	ClassRetryable
	// ClassOutcomeUnknown may or may not have been processed: look before
	// trying again.
	ClassOutcomeUnknown
	// ClassNumber is about the number dialled, and will not change.
	ClassNumber
	// ClassConfiguration wants an operator: credentials, permissions, the
	// caller's number, a suspended or trial account.
	ClassConfiguration
	// ClassNotFound is a resource that Twilio does not know, or no longer.
	ClassNotFound
	// ClassNotInProgress is a call that has ended, or has not begun, and so
	// cannot be changed.
	ClassNotInProgress
)

// String returns the class as logs and metrics name it.
func (c Class) String() string {
	switch c {
	case ClassRetryable:
		return "retryable"
	case ClassOutcomeUnknown:
		return "outcome_unknown"
	case ClassNumber:
		return "number"
	case ClassConfiguration:
		return "configuration"
	case ClassNotFound:
		return "not_found"
	case ClassNotInProgress:
		return "not_in_progress"
	default:
		return "other"
	}
}

// codeClasses holds Twilio's error codes that say more than the HTTP status.
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
	22005: ClassConfiguration, // the account's call queue is over 24 h long
	32205: ClassConfiguration, // no geographic permission for that country
}

// classify says what an answer with this status and code means.
func classify(status, code int) Class {
	if class, known := codeClasses[code]; known {
		return class
	}
	switch {
	case status == http.StatusTooManyRequests:
		return ClassRetryable
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return ClassConfiguration
	case status == http.StatusNotFound:
		return ClassNotFound
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout:
		return ClassOutcomeUnknown
	default:
		return ClassOther
	}
}

// ClassOf returns the class of the first [*Error] in err's chain, or
// [ClassOther] when there is none.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.class
	}
	return ClassOther
}

// Class says what the failure means for trying again.
func (e *Error) Class() Class { return e.class }

// Retryable reports whether the request was certainly not processed, so that
// sending it again cannot do its work twice.
func (e *Error) Retryable() bool { return e.class == ClassRetryable }

// OutcomeUnknown reports whether the request may have been processed although
// no usable answer came.
func (e *Error) OutcomeUnknown() bool { return e.class == ClassOutcomeUnknown }

// BadNumber reports whether the number dialled is the reason, for good.
func (e *Error) BadNumber() bool { return e.class == ClassNumber }

// Misconfigured reports whether only an operator can help.
func (e *Error) Misconfigured() bool { return e.class == ClassConfiguration }

// Error tells what was tried, the status and code, and Twilio's message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.HTTPStatus != 0 {
		b.WriteString(": HTTP " + strconv.Itoa(e.HTTPStatus))
	}
	if e.Code != 0 {
		b.WriteString(": code " + strconv.Itoa(e.Code))
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the underlying cause, so that errors.Is finds timeouts and
// cancellation.
func (e *Error) Unwrap() error { return e.Err }

// withCancel returns e with the cause of ctx's end added.
func (e *Error) withCancel(ctx context.Context) *Error {
	end := *e
	end.Err = errors.Join(e.Err, context.Cause(ctx))
	return &end
}

// phoneNumber finds what may be a phone number in a message for people: an
// international number, or a free-standing run of at least seven digits.
var phoneNumber = regexp.MustCompile(`(?:\+|%2B)\d[\d ().-]{5,}\d|\b\d{7,}\b`)

// maxMessage bounds what is kept of an error message, in bytes.
const maxMessage = 300

func cleanMessage(s string) string {
	s = phoneNumber.ReplaceAllString(strings.ToValidUTF8(s, ""), "[number]")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// decodeError reads an answer that is not a success. The body is Twilio's JSON
// in one of two shapes, or anything a proxy may put in its place; what cannot
// be read is left out.
func decodeError(op string, status int, body []byte) *Error {
	var wire struct {
		Code     int    `json:"code"`
		Message  string `json:"message"`
		MoreInfo string `json:"more_info"`
	}
	e := &Error{Op: op, HTTPStatus: status}
	if err := tolerant(json.Unmarshal(body, &wire)); err == nil {
		e.Code, e.Message, e.MoreInfo = wire.Code, cleanMessage(wire.Message), wire.MoreInfo
	} else {
		e.Message = http.StatusText(status)
	}
	e.class = classify(e.HTTPStatus, e.Code)
	return e
}

// tolerant forgives a field of another type than expected. encoding/json
// decodes all the others before it reports one.
func tolerant(err error) error {
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}
