package vectors

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/metadata"
)

// Defaults for zero fields of a [QdrantConfig].
const (
	DefaultCollection   = "naiber_memories"
	DefaultReadTimeout  = 2 * time.Second
	DefaultWriteTimeout = 30 * time.Second
	DefaultBatch        = 128
)

// Qdrant's default ports.
const (
	qdrantGRPC = 6334
	qdrantREST = 6333
)

// QdrantConfig configures a [Qdrant]. Only URL is required.
type QdrantConfig struct {
	// URL is http://host:port, or https:// for TLS. The port is the gRPC port, 6334 by
	// default. 6333 is the REST port of the same server, which most documentation shows: it
	// is replaced by 6334.
	URL string
	// APIKey is sent with every call. Over plain http it can be intercepted.
	APIKey string
	// Collection holds the points. Default [DefaultCollection].
	Collection string
	// ReadTimeout is the timeout of one search, count or page of ids, including retries.
	// Default [DefaultReadTimeout].
	ReadTimeout time.Duration
	// WriteTimeout is the timeout of one batch of points, one deletion, or one step of
	// [Store.Ensure]. Default [DefaultWriteTimeout].
	WriteTimeout time.Duration
	// Batch is how many points one call writes; a server in strict mode may limit it.
	// Default [DefaultBatch].
	Batch int
	// TLS overrides the configuration for https, for servers with a private certificate.
	TLS *tls.Config
	// Log receives messages for the operator. If nil, they are discarded.
	Log *slog.Logger
}

// retryPolicy retries calls that the server cannot have processed: only those that fail
// with UNAVAILABLE. All calls are idempotent, so a call that was processed after all does
// no harm. A caller waits for a search and its lookups, and can fall back to words: these
// are retried once.
const retryPolicy = `{"methodConfig": [
	{"name": [{}], "retryPolicy": {"maxAttempts": 4,
		"initialBackoff": "0.05s", "maxBackoff": "0.5s", "backoffMultiplier": 3, "retryableStatusCodes": ["UNAVAILABLE"]}},
	{"name": [{"service": "qdrant.Points", "method": "Query"}, {"service": "qdrant.Collections", "method": "CollectionExists"},
		{"service": "qdrant.Collections", "method": "Get"}], "retryPolicy": {"maxAttempts": 2,
		"initialBackoff": "0.02s", "maxBackoff": "0.02s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

// reconnectMax limits the reconnect back-off; gRPC's default is two minutes.
const reconnectMax = 5 * time.Second

func (c *QdrantConfig) defaults() {
	if c.Collection == "" {
		c.Collection = DefaultCollection
	}
	if c.ReadTimeout <= 0 {
		c.ReadTimeout = DefaultReadTimeout
	}
	if c.WriteTimeout <= 0 {
		c.WriteTimeout = DefaultWriteTimeout
	}
	if c.Batch <= 0 {
		c.Batch = DefaultBatch
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// client returns the vendor's client, which connects with the first call.
func (c *QdrantConfig) client() (*qdrant.Client, error) {
	host, port, secure, err := qdrantAddress(c.URL)
	if err != nil {
		return nil, err
	}
	if port == qdrantREST {
		c.Log.Info("qdrant speaks gRPC one port above the configured one", slog.Int("port", qdrantGRPC))
		port = qdrantGRPC
	}
	if c.APIKey != "" && !secure && !loopback(host) {
		c.Log.Warn("qdrant's key goes over the network in the clear", slog.String("host", host))
	}
	reconnect := backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: reconnectMax}
	client, err := qdrant.NewClient(&qdrant.Config{
		Host: host, Port: port, UseTLS: secure, TLSConfig: c.TLS, PoolSize: 1,
		// The check would send a request without a deadline, and log to the process's
		// global logger.
		SkipCompatibilityCheck: true,
		GrpcOptions: []grpc.DialOption{
			grpc.WithChainUnaryInterceptor(withKey(c.APIKey)),
			grpc.WithDefaultServiceConfig(retryPolicy),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect, MinConnectTimeout: c.ReadTimeout}),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("qdrant client: %w", err)
	}
	return client, nil
}

// withKey returns an interceptor that sends the key. The vendor's own way of doing so
// writes to the process's global logger.
func withKey(key string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if key != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "api-key", key)
		}
		return next(ctx, method, req, reply, cc, opts...)
	}
}

// errQdrantURL leaves the address out, since it may contain a key.
var errQdrantURL = errors.New("qdrant url must be http://host:port or https://host:port, with nothing after it")

func qdrantAddress(raw string) (host string, port int, secure bool, err error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || (u.Path != "" && u.Path != "/") {
		return "", 0, false, errQdrantURL
	}
	switch u.Scheme {
	case "http", "grpc":
	case "https", "grpcs":
		secure = true
	default:
		return "", 0, false, errQdrantURL
	}
	port = qdrantGRPC
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return "", 0, false, errQdrantURL
		}
	}
	host = u.Hostname()
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		host = "[" + host + "]" // the vendor's client appends the port to it unchanged
	}
	return host, port, secure, nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return host == "[::1]" || (ip != nil && ip.IsLoopback())
}
