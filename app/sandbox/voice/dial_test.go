package voice

import (
	"context"
	"net"
	"net/http"
)

// Dial lets the service reach models and webhooks in a test's own network.
func (s *Server) Dial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	s.client = &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}}
}
