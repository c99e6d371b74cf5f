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

// What a zero [QdrantConfig] field means.
const (
	DefaultCollection   = "naiber_memories"
	DefaultReadTimeout  = 2 * time.Second
	DefaultWriteTimeout = 30 * time.Second
	DefaultBatch        = 128
)

// Qdrant's usual ports.
const (
	qdrantGRPC = 6334
	qdrantREST = 6333
)

// QdrantConfig is what a [Qdrant] needs to know. Only URL is required.
type QdrantConfig struct {
	// URL is http://host:port, or https:// for TLS. The port is that of gRPC,
	// 6334 if none is given. 6333 is where the same server speaks REST, and what
	// most pages show: it is taken to mean 6334.
	URL string
	// APIKey is sent with every call. Over plain http it can be read on the way.
	APIKey string
	// Collection holds the points. Default [DefaultCollection].
	Collection string
	// ReadTimeout is for one search, count or page of ids, with its retries.
	// Default [DefaultReadTimeout].
	ReadTimeout time.Duration
	// WriteTimeout is for one batch of points, one deletion, or one step of
	// [Store.Ensure]. Default [DefaultWriteTimeout].
	WriteTimeout time.Duration
	// Batch is how many points one call writes; a server in strict mode may bound
	// it. Default [DefaultBatch].
	Batch int
	// TLS overrides what https means, for servers with a certificate of one's own.
	TLS *tls.Config
	// Log gets what an operator should know. Default: nowhere.
	Log *slog.Logger
}

// retryPolicy tries a call again that the server cannot have taken: nothing but
// UNAVAILABLE. All calls may be repeated, so that one may have been taken is no
// harm. Somebody waits for a search and what it needs to know, and there are the
// words to search by: these are tried again once.
const retryPolicy = `{"methodConfig": [
	{"name": [{}], "retryPolicy": {"maxAttempts": 4,
		"initialBackoff": "0.05s", "maxBackoff": "0.5s", "backoffMultiplier": 3, "retryableStatusCodes": ["UNAVAILABLE"]}},
	{"name": [{"service": "qdrant.Points", "method": "Query"}, {"service": "qdrant.Collections", "method": "CollectionExists"},
		{"service": "qdrant.Collections", "method": "Get"}], "retryPolicy": {"maxAttempts": 2,
		"initialBackoff": "0.02s", "maxBackoff": "0.02s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

// reconnectMax keeps a server that came back from being missed for long; gRPC's
// own choice is two minutes.
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

// client makes the vendor's client. It connects with the first call.
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
		// It would ask the server before anybody has a deadline, and tell the
		// process's own logger what it finds.
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

// withKey sends the key along. The vendor's own way of doing so writes to the
// process's global logger.
func withKey(key string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if key != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "api-key", key)
		}
		return next(ctx, method, req, reply, cc, opts...)
	}
}

// errQdrantURL leaves the address out, since somebody may have put a key in it.
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
		host = "[" + host + "]" // the vendor's client puts the port after it as it is
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
