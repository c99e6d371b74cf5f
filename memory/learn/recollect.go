package learn

import (
	"context"
	"slices"
	"time"

	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// Recollection is what the opening of a call may use of what was learned.
type Recollection struct {
	Summary  string // of all calls, with the day of the last; empty: none yet
	Facts    []memories.Fact
	Promises []DuePromise
}

// Recollect returns what the opening of a call at a time may use: the summary of
// the person, at most so many facts that hold, and what is due. Nothing that the
// person does not want raised is in it, and nothing at all of somebody who does
// not consent.
func (l *Learner) Recollect(ctx context.Context, who people.Person, now time.Time, facts int) (Recollection, error) {
	var r Recollection
	if !who.ID.Known() {
		return r, nil
	}
	barred, frame, err := l.cfg.Store.BarredTopics(ctx, who.ID, "", now)
	if err != nil || !frame.Consented {
		return r, err
	}
	topics := barred.All()
	if r.Facts, err = l.cfg.Store.KnownMemoryFacts(ctx, who.ID, now, facts, frame.Config, topics); err != nil {
		return r, err
	}
	r.Facts = slices.DeleteFunc(r.Facts, func(f memories.Fact) bool { return f.Stale })
	sum, _, err := l.cfg.Store.PersonSummary(ctx, nil, who.ID)
	if err != nil {
		return r, err
	}
	met, err := l.cfg.Store.MatchTopics(ctx, nil, frame.Config, []string{sum.Text}, topics)
	if err != nil {
		return r, err
	}
	if !met[0] {
		r.Summary = datedSummary(sum, who.Location())
	}
	r.Promises, err = l.Due(ctx, who, now)
	return r, err
}

// datedSummary is a summary with the day that it goes to.
func datedSummary(sum memories.MemorySummary, where *time.Location) string {
	if sum.Text == "" {
		return ""
	}
	return sum.Text + " (as of " + sum.ToAt.In(where).Format("Monday 2 January 2006") + ")"
}
