package llm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/orchestration/llm"
)

// timeline is a model server without a network, for tests in which time is a
// value. Each model says its word after its delay; "-" never does.
type timeline struct {
	delays map[string]time.Duration
	began  time.Time

	mu     sync.Mutex // guards starts
	starts []string   // "model@when"
}

func (tl *timeline) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	model, _, _ := strings.Cut(strings.TrimPrefix(string(body), `{"model":"`), `"`)
	tl.mu.Lock()
	tl.starts = append(tl.starts, model+"@"+time.Since(tl.began).String())
	tl.mu.Unlock()
	timer := time.NewTimer(tl.delays[model])
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(script("stop", "This is "+model+"."))),
	}, nil
}

func TestHedgingKeepsTime(t *testing.T) {
	t.Parallel()
	const never = time.Hour
	tests := []struct {
		name       string
		delays     map[string]time.Duration
		background bool
		starts     []string
		want       string
		after      time.Duration
	}{
		{"fast", map[string]time.Duration{"a": time.Second}, false, []string{"a@0s"}, "a", time.Second},
		{
			"slow, the second wins",
			map[string]time.Duration{"a": never, "b": time.Second},
			false,
			[]string{"a@0s", "b@2.5s"},
			"b", 3500 * time.Millisecond,
		},
		{
			"slow, the first wins after all",
			map[string]time.Duration{"a": 3 * time.Second, "b": time.Second},
			false,
			[]string{"a@0s", "b@2.5s"},
			"a", 3 * time.Second,
		},
		{
			"all slow",
			map[string]time.Duration{"a": never, "b": never, "c": never},
			false,
			[]string{"a@0s", "b@2.5s", "c@5s"},
			"", 9 * time.Second,
		},
		{
			"nobody waits",
			map[string]time.Duration{"a": 20 * time.Second},
			true,
			[]string{"a@0s"},
			"a", 20 * time.Second,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tl := &timeline{delays: tt.delays, began: time.Now()}
				c, err := llm.New(llm.Config{
					BaseURL: "http://model.invalid/v1", Models: []string{"a", "b", "c"},
					HTTPClient: &http.Client{Transport: tl},
				})
				if err != nil {
					t.Fatal(err)
				}
				req := ask()
				req.Background = tt.background
				res, err := c.Stream(t.Context(), req, nil)
				if got := time.Since(tl.began); got != tt.after {
					t.Errorf("took %s, want %s", got, tt.after)
				}
				if diff := cmp.Diff(tt.starts, tl.starts); diff != "" {
					t.Error(diff)
				}
				if tt.want == "" {
					if !errors.Is(err, llm.ErrAllModelsFailed) || !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("got %v", err)
					}
					return
				}
				if err != nil || res.Text != "This is "+tt.want+"." || res.TTFT != tt.after {
					t.Errorf("got %+v, %v", res, err)
				}
			})
		})
	}
}

// trickle is a stream whose pieces come with pauses; after the last it hangs.
type trickle struct {
	ctx    context.Context
	pieces []string
	pause  time.Duration
}

func (tr *trickle) Read(p []byte) (int, error) {
	timer := time.NewTimer(tr.pause)
	defer timer.Stop()
	next := timer.C
	if len(tr.pieces) == 0 {
		next = nil
	}
	select {
	case <-next:
	case <-tr.ctx.Done():
		return 0, tr.ctx.Err()
	}
	n := copy(p, tr.pieces[0])
	tr.pieces = tr.pieces[1:]
	return n, nil
}

func (tr *trickle) Close() error { return nil }

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A stream may be slow for as long as it speaks, and its listener may be slow
// too; only silence breaks it.
func TestStallKeepsTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pieces []string
		pause  time.Duration // between pieces
		listen time.Duration // the listener's, for each
		after  time.Duration
		finish string
	}{
		{"steady", []string{token("a"), token(" b"), token(" c"), event("{}", "stop") + end}, 3 * time.Second, 0, 12 * time.Second, llm.FinishStop},
		{"a slow listener", []string{token("a"), token(" b"), event("{}", "stop") + end}, time.Second, 6 * time.Second, 15 * time.Second, llm.FinishStop},
		{"silence", []string{token("a"), token(" b")}, time.Second, 0, 6 * time.Second, llm.FinishBroken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, err := llm.New(llm.Config{
					BaseURL: "http://model.invalid/v1", Models: []string{"m"}, MaxContinuations: -1,
					HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
						return &http.Response{
							StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"text/event-stream"}},
							Body: &trickle{ctx: r.Context(), pieces: slices.Clone(tt.pieces), pause: tt.pause},
						}, nil
					})},
				})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				res, err := c.Stream(t.Context(), ask(), func(llm.Delta) error {
					<-time.After(tt.listen)
					return nil
				})
				if err != nil || res.FinishReason != tt.finish {
					t.Errorf("got %+v, %v", res, err)
				}
				// A stream that ends waits a moment for the end of its body.
				if got := time.Since(began).Truncate(100 * time.Millisecond); got != tt.after {
					t.Errorf("took %s, want %s", got, tt.after)
				}
			})
		})
	}
}

// panicking panics where the model a is asked, as a bug of ours or of a library would.
type panicking struct{ http.RoundTripper }

func (p panicking) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(body), `"model":"a"`) {
		panic("in RoundTrip")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return p.RoundTripper.RoundTrip(r)
}

// An attempt that panics has failed, and the next model answers.
func TestAttemptThatPanics(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"a": says("never"), "b": says("Good morning.")})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := s.client(t, func(cfg *llm.Config) { cfg.HTTPClient = &http.Client{Transport: panicking{transport}} }, "a", "b")
	if res, err := c.Stream(t.Context(), ask(), nil); err != nil || res.Text != "Good morning." || res.Model != "b" {
		t.Errorf("got %+v, %v", res, err)
	}
}
