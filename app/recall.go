package app

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/survive"
	"github.com/naiber/naiber/telephony"
)

// recaller searches memory for a persona on a call: for what was said, what is
// on record, and the people and things that the words name, with what is known
// of them.
type recaller struct {
	*service.Recaller

	store    *store.Store
	log      *slog.Logger
	degraded *prometheus.CounterVec
}

// without counts and logs a part of memory that a call goes without.
func (r *recaller) without(ctx context.Context, kind string, err error, attrs ...any) {
	r.degraded.WithLabelValues(kind).Inc()
	r.log.WarnContext(ctx, "call goes without", append(attrs, "kind", kind, "err", err)...)
}

// Recall returns the findings of [service.Recaller.Recall] as lines of a
// prompt: first the people and things that the words name, then what was said,
// then what is on record.
func (r *recaller) Recall(ctx context.Context, p people.Person, words string, meaning []float32) ([]string, error) {
	found, err := r.Recaller.Recall(ctx, p, words, meaning)
	if err != nil {
		return nil, err
	}
	if slices.Contains(found.Degraded, "graph") { // memory has logged it
		r.degraded.WithLabelValues("graph").Inc()
	}
	return slices.Concat(learn.GraphLines(found.Graph, maxNear), service.Lines(found.Hits, p.Location(), time.Now()), found.Known), nil
}

// maxNear bounds the neighbours in the graph that a call's prompt names.
const maxNear = 6

// openings provides what memory holds for the opening of a call.
type openings struct {
	recall  *recaller
	learner *learn.Learner
	store   *store.Store
	facts   int
	warm    func(context.Context, store.PersonID)

	warming sync.WaitGroup
}

var _ telephony.Recollection = (*openings)(nil)

// warmWithin bounds the reading ahead for one call.
const warmWithin = 10 * time.Second

// Recollect returns the memories for the opening of a call. If a part is
// missing, it logs that; it fails only if all are missing. It also starts
// reading vectors ahead.
func (o *openings) Recollect(ctx context.Context, c calls.Call, p people.Person) (telephony.Recollected, error) {
	if !p.ID.Known() {
		return telephony.Recollected{}, nil
	}
	o.warming.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), warmWithin)
		defer cancel()
		survive.Do(o.recall.log, "warm", func() { o.warm(ctx, p.ID) })
	})
	now := time.Now()
	var learned learn.Recollection
	var missing error
	var task sync.WaitGroup
	task.Go(func() {
		missing = survive.Try(o.recall.log, "recollect", func() (err error) {
			learned, err = o.learner.Recollect(ctx, p, now, o.facts)
			return err
		})
	})
	known, err := o.recall.Recollect(ctx, p)
	task.Wait()
	if err != nil && missing != nil {
		return telephony.Recollected{}, err
	}
	for what, err := range map[string]error{"profile": err, "learned": missing} {
		if err != nil {
			o.recall.without(ctx, what, err, "call_id", c.ID)
		}
	}
	var out telephony.Recollected
	if learned.Summary != "" {
		out.Memories = append(out.Memories, learned.Summary)
	}
	for _, f := range learned.Facts {
		out.Memories = append(out.Memories, learn.FactLine(f, p.Location()))
	}
	out.Memories = append(out.Memories, known...)
	out.Topics = o.topics(ctx, p)
	out.Promises = o.promises(ctx, c, p, learned.Promises, now)
	return out, nil
}

// Raisable returns the texts that may be brought up with a person.
func (o *openings) Raisable(ctx context.Context, id store.PersonID, texts []string) ([]string, error) {
	return o.recall.Raisable(ctx, id, texts)
}

// openingTopics is how many topics an opening names.
const openingTopics = 5

// topics returns recent topics that may be brought up.
func (o *openings) topics(ctx context.Context, p people.Person) []string {
	lately, err := o.store.Topics(ctx, p.ID, 2*openingTopics)
	labels := make([]string, len(lately))
	for i, t := range lately {
		labels[i] = t.Label
	}
	if err == nil {
		labels, err = o.recall.Raisable(ctx, p.ID, labels)
	}
	if err != nil {
		o.recall.without(ctx, "topics", err, "person_id", p.ID)
		return nil
	}
	return labels[:min(len(labels), openingTopics)]
}

// promises returns the promises that a call follows up on. Only a general call
// does: other types have their own purpose and would use the promises up.
func (o *openings) promises(ctx context.Context, c calls.Call, p people.Person, due []learn.DuePromise, now time.Time) []string {
	if c.Type != calls.CallGeneral {
		return nil
	}
	used, err := o.store.MemoryPromisesUsedBy(ctx, c.ID)
	if err == nil && len(used) > 0 { // the line broke and the call was resumed
		due = nil
		for _, u := range used {
			due = append(due, learn.DuePromise{Promise: u})
		}
	} else if err == nil && len(due) > 0 {
		var ids []uuid.UUID
		for _, d := range due {
			ids = append(ids, d.ID)
		}
		_, err = o.store.UseMemoryPromises(ctx, p.ID, c.ID, now, ids)
	}
	if err != nil {
		o.recall.without(ctx, "promises", err, "call_id", c.ID)
		return nil
	}
	var lines []string
	for _, d := range due {
		lines = append(lines, d.Line(now.In(p.Location())))
	}
	return lines
}

// Close waits until all reading ahead has ended.
func (o *openings) Close() { o.warming.Wait() }
