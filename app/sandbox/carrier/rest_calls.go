package carrier

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/wire"
)

// find returns the call that the path names.
func (c *Carrier) find(r *http.Request) (*call, *apiError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call, ok := c.calls[strings.TrimSuffix(r.PathValue("sid"), ".json")]; ok {
		return call, nil
	}
	return nil, notFound(r)
}

func (c *Carrier) getCall(r *http.Request) (any, *apiError) {
	call, err := c.find(r)
	if err != nil {
		return nil, err
	}
	return call.resource(), nil
}

// listCalls lists calls, newest first, filtered by To, From, Status and start time. As with the
// real service, a start time has whole seconds, and the filter for it misses calls that have not
// started yet.
func (c *Carrier) listCalls(r *http.Request) (any, *apiError) {
	size := 50
	if !number(r.Form, "PageSize", &size, 1, 1000) {
		return nil, bad(20001, "PageSize must be a number from 1 to 1000")
	}
	var after, before time.Time
	for name, t := range map[string]*time.Time{"StartTime>": &after, "StartTime<": &before} {
		if v := r.FormValue(name); v != "" {
			var err error
			if *t, err = time.Parse(time.RFC3339, v); err != nil {
				if *t, err = time.Parse(time.DateOnly, v); err != nil {
					return nil, bad(20001, "Invalid value for %s", name)
				}
			}
		}
	}
	c.mu.Lock()
	found := make([]*call, 0, len(c.order))
	for _, sid := range slices.Backward(c.order) {
		found = append(found, c.calls[sid])
	}
	c.mu.Unlock()
	is := func(name, value string) bool { return r.FormValue(name) == "" || r.FormValue(name) == value }
	calls := []any{}
	for _, call := range found {
		s := call.snapshot()
		started := s.started.Truncate(time.Second)
		if len(calls) == size || !is("To", s.to) || !is("From", s.from) || !is("Status", s.status) ||
			started.IsZero() && (!after.IsZero() || !before.IsZero()) || started.Before(after) || !before.IsZero() && started.After(before) {
			continue
		}
		calls = append(calls, call.resource())
	}
	return page(r, "calls", calls), nil
}

// updateCall ends a call, or sends it to other TwiML.
func (c *Carrier) updateCall(r *http.Request) (any, *apiError) {
	call, err := c.find(r)
	if err != nil {
		return nil, err
	}
	status, twiml, target := r.PostForm.Get("Status"), r.PostForm.Get("Twiml"), r.PostForm.Get("Url")
	ok, limit := true, 0
	switch {
	case !number(r.PostForm, "TimeLimit", &limit, 1, 24*60*60):
		return nil, bad(20001, "TimeLimit must be a number of seconds in a day")
	case twiml != "" && target != "":
		return nil, bad(20001, "Url and Twiml are mutually exclusive")
	case len(twiml) > maxTwiML:
		return nil, bad(20001, "Twiml must be at most %d characters", maxTwiML)
	case target != "" && !wire.IsURL(target):
		return nil, bad(21205, "Url is not a valid URL: %s", target)
	case status != "" && status != completed && status != canceled:
		return nil, bad(20001, "Status must be completed or canceled")
	case status != "":
		ok = call.end(status)
	case twiml != "" || target != "":
		ok = call.redirect(source{twiml: twiml, url: target})
	}
	if limit > 0 && ok {
		ok = call.extend(limit)
	}
	if !ok {
		return nil, bad(21220, "Call is not in-progress. Cannot redirect.")
	}
	return call.resource(), nil
}

// createCall places a call.
func (c *Carrier) createCall(r *http.Request) (any, *apiError) {
	p, err := c.readParams(r)
	if err != nil {
		return nil, err
	}
	call := c.newCall(r.PostForm.Get("From"), r.PostForm.Get("To"), "outbound-api", p)
	created := call.resource()
	if !c.life.Go(call.runOutbound) {
		return nil, refuse(http.StatusServiceUnavailable, 20503, "Service is temporarily unavailable")
	}
	c.neverAnswer(r)
	return created, nil
}
