package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/profile"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// Recaller gives personas what is known of a person: what was said, as found by
// [search.Searcher.Search], and what is on record. It may be used concurrently.
type Recaller struct {
	profile *profile.Profile
	service *Service
	now     func() time.Time
}

// NewRecaller returns a Recaller over a profile and a service. The caller must close both.
func NewRecaller(p *profile.Profile, s *Service) *Recaller {
	return &Recaller{profile: p, service: s, now: time.Now}
}

// Embed returns the embedding of a text for [Recaller.Recall], or nil if the memory has no
// vectors. A failure is counted as degraded.
func (r *Recaller) Embed(ctx context.Context, text string) ([]float32, error) {
	s := r.service
	text = search.Question(text)
	if !s.Enabled() || s.Settings().VectorWeight == 0 || text == "" {
		return nil, nil
	}
	v, err := s.Means(ctx, text)
	if err != nil {
		s.metrics.Degraded(ctx, "embedder", err)
	}
	return v, err
}

// Recall returns what is known about p that matches the query: what was said, what is on
// record in Known, and the people and things that the query names. Without a vector for the
// query, only words are searched. It returns nothing, and no error, for an unknown person
// or without consent. It fails only if all sources do.
func (r *Recaller) Recall(ctx context.Context, p people.Person, query string, vector []float32) (search.Found, error) {
	if !p.ID.Known() {
		return search.Found{}, nil
	}
	set := r.service.Settings()
	if vector == nil {
		set.VectorWeight, set.KeywordWeight = 0, cmp.Or(set.KeywordWeight, 1)
	}
	known, missing := r.profile.Recall(ctx, p, query)
	found, err := r.service.Search(ctx, search.Query{
		Scope: memories.Scope{Person: p.ID}, Text: query, Vector: vector, Now: r.now(), Graph: true, Known: known, Settings: &set,
	})
	if err == nil {
		return found, nil // an error of the profile alone is not reported here
	}
	if missing != nil || len(found.Known)+len(found.Graph.Nodes) == 0 {
		return search.Found{}, errors.Join(err, missing)
	}
	r.service.metrics.Degraded(ctx, "search", err)
	return found, nil
}

// Recollect returns what the opening of a call may use about p, best first.
func (r *Recaller) Recollect(ctx context.Context, p people.Person) ([]string, error) {
	known, err := r.profile.Recollect(ctx, p)
	if err != nil {
		return nil, err
	}
	return r.Raisable(ctx, p.ID, known)
}

// Raisable returns texts without those that mention a topic that must not be brought up
// with a person.
func (r *Recaller) Raisable(ctx context.Context, id store.PersonID, texts []string) ([]string, error) {
	if len(texts) == 0 {
		return texts, nil
	}
	db := r.service.store
	barred, frame, err := db.BarredTopics(ctx, id, "", r.now())
	if err != nil {
		return nil, err
	}
	met, err := db.MatchTopics(ctx, nil, frame.Config, texts, barred.All())
	if err != nil {
		return nil, fmt.Errorf("recall of %s: %w", id, err)
	}
	i := -1
	return slices.DeleteFunc(slices.Clone(texts), func(string) bool { i++; return met[i] }), nil
}

// Lines formats hits for a prompt, one line for each stretch of conversation: "Tue 3 Nov:
// nAIber: How is Tom? Margaret: He came home."
func Lines(hits []search.Hit, loc *time.Location, now time.Time) []string {
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
			b.WriteString(" " + memory.Speaker(hits[i].Turn) + ": " + english.OneLine(hits[i].Text))
			if note := hits[i].Outdated.Note(loc, now); note != "" {
				b.WriteString(" " + note)
			}
		}
		out = append(out, b.String())
	}
	return out
}
