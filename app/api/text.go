package api

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// PostgreSQL stores neither NUL characters nor invalid UTF-8. Requests with either are refused,
// with an answer that says so.

var errNUL = errors.New("a NUL character is not text")

// textFormat is JSON without NUL characters. The decoder itself replaces invalid UTF-8.
var textFormat = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		if escapesNUL(data) {
			return errNUL
		}
		return json.Unmarshal(data, v)
	},
}

// escapesNUL reports whether JSON holds the escape \u0000. An unescaped NUL is not valid JSON.
func escapesNUL(data []byte) bool {
	const nul = "u0000"
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		if strings.HasPrefix(string(data[i+1:min(i+1+len(nul), len(data))]), nul) {
			return true
		}
		i++ // the escaped character begins no escape
	}
	return false
}

// legible refuses requests whose query or idempotency key is not text.
func legible(next http.Handler) http.Handler {
	return onlyText("The query or the Idempotency-Key is not text in UTF-8.", func(r *http.Request) []string {
		return slices.Concat(append(slices.Collect(maps.Values(r.URL.Query())), r.Header.Values("Idempotency-Key"))...)
	}, next)
}

// legiblePath refuses requests whose path is not text.
func legiblePath(next http.Handler) http.Handler {
	return onlyText("The address is not text in UTF-8.", func(r *http.Request) []string { return []string{r.URL.Path} }, next)
}

func onlyText(otherwise string, texts func(*http.Request) []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.ContainsFunc(texts(r), func(s string) bool { return !utf8.ValidString(s) || strings.ContainsRune(s, 0) }) {
			Problem(w, http.StatusBadRequest, otherwise)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// private keeps answers about people out of every cache, including the browser's on disk.
func private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}
