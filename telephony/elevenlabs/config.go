package elevenlabs

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultBaseURL is the host that routes globally. Residency workspaces have
// hosts of their own, on which only their keys work.
const DefaultBaseURL = "https://api.elevenlabs.io"

const (
	// defaultTimeout bounds one attempt at one request. A signed URL takes a few
	// hundred milliseconds; the rest is what a ringing phone leaves us.
	defaultTimeout = 10 * time.Second

	defaultRetryWait = 200 * time.Millisecond
	maxRetryWait     = 3 * time.Second
	maxTries         = 3
)

// Config says how to reach an ElevenLabs workspace.
type Config struct {
	// APIKey is the workspace's key. Required.
	APIKey Secret
	// BaseURL is the root of the REST API. It must be https, or http on
	// loopback. Empty means [DefaultBaseURL].
	BaseURL string
	// HTTPClient sends the requests. Nil means a client of our own that follows
	// no redirects.
	HTTPClient *http.Client
	// Timeout bounds each attempt at a request. Zero means 10 s.
	Timeout time.Duration
	// RetryWait is the first pause after a refusal that may be tried again; the
	// next ones grow up to 3 s. Zero means 200 ms.
	RetryWait time.Duration
}

// withDefaults returns c with every optional field filled, or all that is
// wrong with it.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	if c.APIKey == "" {
		errs = append(errs, errors.New("API key is missing"))
	}
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	if err := checkBaseURL(c.BaseURL); err != nil {
		errs = append(errs, fmt.Errorf("base URL: %w", err))
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.HTTPClient == nil {
		c.HTTPClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a redirect would carry the key to another host
		}}
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.RetryWait <= 0 {
		c.RetryWait = defaultRetryWait
	}
	return c, errors.Join(errs...)
}

func checkBaseURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return errors.New("is not a URL") // the cause would repeat it, with any password
	case u.Hostname() == "":
		return errors.New("must have a scheme and a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("must have no credentials, query or fragment")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	default:
		return errors.New("must be https, or http on loopback")
	}
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
