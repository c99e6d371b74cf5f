package doctor

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 10

// answered is what an HTTP server said.
type answered struct {
	status int
	header http.Header
	body   string
}

// ask sends one request and follows no redirect: a signature is made over the
// address as it is, and a bearer must not travel on. A nil client is one of our
// own.
func ask(ctx context.Context, client *http.Client, method, address string, header http.Header, body string) (answered, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return answered{}, fmt.Errorf("make request: %w", err)
	}
	maps.Copy(req.Header, header)
	req.Header.Set("User-Agent", "naiber-doctor")
	c := http.Client{Transport: transport(client), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Do(req)
	if err != nil {
		return answered{}, err // it names method and address
	}
	defer func() { _ = resp.Body.Close() }() // what is wanted of it was read
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answered{}, fmt.Errorf("read answer: %w", err)
	}
	return answered{status: resp.StatusCode, header: resp.Header, body: string(raw)}, nil
}

// transport is the client's, which may hold certificates of its own, or one that
// keeps no connection.
func transport(client *http.Client) http.RoundTripper {
	if client != nil && client.Transport != nil {
		return client.Transport
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true}
}

// statusText is an HTTP status in words.
func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}
