package carrier

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/faults"
	"github.com/naiber/naiber/app/sandbox/wire"
)

// ErrClosed is returned once the carrier is closed.
var ErrClosed = errors.New("the carrier is closed")

// keepCalls is how many calls REST remembers; beyond it, the oldest ended ones are forgotten.
const keepCalls = 2000

// Config configures the account and how fast time passes.
type Config struct {
	// AccountSID and AuthToken are the only credentials that open the REST API; the token also
	// signs webhooks. Required.
	AccountSID, AuthToken string
	// Number is the account's only phone number, in E.164. Required.
	Number string
	// VoiceURL receives calls to Number, and StatusCallback reports of their end. Empty by
	// default.
	VoiceURL, StatusCallback string
	// TextURL receives text messages to Number. Empty by default.
	TextURL string
	// Answer is called when a phone rings. By default nobody answers.
	Answer Answerer
	// BeforeWebhook is called before each webhook, which is sent when it has returned; the time
	// limits of the webhook begin then. Nil by default.
	BeforeWebhook func(context.Context)
	// Faults are the faults to inject. None by default.
	Faults *faults.Set
	// Log logs calls and warnings. Required.
	Log *slog.Logger
	// FrameInterval is the real duration of one 20 ms audio frame. Default 20 ms; tests let time
	// run faster.
	FrameInterval time.Duration
	// Second is the real duration of a second of Timeout, TimeLimit, Pause and machine detection.
	// Default 1 s.
	Second time.Duration
	// WPM is how fast people speak, in words per minute. Default audio.DefaultWPM.
	WPM int
}

// Carrier is a running carrier. It is safe for concurrent use.
type Carrier struct {
	cfg       Config
	client    *http.Client // for webhooks and media sockets
	life      *wire.Life
	numberSID string
	created   time.Time // of the account and its number

	mu       sync.Mutex // guards the fields below
	calls    map[string]*call
	rooms    map[string]*conference // by name
	order    []string               // sids, oldest first
	texts    []*Text                // oldest first
	stopped  map[string]bool        // numbers that have sent STOP
	warnings map[int]int
	busy     int // REST requests in progress
}

// New returns a carrier. It starts no goroutine until there is a call; Close ends them.
func New(cfg Config) *Carrier {
	if cfg.FrameInterval <= 0 {
		cfg.FrameInterval = audio.FrameDuration
	}
	if cfg.Second <= 0 {
		cfg.Second = time.Second
	}
	return &Carrier{
		cfg: cfg, life: wire.NewLife(), numberSID: wire.ID("PN"), created: time.Now(),
		client: &http.Client{Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: defaultConnect}).DialContext,
			TLSHandshakeTimeout: defaultConnect,
			MaxIdleConnsPerHost: 32,
			IdleConnTimeout:     30 * time.Second,
		}},
		calls: make(map[string]*call), rooms: make(map[string]*conference), stopped: make(map[string]bool), warnings: make(map[int]int),
	}
}

// Live returns the number of calls that have not ended.
func (c *Carrier) Live() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, call := range c.calls {
		if !call.final() {
			n++
		}
	}
	return n
}

// Warnings returns how often the account was warned, by debugger code: 31951 is an invalid
// message on a media stream, 31920 a refused handshake, 11200 a webhook that failed.
func (c *Carrier) Warnings() map[int]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.warnings)
}

// Close ends all calls at once, without waiting for webhooks, and returns when no goroutine of
// the carrier runs any more. It may be called twice.
func (c *Carrier) Close() error {
	c.life.Close()
	c.client.CloseIdleConnections()
	return nil
}

// warn counts and logs a warning that the real service would write to its debugger.
func (c *Carrier) warn(ctx context.Context, code int, sid, reason string) {
	c.mu.Lock()
	c.warnings[code]++
	c.mu.Unlock()
	c.cfg.Log.WarnContext(ctx, "carrier warning", slog.Int("code", code), slog.String("call_sid", sid), slog.String("reason", reason))
}

// add stores a new call and, if there are more than keepCalls, forgets the oldest ended ones.
func (c *Carrier) add(call *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[call.sid] = call
	c.order = append(c.order, call.sid)
	for i := 0; len(c.order) > keepCalls && i < len(c.order); {
		if sid := c.order[i]; c.calls[sid].final() {
			delete(c.calls, sid)
			c.order = append(c.order[:i], c.order[i+1:]...)
			continue
		}
		i++
	}
}

// seconds returns the real duration of n of the carrier's seconds.
func (c *Carrier) seconds(n float64) time.Duration { return time.Duration(n * float64(c.cfg.Second)) }
