package elevenlabs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Error is a request to ElevenLabs that did not succeed. It carries no
// credential and no signed URL.
type Error struct {
	// Op is what was being tried, with the id of what it was tried on.
	Op string
	// HTTPStatus is the answer's status, or 0 when there was no answer.
	HTTPStatus int
	// Status is ElevenLabs' own word for the failure, such as
	// "quota_exceeded", or empty.
	Status string
	// Message is ElevenLabs' explanation.
	Message string
	// Fields are the fields of our request that were refused, with HTTP 422.
	Fields []FieldError
	// Err is the underlying cause where there is one: a transport error, a
	// timeout, an answer that could not be read.
	Err error

	class Class
}

// FieldError is one refused field.
type FieldError struct {
	Path    string // such as "body.conversation_config.tts.voice_id"
	Message string
	Type    string
}

// Class says what a failure means for trying again.
type Class int

const (
	// ClassOther is a refusal that nobody recognises. It counts as our fault, and
	// trying the same again will not help.
	ClassOther Class = iota
	// ClassBusy was refused for load, ours or theirs: wait and try again.
	ClassBusy
	// ClassUnavailable may work later: their failure, or the network's. A request
	// that changes something may have been processed.
	ClassUnavailable
	// ClassConfiguration wants an operator: key, permission, agent, voice.
	ClassConfiguration
	// ClassBilling wants whoever pays: the quota is used up.
	ClassBilling
	// ClassInvalid is a request of ours that breaks the API's rules.
	ClassInvalid
	// ClassNotFound is a resource that ElevenLabs does not know.
	ClassNotFound
)

// String returns the class as logs and metrics name it.
func (c Class) String() string {
	switch c {
	case ClassBusy:
		return "busy"
	case ClassUnavailable:
		return "unavailable"
	case ClassConfiguration:
		return "configuration"
	case ClassBilling:
		return "billing"
	case ClassInvalid:
		return "invalid"
	case ClassNotFound:
		return "not_found"
	default:
		return "other"
	}
}

// statusClasses holds ElevenLabs' words that say more than the HTTP status.
var statusClasses = map[string]Class{
	"invalid_api_key":              ClassConfiguration,
	"missing_permissions":          ClassConfiguration,
	"voice_not_found":              ClassConfiguration,
	"quota_exceeded":               ClassBilling,
	"too_many_concurrent_requests": ClassBusy,
	"concurrent_limit_exceeded":    ClassBusy,
	"system_busy":                  ClassBusy,
}

func classify(httpStatus int, status string) Class {
	if class, known := statusClasses[status]; known {
		return class
	}
	switch {
	case httpStatus == http.StatusTooManyRequests:
		return ClassBusy
	case httpStatus == http.StatusUnauthorized, httpStatus == http.StatusForbidden:
		return ClassConfiguration
	case httpStatus == http.StatusPaymentRequired:
		return ClassBilling
	case httpStatus == http.StatusNotFound:
		return ClassNotFound
	case httpStatus == http.StatusUnprocessableEntity, httpStatus == http.StatusBadRequest:
		return ClassInvalid
	case httpStatus >= http.StatusInternalServerError, httpStatus == http.StatusRequestTimeout:
		return ClassUnavailable
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

// Error tells what was tried, the status, and ElevenLabs' message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.HTTPStatus != 0 {
		b.WriteString(": HTTP " + strconv.Itoa(e.HTTPStatus))
	}
	if e.Status != "" {
		b.WriteString(": " + e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	for _, f := range e.Fields {
		b.WriteString(": " + f.Path + ": " + f.Message)
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

// maxMessage and maxFields bound what is kept of an error answer.
const (
	maxMessage = 300
	maxFields  = 20
)

func cleanMessage(s string) string {
	s = strings.ToValidUTF8(s, "")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// decodeError reads an answer that is not a success. Its detail is an object, a
// plain string or a list of refused fields; a proxy may send anything else, and
// what cannot be read is left out.
func decodeError(op string, httpStatus int, body []byte) *Error {
	e := &Error{Op: op, HTTPStatus: httpStatus}
	var wire struct {
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &wire) == nil {
		e.readDetail(wire.Detail)
	}
	if e.Status == "" && e.Message == "" && len(e.Fields) == 0 {
		e.Message = http.StatusText(httpStatus)
	}
	e.class = classify(httpStatus, e.Status)
	return e
}

func (e *Error) readDetail(detail json.RawMessage) {
	var object struct {
		Status  string `json:"status"`
		Code    string `json:"code"` // newer answers, beside or instead of status
		Message string `json:"message"`
	}
	var text string
	var list []struct {
		Loc  []any  `json:"loc"`
		Msg  string `json:"msg"`
		Type string `json:"type"`
	}
	switch {
	case len(detail) == 0:
	case detail[0] == '"' && json.Unmarshal(detail, &text) == nil:
		e.Message = cleanMessage(text)
	case detail[0] == '{' && tolerant(json.Unmarshal(detail, &object)) == nil:
		e.Status, e.Message = cleanMessage(object.Status), cleanMessage(object.Message)
		if e.Status == "" {
			e.Status = cleanMessage(object.Code)
		}
	case detail[0] == '[' && tolerant(json.Unmarshal(detail, &list)) == nil:
		for _, f := range list[:min(len(list), maxFields)] {
			if len(f.Loc) == 0 && f.Msg == "" {
				continue
			}
			path := make([]string, len(f.Loc))
			for i, part := range f.Loc {
				path[i] = fmt.Sprint(part) // a name or an index
			}
			e.Fields = append(e.Fields, FieldError{
				Path: cleanMessage(strings.Join(path, ".")), Message: cleanMessage(f.Msg), Type: cleanMessage(f.Type),
			})
		}
	}
}

// tolerant forgives a field of another type than expected. encoding/json
// decodes all the others before it reports one.
func tolerant(err error) error {
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}
