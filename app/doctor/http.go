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

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 64 << 10

// answered is the answer of an HTTP server.
type answered struct {
	status int
	header http.Header
	body   string
}

// ask sends one request. It follows no redirect, because a signature covers the exact address and
// a bearer must not be sent elsewhere. With a nil client it uses one of its own.
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
		return answered{}, err // names the method and the address
	}
	defer func() { _ = resp.Body.Close() }() // it has been read
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answered{}, fmt.Errorf("read answer: %w", err)
	}
	return answered{status: resp.StatusCode, header: resp.Header, body: string(raw)}, nil
}

// transport returns the client's transport, which may have certificates of its own, or else one
// without keep-alive.
func transport(client *http.Client) http.RoundTripper {
	if client != nil && client.Transport != nil {
		return client.Transport
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true}
}

// statusText returns the number and text of an HTTP status.
func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}
