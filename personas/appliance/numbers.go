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
	// nearest is how many numbers of the catalogue are compared with one that was heard, and
	// mostCandidates how many are asked about, one after the other.
	nearest        = 8
	mostCandidates = 3
	// confusable is the distance within which another number makes one that was only heard
	// doubtful, so that it is asked back although the catalogue has it.
	confusable = 0.65
	// longNumber is the length from which a number is no other kind of number.
	longNumber = 6
)

// candidate is a number of the catalogue that may have been meant.
type candidate struct {
	kind   Question
	number string
	far    float64
}

// numbers settles the numbers of a message, or asks about one of them. It reports whether one was
// replaced. If the catalogue cannot be reached, it settles no more.
func (p *Persona) numbers(ctx context.Context, s *State, in input, list []reading.Number, stream *reading.Stream, correct bool) (replaced bool) {
	missing := s.missing(s.GoalType)
	asked := len(missing) > 0 && s.GoalType != Mail
	count := func(outcome string) { p.metrics.numbers.WithLabelValues(outcome).Inc() }
	fail := func(err error) bool {
		if err != nil {
			p.log.LogAttrs(ctx, slog.LevelError, "catalogue cannot be reached", slog.String("session_id", in.session), slog.Any("err", err))
			s.trouble = true
			count("failed")
		}
		return err != nil
	}
	found := false
	for i := range list {
		n := &list[i]
		exact, err := p.exact(ctx, s, in, n, stream)
		switch {
		case fail(err):
			return replaced
		case len(exact) == 1:
			found = true
			replaced = s.set(exact[0].kind, exact[0].number, correct) || replaced
			count("settled")
		case len(exact) > 1:
			found = true
			s.doubt(exact, n.Variants[0], correct)
			count("asked_back")
		}
	}
	if found || len(list) == 0 && (!asked || stream == nil) {
		return replaced
	}
	near, err := p.near(ctx, s, list, stream)
	if fail(err) {
		return replaced
	}
	var n *reading.Number
	for i := range list {
		if o := &list[i]; n == nil || len(o.Variants[0]) > len(n.Variants[0]) {
			n = o
		}
	}
	counts := asked || n != nil && (n.Kind != "" || !n.Digits() && len(n.Variants[0]) >= longNumber)
	switch {
	case !counts:
	case len(near) > 0:
		said := stream.Queries()
		if n != nil {
			said = n.Variants
		}
		s.doubt(near, said[0], correct)
		count("asked_back")
	case n != nil && s.Asked == nil:
		s.unknown = &Asked{Kind: s.likely(n), Said: n.Variants[0]}
		if correct {
			s.clear(s.unknown.Kind)
		}
		count("unknown")
	}
	return replaced
}

// doubt asks about a number. If correct is set, it clears the number to be replaced.
func (s *State) doubt(found []candidate, said string, correct bool) {
	if s.Asked != nil || found[0].number == s.ProductModel || found[0].number == s.PartNumber { // misheard, but already known
		return
	}
	s.Asked = &Asked{Kind: found[0].kind, Said: said}
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

// likely returns the likely kind of a number that the catalogue does not have.
func (s *State) likely(n *reading.Number) Question {
	switch {
	case n.Kind == reading.KindPart, n.Kind == "" && s.ProductModel != "":
		return AskPart
	default:
		return AskModel
	}
}

// exact returns the numbers of the catalogue that match a number as it was said: one if there is no
// doubt, more if it may have been another.
func (p *Persona) exact(ctx context.Context, s *State, in input, n *reading.Number, stream *reading.Stream) (found []candidate, err error) {
	for _, v := range n.Variants {
		kind, number, err := p.lookUp(ctx, v)
		if err != nil {
			return nil, err
		}
		if c := (candidate{kind: kind, number: number}); number != "" && !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	if len(found) == 0 || len(found) == 1 && !n.Unsure && (n.Sure || !in.phone) {
		return found, nil
	}
	near, err := p.near(ctx, s, []reading.Number{*n}, stream)
	for _, c := range near {
		far := reading.Distance(reading.Plain(found[0].number), reading.Plain(c.number))
		known := slices.ContainsFunc(found, func(o candidate) bool { return o.number == c.number })
		if !known && (far <= confusable || n.Unsure) {
			found = append(found, c)
		}
	}
	return found, err
}

// lookUp returns the model or the part that has a number, in the catalogue's spelling, or "".
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

const (
	// nearVariants is how many variants of a number are searched for by likeness.
	nearVariants = 3
	// otherKind is added to the distance of a number of a kind that is not asked for.
	otherKind = 0.8
)

// near returns the numbers of the catalogue that may have been meant, the nearest first.
func (p *Persona) near(ctx context.Context, s *State, list []reading.Number, stream *reading.Stream) ([]candidate, error) {
	queries, kind := stream.Queries(), ""
	for i := range list {
		queries = append(slices.Clone(list[i].Variants[:min(len(list[i].Variants), nearVariants)]), queries...)
		kind = cmp.Or(kind, list[i].Kind)
	}
	slices.Sort(queries)
	queries = slices.Compact(queries)
	best := map[candidate]float64{}
	search := func(of Question, find func(said string) ([]string, error)) error {
		for _, q := range queries {
			numbers, err := find(q)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			for _, number := range numbers {
				c := candidate{kind: of, number: number}
				if _, known := best[c]; known {
					continue
				}
				far := stream.Cost(reading.Plain(number))
				for i := range list {
					for _, v := range list[i].Variants {
						far = min(far, reading.Distance(v, reading.Plain(number)))
					}
				}
				if reading.Near(far, reading.Plain(number)) {
					best[c] = far
				}
			}
		}
		return nil
	}
	cat := p.cfg.Catalogue
	if kind != reading.KindPart || !s.lacks(AskPart) {
		if err := search(AskModel, func(v string) ([]string, error) { return cat.NearModels(ctx, v, nearest) }); err != nil {
			return nil, err
		}
	}
	if kind != reading.KindModel || !s.lacks(AskModel) {
		if s.ProductModel != "" {
			if err := search(AskPart, func(v string) ([]string, error) { return cat.NearParts(ctx, s.ProductModel, v, nearest) }); err != nil {
				return nil, err
			}
		}
		if err := search(AskPart, func(v string) ([]string, error) { return cat.NearParts(ctx, "", v, nearest) }); err != nil {
			return nil, err
		}
	}
	out := make([]candidate, 0, len(best))
	for c, far := range best {
		if c.far = far; !s.lacks(c.kind) {
			c.far += otherKind
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number))
	})
	return out, nil
}

// lacks reports whether a number of a kind is still needed.
func (s *State) lacks(kind Question) bool {
	return slices.Contains(s.missing(s.GoalType), string(kind)) || s.GoalType == ""
}
