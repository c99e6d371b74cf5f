// Package recall searches memory during a call's turns: concurrently with the turn, within a
// deadline, and again only if the person talks about something else.
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

// Source finds what fits words about a person. It must be safe for concurrent use.
type Source interface {
	// Embed returns the meaning of a text as a vector, or nil without an error if nothing can tell.
	Embed(ctx context.Context, text string) ([]float32, error)
	// Recall returns what fits the words, as short sentences, best first. Without a vector of their
	// meaning it goes by the words alone.
	Recall(ctx context.Context, p people.Person, words string, meaning []float32) ([]string, error)
}

// Defaults of zero [Config] fields.
const (
	DefaultDeadline       = 150 * time.Millisecond
	DefaultTopicThreshold = 0.4
	DefaultHighlightsFor  = 90 * time.Second
)

// Config configures a [Recall]. Source and Log are required.
type Config struct {
	Source Source
	// Deadline is how long the first word may wait for memories. Memories that come later are used
	// in the call's next turn. Default [DefaultDeadline].
	Deadline time.Duration
	// TopicThreshold is the least cosine of words and the topic at which the words belong to it.
	// Below it, memory is searched again. Default [DefaultTopicThreshold].
	TopicThreshold float64
	// HighlightsFor is how long what was recalled is used while the topic stays. Default
	// [DefaultHighlightsFor].
	HighlightsFor time.Duration
	Log           *slog.Logger
}

// Recall holds what was recalled in the calls of a process. It is safe for concurrent use. A nil
// Recall recalls nothing.
type Recall struct {
	cfg  Config
	log  *slog.Logger
	late sync.WaitGroup // recalls that are still running

	mu     sync.Mutex // guards topics and closed
	topics map[store.CallID]*topic
	closed bool
}

// New returns a Recall. It starts no goroutines.
func New(cfg Config) *Recall {
	cfg.Deadline = cmp.Or(cfg.Deadline, DefaultDeadline)
	cfg.TopicThreshold = cmp.Or(cfg.TopicThreshold, DefaultTopicThreshold)
	cfg.HighlightsFor = cmp.Or(cfg.HighlightsFor, DefaultHighlightsFor)
	return &Recall{cfg: cfg, log: cfg.Log, topics: make(map[store.CallID]*topic)}
}

// Close waits for recalls that are still running. No more are started.
func (r *Recall) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.late.Wait()
}

// recallGivesUp is the timeout of a recall, which may be too late for its own turn.
const recallGivesUp = 3 * time.Second

// recalled is the result of a search.
type recalled struct {
	memories []string
	// degraded names what the search had to do without, or is empty. Unless final is set, a better
	// result may follow the one found by words alone.
	degraded string
	final    bool
}

// Knows reports whether memories are recalled in a turn at all.
func (r *Recall) Knows(t *orchestration.Turn) bool { return r != nil && t.Line.Person.ID.Known() }

// Ahead starts a search for what fits the person's words, for use in later turns. It does not wait.
func (r *Recall) Ahead(ctx context.Context, t *orchestration.Turn) {
	if r.Knows(t) {
		r.look(ctx, t.Line.Call.ID, t.Line.Person, t.Heard)
	}
}

// Fitting returns what fits the person's words if it comes in time; else what was recalled before
// in this call.
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
			// A late result is used in the next turn, so a single one takes nothing away.
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

// look searches memory concurrently with the turn, because a late result is still used in the next
// one. The channel has room for all results, and is closed after the final one; if it is closed
// without one, the search failed. It is nil if r is closed.
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

// looking is one search.
type looking struct {
	*Recall

	call  store.CallID
	who   people.Person
	heard string
	found chan<- recalled
}

// run searches by meaning and, if that takes long, also by the words themselves, so that there is a
// result when the turn can wait no longer.
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

// byMeaning embeds the words, and searches if they are about something new.
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

// byWords marks a turn as degraded if its words could not be embedded.
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
