// Package forget removes what a person wants forgotten from the memory and from every other
// place that stores words, and verifies that it is gone.
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

// Config holds the dependencies of a [Forgetter]. All fields are required.
type Config struct {
	Store    *store.Store
	Index    *index.Index
	Keeper   *keep.Keeper
	Searcher *search.Searcher   // to verify
	Transfer *transfer.Transfer // to verify
	// Forgot is called after something about a person was forgotten.
	Forgot  func(store.PersonID)
	Log     *slog.Logger
	Metrics *memory.Metrics
}

// Forgetter forgets. It may be used concurrently.
type Forgetter struct{ cfg Config }

// New returns a Forgetter.
func New(cfg Config) *Forgetter { return &Forgetter{cfg} }

// Forgotten counts what was deleted. Its ids identify what must not be found again.
type Forgotten struct {
	Turns     int `json:"turns"`
	Facts     int `json:"facts"`
	Entities  int `json:"entities"`
	Promises  int `json:"promises"`
	Summaries int `json:"summaries"`
	Lines     int `json:"lines"`    // of transcripts
	Episodes  int `json:"episodes"` // of the text channel
	Quotes    int `json:"quotes"`   // the words of health answers and of tasks of cognitive checks
	// Discussions are those of the care council that had used any of it.
	Discussions int `json:"discussions"`
	Repairs     int `json:"repairs"` // sessions about appliances
	Mails       int `json:"mails"`

	ids      []uuid.UUID // of turns
	facts    []uuid.UUID
	calls    []uuid.UUID
	worded   []uuid.UUID // those of calls whose words were deleted
	lines    []int64
	episodes []int64
	texts    []string // some of the turns' texts
	scope    memories.ForgetScope
	noted    time.Time // the time until which words waiting in health checks are left out
}

// Forget forgets what a request names, wherever it is stored: turns, windows and their full
// text, facts based only on them, the people and things that these mention, promises,
// summaries, the words in transcripts, timelines, chats, health answers and alerts,
// discussions that had used any of it, repair sessions about appliances, and mails. All of
// that is one transaction. Summaries are dropped, and rewritten when there is more to
// summarize. Values of health answers stay, and so do limits: they are the person's wish,
// not their memory.
//
// Vectors are deleted right afterwards, or later by [Forgetter.EraseForgotten]; meanwhile
// no search returns them. Learning from a call or a chat at the same time does not bring
// turns back. A request may be repeated.
//
// It returns an error wrapping [store.ErrNotFound] if there is no such person, turn or
// fact.
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
	// The audit says only how something was forgotten, not what.
	if err := s.cfg.Store.AddAudit(context.WithoutCancel(ctx), calls.Audit{Actor: by, Action: "memory.forget." + r.kind(), PersonID: r.Person}); err != nil {
		s.cfg.Log.LogAttrs(ctx, slog.LevelError, "audit line not kept", slog.String("person_id", r.Person.String()), slog.Any("err", err))
	}
	return o.out, nil
}

// eraseWait is how long Forget may take to delete vectors immediately.
const eraseWait = 5 * time.Second

// forgot drops the copies in this process and deletes vectors, for at most eraseWait.
func (s *Forgetter) forgot(ctx context.Context, person store.PersonID) {
	s.cfg.Forgot(person)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eraseWait)
	defer cancel()
	if _, err := s.cfg.Index.EraseForgotten(ctx); err != nil {
		s.cfg.Metrics.Degraded(ctx, "erase", err)
	}
}
