package jobs_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/storetest"
)

// poster notes what two processes were asked to post.
type poster struct {
	mu    sync.Mutex // guards asked
	asked map[uuid.UUID]int
	fails error
}

func (p *poster) post(_ context.Context, id uuid.UUID, last bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[id]++
	if last {
		return errors.New("the first try is taken for the last")
	}
	return p.fails
}

func until(t *testing.T, holds func() bool) {
	t.Helper()
	for late := time.After(time.Minute); !holds(); {
		select {
		case <-late:
			t.Fatal("it never came to that")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestTwoProcessesPostEachDeliveryOnce(t *testing.T) {
	t.Parallel()
	url, s := database(t)
	other := storetest.Open(t, url)
	hook, err := s.AddWebhook(t.Context(), "https://example.org", []string{"alert.raised"})
	if err != nil {
		t.Fatal(err)
	}
	p := &poster{asked: map[uuid.UUID]int{}}
	for _, st := range []*store.Store{s, other} {
		run(t, open(t, st, newFinisher(ok), jobs.Config{Webhook: p.post}))
	}
	const n = 150 // more than are queued at a time
	for range n {
		if _, _, err := s.RaiseAlert(t.Context(), alerts.New{Kind: "operator_queue", Tier: alerts.SameDay}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, func() bool {
		return len(storetest.Column(t, s, "select id::text from river_job where kind = 'deliver_webhook' and queue = 'webhooks' and state = 'completed' and max_attempts = 12")) == n
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, times := range p.asked {
		if times != 1 {
			t.Errorf("%s is posted %d times", id, times)
		}
	}
	if len(p.asked) != n {
		t.Errorf("%d are posted to %s", len(p.asked), hook.ID)
	}
}

func TestDeliveryIsTriedAgainUnlessTheReceiverIsGone(t *testing.T) {
	t.Parallel()
	for want, fails := range map[string]error{"retryable": errors.New("answer 500"), "cancelled": webhook.ErrGone} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, s := database(t)
			if _, err := s.AddWebhook(t.Context(), "https://example.org", []string{"alert.raised"}); err != nil {
				t.Fatal(err)
			}
			run(t, open(t, s, newFinisher(ok), jobs.Config{Webhook: (&poster{asked: map[uuid.UUID]int{}, fails: fails}).post}))
			if _, _, err := s.RaiseAlert(t.Context(), alerts.New{Kind: "operator_queue", Tier: alerts.SameDay}); err != nil {
				t.Fatal(err)
			}
			until(t, func() bool {
				states := storetest.Column(t, s, "select state || ' ' || (state <> 'retryable' or scheduled_at between now() + interval '5 seconds' and now() + interval '12 seconds') from river_job where kind = 'deliver_webhook'")
				return len(states) == 1 && states[0] == want+" true"
			})
		})
	}
}

// A receiver that hangs keeps no event from another one, and gets all of its own later, none of
// them by an attempt more.
func TestSlowReceiverHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	_, s := database(t)
	hangs, told := make(chan struct{}), make(chan struct{}, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
	t.Cleanup(slow.Close)
	goOn := sync.OnceFunc(func() { close(hangs) })
	t.Cleanup(goOn)
	quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { told <- struct{}{} }))
	t.Cleanup(quick.Close)
	sender := webhook.New(webhook.Config{Store: s, Key: "a key"})
	tell := func(url string, events int) {
		t.Helper()
		if _, _, err := sender.Add(t.Context(), url, []string{"alert.raised"}); err != nil {
			t.Fatal(err)
		}
		for range events {
			if _, _, err := s.RaiseAlert(t.Context(), alerts.New{Kind: "operator_queue", Tier: alerts.SameDay}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tell(slow.URL, 60)
	tell(quick.URL, 1)
	run(t, open(t, s, newFinisher(ok), jobs.Config{Webhook: sender.Deliver}))
	select {
	case <-told:
	case <-time.After(10 * time.Second):
		t.Fatal("the other receiver is told nothing")
	}
	goOn()
	until(t, func() bool { // on a machine that stood still some were given up meanwhile, and are tried again later
		return len(storetest.Column(t, s, "select id::text from river_job where kind = 'deliver_webhook' and (state = 'completed' and attempt = 1 or state = 'retryable')")) == 62
	})
}
