package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// textConfigs says, as a JSON object, which of PostgreSQL's text search
// configurations reads a language. What the server does not have, and every
// other language, is read as it is written.
const textConfigs = `{"ar":"arabic","ca":"catalan","da":"danish","de":"german","el":"greek","en":"english","es":"spanish",
	"eu":"basque","fi":"finnish","fr":"french","ga":"irish","hi":"hindi","hu":"hungarian","hy":"armenian","id":"indonesian",
	"it":"italian","lt":"lithuanian","nb":"norwegian","ne":"nepali","nl":"dutch","nn":"norwegian","no":"norwegian",
	"pt":"portuguese","ro":"romanian","ru":"russian","sr":"serbian","sv":"swedish","ta":"tamil","tr":"turkish","yi":"yiddish"}`

// DefaultTextConfig reads what belongs to no person.
const DefaultTextConfig = "english"

// MemoryFrame is what has to be known of a person before anything is kept or recalled.
type MemoryFrame struct {
	Name      string // as the person likes to be called
	Location  *time.Location
	Config    string // the text search configuration of the person's language
	Consented bool
}

// MemoryFrame returns a person's frame, or [ErrNotFound]. Inside a transaction
// (tx may be nil) a consent is held: it cannot be taken back before the end.
func (s *Store) MemoryFrame(ctx context.Context, tx Tx, id PersonID) (MemoryFrame, error) {
	var h db.DBTX = s.pool
	if tx != nil {
		h = tx
		if _, err := s.q.MemoryConsentHold(ctx, tx, id.UUID); err != nil {
			return MemoryFrame{}, said(err, "hold consent of %s", id)
		}
	}
	row, err := s.q.MemoryFrame(ctx, h, db.MemoryFrameParams{PersonID: id.UUID, Configs: textConfigs})
	if err != nil {
		return MemoryFrame{}, said(err, "memory frame of %s", id)
	}
	p := Person{Name: row.Name, PreferredName: row.PreferredName, Timezone: row.Timezone}
	return MemoryFrame{Name: p.CallName(), Location: p.Location(), Config: row.Config, Consented: row.Consented}, nil
}

// LimitRule says what a limit forbids.
type LimitRule string

// The rules of limits.
const (
	NeverStore LimitRule = "never_store" // and never recall what was stored before
	NeverRaise LimitRule = "never_raise"
	CoolDown   LimitRule = "cool_down" // not before its end
)

// MemoryLimitTopics returns the topics of limits that people have at a time.
func (s *Store) MemoryLimitTopics(ctx context.Context, tx Tx, people []PersonID, at time.Time, rules ...LimitRule) ([]string, error) {
	ids := each(people, func(p PersonID) uuid.UUID { return p.UUID })
	topics, err := s.q.MemoryLimitTopics(ctx, s.handle(tx), db.MemoryLimitTopicsParams{
		People: ids, Rules: each(rules, func(r LimitRule) string { return string(r) }), At: at,
	})
	return topics, said(err, "limits of %d people", len(ids))
}

// BarredTopics returns the topics that may not come up with people at a time:
// those that are barred, and those that only cool down.
func (s *Store) BarredTopics(ctx context.Context, people []PersonID, at time.Time) (barred, cooling []string, err error) {
	rows, err := s.q.MemoryTopicsBarred(ctx, s.pool, db.MemoryTopicsBarredParams{
		People: each(people, func(p PersonID) uuid.UUID { return p.UUID }), At: at,
	})
	for _, r := range rows {
		if r.Cooling {
			cooling = append(cooling, r.Topic)
		} else {
			barred = append(barred, r.Topic)
		}
	}
	return barred, cooling, said(err, "limits of %d people", len(people))
}

// MatchTopics reports of each text whether it speaks of one of the topics: has
// all of the topic's words, however they are inflected.
func (s *Store) MatchTopics(ctx context.Context, tx Tx, config string, texts, topics []string) ([]bool, error) {
	met := make([]bool, len(texts))
	if len(texts) == 0 || len(topics) == 0 {
		return met, nil
	}
	places, err := s.q.MemoryMatching(ctx, s.handle(tx), db.MemoryMatchingParams{Config: config, Texts: texts, Topics: topics})
	for _, p := range places {
		met[p-1] = true
	}
	return met, said(err, "match %d texts", len(texts))
}

// handle is tx, or the pool where there is none.
func (s *Store) handle(tx Tx) db.DBTX {
	if tx == nil {
		return s.pool
	}
	return tx
}
