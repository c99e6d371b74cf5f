package appliance

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/store"
)

const (
	// nearest is how many numbers of the catalogue are compared with one that was heard,
	// and mostCandidates how many are asked about, one after the other.
	nearest        = 8
	mostCandidates = 3
	// confusable is how near another number must be for one that was only heard to be
	// asked back though the catalogue has it.
	confusable = 0.65
	// longNumber is how long a number is that is no other kind of number.
	longNumber = 6
)

// candidate is a number of the catalogue that may have been meant.
type candidate struct {
	kind   Question
	number string
	far    float64
}

// numbers settles the numbers of a message, or asks about one of them. It reports whether
// one was replaced. Where the catalogue cannot be reached, nothing is settled.
func (p *Persona) numbers(ctx context.Context, s *State, in input, list []reading.Number, correct bool) (replaced bool) {
	for i := range list {
		n := &list[i]
		asked := len(s.missing(s.GoalType)) > 0 && s.GoalType != Mail
		found, err := p.candidates(ctx, s, in, n)
		outcome := "settled"
		switch {
		case err != nil:
			p.log.LogAttrs(ctx, slog.LevelError, "catalogue cannot be reached", slog.String("session_id", in.session), slog.Any("err", err))
			s.trouble, outcome = true, "failed"
		case len(found) == 1 && found[0].far == 0:
			replaced = s.set(found[0].kind, found[0].number, correct) || replaced
		case len(found) > 0 && (found[0].far == 0 || !n.Digits() || asked || n.Kind != ""):
			outcome = "asked_back"
			s.doubt(found, n, correct)
		case n.Kind != "" || asked || !n.Digits() && len(n.Variants[0]) >= longNumber:
			outcome = "unknown"
			s.unknown = &Asked{Kind: s.likely(n), Said: n.Variants[0]}
			if correct {
				s.clear(s.unknown.Kind)
			}
		default: // some other number
			continue
		}
		p.metrics.numbers.WithLabelValues(outcome).Inc()
	}
	if s.Asked != nil {
		s.unknown = nil
	}
	return replaced
}

// doubt asks about a number. What it is to replace does not hold any more.
func (s *State) doubt(found []candidate, n *reading.Number, correct bool) {
	if s.Asked != nil {
		return
	}
	s.Asked = &Asked{Kind: found[0].kind, Said: n.Variants[0]}
	for _, c := range found {
		if c.kind == found[0].kind && len(s.Asked.Candidates) < mostCandidates {
			s.Asked.Candidates = append(s.Asked.Candidates, c.number)
		}
	}
	if correct {
		s.clear(s.Asked.Kind)
	}
}

func (s *State) clear(kind Question) {
	if kind == AskPart {
		s.PartNumber = ""
	} else {
		s.ProductModel = ""
	}
}

// likely is the kind of a number that the catalogue does not have.
func (s *State) likely(n *reading.Number) Question {
	switch {
	case n.Kind == reading.KindPart, n.Kind == "" && s.ProductModel != "":
		return AskPart
	default:
		return AskModel
	}
}

// candidates are the numbers of the catalogue that n may be, the nearest first: one alone
// and without distance where there is no doubt.
func (p *Persona) candidates(ctx context.Context, s *State, in input, n *reading.Number) ([]candidate, error) {
	var exact []candidate
	for _, v := range n.Variants {
		kind, number, err := p.lookUp(ctx, v)
		if err != nil {
			return nil, err
		}
		c := candidate{kind: kind, number: number}
		if number != "" && !slices.Contains(exact, c) {
			exact = append(exact, c)
		}
	}
	if len(exact) == 1 && (n.Sure || !in.phone) {
		return exact, nil
	}
	near, err := p.near(ctx, s, n)
	if err != nil {
		return nil, err
	}
	if len(exact) == 0 {
		return near, nil
	}
	for _, c := range near {
		if far := reading.Distance(reading.Plain(exact[0].number), reading.Plain(c.number)); far > 0 && far <= confusable {
			if !slices.ContainsFunc(exact, func(o candidate) bool { return o.number == c.number }) {
				exact = append(exact, c)
			}
		}
	}
	return exact, nil
}

// lookUp returns the model or the part that has a number, in the catalogue's spelling.
func (p *Persona) lookUp(ctx context.Context, number string) (Question, string, error) {
	model, err := p.cfg.Catalogue.CatalogueModel(ctx, number)
	if err == nil {
		return AskModel, model, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return "", "", err
	}
	found, err := p.cfg.Catalogue.CatalogueParts(ctx, number, 1)
	if err != nil && !errors.Is(err, store.ErrNotFound) || len(found) == 0 {
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return "", "", err
	}
	return AskPart, found[0].Number, nil
}

// nearVariants is how many variants of a number are looked for by likeness.
const nearVariants = 4

// near are the numbers of the catalogue that n may have been misheard from.
func (p *Persona) near(ctx context.Context, s *State, n *reading.Number) ([]candidate, error) {
	best := map[candidate]float64{}
	search := func(kind Question, find func(said string) ([]string, error)) error {
		for _, v := range n.Variants[:min(len(n.Variants), nearVariants)] {
			list, err := find(v)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			for _, number := range list {
				c := candidate{kind: kind, number: number}
				for _, w := range n.Variants {
					far := reading.Distance(w, reading.Plain(number))
					if had, ok := best[c]; reading.Near(w, reading.Plain(number)) && (!ok || far < had) {
						best[c] = far
					}
				}
			}
		}
		return nil
	}
	cat := p.cfg.Catalogue
	if n.Kind != reading.KindPart {
		if err := search(AskModel, func(v string) ([]string, error) { return cat.NearModels(ctx, v, nearest) }); err != nil {
			return nil, err
		}
	}
	if n.Kind != reading.KindModel || len(best) == 0 {
		if s.ProductModel != "" {
			if err := search(AskPart, func(v string) ([]string, error) { return cat.NearParts(ctx, s.ProductModel, v, nearest) }); err != nil {
				return nil, err
			}
		}
		if len(best) == 0 || s.ProductModel == "" {
			if err := search(AskPart, func(v string) ([]string, error) { return cat.NearParts(ctx, "", v, nearest) }); err != nil {
				return nil, err
			}
		}
	}
	out := make([]candidate, 0, len(best))
	for c, far := range best {
		c.far = max(far, 0.01) // near is not the same
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number))
	})
	return out, nil
}
