package llm

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// maxErrorBytes is how much of an error answer is read. Errors of the dialect are a few hundred
// bytes; a proxy's page may be of any size.
const maxErrorBytes = 16 << 10

// Client calls one server. It may be used concurrently.
type Client struct {
	cfg    Config
	api    openai.Client
	log    *slog.Logger
	quirks quirks
	owned  *http.Client // ours to release; nil if the caller provided one
}

// New returns a client, or an error that names everything wrong with cfg. It sends no request.
func New(cfg Config) (*Client, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configure model client: %w", err)
	}
	cfg.Models = slices.Clone(cfg.Models)
	c := &Client{cfg: cfg, log: cfg.Log}
	if cfg.HTTPClient == nil {
		c.owned = &http.Client{Transport: transport(), CheckRedirect: stay}
		cfg.HTTPClient = c.owned
	}
	opts := []option.RequestOption{
		option.WithBaseURL(cfg.BaseURL),
		option.WithHTTPClient(cfg.HTTPClient),
		// Failover retries chat requests, because it knows the time that is left.
		option.WithMaxRetries(0),
		option.WithMaxRetryDelay(2 * time.Second),
		option.WithMiddleware(boundErrors),
	}
	if cfg.APIKey != "" {
		opts = append(opts, option.WithAPIKey(cfg.APIKey))
	}
	// Built by hand, because openai.NewClient would also read OPENAI_* from the environment, which
	// would override our configuration.
	c.api = openai.Client{Options: opts}
	return c, nil
}

// Close releases idle connections. It does not affect running calls.
func (c *Client) Close() {
	if c.owned != nil {
		c.owned.CloseIdleConnections()
	}
}

// transport returns net/http's default transport with room for many turns at once, and without
// compression, which would hold tokens back until a block is full.
func transport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   128,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   5 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
	}
}

// stay refuses redirects: a followed one would turn a POST into a GET without its body. The status
// then shows what is wrong with the base URL.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// boundErrors limits how much of an error page the library reads into memory.
func boundErrors(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if resp != nil && resp.StatusCode >= http.StatusBadRequest {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxErrorBytes), resp.Body}
	}
	return resp, err
}

// post sends body and returns the open answer. Its error is safe to log: it contains neither key
// nor URL nor words.
func (c *Client) post(ctx context.Context, path string, body []byte, opts ...option.RequestOption) (*http.Response, error) {
	var resp *http.Response
	err := c.api.Post(ctx, path, body, &resp, opts...)
	return checked(resp, err)
}

// checked returns the library's answer if it has a 2xx status, and else closes it and returns an
// error.
func checked(resp *http.Response, err error) (*http.Response, error) {
	switch {
	case resp != nil && resp.StatusCode >= http.StatusMultipleChoices:
		defer resp.Body.Close()
		return nil, statusError(resp)
	case err != nil:
		if resp != nil {
			_ = resp.Body.Close() // the answer is already unusable
		}
		return nil, public(err)
	default:
		return resp, nil
	}
}
