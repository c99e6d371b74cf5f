package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// header decides whether the ids of the file may be used unchanged.
func (im *importer) header(ctx context.Context, h headerLine) error {
	if h.Format != transferFormat || h.Version != transferVersion {
		return &LineError{1, fmt.Errorf("format %q of version %d; this reads %q of version %d: %w", h.Format, h.Version, transferFormat, transferVersion, memory.ErrInvalid)}
	}
	if h.UserID == im.person.UUID {
		return im.secondPhone(ctx, h)
	}
	switch _, err := im.cfg.Store.MemoryFrame(ctx, im.tx, store.PersonID{UUID: h.UserID}); {
	case err == nil && !im.o.OfAnother:
		return &LineError{1, fmt.Errorf("this is the memory of another person, userId %s; to take it in all the same, say that it is meant: %w", h.UserID, memory.ErrInvalid)}
	case err == nil:
		im.renamed = true
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	return im.secondPhone(ctx, h)
}

// secondPhone restores the person's second phone number, unless it belongs to someone else.
func (im *importer) secondPhone(ctx context.Context, h headerLine) error {
	if im.renamed || h.SecondPhone == "" {
		return nil
	}
	err := im.cfg.Store.Within(ctx, im.tx, func(tx store.Tx) error { return im.cfg.Store.RestoreSecondPhone(ctx, tx, im.person, h.SecondPhone) })
	if err != nil && ctx.Err() == nil {
		return &LineError{1, fmt.Errorf("secondPhone: %w", err)}
	}
	return err
}

// id returns the id that an id of the file has here.
func (im *importer) id(id uuid.UUID) uuid.UUID {
	if !im.renamed || id == uuid.Nil {
		return id
	}
	return uuid.NewSHA1(im.person.UUID, id[:])
}

// name returns the name that a session, or a mail's key, of the file has here.
func (im *importer) name(name string) string {
	if !im.renamed {
		return name
	}
	return im.person.String() + ":" + name
}

func (im *importer) ids(ids []uuid.UUID) []uuid.UUID {
	out := make([]uuid.UUID, len(ids))
	for i, id := range ids {
		out[i] = im.id(id)
	}
	return out
}

// turn converts a line to a turn of the person.
func (im *importer) turn(l turnLine) (memories.Turn, error) {
	t := memories.Turn{
		ID: im.id(l.ID), Scope: memories.Scope{Person: im.person, Session: l.SessionID, Project: l.ProjectID}, CallID: store.CallID{UUID: l.CallID},
		Conversation: l.Conversation, Seq: l.Seq, Speaker: l.Speaker, Name: l.Name, Text: l.Text, At: l.At, Source: l.Source, SourceKey: l.SourceKey,
	}
	if l.At.IsZero() {
		return t, fmt.Errorf("a turn without at: %w", memory.ErrInvalid)
	}
	if t.Speaker == "" {
		t.Speaker = calls.RoleUser
	}
	if t.Source == "" {
		t.Source = memories.FromImport
	}
	if t.ID == uuid.Nil && t.SourceKey == "" {
		// The same line gives the same turn the next time; twice in one file, it gives two.
		same := fmt.Sprintf("%s\x1f%s\x1f%s\x1f%s", l.Conversation, l.At.UTC().Format(time.RFC3339Nano), t.Speaker, l.Text)
		im.seen[same]++
		t.SourceKey = uuid.NewSHA1(memory.TurnSpace, fmt.Appendf(nil, "%s\x1f%d", same, im.seen[same])).String()
	}
	return t, nil
}
