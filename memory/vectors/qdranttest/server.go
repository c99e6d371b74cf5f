// Package qdranttest provides a Qdrant for tests: a gRPC server in the test process that
// speaks the vendor's protobufs. It implements what this repository uses, in memory and
// exactly, and is as strict as a server can be: an unknown collection, a vector of the
// wrong size, a filter on a key without an index (strict mode), a batch or a page that is
// too large and a write without wait are errors. So is a request that it does not
// implement.
package qdranttest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Options configure a [Server]. The zero value is a strict server without a key or TLS.
type Options struct {
	APIKey string // required on every call
	TLS    bool
	// MaxBatch limits the points of one upsert, MaxLimit the results of one query or page.
	// Zero means 1000.
	MaxBatch, MaxLimit int
	// NoExact refuses exact searches and counts, as strict mode may.
	NoExact bool
}

// Server is a Qdrant server for one test.
type Server struct {
	opts Options
	cert *tls.Certificate
	pool *x509.CertPool
	addr string
	grpc *grpc.Server
	done chan struct{}

	mu          sync.Mutex // guards the fields below
	collections map[string]*collection
	calls       map[string]int // by method: "Upsert"
	faults      []codes.Code
	hold        time.Duration
}

// New starts a server and stops it when the test ends.
func New(tb testing.TB, opts Options) *Server {
	tb.Helper()
	if opts.MaxBatch == 0 {
		opts.MaxBatch = 1000
	}
	if opts.MaxLimit == 0 {
		opts.MaxLimit = 1000
	}
	s := &Server{opts: opts, addr: "127.0.0.1:0", collections: map[string]*collection{}, calls: map[string]int{}}
	if opts.TLS {
		s.borrowCertificate()
	}
	s.Start(tb)
	tb.Cleanup(s.Stop)
	return s
}

// borrowCertificate uses the certificate of net/http/httptest for loopback.
func (s *Server) borrowCertificate() {
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	s.cert, s.pool = &web.TLS.Certificates[0], x509.NewCertPool()
	s.pool.AddCert(web.Certificate())
}

// Start starts the server, on its previous address if it was stopped; it still has its
// data.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", s.addr)
	if err != nil {
		tb.Fatalf("listen for qdrant: %v", err)
	}
	s.addr = l.Addr().String()
	opts := []grpc.ServerOption{grpc.UnaryInterceptor(s.door)}
	if s.cert != nil {
		opts = append(opts, grpc.Creds(credentials.NewServerTLSFromCert(s.cert)))
	}
	s.grpc, s.done = grpc.NewServer(opts...), make(chan struct{})
	qdrant.RegisterQdrantServer(s.grpc, &health{})
	qdrant.RegisterCollectionsServer(s.grpc, &collections{Server: s})
	qdrant.RegisterPointsServer(s.grpc, &points{Server: s})
	go func(srv *grpc.Server, done chan struct{}) {
		defer close(done)
		_ = srv.Serve(l) // returns after Stop
	}(s.grpc, s.done)
}

// Stop stops the server and closes all connections at once.
func (s *Server) Stop() {
	s.grpc.Stop()
	<-s.done
}

// URL returns the address in the form of QDRANT_URL.
func (s *Server) URL() string {
	if s.cert != nil {
		return "https://" + s.addr
	}
	return "http://" + s.addr
}

// ClientTLS returns a configuration that trusts the server's certificate, or nil without
// TLS.
func (s *Server) ClientTLS() *tls.Config {
	if s.cert == nil {
		return nil
	}
	return &tls.Config{RootCAs: s.pool, MinVersion: tls.VersionTLS13}
}

// FailNext makes the next calls fail, whatever they are, one with each code.
func (s *Server) FailNext(with ...codes.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, with...)
}

// Hold delays every call by d, or until its caller gives up. Zero ends the delay.
func (s *Server) Hold(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = d
}

// Calls returns how often a method was called: "Upsert", "Query".
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// door intercepts every call: it checks the key, counts the call, and injects delays and
// faults. HealthCheck needs no key.
func (s *Server) door(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if s.opts.APIKey != "" && info.FullMethod != qdrant.Qdrant_HealthCheck_FullMethodName {
		md, _ := metadata.FromIncomingContext(ctx)
		if got := md.Get("api-key"); len(got) != 1 || got[0] != s.opts.APIKey {
			return nil, status.Error(codes.Unauthenticated, "Must provide an API key or an Authorization bearer token")
		}
	}
	fault, hold := s.note(info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:])
	if hold > 0 {
		t := time.NewTimer(hold)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		}
	}
	if fault != codes.OK {
		return nil, status.Error(fault, "trouble that the test asked for")
	}
	return next(ctx, req)
}

func (s *Server) note(method string) (fault codes.Code, hold time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[method]++
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
	}
	return fault, s.hold
}

type health struct {
	qdrant.UnimplementedQdrantServer
}

// HealthCheck implements [qdrant.QdrantServer].
func (*health) HealthCheck(context.Context, *qdrant.HealthCheckRequest) (*qdrant.HealthCheckReply, error) {
	return &qdrant.HealthCheckReply{Title: "qdrant - vector search engine", Version: "1.17.0"}, nil
}

func wrong(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, "Wrong input: "+format, args...)
}

func invalid(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, "Validation error in body: ["+format+"]", args...)
}

func quoted(s string) string { return strconv.Quote(s) }

// HostPort returns the address in the two parts that the vendor's client needs.
func (s *Server) HostPort() (host string, port int) {
	at, err := net.ResolveTCPAddr("tcp", s.addr)
	if err != nil {
		return "", 0
	}
	return at.IP.String(), at.Port
}
