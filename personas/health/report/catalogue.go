package report

import (
	"cmp"

	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/store/checks"
)

// Catalogue is the question packs in one person's language. The zero value has no questions.
type Catalogue struct {
	Packs    *packs.Library
	Language string // BCP 47
}

func (c Catalogue) library() *packs.Library { return cmp.Or(c.Packs, &packs.Library{}) }

// item returns the question with the given id. For an unknown one, only the id is set.
func (c Catalogue) item(id string) packs.Item {
	if it, ok := c.library().Item(id, c.Language); ok {
		return it
	}
	return packs.Item{ID: id}
}

func (c Catalogue) pack(id string) packs.Pack {
	if p, ok := c.library().Pack(id, c.Language); ok {
		return p
	}
	if id == checks.CarerPack {
		return packs.Pack{ID: id, Title: "Asked for by carers"}
	}
	return packs.Pack{ID: id}
}

// choice returns the choice of a question with the given value. For an unknown one, only the value
// is set.
func (c Catalogue) choice(question, value string) packs.Choice {
	if chosen, ok := c.item(question).Choice(value); ok {
		return chosen
	}
	return packs.Choice{Value: value}
}

// places returns the position of each question: the daily ones first, then those for a person's
// conditions, then the instruments.
func (c Catalogue) places() map[string]int {
	places := map[string]int{}
	place := func(id string) {
		if _, has := places[id]; !has {
			places[id] = len(places)
		}
	}
	for _, kind := range []packs.Kind{packs.KindDaily, packs.KindProfile, packs.KindScreen, packs.KindContinuation} {
		for _, p := range c.library().Packs() {
			if p.Kind != kind {
				continue
			}
			for _, it := range p.Items {
				place(it.ID)
				for _, f := range it.FollowUps {
					place(f.ID)
				}
			}
		}
	}
	return places
}
