// Package forget takes out of the memory, and of all else where words are kept,
// what a person wants forgotten, and looks whether it is gone.
package forget

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/index"
	"github.com/naiber/naiber/memory/keep"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/transfer"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// Config is what a [Forgetter] works with; all of it is required.
type Config struct {
	Store    *store.Store
	Index    *index.Index
	Keeper   *keep.Keeper
	Searcher *search.Searcher   // to verify
	Transfer *transfer.Transfer // to verify
	// Forgot is called when something about a person was forgotten.
	Forgot  func(store.PersonID)
	Log     *slog.Logger
	Metrics *memory.Metrics
}

// Forgetter forgets. It may be used concurrently.
type Forgetter struct{ cfg Config }

// New makes a Forgetter.
func New(cfg Config) *Forgetter { return &Forgetter{cfg} }

// Forgotten is what went. Its ids say what must not be found again.
type Forgotten struct {
	Turns     int `json:"turns"`
	Facts     int `json:"facts"`
	Entities  int `json:"entities"`
	Promises  int `json:"promises"`
	Summaries int `json:"summaries"`
	Lines     int `json:"lines"`    // of transcripts
	Episodes  int `json:"episodes"` // of the text channel
	Quotes    int `json:"quotes"`   // the words of health answers and of tasks of cognitive checks
	// Discussions are those of the care council that had any of it before them.
	Discussions int `json:"discussions"`
	Repairs     int `json:"repairs"` // sessions about appliances
	Mails       int `json:"mails"`

	ids      []uuid.UUID // of turns
	facts    []uuid.UUID
	calls    []uuid.UUID
	worded   []uuid.UUID // of calls, those whose words went
	lines    []int64
	episodes []int64
	texts    []string // some of what the turns said
	scope    memories.ForgetScope
	noted    time.Time // until when words that wait in health checks are left out
}

// Forget forgets what a request names, wherever it is kept: turns, windows and
// their full text, facts that do not stand without them, whom and what these
// speak of, promises, summaries, the words in transcripts, timelines, chats and
// health answers and alerts, discussions that had any of it before them, sessions about appliances, mails. All of that is one transaction. Summaries are dropped and made
// anew when there is more to sum up. Values of health answers stay, and so do
// limits: they are the person's wish, not their memory.
//
// Vectors are deleted right after it, or by [Forgetter.EraseForgotten] later;
// no search returns them meanwhile. What learns from a call or a chat at the same
// time does not bring turns back. A request may come twice.
//
// It returns an error wrapping [store.ErrNotFound] where there is no such person,
// turn or fact.
func (s *Forgetter) Forget(ctx context.Context, r Request) (Forgotten, error) {
	if err := r.check(); err != nil {
		return Forgotten{}, fmt.Errorf("forget: %w", err)
	}
	var o *forgetting
	err := s.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		o = &forgetting{Forgetter: s, tx: tx, r: r, in: memories.Scope{Person: r.Person}}
		return o.forget(ctx)
	})
	if err != nil {
		return Forgotten{}, fmt.Errorf("forget of %s: %w", r.Person, err)
	}
	s.forgot(ctx, r.Person)
	by := r.By
	if by == "" {
		by = "naiber"
	}
	// What was forgotten does not stand in the audit, only how.
	if err := s.cfg.Store.AddAudit(context.WithoutCancel(ctx), calls.Audit{Actor: by, Action: "memory.forget." + r.kind(), PersonID: r.Person}); err != nil {
		s.cfg.Log.LogAttrs(ctx, slog.LevelError, "audit line not kept", slog.String("person_id", r.Person.String()), slog.Any("err", err))
	}
	return o.out, nil
}

// eraseWait is how long Forget may take to delete vectors at once.
const eraseWait = 5 * time.Second

// forgot has the copies in this process dropped and vectors deleted.
func (s *Forgetter) forgot(ctx context.Context, person store.PersonID) {
	s.cfg.Forgot(person)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eraseWait)
	defer cancel()
	if _, err := s.cfg.Index.EraseForgotten(ctx); err != nil {
		s.cfg.Metrics.Degraded(ctx, "erase", err)
	}
}
