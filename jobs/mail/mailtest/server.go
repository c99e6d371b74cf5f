// Package mailtest provides an SMTP server for tests.
package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// The user and password of a server that requires authentication.
const (
	User     = "ada@example.org"
	Password = "sesame"
)

// Message is a message as received by the server.
type Message struct {
	From, To string
	Data     []byte
}

// Server is an SMTP server on the loopback interface.
type Server struct {
	Host    string
	Port    int
	RootCAs *x509.CertPool

	mu       sync.Mutex // guards the fields below
	messages []Message
	conns    int
	refuse   func(step string) error
	auth     bool
}

// New starts a server with the security of mail.Config: "starttls", "tls" or "none". With
// auth, it takes messages only from [User]. It is stopped when the test ends.
func New(tb testing.TB, security string, auth bool) *Server {
	tb.Helper()
	certificate, pool := selfSigned(tb)
	s := &Server{RootCAs: pool, auth: auth, refuse: func(string) error { return nil }}
	srv := smtp.NewServer(s)
	srv.Domain, srv.ReadTimeout, srv.WriteTimeout, srv.AllowInsecureAuth = "localhost", time.Minute, time.Minute, true
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	addr := listener.Addr().(*net.TCPAddr) //nolint:errcheck,forcetypeassert // it is TCP
	s.Host, s.Port = addr.IP.String(), addr.Port
	secured := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	switch security {
	case "starttls":
		srv.TLSConfig = secured
	case "tls":
		listener = tls.NewListener(listener, secured)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(listener) }()
	tb.Cleanup(func() { _ = srv.Close(); <-done })
	return s
}

// Refuse makes the server call refuse at the steps "connect", "auth", "mail", "rcpt" and
// "data", and answer with its error, if any.
func (s *Server) Refuse(refuse func(step string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = refuse
}

// Messages returns the received messages.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.messages...)
}

// Connections returns the number of connections so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

func (s *Server) asked(step string) error {
	s.mu.Lock()
	refuse := s.refuse
	s.mu.Unlock()
	return refuse(step)
}

// NewSession implements [smtp.Backend].
func (s *Server) NewSession(*smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	s.conns++
	s.mu.Unlock()
	return &session{s: s, known: !s.auth}, s.asked("connect")
}

type session struct {
	s     *Server
	known bool
	m     Message
}

func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (c *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != User || password != Password {
			return smtp.ErrAuthFailed
		}
		c.known = true
		return c.s.asked("auth")
	}), nil
}

func (c *session) Mail(from string, _ *smtp.MailOptions) error {
	if !c.known {
		return smtp.ErrAuthRequired
	}
	c.m.From = from
	return c.s.asked("mail")
}

func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.m.To = to
	return c.s.asked("rcpt")
}

func (c *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := c.s.asked("data"); err != nil {
		return err
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.messages = append(c.s.messages, Message{c.m.From, c.m.To, data})
	return nil
}

func (c *session) Reset()      { c.m = Message{} }
func (*session) Logout() error { return nil }

// selfSigned returns a certificate for the loopback interface, and a pool that trusts it.
func selfSigned(tb testing.TB) (tls.Certificate, *x509.CertPool) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		tb.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
