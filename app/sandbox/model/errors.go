package model

import (
	"encoding/json"
	"net/http"
)

// An apiError is an error in the wire's own form.
type apiError struct {
	status  int
	message string
	kind    string // "type" on the wire
	param   string // empty: null
	code    string // empty: null
}

var (
	errNoKey = &apiError{
		status: http.StatusUnauthorized, kind: "invalid_request_error",
		message: "You didn't provide an API key. You need to provide your API key in an Authorization header " +
			"using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
	}
	// The real service repeats the key with its middle struck out; a secret is
	// better not repeated at all.
	errWrongKey = &apiError{
		status: http.StatusUnauthorized, kind: "invalid_request_error", code: "invalid_api_key",
		message: "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
	}
	errInternal = &apiError{
		status: http.StatusInternalServerError, kind: "server_error",
		message: "The server had an error while processing your request. Sorry about that!",
	}
	errBadJSON = &apiError{
		status: http.StatusBadRequest, kind: "invalid_request_error",
		message: "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP " +
			"library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
	}
	errTooLarge = &apiError{
		status: http.StatusRequestEntityTooLarge, kind: "invalid_request_error", code: "request_too_large",
		message: "The request body is too large.",
	}
)

// invalid is a 400 about one parameter.
func invalid(code, param, message string) *apiError {
	return &apiError{status: http.StatusBadRequest, kind: "invalid_request_error", code: code, param: param, message: message}
}

// as returns the same error under another status.
func (e *apiError) as(status int) *apiError {
	other := *e
	other.status = status
	return &other
}

// Error is the message that a client sees.
func (e *apiError) Error() string { return e.message }

func (e *apiError) write(w http.ResponseWriter) {
	body := struct {
		Error struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Param   *string `json:"param"`
			Code    *string `json:"code"`
		} `json:"error"`
	}{}
	body.Error.Message, body.Error.Type = e.message, e.kind
	if e.param != "" {
		body.Error.Param = &e.param
	}
	if e.code != "" {
		body.Error.Code = &e.code
	}
	if e.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, e.status, body)
}

// writeJSON answers with v. The client may be gone; there is nobody to tell.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
