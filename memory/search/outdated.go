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

// Outdated says that what was learned from a turn is no longer true.
type Outdated struct {
	// Since is when the last of these facts ended.
	Since time.Time
	// Now is what is true instead, in sentences; empty if unknown, or if it must not come
	// up.
	Now string
}

// Note returns o as a note for a recalled line: "(no longer so since 3 Nov: Tom came
// home.)". It returns "" for a nil Outdated.
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

// outdated holds outdated turns by their ids.
type outdated map[uuid.UUID]memories.OutdatedTurn

// outdate returns those of the turns that are outdated, as copies that may be changed.
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

// maxNowRunes limits the text of what is true instead.
const maxNowRunes = 200

// of returns the note for a turn, or nil if the turn is not outdated.
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

// facts returns the facts that replaced others and that would be told, each once.
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

// silence removes the text of a fact.
func (o outdated) silence(fact uuid.UUID) {
	for _, t := range o {
		for i := range t.Later {
			if t.Later[i].ID == fact {
				t.Later[i].Text = ""
			}
		}
	}
}

// inOrder returns the turns by when their facts ended, the earliest first.
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

// overtake gives the turns that say what is true now a better score than the outdated ones
// that they replaced: a search for the old one wants the new one.
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

// behind moves the groups that say what is true now before the groups with what they
// replaced. Within a group, the spoken order stays.
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
