package general

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store"
)

const (
	// recallGivesUp bounds a recall that came too late for its own turn.
	recallGivesUp = 3 * time.Second
	// keptCalls is how many calls' latest memories are kept; more calls than
	// that at once are beyond one process.
	keptCalls = 1024
)

// recent is what was recalled last in a call.
type recent struct {
	memories []string
	at       time.Time
}

// recalls reports whether memories are looked for in a turn at all.
func (p *Persona) recalls(t *orchestration.Turn) bool {
	return p.cfg.Recaller != nil && p.cfg.RAGEnabled && t.Line.Person.ID.Known()
}

// recall returns what fits the person's words, if it comes in time; else what
// was recalled before in this call.
func (p *Persona) recall(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) []string {
	id := t.Line.Call.ID
	found := p.search(ctx, id, t.Line.Person, t.Heard)
	if found == nil {
		return p.before(id)
	}
	limit := time.NewTimer(p.cfg.Deadline)
	defer limit.Stop()
	select {
	case memories, ok := <-found:
		if !ok {
			s.Degraded("recall_failed")
			return p.before(id)
		}
		return memories
	case <-limit.C:
		s.Degraded("recall_late")
		p.log.LogAttrs(ctx, slog.LevelWarn, "recall is late", slog.String("call_id", id.String()))
		return p.before(id)
	case <-ctx.Done():
		return nil
	}
}

// search recalls beside the turn, since what comes too late still serves the
// next one. The channel is closed without a value when recall failed; it is nil
// when the persona is closed.
func (p *Persona) search(ctx context.Context, id store.CallID, who store.Person, query string) <-chan []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	found := make(chan []string, 1)
	ctx = context.WithoutCancel(ctx)
	p.late.Go(func() {
		defer close(found)
		ctx, cancel := context.WithTimeout(ctx, recallGivesUp)
		defer cancel()
		memories, err := p.cfg.Recaller.Recall(ctx, who, query)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				p.log.LogAttrs(ctx, slog.LevelWarn, "recall failed", slog.String("call_id", id.String()), slog.Any("err", err))
			}
			return
		}
		p.remember(id, memories)
		found <- memories
	})
	return found
}

// before is what was recalled last in a call.
func (p *Persona) before(id store.CallID) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.recent[id]; r != nil {
		return r.memories
	}
	return nil
}

func (p *Persona) remember(id store.CallID, memories []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.recent) >= keptCalls && p.recent[id] == nil {
		var oldest store.CallID
		var when time.Time
		for id, r := range p.recent {
			if when.IsZero() || r.at.Before(when) {
				oldest, when = id, r.at
			}
		}
		delete(p.recent, oldest)
	}
	p.recent[id] = &recent{memories: memories, at: time.Now()}
}

func (p *Persona) forget(id store.CallID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.recent, id)
}
