package general

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive"
)

// recallGivesUp bounds a recall that came too late for its own turn.
const recallGivesUp = 3 * time.Second

// recalled is what a look into memory came to.
type recalled struct {
	memories []string
	// lesser is what it had to do without; empty: nothing. Something better may
	// follow what was found by words alone.
	lesser string
	final  bool
}

// recalls reports whether memories are looked for in a turn at all.
func (p *Persona) recalls(t *orchestration.Turn) bool {
	return p.cfg.Recaller != nil && p.cfg.RAGEnabled && t.Line.Person.ID.Known()
}

// recall returns what fits the person's words, as far as it comes in time; else
// what was recalled before in this call.
func (p *Persona) recall(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) []string {
	id := t.Line.Call.ID
	best := p.before(id)
	found := p.look(ctx, id, t.Line.Person, t.Heard)
	if found == nil {
		return best
	}
	limit := time.NewTimer(p.cfg.Deadline)
	defer limit.Stop()
	for {
		select {
		case r, ok := <-found:
			if !ok {
				s.Degraded("recall_failed")
				return best
			}
			if len(r.memories) > 0 || r.final {
				best = r.memories
			}
			if !r.final {
				continue
			}
			if r.lesser != "" {
				s.Degraded(r.lesser)
			}
			return best
		case <-limit.C:
			s.Degraded("recall_late")
			p.log.LogAttrs(ctx, slog.LevelWarn, "recall is late", slog.String("call_id", id.String()))
			return best
		case <-ctx.Done():
			return nil
		}
	}
}

// look looks into memory beside the turn, since what comes too late still serves
// the next one. The channel has room for all that comes, and is closed after the
// final word; without one, recall failed. It is nil when the persona is closed.
func (p *Persona) look(ctx context.Context, id store.CallID, who store.Person, heard string) <-chan recalled {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	found := make(chan recalled, 2)
	ctx = context.WithoutCancel(ctx)
	p.late.Go(func() {
		defer close(found)
		ctx, cancel := context.WithTimeout(ctx, recallGivesUp)
		defer cancel()
		l := looking{Persona: p, call: id, who: who, heard: heard, found: found}
		if err := survive.Try(p.log, "recall", func() error { return l.run(ctx) }); err != nil && !errors.Is(err, context.Canceled) {
			p.log.LogAttrs(ctx, slog.LevelWarn, "recall failed", slog.String("call_id", id.String()), slog.Any("err", err))
		}
	})
	return found
}

// looking is one look into memory.
type looking struct {
	*Persona

	call  store.CallID
	who   store.Person
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
	if memories, err := l.cfg.Recaller.Recall(ctx, l.who, l.heard, nil); err == nil {
		l.found <- recalled{memories: memories}
	}
	return <-whole
}

// byMeaning finds out what the words mean, and searches where that is something new.
func (l looking) byMeaning(ctx context.Context) error {
	meaning, err := l.cfg.Recaller.Embed(ctx, l.heard)
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

func (l looking) search(ctx context.Context, number int, vector []float32, lesser string) error {
	memories, err := l.cfg.Recaller.Recall(ctx, l.who, l.heard, vector)
	if err != nil {
		return err
	}
	l.remember(l.call, l.who.ID, number, memories, vector != nil)
	l.found <- recalled{memories: memories, lesser: lesser, final: true}
	return nil
}
