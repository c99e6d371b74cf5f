package alerts

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// NoticeTo returns the notice that was sent to a telephone number at or after a time and
// that a reply from it is taken for, with its alert: one that nobody has acknowledged
// before others, then one that was not declined from there, then the highest tier, then
// the latest. Without any it is [pg.ErrNotFound].
func (s *Store) NoticeTo(ctx context.Context, phone string, since time.Time) (Notice, Alert, error) {
	n, err := s.db.Q.AlertNoticeTo(ctx, s.db.Conn, db.AlertNoticeToParams{Phone: phone, Since: since, Declined: CannotHelp})
	if err != nil {
		return Notice{}, Alert{}, err
	}
	row, err := s.db.Q.AlertByID(ctx, s.db.Conn, n.AlertID)
	return n, alertOf(row), err
}

// AcknowledgeByNotice is [Store.AcknowledgeAlert] in answer to a notice, by whom that went
// to: by is their name. The links in their notices are used up by it, as if it had been by
// one of them.
func (s *Store) AcknowledgeByNotice(ctx context.Context, id, alert uuid.UUID, by Answer) (Alert, error) {
	by = by.timed()
	return s.settle(ctx, alert, by, "", func(tx pg.Tx, a Alert) error {
		if !a.Awaited() {
			return nil // settle says who was first
		}
		if err := s.db.Q.AlertLinksUsed(ctx, tx, db.AlertLinksUsedParams{At: by.At, NoticeID: id}); err != nil {
			return err
		}
		return s.db.Q.AlertNoticeAcknowledged(ctx, tx, id)
	})
}

// DeclineNotice gives up what a step of a ladder told somebody by some channels, by the id
// of one notice of it: they cannot act on it, or do not want it. It returns the step, and
// whether none of its notices is left. Where nothing was to be given up, all is false.
func (s *Store) DeclineNotice(ctx context.Context, id uuid.UUID, by string, channels []string, why string, at time.Time) (step Step, all bool, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		gone, err := s.db.Q.AlertNoticeDecline(ctx, tx, db.AlertNoticeDeclineParams{ID: id, Channels: channels, Detail: pg.Storable(why)})
		if err != nil || len(gone) == 0 {
			return err
		}
		step = Step(gone[0])
		return s.event(ctx, tx, step.AlertID, at, "declined", by, why)
	})
	if err != nil || step == (Step{}) {
		return Step{}, false, err
	}
	all, err = s.StepFailed(ctx, step) // where two decline at once, the later sees both
	return step, all, err
}

// NoteReply keeps on an alert what somebody replied that is no answer.
func (s *Store) NoteReply(ctx context.Context, alert uuid.UUID, by, text string, at time.Time) error {
	return s.event(ctx, s.db.Conn, alert, at, "replied", by, text)
}

// StopTexts keeps that a number wants no text messages about alerts. It reports whether the
// number is a contact's, or was told of an alert; of others nothing is kept.
func (s *Store) StopTexts(ctx context.Context, phone string, at time.Time) (known bool, err error) {
	return pg.Any(s.db.Q.TextStop(ctx, s.db.Conn, db.TextStopParams{Phone: phone, At: at}))
}

// StartTexts takes [Store.StopTexts] back, and reports whether there was something to.
func (s *Store) StartTexts(ctx context.Context, phone string) (was bool, err error) {
	return pg.Any(s.db.Q.TextStart(ctx, s.db.Conn, phone))
}

// TextsStopped reports whether a number wants no text messages about alerts.
func (s *Store) TextsStopped(ctx context.Context, phone string) (bool, error) {
	return s.db.Q.TextStopped(ctx, s.db.Conn, phone)
}
