package twilio

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultBaseURL is Twilio's US1 region, which serves all accounts that did
// not choose another one.
const DefaultBaseURL = "https://api.twilio.com"

const (
	// defaultTimeout bounds one attempt at one request. Twilio's own Go library
	// waits as long.
	defaultTimeout = 10 * time.Second

	// defaultLookWait separates the looks that follow a call creation of unknown
	// outcome. Twilio's call list is eventually consistent and says no more than
	// that, so a second between three looks is our judgement.
	defaultLookWait = time.Second

	// Pauses between attempts after a 429: those of Twilio's Node library.
	defaultRetryWait = 100 * time.Millisecond
	maxRetryWait     = 3 * time.Second
	maxTries         = 3
)

// Config says how to reach a Twilio account.
type Config struct {
	// AccountSID is the account whose calls and numbers are used. Required.
	AccountSID AccountSID
	// AuthUser is the user of Basic authentication: an API key's SID ("SK…"), or
	// empty for the account SID.
	AuthUser string
	// AuthSecret is the password that goes with AuthUser: the API key's secret,
	// or the account's auth token. Required.
	AuthSecret Secret
	// BaseURL is the root of the REST API. It must be https, or http on
	// loopback. Empty means [DefaultBaseURL].
	BaseURL string
	// HTTPClient sends the requests. Nil means a client of our own that follows
	// no redirects.
	HTTPClient *http.Client
	// Timeout bounds each attempt at a request. Zero means 10 s.
	Timeout time.Duration
	// RetryWait is the first pause after a refusal that may be tried again; the
	// next ones grow up to 3 s. Zero means 100 ms.
	RetryWait time.Duration
	// LookWait is the pause between the looks for a call that may or may not
	// have been placed. Zero means 1 s.
	LookWait time.Duration
}

// withDefaults returns c with every optional field filled, or all that is
// wrong with it.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	if c.AccountSID == "" {
		errs = append(errs, errors.New("account SID is missing"))
	}
	if c.AuthSecret == "" {
		errs = append(errs, errors.New("auth secret is missing"))
	}
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	if _, err := parsePublicURL(c.BaseURL); err != nil {
		errs = append(errs, fmt.Errorf("base URL: %w", err))
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.AuthUser == "" {
		c.AuthUser = string(c.AccountSID)
	}
	if c.HTTPClient == nil {
		c.HTTPClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the API never redirects; a proxy's login page would
		}}
	}
	c.Timeout = orDefault(c.Timeout, defaultTimeout)
	c.RetryWait = orDefault(c.RetryWait, defaultRetryWait)
	c.LookWait = orDefault(c.LookWait, defaultLookWait)
	return c, errors.Join(errs...)
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

// parsePublicURL parses an absolute URL that is https, or http on loopback.
func parsePublicURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("is not a URL") // the parser's error repeats the URL, and with it any password
	}
	switch {
	case u.Hostname() == "":
		return nil, errors.New("must have a scheme and a host")
	case u.User != nil:
		return nil, errors.New("must not contain credentials")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must have no query and no fragment")
	case u.Scheme == "https":
		return u, nil
	case u.Scheme == "http" && isLoopback(u.Hostname()):
		return u, nil
	case u.Scheme == "http":
		return nil, errors.New("may be plain http on loopback only")
	default:
		return nil, fmt.Errorf("scheme %q is not https", u.Scheme)
	}
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
