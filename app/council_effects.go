package app

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// councilEffects carries out the actions that a council proposed and a human confirmed.
type councilEffects struct{ store *store.Store }

var _ council.Effects = councilEffects{}

// Effect implements [council.Effects].
func (e councilEffects) Effect(ctx context.Context, tx store.Tx, about people.Person, a discussions.Action) error {
	by := ""
	if a.DecidedBy != nil {
		by = *a.DecidedBy
	}
	switch text := english.OneLine(council.Uncited(a.Text)); a.Kind {
	case council.ActionPromise:
		return e.promise(ctx, tx, about.ID, a.ActionID, text)
	case council.ActionNote:
		day := time.Now().In(about.Location()).Format("2 January 2006")
		return e.store.AddNote(ctx, tx, about.ID, fmt.Sprintf("%s, %s: %s", day, by, text))
	case council.ActionPause:
		until := time.Now().AddDate(0, 0, a.Days)
		_, err := e.store.AddPauseTx(ctx, tx, about.ID, people.Pause{EndsAt: &until, Reason: text, CreatedBy: by})
		return err
	case council.ActionQuestion:
		return e.store.AskInHealthCheck(ctx, tx, checks.Question{ID: a.ActionID, PersonID: about.ID, Text: text, AskedBy: by})
	case council.ActionTell: // carried out by people
		return nil
	default:
		return fmt.Errorf("action %q: %w", a.Kind, council.ErrRefused)
	}
}

// promise stores a promise for the next call to follow up on. Promises belong to memory, so the
// person must consent to it.
func (e councilEffects) promise(ctx context.Context, tx store.Tx, person store.PersonID, id uuid.UUID, text string) error {
	frame, err := e.store.MemoryFrame(ctx, tx, person)
	if err == nil && !frame.Consented {
		err = fmt.Errorf("the person does not consent to being remembered: %w", council.ErrRefused)
	}
	if err != nil {
		return err
	}
	return e.store.AddMemoryPromise(ctx, tx, memories.Promise{ID: id, PersonID: person, Text: text, Kind: "follow_up"})
}
