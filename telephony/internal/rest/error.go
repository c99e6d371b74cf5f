package rest

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// Error is a request that did not succeed. It carries no phone number, no
// credential and no signed URL.
type Error struct {
	// Op is what was being tried, with the id of what it was tried on.
	Op string
	// HTTPStatus is the answer's status, or 0 when there was no answer.
	HTTPStatus int
	// Status is the vendor's own word for the failure, such as "code 21211" or
	// "quota_exceeded", or empty.
	Status string
	// Message is the vendor's explanation.
	Message string
	// Err is the underlying cause where there is one: a transport error, a
	// timeout, an answer that could not be read.
	Err error
	// Class says what the failure means for trying again.
	Class Class
}

// Class says what a failure means for trying again.
type Class int

const (
	// Other is a refusal that nobody recognises. It counts as our fault, and
	// trying the same again will not help.
	Other Class = iota
	// Retryable was certainly not processed: it was refused for load, or it never
	// left this machine.
	Retryable
	// OutcomeUnknown may or may not have been processed: look before trying again.
	OutcomeUnknown
	// Configuration wants an operator: credentials, permissions, numbers, agent,
	// voice, a suspended or trial account.
	Configuration
	// Billing wants whoever pays: the quota is used up.
	Billing
	// Invalid is a request of ours that breaks the API's rules.
	Invalid
	// Number is about the number dialled, and will not change.
	Number
	// NotFound is a resource that the vendor does not know, or no longer.
	NotFound
	// NotInProgress is a call that has ended, or has not begun, and so cannot be
	// changed.
	NotInProgress
)

// ClassOf returns the class of the first [*Error] in err's chain, or [Other]
// when there is none.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Other
}

// StatusClass returns what an HTTP status says where the vendor's own word says no
// more.
func StatusClass(status int) Class {
	switch {
	case status == http.StatusTooManyRequests:
		return Retryable
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Configuration
	case status == http.StatusNotFound:
		return NotFound
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout:
		return OutcomeUnknown
	default:
		return Other
	}
}

// Error tells what was tried, the status, and the vendor's message.
func (e *Error) Error() string {
	parts := []string{e.Op}
	if e.HTTPStatus != 0 {
		parts = append(parts, "HTTP "+strconv.Itoa(e.HTTPStatus))
	}
	for _, s := range []string{e.Status, e.Message} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the underlying cause, so that errors.Is finds timeouts and
// cancellation.
func (e *Error) Unwrap() error { return e.Err }
