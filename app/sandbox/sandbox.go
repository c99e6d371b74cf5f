// Package sandbox simulates the services that nAIber talks to: a telephone company, a voice
// service and a model, reached over real HTTP and WebSockets on the loopback, and elders who
// answer the telephone. Only `naiber serve --sandbox` and tests use it.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/app/sandbox/voice"
)

// Config configures the accounts at the simulated services, and their behaviour.
type Config struct {
	// AccountSID, AuthToken and Number are the account at the telephone company.
	AccountSID, AuthToken, Number string
	// VoiceURL receives calls to the number.
	VoiceURL string
	// TextURL receives text messages to the number.
	TextURL string
	// VoiceKey is the key of the voice service's workspace.
	VoiceKey string
	// ModelKey is the bearer of the model.
	ModelKey string
	// FirstTokenDelay and TokenDelay are the model's delays before its first token and each
	// further one.
	FirstTokenDelay, TokenDelay time.Duration
	// WPM is how fast both sides speak, in words a minute. Default 170.
	WPM int
	// Pace is how many times faster than real time the world runs: its audio, its limits, its
	// people and its model. Default 1.
	Pace float64
	// Seed makes the elders' behaviour repeatable.
	Seed int64
	// BeforeWebhook is called before each webhook of the telephone company, which is sent when it
	// has returned. May be nil.
	BeforeWebhook func(context.Context)
	// Restart simulates a crash of the tested process. May be nil.
	Restart func()
	// Faults are the faults to inject. By default a new set, with none on.
	Faults *faults.Set
	Log    *slog.Logger
}

// faster returns the real duration of a span of the world's time.
func (c Config) faster(d time.Duration) time.Duration { return time.Duration(float64(d) / c.Pace) }

// Sandbox is the running world. It is safe for concurrent use.
type Sandbox struct {
	cfg      Config
	faults   *faults.Set
	carrier  *carrier.Carrier
	voice    *voice.Server
	phones   *phones
	elders   *company
	pages    http.ServeMux
	server   *http.Server
	addr     string
	served   chan error
	stopOnce sync.Once
}

// Start creates the world and serves it on a free port of the loopback.
func Start(ctx context.Context, cfg Config) (*Sandbox, error) {
	if cfg.Pace <= 0 {
		cfg.Pace = 1
	}
	if cfg.Faults == nil {
		cfg.Faults = new(faults.Set)
	}
	s := &Sandbox{cfg: cfg, faults: cfg.Faults, served: make(chan error, 1)}
	cast, err := elders.Load()
	if err != nil {
		return nil, fmt.Errorf("load elders: %w", err)
	}
	s.elders = newCompany(cast, cfg.Seed, cfg.WPM, cfg.Pace, cfg.Log)
	s.phones = newPhones(s.elders.answer, cfg.Log)
	s.carrier = carrier.New(carrier.Config{
		AccountSID: cfg.AccountSID, AuthToken: cfg.AuthToken, Number: cfg.Number, VoiceURL: cfg.VoiceURL, TextURL: cfg.TextURL,
		Answer: s.phones.answer, BeforeWebhook: cfg.BeforeWebhook, Faults: s.faults, Log: cfg.Log, WPM: cfg.WPM,
		FrameInterval: cfg.faster(audio.FrameDuration), Second: cfg.faster(time.Second),
	})
	s.voice = voice.New(voice.Config{
		APIKey: cfg.VoiceKey, Faults: s.faults, Log: cfg.Log, WPM: cfg.WPM,
		FrameInterval: cfg.faster(audio.FrameDuration), Second: cfg.faster(time.Second),
	})
	if cfg.Restart != nil {
		s.faults.Handle(faults.Restart, func(string) { cfg.Restart() })
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	s.pages.Handle("/sandbox/phone", s.phones)
	s.pages.Handle("/sandbox/faults", s.faults.Handler())
	s.pages.HandleFunc("POST /sandbox/ring", s.ring)
	s.pages.HandleFunc("GET /sandbox/texts", s.texts)
	s.pages.HandleFunc("POST /sandbox/texts", s.text)
	s.pages.HandleFunc("GET /sandbox/contact", s.contact)
	return s, nil
}

// open serves the three services on one port, as their paths do not overlap.
func (s *Sandbox) open(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open the sandbox: %w", err)
	}
	s.addr = "http://" + l.Addr().String()
	mux := http.NewServeMux()
	mux.Handle("/2010-04-01/", s.carrier.Handler())
	mux.Handle("/v1/convai/", s.voice.Handler())
	mux.Handle("/v1/user/", s.voice.Handler())
	mux.Handle("/v1/workspace/", s.voice.Handler())
	mux.Handle("/v1/", model.New(model.Config{
		APIKey: s.cfg.ModelKey, Log: s.cfg.Log, FirstTokenDelay: s.cfg.faster(s.cfg.FirstTokenDelay), TokenDelay: s.cfg.faster(s.cfg.TokenDelay),
		Faults: s.faults.Take,
	}))
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { s.served <- s.server.Serve(l) }()
	return nil
}

// URL returns the root of the three services, without a trailing slash.
func (s *Sandbox) URL() string { return s.addr }

// Faults returns the faults of the sandbox.
func (s *Sandbox) Faults() *faults.Set { return s.faults }

// Phones returns the simulated telephone company.
func (s *Sandbox) Phones() *carrier.Carrier { return s.carrier }

// SetAnswerer sets who answers telephones that no browser holds: by default the scripted elders.
func (s *Sandbox) SetAnswerer(a carrier.Answerer) { s.phones.setScripts(a) }

// Elders returns the elders of the sandbox.
func (s *Sandbox) Elders() []elders.Elder { return s.elders.cast }

// ServeHTTP serves what a browser needs below /sandbox: telephones, faults, texts, and a way for
// an elder to call nAIber.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.pages.ServeHTTP(w, r) }

// ring calls nAIber from the telephone of a number. The page that holds the telephone takes the
// call, or else the elder's script does.
func (s *Sandbox) ring(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Number string `json:"number"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&in); err != nil || in.Number == "" {
		status := http.StatusBadRequest
		if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, `send {"number": "+15550100123"}`, status)
		return
	}
	set, err := s.carrier.DialVouched(r.Context(), in.Number)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if !s.phones.take(in.Number, set) {
		s.elders.speak(in.Number, set)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Close ends everything at once and waits until it has ended. It may be called twice.
func (s *Sandbox) Close() error {
	var err error
	s.stopOnce.Do(func() {
		s.elders.life.Close()
		err = errors.Join(s.carrier.Close(), s.voice.Close(), s.server.Close())
		if e := <-s.served; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
	})
	return err
}
