package doctor

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Qdrant checks that the Qdrant at address takes requests. An empty address is
// skipped.
//
// The address may be the port for HTTP, which tells its health, or the one for
// gRPC, which does not speak plain HTTP: there, taking connections must do.
func Qdrant(address, apiKey string) Check {
	return Check{Name: "qdrant", Run: func(ctx context.Context) Finding {
		if address == "" {
			return skip("QDRANT_URL is not set: vectors are kept in PostgreSQL")
		}
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return fail("QDRANT_URL is not an address", "Set QDRANT_URL to http://host:6334, or leave it empty.")
		}
		header := http.Header{}
		if apiKey != "" {
			header.Set("Api-Key", apiKey)
		}
		got, err := ask(ctx, nil, http.MethodGet, strings.TrimRight(address, "/")+"/healthz", header, "")
		const fix = "Check QDRANT_URL, and that Qdrant runs and lets this machine in."
		switch {
		case err != nil && ctx.Err() != nil:
			return fail(reason(ctx.Err()), fix)
		case err != nil:
			if err := connect(ctx, u); err != nil {
				return fail(reason(err), fix)
			}
			return ok("takes connections; its health cannot be asked for at this port")
		case got.status == http.StatusUnauthorized, got.status == http.StatusForbidden:
			return fail("the key is refused", "Set QDRANT_API_KEY to the key that Qdrant was started with.")
		case got.status != http.StatusOK:
			return fail("answers "+statusText(got.status)+" when asked for its health", "Check that it is Qdrant that listens at QDRANT_URL.")
		}
		return ok("healthy")
	}}
}

// connect opens a connection as for u and closes it again.
func connect(ctx context.Context, u *url.URL) error {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	target := net.JoinHostPort(u.Hostname(), port)
	var (
		conn net.Conn
		err  error
	)
	if u.Scheme == "https" {
		d := tls.Dialer{Config: &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}}}
		conn, err = d.DialContext(ctx, "tcp", target)
	} else {
		conn, err = new(net.Dialer).DialContext(ctx, "tcp", target)
	}
	if err != nil {
		return err
	}
	return conn.Close()
}
