package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/memories"
)

// Outdated says that what was learned from a turn is true no longer.
type Outdated struct {
	// Since is when the last of it ended.
	Since time.Time
	// Now is what is true instead, in sentences. Empty: that is not known, or not
	// to be brought up.
	Now string
}

// Note says it in a line that is recalled: "(no longer so since 3 Nov: Tom came
// home.)". It is empty for what is not outdated.
func (o *Outdated) Note(loc *time.Location, now time.Time) string {
	if o == nil {
		return ""
	}
	day := o.Since.In(loc)
	layout := "2 Jan"
	if day.Year() != now.In(loc).Year() {
		layout = "2 Jan 2006"
	}
	note := "(no longer so since " + day.Format(layout)
	if o.Now != "" {
		note += ": " + o.Now
	}
	return note + ")"
}

// outdated are the turns that are so, by their ids.
type outdated map[uuid.UUID]memories.OutdatedTurn

// outdate are those of the turns that are outdated. They may be changed.
func outdate(all []memories.OutdatedTurn, turns map[uuid.UUID]bool) outdated {
	out := outdated{}
	for _, t := range all {
		if turns[t.Turn] {
			t.Later = slices.Clone(t.Later)
			out[t.Turn] = t
		}
	}
	return out
}

// maxNowRunes bounds what is said of what is true instead.
const maxNowRunes = 200

// of returns what a hit says of it; nil for a turn that is not outdated.
func (o outdated) of(id uuid.UUID) *Outdated {
	t, ok := o[id]
	if !ok {
		return nil
	}
	var now []string
	for _, f := range t.Later {
		if f.Text != "" {
			now = append(now, english.OneLine(f.Text))
		}
	}
	return &Outdated{Since: t.Since, Now: english.Shorten(strings.Join(now, " "), maxNowRunes)}
}

// facts are those that took the place of others and would be told, each once.
func (o outdated) facts() []memories.LaterFact {
	seen := map[uuid.UUID]bool{}
	var all []memories.LaterFact
	for _, t := range o {
		for _, f := range t.Later {
			if f.Text != "" && !seen[f.ID] {
				seen[f.ID] = true
				all = append(all, f)
			}
		}
	}
	return all
}

// silence has nothing said of a fact.
func (o outdated) silence(fact uuid.UUID) {
	for _, t := range o {
		for i := range t.Later {
			if t.Later[i].ID == fact {
				t.Later[i].Text = ""
			}
		}
	}
}

// inOrder are the turns, those that ended first in front.
func (o outdated) inOrder() []memories.OutdatedTurn {
	var all []memories.OutdatedTurn
	for _, t := range o {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b memories.OutdatedTurn) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.Turn.String(), b.Turn.String()))
	})
	return all
}

// overtake gives the turns that say what is true now a better score than the
// outdated ones whose place they took. Whoever looks for the one wants the other.
func (o outdated) overtake(all map[uuid.UUID]*candidate) {
	for _, t := range o.inOrder() {
		old := all[t.Turn]
		if old == nil {
			continue
		}
		old.Outdated = o.of(t.Turn)
		for _, f := range t.Later {
			for _, id := range f.Turns {
				if c := all[id]; c != nil && c != old {
					c.Score = max(c.Score, math.Nextafter(old.Score, math.Inf(1)))
				}
			}
		}
	}
}

// behind moves the groups in which something is true now in front of those in
// which what it took the place of stands. In one group it stays as it was spoken.
func (o outdated) behind(groups [][]*candidate) [][]*candidate {
	with := func(id uuid.UUID) int {
		return slices.IndexFunc(groups, func(g []*candidate) bool {
			return slices.ContainsFunc(g, func(c *candidate) bool { return c.ID == id })
		})
	}
	for _, t := range o.inOrder() {
		for _, f := range t.Later {
			for _, id := range f.Turns {
				old, now := with(t.Turn), with(id)
				if old < 0 || now <= old {
					continue
				}
				g := groups[now]
				groups = slices.Insert(slices.Delete(groups, now, now+1), old, g)
			}
		}
	}
	return groups
}
