package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/naiber/naiber/app/sandbox/wire"
)

// maxBody bounds a request, in bytes; it is more than all faults together need.
const maxBody = 64 << 10

// Handler returns a handler that serves the set as JSON, whatever the path: GET lists all faults
// with their state; PUT takes an object of names and values, in which null and false switch a
// fault off and true stands for its default, and answers as GET does. A mistake is answered with
// application/problem+json and changes nothing.
func (s *Set) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet, http.MethodHead:
		case http.MethodPut:
			if code, err := s.put(w, r); err != nil {
				problem(w, code, err)
				return
			}
		default:
			w.Header().Set("Allow", "GET, PUT")
			problem(w, http.StatusMethodNotAllowed, errors.New("use GET or PUT"))
			return
		}
		wire.JSON(w, http.StatusOK, map[string]any{"faults": s.States()})
	})
}

func (s *Set) put(w http.ResponseWriter, r *http.Request) (int, error) {
	var body map[string]any
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&body); err != nil {
		if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
			return http.StatusRequestEntityTooLarge, errors.New("the body is too large")
		}
		return http.StatusBadRequest, errors.New("the body is not a JSON object of names and values")
	}
	values := make(map[string]string, len(body))
	for name, v := range body {
		switch v {
		case nil, false, "":
			values[name] = off
		case true:
			values[name] = "on"
		default:
			switch v := v.(type) {
			case float64:
				values[name] = fmt.Sprintf("%.0f", v)
			case string:
				values[name] = v
			default:
				return http.StatusUnprocessableEntity, fmt.Errorf("%s: a value is a string, a number, a boolean or null", name)
			}
		}
		if _, _, err := parse(name, values[name]); err != nil {
			return http.StatusUnprocessableEntity, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := s.Set(name, values[name]); err != nil {
			return http.StatusUnprocessableEntity, err
		}
	}
	return 0, nil
}

func problem(w http.ResponseWriter, code int, err error) {
	w.Header().Set("Content-Type", "application/problem+json")
	wire.JSON(w, code, map[string]any{"type": "about:blank", "title": http.StatusText(code), "status": code, "detail": err.Error()})
}
