package voice

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

// Config configures the workspace and how fast time passes.
type Config struct {
	// APIKey is the only key that opens the REST API. Required.
	APIKey string
	// Faults are the faults to inject. None by default.
	Faults *faults.Set
	// Log logs conversations. Required.
	Log *slog.Logger
	// FrameInterval is the real duration of 20 ms of audio; it also scales the turn timeout.
	// Default 20 ms; tests let time run faster.
	FrameInterval time.Duration
	// Second is the real duration of a second of the limits: for the language model, the whole
	// conversation, missing audio. Default 1 s.
	Second time.Duration
	// WPM is how fast the agent speaks at speed 1, in words per minute.
	// Default audio.DefaultWPM.
	WPM int
}

// Server is a running service. It is safe for concurrent use.
type Server struct {
	cfg    Config
	client *http.Client // for models and webhooks
	life   *wire.Life

	mu       sync.Mutex // guards the fields below; REST holds it during a request
	agents   map[string]*agent
	secrets  map[string]secret
	webhooks map[string]*webhook
	tickets  map[string]ticket
	live     int
}

// New returns a server. It starts no goroutine until there is a conversation; Close ends them.
func New(cfg Config) *Server {
	if cfg.FrameInterval <= 0 {
		cfg.FrameInterval = audio.FrameDuration
	}
	if cfg.Second <= 0 {
		cfg.Second = time.Second
	}
	if cfg.WPM <= 0 {
		cfg.WPM = audio.DefaultWPM
	}
	return &Server{
		cfg: cfg, life: wire.NewLife(),
		client:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 30 * time.Second, DisableCompression: true}},
		agents:   make(map[string]*agent),
		secrets:  make(map[string]secret),
		webhooks: make(map[string]*webhook),
		tickets:  make(map[string]ticket),
	}
}

// Live returns the number of conversations in progress.
func (s *Server) Live() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live
}

// Close ends all conversations at once and returns when no goroutine of the server runs any more.
// It may be called twice.
func (s *Server) Close() error {
	s.life.Close()
	s.client.CloseIdleConnections()
	return nil
}

// seconds returns the real duration of n seconds of a limit.
func (s *Server) seconds(n float64) time.Duration { return time.Duration(n * float64(s.cfg.Second)) }

// real returns the real duration of d of audio.
func (s *Server) real(d time.Duration) time.Duration {
	return time.Duration(float64(d) * float64(s.cfg.FrameInterval) / float64(audio.FrameDuration))
}
