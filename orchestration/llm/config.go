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

// The defaults of zero [Config] fields.
const (
	DefaultBaseURL            = "https://api.openai.com/v1"
	DefaultFailoverAfter      = 2500 * time.Millisecond
	DefaultFirstTokenDeadline = 9 * time.Second
	DefaultDeadline           = 18 * time.Second // ElevenLabs gives up on a turn after 20 s
	DefaultBackgroundDeadline = 90 * time.Second
	DefaultEmbedDeadline      = 10 * time.Second
	DefaultStallAfter         = 4 * time.Second
	DefaultMaxContinuations   = 2
	DefaultRetries            = 1
)

// Config configures a [Client]. Only Models is required.
type Config struct {
	// BaseURL ends in the version, as OPENAI_BASE_URL does. Default
	// [DefaultBaseURL].
	BaseURL string
	// APIKey is sent as a bearer token. Empty sends none, for local servers.
	APIKey string
	// Models are tried in this order.
	Models []string
	// BackgroundModel is tried first for requests marked [Request.Background], and the Models after
	// it. Empty means only the Models.
	BackgroundModel string
	// EmbeddingModel is the model for [Client.Embed], which fails without one.
	EmbeddingModel string
	// EmbeddingDimensions, if positive, is requested and checked.
	EmbeddingDimensions int

	// FailoverAfter is how long a model may take until a useful token before the next one is
	// started in parallel. Default [DefaultFailoverAfter].
	FailoverAfter time.Duration
	// FirstTokenDeadline is the limit for the first useful token of any model. Default
	// [DefaultFirstTokenDeadline].
	FirstTokenDeadline time.Duration
	// Deadline is the limit for a whole reply, including continuations. Default [DefaultDeadline].
	Deadline time.Duration
	// BackgroundDeadline is the limit for requests marked [Request.Background], for which nobody
	// waits on the line. It replaces Deadline, and fractions of it replace the other limits.
	// Default [DefaultBackgroundDeadline].
	BackgroundDeadline time.Duration
	// StallAfter is how long a model may pause within its reply before its stream counts as broken.
	// Default [DefaultStallAfter].
	StallAfter time.Duration
	// EmbedDeadline is the limit for one call of [Client.Embed] or
	// [Client.Models]. Default [DefaultEmbedDeadline].
	EmbedDeadline time.Duration

	// MaxContinuations bounds how often a reply that was cut is continued. Default
	// [DefaultMaxContinuations]; negative means never.
	MaxContinuations int
	// Retries is how often the list of models is tried again, after a short wait, if all failed in
	// a way that may pass and time is left. Default [DefaultRetries]; negative means never.
	Retries int
	// MaxTokens bounds one reply unless the request sets a bound; 0 leaves it to the server.
	MaxTokens int
	// Temperature is sent unless the request sets one; nil leaves it to the server.
	Temperature *float64

	// HTTPClient must not have a Timeout, which would cut streams. Nil means a client of this
	// package, released by [Client.Close].
	HTTPClient *http.Client
	// Log receives failed and broken attempts. Nil discards them.
	Log *slog.Logger
}

// durations returns the durations of cfg with their defaults.
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

// withDefaults returns cfg with its zero fields set to their defaults.
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

// validate returns an error that names everything wrong with cfg.
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
	// The address itself is left out of the message, since it may contain a password.
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

// timing holds the limits of one request.
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
