package orchestration

import (
	"errors"
	"net/http"
)

// apiError is a refusal in OpenAI's format. Its message is for the person who configures the
// endpoint, and discloses nothing internal.
type apiError struct {
	status  int
	code    string
	param   string
	message string
}

func (e *apiError) Error() string { return e.message }

var (
	errTooLarge    = &apiError{http.StatusRequestEntityTooLarge, "request_too_large", "", "The request body is larger than 1 MiB."}
	errInvalidKey  = &apiError{http.StatusUnauthorized, "invalid_api_key", "", "Incorrect API key provided."}
	errCallToken   = &apiError{http.StatusForbidden, "invalid_call_token", "elevenlabs_extra_body.token", "The call token is not valid for this call."}
	errCallEnded   = &apiError{http.StatusForbidden, "call_ended", "elevenlabs_extra_body.token", "The call that the token names has ended."}
	errMethod      = &apiError{http.StatusMethodNotAllowed, "method_not_allowed", "", "This method is not allowed here."}
	errUnknownPath = &apiError{http.StatusNotFound, "unknown_url", "", "There is nothing at this address."}
	errClosing     = &apiError{http.StatusServiceUnavailable, "shutting_down", "", "The service is shutting down."}
	errInternal    = &apiError{http.StatusInternalServerError, "internal_error", "", "Something went wrong on our side."}
)

func badRequest(param, message string) *apiError {
	return &apiError{http.StatusBadRequest, "invalid_request", param, message}
}

func modelNotFound(id string) *apiError {
	return &apiError{http.StatusNotFound, "model_not_found", "model", "The model '" + id + "' does not exist."}
}

// publicError returns the error that a client may see for err. An unknown error counts as our
// fault.
func publicError(err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	return errInternal
}

func writeError(w http.ResponseWriter, err error) {
	e := publicError(err)
	kind := "invalid_request_error"
	if e.status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	var param *string
	if e.param != "" {
		param = &e.param
	}
	if e.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, e.status, map[string]any{"error": map[string]any{"message": e.message, "type": kind, "param": param, "code": e.code}})
}
