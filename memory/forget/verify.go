package forget

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/store/memories"
)

// maxProbes is how many of the forgotten turns are searched for by their own words.
const maxProbes = 20

// Check is the result of a search for forgotten things in one place.
type Check struct {
	Place string `json:"place"`
	Found int    `json:"found"`
}

// Verify checks whether anything that was forgotten can still be found: in each place that
// may store it, by every kind of search, and in an export. An error says that it could not
// check everywhere.
func (s *Forgetter) Verify(ctx context.Context, f Forgotten) ([]Check, error) {
	found, err := s.cfg.Store.Resurfacing(ctx, memories.Resurfacing{
		ForgetScope: f.scope, Turns: f.ids, Facts: f.facts, Calls: f.calls, Lines: f.lines, Episodes: f.episodes,
		Everything: f.everything(), Noted: f.noted,
	})
	if err != nil {
		return nil, err
	}
	checks := make([]Check, len(found), len(found)+4)
	for i, c := range found {
		checks[i] = Check{c.Place, c.Count}
	}
	for _, look := range []struct {
		place string
		count func(context.Context, Forgotten) (int, error)
	}{{"search by words", s.searchWords}, {"search by meaning", s.searchMeaning}, {"vectors", s.countVectors}, {"export", s.countExported}} {
		n, err := look.count(ctx, f)
		if err != nil {
			return checks, fmt.Errorf("verify that nothing is left: %s: %w", look.place, err)
		}
		checks = append(checks, Check{look.place, n})
	}
	return checks, nil
}

func (f Forgotten) everything() bool { return len(f.scope.Topics) == 0 && f.scope.Until.Year() == 9999 }

func (s *Forgetter) searchWords(ctx context.Context, f Forgotten) (int, error) {
	set := s.cfg.Searcher.Settings()
	set.VectorWeight, set.KeywordWeight = 0, 1
	return s.probe(ctx, f, set)
}

func (s *Forgetter) searchMeaning(ctx context.Context, f Forgotten) (int, error) {
	if !s.cfg.Index.Enabled() {
		return 0, nil
	}
	set := s.cfg.Searcher.Settings()
	set.VectorWeight, set.KeywordWeight, set.Similarity = 1, 0, -1
	return s.probe(ctx, f, set)
}

// probe searches for forgotten turns by their own words and topics, and counts the hits
// that match.
func (s *Forgetter) probe(ctx context.Context, f Forgotten, set search.Settings) (int, error) {
	n := 0
	for _, text := range append(slices.Clone(f.scope.Topics), f.texts...) {
		found, err := s.cfg.Searcher.Search(ctx, search.Query{Scope: memories.Scope{Person: f.scope.Person}, Text: text, Limit: search.MaxLimit, BudgetTokens: search.MaxBudget, Settings: &set})
		if err != nil {
			return n, err
		}
		if len(found.Degraded) > 0 {
			return n, fmt.Errorf("%s does not answer", found.Degraded[0])
		}
		var texts []string
		for _, h := range found.Hits {
			if slices.Contains(f.ids, h.ID) {
				n++
			} else if h.At.Before(f.scope.Until) {
				texts = append(texts, h.Text)
			}
		}
		met, err := s.cfg.Store.MatchTopics(ctx, nil, f.scope.Config, texts, f.scope.Topics)
		if err != nil {
			return n, err
		}
		for _, about := range met {
			if about {
				n++
			}
		}
	}
	return n, nil
}

// countVectors counts the person's vectors that no longer stand for anything.
func (s *Forgetter) countVectors(ctx context.Context, f Forgotten) (int, error) {
	return s.cfg.Index.CountStray(ctx, f.scope.Person, f.everything())
}

// countExported counts how often an export contains the id of something forgotten.
func (s *Forgetter) countExported(ctx context.Context, f Forgotten) (int, error) {
	w := &findings{wanted: map[string]bool{}}
	for _, id := range slices.Concat(f.ids, f.facts) {
		w.wanted[id.String()] = true
	}
	_, err := s.cfg.Transfer.Export(ctx, f.scope.Person, w, time.Time{})
	return w.found, err
}

// idInLine matches an id in an export.
var idInLine = regexp.MustCompile(`"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"`)

// findings counts the wanted ids in what is written to it.
type findings struct {
	wanted map[string]bool
	rest   []byte // an incomplete line
	found  int
}

// Write adds a part of an export.
func (w *findings) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	for _, id := range idInLine.FindAll(w.rest[:end], -1) {
		if w.wanted[string(id[1:len(id)-1])] {
			w.found++
		}
	}
	w.rest = append([]byte(nil), w.rest[end:]...)
	return len(p), nil
}
