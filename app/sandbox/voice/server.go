package voice

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/faults"
)

// Config says whose workspace this is and how fast time passes.
type Config struct {
	// APIKey is the one key that opens the REST API. Required.
	APIKey string
	// AgentID and AgentConfig are an agent that exists from the start; the
	// config is what one would post to create it. Without an id there is none.
	AgentID     string
	AgentConfig json.RawMessage
	// Secrets are values that exist from the start, by id.
	Secrets map[string]string
	// WebhookURL and WebhookSecret are where conversations without a webhook of
	// their own are posted, and how that is signed. No URL: nowhere.
	WebhookURL, WebhookSecret string
	// Faults is what goes wrong. Nothing by default.
	Faults *faults.Set
	// Log hears about conversations. Required.
	Log *slog.Logger
	// FrameInterval is how long 20 ms of audio really last; it also scales the
	// turn timeout. Default 20 ms; tests let time run faster.
	FrameInterval time.Duration
	// Second is how long a second of the limits really lasts: for the language
	// model, the whole conversation, missing audio. Default 1 s.
	Second time.Duration
	// WPM is how fast the agent speaks at speed 1, in words per minute.
	// Default audio.DefaultWPM.
	WPM int
}

// Server is a running service. It is safe for concurrent use.
type Server struct {
	cfg    Config
	log    *slog.Logger
	client *http.Client // for models and webhooks
	wg     sync.WaitGroup

	mu       sync.Mutex // guards what follows
	closed   bool
	cancels  map[int]context.CancelFunc
	nextID   int
	agents   map[string]*agent
	secrets  map[string]secret
	webhooks map[string]*webhook
	tickets  map[string]ticket
	records  map[string]*record
	order    []string // conversation ids, oldest first
	live     int
}

// New makes a server. Nothing runs until there is a conversation; Close ends
// it. The error says what is wrong with the agent in cfg.
func New(cfg Config) (*Server, error) {
	if cfg.FrameInterval <= 0 {
		cfg.FrameInterval = audio.FrameDuration
	}
	if cfg.Second <= 0 {
		cfg.Second = time.Second
	}
	if cfg.WPM <= 0 {
		cfg.WPM = audio.DefaultWPM
	}
	s := &Server{
		cfg: cfg, log: cfg.Log,
		client:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 30 * time.Second, DisableCompression: true}},
		cancels:  make(map[int]context.CancelFunc),
		agents:   make(map[string]*agent),
		secrets:  make(map[string]secret),
		webhooks: make(map[string]*webhook),
		tickets:  make(map[string]ticket),
		records:  make(map[string]*record),
	}
	for id, value := range cfg.Secrets {
		s.secrets[id] = secret{name: id, value: value}
	}
	if cfg.AgentID == "" {
		return s, nil
	}
	var doc map[string]any
	if err := json.Unmarshal(cfg.AgentConfig, &doc); err != nil {
		return nil, fmt.Errorf("read agent %s: %w", cfg.AgentID, err)
	}
	a, bad := s.build(defaults(), doc)
	if bad != nil {
		return nil, fmt.Errorf("read agent %s: %w", cfg.AgentID, bad)
	}
	s.agents[cfg.AgentID] = a
	return s, nil
}

// Live is the number of conversations that go on.
func (s *Server) Live() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live
}

// Close ends all conversations at once and returns when nothing of the server
// runs any more. It may be called twice.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	for _, cancel := range s.cancels {
		cancel()
	}
	s.mu.Unlock()
	s.wg.Wait()
	s.client.CloseIdleConnections()
	return nil
}

var errClosed = errors.New("the server is closed")

// enter begins something that Close ends and waits for. Its context has
// parent's values and ends with the server or when leave is called.
func (s *Server) enter(parent context.Context) (ctx context.Context, leave func(), err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		cancel()
		return nil, nil, errClosed
	}
	id := s.nextID
	s.nextID++
	s.cancels[id] = cancel
	s.wg.Add(1)
	return ctx, func() {
		cancel()
		s.mu.Lock()
		delete(s.cancels, id)
		s.mu.Unlock()
		s.wg.Done()
	}, nil
}

// seconds is how long n seconds of a limit really last.
func (s *Server) seconds(n float64) time.Duration {
	return time.Duration(n * float64(s.cfg.Second))
}

// real is how long d of audio really lasts.
func (s *Server) real(d time.Duration) time.Duration {
	return time.Duration(float64(d) * float64(s.cfg.FrameInterval) / float64(audio.FrameDuration))
}

// heard is how much audio plays while d passes: the reverse of real.
func (s *Server) heard(d time.Duration) time.Duration {
	return time.Duration(float64(d) * float64(audio.FrameDuration) / float64(s.cfg.FrameInterval))
}

// newID is an id as the service makes them.
func newID(prefix string) string {
	var b [14]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}
