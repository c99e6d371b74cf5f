package carrier

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/app/sandbox/faults"
)

// The bounds of a new call's parameters.
const (
	maxTwiML         = 4000
	defaultTimeout   = 60
	maxTimeout       = 600
	defaultTimeLimit = 4 * 60 * 60
	maxTimeLimit     = 24 * 60 * 60
)

var e164 = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// params is what a call was asked to be.
type params struct {
	url, twiml         string
	callback           string
	events             []string
	timeout, timeLimit int // seconds
	machine            bool
	machineTimeout     int // seconds
	machineCallback    string
}

// createCall places a call.
func (c *Carrier) createCall(w http.ResponseWriter, r *http.Request) {
	p, ok := c.readParams(w, r)
	if !ok {
		return
	}
	call := c.newCall(r.FormValue("From"), r.FormValue("To"), "outbound-api", p)
	created := call.resource()
	if !c.spawn(r.Context(), call.runOutbound) {
		fail(w, http.StatusServiceUnavailable, 20503, "Service is temporarily unavailable")
		return
	}
	if c.cfg.Faults.On(faults.CreateTimeout) {
		select {
		case <-r.Context().Done():
		case <-c.done:
		}
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
	answer(w, http.StatusCreated, created)
}

// readParams checks a request for a call. It has answered when it returns
// false.
func (c *Carrier) readParams(w http.ResponseWriter, r *http.Request) (params, bool) {
	f := r.PostForm
	bad := func(code int, format string, args ...any) (params, bool) {
		fail(w, http.StatusBadRequest, code, format, args...)
		return params{}, false
	}
	to, from := f.Get("To"), f.Get("From")
	switch {
	case to == "":
		return bad(21201, "No 'To' number is specified")
	case from == "":
		return bad(21213, "No 'From' number is specified")
	case !e164.MatchString(to):
		return bad(21211, "The 'To' number %s is not a valid phone number.", to)
	case !e164.MatchString(from):
		return bad(21212, "The 'From' number %s is not a valid phone number, shortcode, or alphanumeric sender ID.", from)
	case from != c.cfg.Number:
		return bad(21210, "The source phone number provided, %s, is not yet verified for your account.", from)
	case f.Get("Url") == "" && f.Get("Twiml") == "":
		return bad(21205, "Url parameter is required.")
	case f.Get("Url") != "" && !webURL(f.Get("Url")):
		return bad(21205, "Url is not a valid URL: %s", f.Get("Url"))
	case f.Get("Url") == "" && len(f.Get("Twiml")) > maxTwiML:
		return bad(20001, "Twiml must be at most %d characters", maxTwiML)
	}
	p := params{
		url: f.Get("Url"), twiml: f.Get("Twiml"), callback: f.Get("StatusCallback"),
		timeout: defaultTimeout, timeLimit: defaultTimeLimit, machineTimeout: 30,
		machine: f.Get("MachineDetection") != "", machineCallback: f.Get("AsyncAmdStatusCallback"),
	}
	if p.url != "" {
		p.twiml = "" // with both, Twiml is silently ignored
	}
	for _, u := range []string{p.callback, p.machineCallback} {
		if u != "" && (!webURL(u) || strings.Contains(hostname(u), "_")) {
			return bad(21609, "The 'StatusCallback' URL %s is not a valid URL.", u)
		}
	}
	if p.machine && (f.Get("MachineDetection") != "DetectMessageEnd" || f.Get("AsyncAmd") != "true") {
		return bad(20001, "MachineDetection must be DetectMessageEnd, with AsyncAmd")
	}
	for _, n := range []struct {
		name     string
		to       *int
		min, max int
	}{
		{"Timeout", &p.timeout, 1, maxTimeout},
		{"TimeLimit", &p.timeLimit, 1, maxTimeLimit},
		{"MachineDetectionTimeout", &p.machineTimeout, 3, 59},
	} {
		if !number32(f, n.name, n.to, n.min, n.max) {
			return bad(20001, "%s must be a number from %d to %d", n.name, n.min, n.max)
		}
	}
	p.events = c.readEvents(r)
	return p, true
}

// readEvents are the progress events asked for. A value that is none (several
// joined by commas, for example) is not an error: its callbacks never come.
func (c *Carrier) readEvents(r *http.Request) []string {
	asked := r.PostForm["StatusCallbackEvent"]
	if len(asked) == 0 {
		return []string{"completed"}
	}
	var out []string
	for _, e := range asked {
		if !slices.Contains([]string{"initiated", "ringing", "answered", "completed"}, e) {
			c.warn(r.Context(), 21626, "", "unknown status callback event")
			continue
		}
		out = append(out, e)
	}
	return out
}

// number32 reads an optional number into to.
func number32(f url.Values, name string, to *int, lowest, highest int) bool {
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

// webURL reports whether v is an absolute http or https URL.
func webURL(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func hostname(v string) string {
	u, err := url.Parse(v)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// loopback reports whether host is this machine, where a plain socket is
// tolerated.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
