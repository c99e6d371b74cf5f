package memories

import (
	"context"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/ids"
	"github.com/naiber/naiber/store/internal/pg"
	"github.com/naiber/naiber/store/people"
)

// DefaultTextConfig is the text search configuration for what belongs to no person.
const DefaultTextConfig = "english"

// Frame holds what must be known of a person before anything is stored or recalled.
type Frame struct {
	Name      string // how the person likes to be called
	Location  *time.Location
	Config    string // the text search configuration of the person's language
	Consented bool
}

// nobodysFrame is the frame for what belongs to no person, which requires no consent.
var nobodysFrame = Frame{Location: time.UTC, Config: DefaultTextConfig, Consented: true}

// FrameOf is like [Store.MemoryFrame], but also accepts the zero id, for what belongs to no
// person and requires no consent.
func (s *Store) FrameOf(ctx context.Context, tx pg.Tx, id pg.PersonID) (Frame, error) {
	if !id.Known() {
		return nobodysFrame, nil
	}
	return s.MemoryFrame(ctx, tx, id)
}

// MemoryFrame returns a person's frame, or [ErrNotFound]. Inside a transaction (tx may be
// nil), the consent is locked: it cannot be withdrawn before the end.
func (s *Store) MemoryFrame(ctx context.Context, tx pg.Tx, id pg.PersonID) (Frame, error) {
	if tx != nil {
		if _, err := s.db.Q.MemoryConsentHold(ctx, tx, id); err != nil {
			return Frame{}, err
		}
	}
	row, err := s.db.Q.MemoryFrame(ctx, s.db.Handle(tx), id.UUID)
	return memoryFrame(row), err
}

func memoryFrame(r db.MemoryFrameRow) Frame {
	p := people.Person{Name: r.Name, PreferredName: r.PreferredName, Timezone: r.Timezone}
	return Frame{Name: p.CallName(), Location: p.Location(), Config: r.Config, Consented: r.Consented}
}

// LimitRule is what a limit forbids.
type LimitRule = ids.LimitRule

// The rules of limits.
const (
	NeverStore LimitRule = "never_store" // nor recall what was stored before
	NeverRaise LimitRule = "never_raise"
	CoolDown   LimitRule = "cool_down" // not to be raised before its end
)

// MemoryLimitTopics returns the topics of the limits with one of the rules that people have
// at a time.
func (s *Store) MemoryLimitTopics(ctx context.Context, tx pg.Tx, people []pg.PersonID, at time.Time, rules ...LimitRule) ([]string, error) {
	return s.db.Q.MemoryLimitTopics(ctx, s.db.Handle(tx), db.MemoryLimitTopicsParams{
		People: pg.UUIDs(people), Rules: pg.Each(rules, func(r LimitRule) string { return string(r) }), At: at,
	})
}

// BarredTopics returns the topics that must not come up with a person at a time, in an
// answer to question or, if that is empty, on nAIber's own initiative. A topic that only
// cools down may come up if the question mentions it: then nAIber did not raise it.
func (s *Store) BarredTopics(ctx context.Context, person pg.PersonID, question string, at time.Time) (Barred, Frame, error) {
	out, err := s.StartRecall(ctx, Ask{Scope: Scope{Person: person}, Text: question, At: at})
	return out.Barred, out.Frame, err
}

// MatchTopics reports for each text whether it mentions one of the topics, that is, has all
// the words of the topic in any inflection.
func (s *Store) MatchTopics(ctx context.Context, tx pg.Tx, config string, texts, topics []string) ([]bool, error) {
	met := make([]bool, len(texts))
	if len(texts) == 0 || len(topics) == 0 {
		return met, nil
	}
	places, err := s.db.Q.MemoryMatching(ctx, s.db.Handle(tx), db.MemoryMatchingParams{Config: config, Texts: texts, Topics: topics})
	for _, p := range places {
		met[p-1] = true
	}
	return met, err
}
