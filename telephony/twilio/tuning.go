package twilio

import (
	"strconv"
	"strings"
	"time"
)

// RetryAll as a [Tuning]'s policy has a webhook delivered again after any failure.
const RetryAll = "all"

// Tuning says how Twilio delivers a webhook. Left alone, it retries once, and
// only when it could not connect. A zero field leaves Twilio's default.
type Tuning struct {
	Retries        int           // 1 to 5
	Policy         string        // what to retry: "4xx", "5xx", "ct", "rt", joined by commas, or [RetryAll]
	ReadTimeout    time.Duration // 100 ms to 15 s
	ConnectTimeout time.Duration // 100 ms to 10 s
	TotalTimeout   time.Duration // 100 ms to 15 s
}

// Bounds of Tuning's fields, from Twilio's "webhooks connection overrides".
const (
	maxRetries = 5
	minTimeout = 100 * time.Millisecond
	maxTimeout = 15 * time.Second
	maxConnect = 10 * time.Second
)

// Fragment returns t in the form that Twilio reads behind a URL's "#", such as
// "rc=3&rp=all&rt=5000". Values outside their bounds are moved to the bound.
func (t Tuning) Fragment() string {
	var parts []string
	if t.Retries > 0 {
		parts = append(parts, "rc="+strconv.Itoa(min(t.Retries, maxRetries)))
	}
	if t.Policy != "" {
		parts = append(parts, "rp="+t.Policy)
	}
	add := func(key string, d, most time.Duration) {
		if d > 0 {
			d = max(minTimeout, min(d, most))
			parts = append(parts, key+"="+strconv.FormatInt(d.Milliseconds(), 10))
		}
	}
	add("rt", t.ReadTimeout, maxTimeout)
	add("ct", t.ConnectTimeout, maxConnect)
	add("tt", t.TotalTimeout, maxTimeout)
	return strings.Join(parts, "&")
}

// WebhookURL returns address with t as its fragment, in place of any other.
// Twilio does not send the fragment; a [Verifier] should be told of it all the
// same, see [VerifierConfig].
func WebhookURL(address string, t Tuning) string {
	address, _, _ = strings.Cut(address, "#")
	if fragment := t.Fragment(); fragment != "" {
		return address + "#" + fragment
	}
	return address
}
