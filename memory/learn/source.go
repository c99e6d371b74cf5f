package learn

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// source is what is learned from: a call, or a stretch of a written session.
type source struct {
	key    string           // an id that no other has, part of the ids of what is learned
	name   string           // "call …", "session …"
	person store.PersonID   // unknown: the session is nobody's
	at     time.Time        // when it began
	call   store.CallID     // zero where it was written
	wrote  memories.Writing // zero where it was spoken
}

func spokenIn(c calls.Call) source {
	return source{key: c.ID.String(), name: "call " + c.ID.String(), person: c.PersonID, at: c.CreatedAt, call: c.ID}
}

func writtenIn(w memories.Writing) source {
	session := w.Session.String()
	return source{
		key: session + "/" + w.Through.UTC().Format(time.RFC3339Nano), name: "session " + session, person: w.PersonID, at: w.Through, wrote: w,
	}
}

// written reports whether it was written and not spoken.
func (o source) written() bool { return o.call == store.CallID{} }

// owner is whose memory it is.
func (o source) owner() uuid.UUID {
	if o.person.Known() {
		return o.person.UUID
	}
	return o.wrote.Session
}

// entities are whom and what its owner is known to have spoken of. tx may be nil.
func (o source) entities(ctx context.Context, st *store.Store, tx store.Tx) ([]memories.Entity, error) {
	if !o.person.Known() {
		return st.KnownMemoryEntities(ctx, tx, memories.Scope{Session: o.wrote.Session}, maxEntities)
	}
	return st.KnownMemoryEntities(ctx, tx, memories.Scope{Person: o.person}, maxEntities)
}

// conversation is what its turns are kept under.
func (o source) conversation() string {
	if o.written() {
		return o.wrote.Session.String()
	}
	return o.call.String()
}

// done returns the steps of learning from it that are done.
func (o source) done(ctx context.Context, st *store.Store) (map[string]bool, error) {
	if o.written() {
		return st.LearnedWriting(ctx, o.wrote)
	}
	return st.LearnedSteps(ctx, o.call)
}

// mark notes that a step is done, and reports false where it was before.
func (o source) mark(ctx context.Context, st *store.Store, tx store.Tx, step string) (bool, error) {
	if o.written() {
		return st.MarkLearnedWriting(ctx, tx, o.wrote, step)
	}
	return st.MarkLearned(ctx, tx, o.call, step)
}
