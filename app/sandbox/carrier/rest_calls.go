package carrier

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// withCall finds the call that the path names.
func (c *Carrier) withCall(next func(http.ResponseWriter, *http.Request, *call)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		call, ok := c.find(strings.TrimSuffix(r.PathValue("sid"), ".json"))
		if !ok {
			notFound(w, r)
			return
		}
		next(w, r, call)
	}
}

func (c *Carrier) getCall(w http.ResponseWriter, _ *http.Request, call *call) {
	answer(w, http.StatusOK, call.resource())
}

// listCalls lists calls, newest first, by To, From, Status and the start time.
// As with the real one, a start time has whole seconds, and a call that has
// not started yet has none and is missed by that filter.
func (c *Carrier) listCalls(w http.ResponseWriter, r *http.Request) {
	size := 50
	if !number32(r.Form, "PageSize", &size, 1, 1000) {
		fail(w, http.StatusBadRequest, 20001, "PageSize must be a number from 1 to 1000")
		return
	}
	var after, before time.Time
	for name, t := range map[string]*time.Time{"StartTime>": &after, "StartTime<": &before} {
		if v := r.FormValue(name); v != "" {
			var ok bool
			if *t, ok = readTime(v); !ok {
				fail(w, http.StatusBadRequest, 20001, "Invalid value for %s", name)
				return
			}
		}
	}
	c.mu.Lock()
	sids := slices.Clone(c.order)
	c.mu.Unlock()
	slices.Reverse(sids)
	calls := []any{}
	for _, sid := range sids {
		call, ok := c.find(sid)
		if !ok || len(calls) == size {
			continue
		}
		if s := call.snapshot(); matches(r, "To", s.to) && matches(r, "From", s.from) && matches(r, "Status", s.status) && within(s.started, after, before) {
			calls = append(calls, call.resource())
		}
	}
	answer(w, http.StatusOK, page(r, "calls", calls))
}

func matches(r *http.Request, name, value string) bool {
	want := r.FormValue(name)
	return want == "" || want == value
}

func within(t, after, before time.Time) bool {
	t = t.Truncate(time.Second)
	switch {
	case after.IsZero() && before.IsZero():
		return true
	case t.IsZero():
		return false
	case !after.IsZero() && t.Before(after):
		return false
	case !before.IsZero() && t.After(before):
		return false
	default:
		return true
	}
}

// readTime reads a filter's time: RFC 3339, or a day in UTC.
func readTime(v string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, v); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// updateCall ends a call, or sends it to other TwiML.
func (c *Carrier) updateCall(w http.ResponseWriter, r *http.Request, call *call) {
	f := r.PostForm
	status, twiml, target := f.Get("Status"), f.Get("Twiml"), f.Get("Url")
	switch {
	case twiml != "" && target != "":
		fail(w, http.StatusBadRequest, 20001, "Url and Twiml are mutually exclusive")
		return
	case len(twiml) > maxTwiML:
		fail(w, http.StatusBadRequest, 20001, "Twiml must be at most %d characters", maxTwiML)
		return
	case target != "" && !webURL(target):
		fail(w, http.StatusBadRequest, 21205, "Url is not a valid URL: %s", target)
		return
	case status != "" && status != "completed" && status != "canceled":
		fail(w, http.StatusBadRequest, 20001, "Status must be completed or canceled")
		return
	}
	ok := true
	switch {
	case status != "":
		ok = call.end(status)
	case twiml != "":
		ok = call.redirect(source{twiml: twiml})
	case target != "":
		ok = call.redirect(source{url: target})
	}
	if !ok {
		fail(w, http.StatusBadRequest, 21220, "Call is not in-progress. Cannot redirect.")
		return
	}
	answer(w, http.StatusOK, call.resource())
}
