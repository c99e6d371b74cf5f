package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/store"
)

// Recaller gives personas what is known of a person: what was said, as
// [Service.Search] finds it, and what is on record. It may be used concurrently.
type Recaller struct {
	profile *Profile
	service *Service
	now     func() time.Time
}

// NewRecaller joins a profile and a service, which stay the caller's to close.
func NewRecaller(p *Profile, s *Service) *Recaller {
	return &Recaller{profile: p, service: s, now: time.Now}
}

// Recall returns what is known about p that fits the query: first what was said,
// each stretch of conversation as one line with its day, then what is on record.
// It returns nothing, and no error, for somebody unknown or without consent. It
// fails only where both do.
func (r *Recaller) Recall(ctx context.Context, p store.Person, query string) ([]string, error) {
	if !p.ID.Known() {
		return nil, nil
	}
	now := r.now()
	found, err := r.service.Search(ctx, Query{Scope: Scope{Person: p.ID}, Text: query, Now: now})
	known, perr := r.profile.Recall(ctx, p, query)
	if err != nil && perr != nil {
		return nil, errors.Join(err, perr)
	}
	if err != nil {
		r.service.degraded(ctx, "search", err)
	}
	if known, err = r.allowed(ctx, p, known, now); err != nil {
		return nil, err
	}
	return append(lines(found.Hits, p.Location(), now), known...), nil
}

// Recollect returns what the opening of a call may use about p, best first.
func (r *Recaller) Recollect(ctx context.Context, p store.Person) ([]string, error) {
	known, err := r.profile.Recollect(ctx, p)
	if err != nil {
		return nil, err
	}
	return r.allowed(ctx, p, known, r.now())
}

// allowed leaves out what speaks of a topic that is not to be brought up.
func (r *Recaller) allowed(ctx context.Context, p store.Person, known []string, now time.Time) ([]string, error) {
	if len(known) == 0 {
		return known, nil
	}
	db := r.service.cfg.Store
	topics, err := db.MemoryLimitTopics(ctx, nil, []store.PersonID{p.ID}, now, store.NeverStore, store.NeverRaise, store.CoolDown)
	if err != nil || len(topics) == 0 {
		return known, err
	}
	frame, err := db.MemoryFrame(ctx, nil, p.ID)
	if err != nil {
		return nil, err
	}
	met, err := db.MatchTopics(ctx, nil, frame.Config, known, topics)
	if err != nil {
		return nil, fmt.Errorf("recall of %s: %w", p.ID, err)
	}
	i := -1
	return slices.DeleteFunc(slices.Clone(known), func(string) bool { i++; return met[i] }), nil
}

// lines writes hits down for a prompt, one line for each stretch of conversation:
// "Tue 3 Nov: nAIber: How is Tom? Margaret: He came home."
func lines(hits []Hit, loc *time.Location, now time.Time) []string {
	var out []string
	for i := 0; i < len(hits); {
		var b strings.Builder
		day := hits[i].At.In(loc)
		layout := "Mon 2 Jan"
		if day.Year() != now.In(loc).Year() {
			layout = "Mon 2 Jan 2006"
		}
		b.WriteString(day.Format(layout) + ":")
		block := hits[i].Block
		for ; i < len(hits) && hits[i].Block == block; i++ {
			b.WriteString(" " + speaker(hits[i].Turn) + ": " + oneLine(hits[i].Text))
		}
		out = append(out, b.String())
	}
	return out
}
