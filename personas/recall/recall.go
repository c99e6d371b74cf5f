// Package recall looks into memory for a call's turns: alongside the turn, within a
// deadline, and again only where the person talks of something else.
package recall

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/survive"
)

// Source knows what fits words about a person. It may be used concurrently.
type Source interface {
	// Embed returns what a text means, as a vector; none, without an error, where
	// nothing can tell.
	Embed(ctx context.Context, text string) ([]float32, error)
	// Recall returns what fits the words, as short sentences, best first; without
	// a vector of their meaning, by the words alone.
	Recall(ctx context.Context, p people.Person, words string, meaning []float32) ([]string, error)
}

// What a zero [Config] field means.
const (
	DefaultDeadline       = 150 * time.Millisecond
	DefaultTopicThreshold = 0.4
	DefaultHighlightsFor  = 90 * time.Second
)

// Config is what a [Recall] works with. Source and Log are required.
type Config struct {
	Source Source
	// Deadline is how long the first word may wait for memories. What comes
	// later serves the call's next turn. Default [DefaultDeadline].
	Deadline time.Duration
	// TopicThreshold is how like the topic words must be to belong to it, as a
	// cosine. Below it memory is searched anew. Default [DefaultTopicThreshold].
	TopicThreshold float64
	// HighlightsFor is how long what was recalled serves while the topic stays.
	// Default [DefaultHighlightsFor].
	HighlightsFor time.Duration
	Log           *slog.Logger
}

// Recall knows what was recalled in the calls of a process. It may be used
// concurrently; a nil one knows nothing.
type Recall struct {
	cfg  Config
	log  *slog.Logger
	late sync.WaitGroup // recalls that still run

	mu     sync.Mutex // guards topics and closed
	topics map[store.CallID]*topic
	closed bool
}

// New makes a Recall. It starts nothing.
func New(cfg Config) *Recall {
	cfg.Deadline = cmp.Or(cfg.Deadline, DefaultDeadline)
	cfg.TopicThreshold = cmp.Or(cfg.TopicThreshold, DefaultTopicThreshold)
	cfg.HighlightsFor = cmp.Or(cfg.HighlightsFor, DefaultHighlightsFor)
	return &Recall{cfg: cfg, log: cfg.Log, topics: make(map[store.CallID]*topic)}
}

// Close waits for recalls that still run.
func (r *Recall) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.late.Wait()
}

// recallGivesUp bounds a recall that came too late for its own turn.
const recallGivesUp = 3 * time.Second

// recalled is what a look into memory came to.
type recalled struct {
	memories []string
	// degraded is what it had to do without; empty: nothing. Something better may
	// follow what was found by words alone.
	degraded string
	final    bool
}

// Knows reports whether memories are looked for in a turn at all.
func (r *Recall) Knows(t *orchestration.Turn) bool { return r != nil && t.Line.Person.ID.Known() }

// Ahead looks for what fits the person's words and waits for nothing: it serves the
// turns that follow.
func (r *Recall) Ahead(ctx context.Context, t *orchestration.Turn) {
	if r.Knows(t) {
		r.look(ctx, t.Line.Call.ID, t.Line.Person, t.Heard)
	}
}

// Fitting returns what fits the person's words, as far as it comes in time; else
// what was recalled before in this call.
func (r *Recall) Fitting(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) []string {
	if !r.Knows(t) {
		return nil
	}
	id := t.Line.Call.ID
	best := r.Before(id)
	found := r.look(ctx, id, t.Line.Person, t.Heard)
	if found == nil {
		return best
	}
	limit := time.NewTimer(r.cfg.Deadline)
	defer limit.Stop()
	for {
		select {
		case got, ok := <-found:
			if !ok {
				s.Degraded("recall_failed")
				return best
			}
			if len(got.memories) > 0 || got.final {
				best = got.memories
			}
			if !got.final {
				continue
			}
			r.lateAgain(id, false)
			if got.degraded != "" {
				s.Degraded(got.degraded)
			}
			return best
		case <-limit.C:
			// What comes late serves the next turn, so that one alone takes nothing away.
			if r.lateAgain(id, true) {
				s.Degraded("recall_late")
			} else {
				s.Note("recallLate", true)
			}
			r.log.LogAttrs(ctx, slog.LevelWarn, "recall is late", slog.String("call_id", id.String()))
			return best
		case <-ctx.Done():
			return nil
		}
	}
}

// look looks into memory alongside the turn, since what comes too late still serves
// the next one. The channel has room for all that comes, and is closed after the
// final word; without one, recall failed. It is nil when the persona is closed.
func (r *Recall) look(ctx context.Context, id store.CallID, who people.Person, heard string) <-chan recalled {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	found := make(chan recalled, 2)
	ctx = context.WithoutCancel(ctx)
	r.late.Go(func() {
		defer close(found)
		ctx, cancel := context.WithTimeout(ctx, recallGivesUp)
		defer cancel()
		l := looking{Recall: r, call: id, who: who, heard: heard, found: found}
		if err := survive.Try(r.log, "recall", func() error { return l.run(ctx) }); err != nil && !errors.Is(err, context.Canceled) {
			r.log.LogAttrs(ctx, slog.LevelWarn, "recall failed", slog.String("call_id", id.String()), slog.Any("err", err))
		}
	})
	return found
}

// looking is one look into memory.
type looking struct {
	*Recall

	call  store.CallID
	who   people.Person
	heard string
	found chan<- recalled
}

// run looks for what the words mean, and where that takes its time for the words
// by themselves too, so that there is something when the turn can wait no longer.
func (l looking) run(ctx context.Context) error {
	whole := make(chan error, 1)
	l.late.Go(func() { whole <- survive.Try(l.log, "recall", func() error { return l.byMeaning(ctx) }) })
	slow := time.NewTimer(l.cfg.Deadline / 2)
	defer slow.Stop()
	select {
	case err := <-whole:
		return err
	case <-slow.C:
	}
	if memories, err := l.cfg.Source.Recall(ctx, l.who, l.heard, nil); err == nil {
		l.found <- recalled{memories: memories}
	}
	return <-whole
}

// byMeaning finds out what the words mean, and searches where that is something new.
func (l looking) byMeaning(ctx context.Context) error {
	meaning, err := l.cfg.Source.Embed(ctx, l.heard)
	if err != nil {
		return l.search(ctx, l.ask(l.call), nil, byWords)
	}
	if meaning == nil {
		return l.search(ctx, l.ask(l.call), nil, "")
	}
	memories, number := l.fits(l.call, l.heard, meaning)
	if number == 0 {
		l.found <- recalled{memories: memories, final: true}
		return nil
	}
	return l.search(ctx, number, meaning, "")
}

// byWords is how a turn is degraded whose words' meaning nobody could tell.
const byWords = "recall_by_words"

func (l looking) search(ctx context.Context, number int, vector []float32, degraded string) error {
	memories, err := l.cfg.Source.Recall(ctx, l.who, l.heard, vector)
	if err != nil {
		return err
	}
	l.remember(l.call, l.who.ID, number, memories, vector != nil)
	l.found <- recalled{memories: memories, degraded: degraded, final: true}
	return nil
}
