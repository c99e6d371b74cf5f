package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/survive"
)

const (
	// nameShare is what a name weighs that was not said itself, beside a word that was.
	nameShare = 0.5
	// maxNames bounds how many names a question is widened by.
	maxNames = 8
	// maxCallWords is how many words may call somebody: "brother in law".
	maxCallWords = 3
	// maxCallings bounds how many words of a question may call somebody.
	maxCallings = 200
)

// namesSoon begins to look for the names of a question, where words take part.
func (s *Service) namesSoon(ctx context.Context, q Query, set Settings) <-chan []string {
	found := make(chan []string, 1)
	if set.KeywordWeight == 0 {
		close(found)
		return found
	}
	go func() {
		defer close(found)
		survive.Do(s.cfg.Log, "names", func() { found <- s.names(ctx, q.Scope, q.Text) })
	}()
	return found
}

// names returns what else those are called of whom a question speaks: who asks
// about "my granddaughter" means Isla. It is known of people only. Where it cannot
// be told in time, the words that were said must do.
func (s *Service) names(ctx context.Context, in Scope, question string) []string {
	words := callings(question)
	if !in.Person.Known() || len(words) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.VectorWait)
	defer cancel()
	names, err := s.cfg.Store.NamesCalled(ctx, in.Person, words, maxNames)
	if err != nil {
		s.degraded(ctx, "names", err)
		return nil
	}
	return names
}

// callings are the words of a text, and up to three that follow each other, as
// somebody may be called by them. What may be a plural is there without its end too.
func callings(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(strings.NewReplacer("’s", "", "'s", "").Replace(text)), betweenWords)
	words = words[:min(len(words), maxCallings/maxCallWords)]
	seen := map[string]bool{}
	for i := range words {
		for n := 1; n <= maxCallWords && i+n <= len(words); n++ {
			call := strings.Join(words[i:i+n], " ")
			seen[call] = true
			if one, ok := strings.CutSuffix(call, "s"); ok {
				seen[one] = true
			}
		}
	}
	out := make([]string, 0, len(seen))
	for w := range seen {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

// calledTerms are the words of names that windows have and the question did not say.
func (s *Service) calledTerms(ctx context.Context, in Scope, config string, names []string, said []store.MemoryTerm) ([]store.MemoryTerm, error) {
	if len(names) == 0 {
		return nil, nil
	}
	terms, _, err := s.cfg.Store.MemoryTerms(ctx, in, config, strings.Join(names, " "))
	return slices.DeleteFunc(terms, func(t store.MemoryTerm) bool {
		return slices.ContainsFunc(said, func(o store.MemoryTerm) bool { return o.Lexeme == t.Lexeme })
	}), err
}
