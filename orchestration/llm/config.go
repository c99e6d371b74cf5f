package llm

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// What a zero [Config] field means.
const (
	DefaultBaseURL            = "https://api.openai.com/v1"
	DefaultFailoverAfter      = 2500 * time.Millisecond
	DefaultFirstTokenDeadline = 9 * time.Second
	DefaultDeadline           = 18 * time.Second // ElevenLabs gives up on a turn at 20 s
	DefaultBackgroundDeadline = 90 * time.Second
	DefaultEmbedDeadline      = 10 * time.Second
	DefaultStallAfter         = 4 * time.Second
	DefaultMaxContinuations   = 2
	DefaultRetries            = 1
)

// Config is what a [Client] needs to know. Only Models is required.
type Config struct {
	// BaseURL ends in the version, as OPENAI_BASE_URL does. Default
	// [DefaultBaseURL].
	BaseURL string
	// APIKey is sent as a bearer. Empty sends none, for servers of one's own.
	APIKey string
	// Models are tried in this order.
	Models []string
	// BackgroundModel is asked first for requests marked [Request.Background]; where
	// it fails, the Models are. Empty: only these.
	BackgroundModel string
	// EmbeddingModel is what [Client.Embed] asks for; without it Embed fails.
	EmbeddingModel string
	// EmbeddingDimensions, when positive, is asked for and checked.
	EmbeddingDimensions int

	// FailoverAfter is how long a model may go without a useful token before the
	// next one is started alongside it. Default [DefaultFailoverAfter].
	FailoverAfter time.Duration
	// FirstTokenDeadline is the limit for the first useful token, whichever
	// model says it. Default [DefaultFirstTokenDeadline].
	FirstTokenDeadline time.Duration
	// Deadline is the limit for a whole reply, continuations included. Default
	// [DefaultDeadline].
	Deadline time.Duration
	// BackgroundDeadline takes the place of the three above for requests marked
	// [Request.Background]: nobody waits on the line. Default
	// [DefaultBackgroundDeadline].
	BackgroundDeadline time.Duration
	// StallAfter is how long a model that has begun to speak may pause before
	// its stream counts as broken. Default [DefaultStallAfter].
	StallAfter time.Duration
	// EmbedDeadline is the limit for one call of [Client.Embed] or
	// [Client.Models]. Default [DefaultEmbedDeadline].
	EmbedDeadline time.Duration

	// MaxContinuations bounds how often a cut reply is continued. Default
	// [DefaultMaxContinuations]; negative means never.
	MaxContinuations int
	// Retries is how often the list of models is gone through again, after a
	// short wait, when all failed in a way that may pass and time is left.
	// Default [DefaultRetries]; negative means never.
	Retries int
	// MaxTokens bounds one reply unless the request says otherwise; 0 leaves it
	// to the server.
	MaxTokens int
	// Temperature is sent unless the request says otherwise; nil leaves it to
	// the server.
	Temperature *float64

	// HTTPClient must not have a Timeout, which would cut streams. Default: one
	// of our own, released by [Client.Close].
	HTTPClient *http.Client
	// Log gets failed and broken attempts. Default: nowhere.
	Log *slog.Logger
}

// durations lists the durations of cfg, with what a zero one means.
func durations(cfg *Config) []limit {
	return []limit{
		{"failover after", &cfg.FailoverAfter, DefaultFailoverAfter},
		{"first token deadline", &cfg.FirstTokenDeadline, DefaultFirstTokenDeadline},
		{"deadline", &cfg.Deadline, DefaultDeadline},
		{"background deadline", &cfg.BackgroundDeadline, DefaultBackgroundDeadline},
		{"stall after", &cfg.StallAfter, DefaultStallAfter},
		{"embed deadline", &cfg.EmbedDeadline, DefaultEmbedDeadline},
	}
}

type limit struct {
	name     string
	value    *time.Duration
	fallback time.Duration
}

// withDefaults returns cfg with what is zero filled in.
func (cfg Config) withDefaults() Config {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, DefaultBaseURL)
	for _, l := range durations(&cfg) {
		*l.value = cmp.Or(*l.value, l.fallback)
	}
	cfg.MaxContinuations = cmp.Or(cfg.MaxContinuations, DefaultMaxContinuations)
	cfg.Retries = cmp.Or(cfg.Retries, DefaultRetries)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return cfg
}

// validate reports all that is wrong with cfg at once.
func (cfg Config) validate() error {
	var errs []error
	if len(cfg.Models) == 0 {
		errs = append(errs, errors.New("no model is named"))
	}
	for i, m := range cfg.Models {
		if m == "" {
			errs = append(errs, fmt.Errorf("model %d has no name", i+1))
		}
	}
	// The address itself stays out of the message: it may carry a password.
	if u, err := url.Parse(cfg.BaseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, errors.New("base URL is not an http or https address"))
	}
	for _, l := range durations(&cfg) {
		if *l.value < 0 {
			errs = append(errs, fmt.Errorf("%s is negative: %s", l.name, *l.value))
		}
	}
	return errors.Join(errs...)
}

// timing is the set of limits one request runs under.
type timing struct {
	failover, first, whole, stall time.Duration
}

func (cfg Config) timing(background bool) timing {
	if background {
		d := cfg.BackgroundDeadline
		return timing{failover: d / 4, first: d / 2, whole: d, stall: d / 4}
	}
	return timing{failover: cfg.FailoverAfter, first: cfg.FirstTokenDeadline, whole: cfg.Deadline, stall: cfg.StallAfter}
}
