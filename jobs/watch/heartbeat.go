package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Heartbeat requests a URL periodically as long as nAIber works.
type Heartbeat struct {
	URL   string
	Every time.Duration
	HTTP  *http.Client
	// Working returns an error if nAIber does not work.
	Working func(ctx context.Context) error
	Log     *slog.Logger
}

// Run sends heartbeats until ctx is done, the first one immediately. A failed one is
// retried within the period, also if Working fails.
func (h *Heartbeat) Run(ctx context.Context) {
	tick := time.NewTicker(h.Every)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := h.beat(ctx); err != nil && ctx.Err() == nil {
			h.Log.WarnContext(ctx, "heartbeat was left out", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// beat sends one heartbeat, with retries, within most of a period.
func (h *Heartbeat) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.Every*3/4)
	defer cancel()
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval = h.Every / 30
	wait.MaxInterval = h.Every / 6
	var last error // more informative than that the time is over
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		if last = h.Working(ctx); last == nil {
			last = h.ask(ctx)
		}
		return struct{}{}, last
	}, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(h.Every*3/4))
	if err != nil {
		return errors.Join(err, last)
	}
	return nil
}

func (h *Heartbeat) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(askWithin, h.Every/3))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL, http.NoBody)
	if err != nil {
		return backoff.Permanent(errors.New("watch.heartbeat_url cannot be read")) // err would quote it
	}
	req.Header.Set("User-Agent", "nAIber")
	res, err := h.HTTP.Do(req)
	if err != nil {
		if failed, is := errors.AsType[*url.Error](err); is {
			err = failed.Err // without the URL, which is a secret
		}
		return err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // lets the connection be reused
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("heartbeat is answered %d", res.StatusCode)
	}
	return nil
}
