package orchestration

import (
	"errors"
	"net/http"

	"github.com/naiber/naiber/orchestration/llm"
)

// apiError is a refusal in OpenAI's form. Its words are for whoever set the
// endpoint up; they say nothing about the inside.
type apiError struct {
	status  int
	kind    string // "type" on the wire
	code    string
	param   string
	message string
}

func (e *apiError) Error() string { return e.message }

var (
	errTooLarge = &apiError{
		status: http.StatusRequestEntityTooLarge, kind: "invalid_request_error", code: "request_too_large",
		message: "The request body is larger than 1 MiB.",
	}
	errInvalidKey = &apiError{
		status: http.StatusUnauthorized, kind: "invalid_request_error", code: "invalid_api_key",
		message: "Incorrect API key provided.",
	}
	errCallToken = &apiError{
		status: http.StatusForbidden, kind: "invalid_request_error", code: "invalid_call_token", param: "elevenlabs_extra_body.token",
		message: "The call token is not valid for this call.",
	}
	errCallEnded = &apiError{
		status: http.StatusForbidden, kind: "invalid_request_error", code: "call_ended", param: "elevenlabs_extra_body.token",
		message: "The call that the token names has ended.",
	}
	errMethod = &apiError{
		status: http.StatusMethodNotAllowed, kind: "invalid_request_error", code: "method_not_allowed",
		message: "This method is not allowed here.",
	}
	errUnknownPath = &apiError{
		status: http.StatusNotFound, kind: "invalid_request_error", code: "unknown_url",
		message: "There is nothing at this address.",
	}
	errClosing = &apiError{
		status: http.StatusServiceUnavailable, kind: "server_error", code: "shutting_down",
		message: "The service is shutting down.",
	}
	errInternal = &apiError{
		status: http.StatusInternalServerError, kind: "server_error", code: "internal_error",
		message: "Something went wrong on our side.",
	}
)

func badRequest(param, message string) *apiError {
	return &apiError{status: http.StatusBadRequest, kind: "invalid_request_error", code: "invalid_request", param: param, message: message}
}

func modelNotFound(id string) *apiError {
	return &apiError{
		status: http.StatusNotFound, kind: "invalid_request_error", code: "model_not_found", param: "model",
		message: "The model '" + id + "' does not exist.",
	}
}

// publicError maps err to what a client may see. What it does not know is our fault.
func publicError(err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	return errInternal
}

func writeError(w http.ResponseWriter, err error) {
	e := publicError(err)
	b := append(make([]byte, 0, 256), `{"error":{"message":`...)
	b = llm.AppendString(b, e.message)
	b = append(b, `,"type":`...)
	b = llm.AppendString(b, e.kind)
	b = append(b, `,"param":`...)
	if e.param == "" {
		b = append(b, "null"...)
	} else {
		b = llm.AppendString(b, e.param)
	}
	b = append(b, `,"code":`...)
	b = llm.AppendString(b, e.code)
	b = append(b, "}}\n"...)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if e.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(e.status)
	// The client went away; there is nobody left to tell.
	_, _ = w.Write(b)
}
