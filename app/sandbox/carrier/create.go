package carrier

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

// The bounds of a new call's parameters.
const (
	maxTwiML         = 4000
	defaultTimeout   = 60
	defaultTimeLimit = 4 * 60 * 60
)

var e164 = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// params are the parameters of a new call. Times are in seconds.
type params struct {
	source                             source
	callback                           string
	verstat                            string // StirVerstat: how an inbound call's number was verified
	events                             []string
	timeout, timeLimit, machineTimeout int
	machine                            bool
	machineCallback                    string
}

// neverAnswer lets the request hang until the client leaves, if that fault is on.
func (c *Carrier) neverAnswer(r *http.Request) {
	if !c.cfg.Faults.On(faults.CreateTimeout) {
		return
	}
	select {
	case <-r.Context().Done():
	case <-c.life.Context().Done():
	}
	panic(http.ErrAbortHandler) // the connection ends without an answer
}

// readParams validates a request for a call.
func (c *Carrier) readParams(r *http.Request) (params, *apiError) {
	f := r.PostForm
	to, from, target, twiml := f.Get("To"), f.Get("From"), f.Get("Url"), f.Get("Twiml")
	p := params{
		source:  source{url: target, twiml: twiml}, // with both, Twiml is silently ignored
		timeout: defaultTimeout, timeLimit: defaultTimeLimit, machineTimeout: 30, callback: f.Get("StatusCallback"),
		machine: f.Get("MachineDetection") != "", machineCallback: f.Get("AsyncAmdStatusCallback"),
	}
	for _, check := range []struct {
		ok     bool
		code   int
		format string
		args   []any
	}{
		{to != "", 21201, "No 'To' number is specified", nil},
		{from != "", 21213, "No 'From' number is specified", nil},
		{e164.MatchString(to), 21211, "The 'To' number %s is not a valid phone number.", []any{to}},
		{e164.MatchString(from), 21212, "The 'From' number %s is not a valid phone number, shortcode, or alphanumeric sender ID.", []any{from}},
		{from == c.cfg.Number, 21210, "The source phone number provided, %s, is not yet verified for your account.", []any{from}},
		{target != "" || twiml != "", 21205, "Url parameter is required.", nil},
		{target == "" || wire.IsURL(target), 21205, "Url is not a valid URL: %s", []any{target}},
		{target != "" || len(twiml) <= maxTwiML, 20001, "Twiml must be at most %d characters", []any{maxTwiML}},
		{callbackOK(p.callback), 21609, "The 'StatusCallback' URL %s is not a valid URL.", []any{p.callback}},
		{callbackOK(p.machineCallback), 21609, "The 'StatusCallback' URL %s is not a valid URL.", []any{p.machineCallback}},
		{
			!p.machine || f.Get("MachineDetection") == "DetectMessageEnd" && f.Get("AsyncAmd") == "true",
			20001, "MachineDetection must be DetectMessageEnd, with AsyncAmd", nil,
		},
		{number(f, "Timeout", &p.timeout, 1, 600), 20001, "Timeout must be a number from 1 to 600", nil},
		{number(f, "TimeLimit", &p.timeLimit, 1, 24*60*60), 20001, "TimeLimit must be a number of seconds in a day", nil},
		{number(f, "MachineDetectionTimeout", &p.machineTimeout, 3, 59), 20001, "MachineDetectionTimeout must be a number from 3 to 59", nil},
	} {
		if !check.ok {
			return params{}, bad(check.code, check.format, check.args...)
		}
	}
	// An unknown event (several joined by commas, for example) is not an error: its callbacks
	// never come.
	p.events = f["StatusCallbackEvent"]
	if len(p.events) == 0 {
		p.events = []string{"completed"}
	}
	for _, e := range p.events {
		if !slices.Contains([]string{"initiated", "ringing", "answered", "completed"}, e) {
			c.warn(r.Context(), 21626, "", "unknown status callback event")
		}
	}
	return p, nil
}

// callbackOK reports whether a callback's address is empty or can be used: its host must not have
// an underscore.
func callbackOK(v string) bool {
	u, err := url.Parse(v)
	return v == "" || err == nil && wire.IsURL(v) && !strings.Contains(u.Hostname(), "_")
}

// number parses an optional number into to. It reports whether the number is absent or valid.
func number(f url.Values, name string, to *int, lowest, highest int) bool {
	v := f.Get(name)
	if v == "" {
		return true
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < lowest || n > highest {
		return false
	}
	*to = n
	return true
}
