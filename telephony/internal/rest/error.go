package rest

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// Error is a failed request. It contains no phone number, no credential and no signed URL.
type Error struct {
	// Op is the operation, with the id of its object.
	Op string
	// HTTPStatus is the answer's status, or 0 when there was no answer.
	HTTPStatus int
	// Status is the vendor's code for the failure, such as "code 21211" or "quota_exceeded", or
	// empty.
	Status string
	// Message is the vendor's explanation.
	Message string
	// Err is the underlying cause if there is one: a transport error, a timeout, an answer that
	// could not be read.
	Err error
	// Class is the class of the failure, which determines whether to retry.
	Class Class
}

// Class is the class of a failure, which determines whether to retry.
type Class int

const (
	// Other is an unknown refusal. It counts as our fault, and retrying does not help.
	Other Class = iota
	// Retryable means that the request was certainly not processed: it was refused because of load,
	// or it never left this machine.
	Retryable
	// OutcomeUnknown means that the request may have been processed: check before retrying.
	OutcomeUnknown
	// Configuration needs an operator: credentials, permissions, numbers, agent, voice, a suspended
	// or trial account.
	Configuration
	// Billing means that the quota is used up; the account's owner must pay.
	Billing
	// Invalid is a request of ours that breaks the API's rules.
	Invalid
	// Number is a permanent failure because of the number dialled.
	Number
	// NotFound is a resource that does not exist at the vendor, or no longer.
	NotFound
	// NotInProgress is a call that cannot be changed because it has ended, or has not begun.
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

// StatusClass returns the class of an HTTP status, for failures of which the vendor's own code says
// no more.
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

// Error returns the operation, the status, the vendor's message and the underlying cause.
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

// Unwrap returns the underlying cause, which lets errors.Is find timeouts and cancellation.
func (e *Error) Unwrap() error { return e.Err }
