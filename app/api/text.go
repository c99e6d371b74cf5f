package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// The database keeps no NUL character and no broken UTF-8: both are turned away
// at the edge, with an answer that says so.

var errNUL = errors.New("a NUL character is not text")

// textFormat is JSON without NUL characters. The decoder itself replaces broken UTF-8.
var textFormat = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		if escapesNUL(data) {
			return errNUL
		}
		return json.Unmarshal(data, v)
	},
}

// escapesNUL reports whether JSON holds the escape \u0000. A NUL that is not
// escaped is no JSON.
func escapesNUL(data []byte) bool {
	const nul = "u0000"
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		if strings.HasPrefix(string(data[i+1:min(i+1+len(nul), len(data))]), nul) {
			return true
		}
		i++ // what is escaped begins no escape
	}
	return false
}

// legible refuses requests whose query or idempotency key is not text.
func legible(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		texts := r.Header.Values("Idempotency-Key")
		for _, values := range r.URL.Query() {
			texts = append(texts, values...)
		}
		for _, s := range texts {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				Problem(w, http.StatusBadRequest, "The query or the Idempotency-Key is not text in UTF-8.")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// private keeps answers about people out of every cache, the browser's on disk
// included.
func private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}
