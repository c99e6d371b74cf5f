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
		if err := s.takeText(ctx, tx, by, id); err != nil {
			return err
		}
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
func (s *Store) DeclineNotice(ctx context.Context, id uuid.UUID, by Answer, channels []string, why string) (step Step, all bool, err error) {
	by = by.timed()
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		gone, err := s.db.Q.AlertNoticeDecline(ctx, tx, db.AlertNoticeDeclineParams{ID: id, Channels: channels, Detail: pg.Storable(why)})
		if err != nil {
			return err
		}
		if err := s.takeText(ctx, tx, by, id); err != nil || len(gone) == 0 {
			return err
		}
		step = Step(gone[0])
		return s.event(ctx, tx, step.AlertID, by.At, "declined", by.By, why)
	})
	if err != nil || step == (Step{}) {
		return Step{}, false, err
	}
	all, err = s.StepFailed(ctx, step) // where two decline at once, the later sees both
	return step, all, err
}

// NoteReply keeps on the alert of a notice what somebody replied that is no answer.
func (s *Store) NoteReply(ctx context.Context, n Notice, by Answer, text string) error {
	by = by.timed()
	return s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.event(ctx, tx, n.AlertID, by.At, "replied", by.By, text); err != nil {
			return err
		}
		return s.takeText(ctx, tx, by, n.ID)
	})
}

// StopTexts keeps that a number wants no text messages about alerts. It reports whether the
// number is a contact's, or was told of an alert; of others nothing is kept.
func (s *Store) StopTexts(ctx context.Context, phone string, by Answer) (known bool, err error) {
	by = by.timed()
	return s.texts(ctx, by, func(tx pg.Tx) (int64, error) {
		return s.db.Q.TextStop(ctx, tx, db.TextStopParams{Phone: phone, At: by.At})
	})
}

// StartTexts takes [Store.StopTexts] back, and reports whether there was something to.
func (s *Store) StartTexts(ctx context.Context, phone string, by Answer) (was bool, err error) {
	return s.texts(ctx, by.timed(), func(tx pg.Tx) (int64, error) { return s.db.Q.TextStart(ctx, tx, phone) })
}

// texts does what a text message wants that is about no alert, and reports whether that
// changed anything.
func (s *Store) texts(ctx context.Context, by Answer, do func(tx pg.Tx) (int64, error)) (changed bool, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		if changed, err = pg.Any(do(tx)); err != nil || !changed {
			return err
		}
		return s.takeText(ctx, tx, by, uuid.Nil)
	})
	return changed && err == nil, err
}

// TextsStopped reports whether a number wants no text messages about alerts.
func (s *Store) TextsStopped(ctx context.Context, phone string) (bool, error) {
	return s.db.Q.TextStopped(ctx, s.db.Conn, phone)
}

// takeText keeps, with what is done about it, that a text message was answered.
func (s *Store) takeText(ctx context.Context, tx pg.Tx, by Answer, notice uuid.UUID) error {
	if by.Text == "" {
		return nil
	}
	n, err := s.db.Q.TextTake(ctx, tx, db.TextTakeParams{Sid: by.Text, NoticeID: notice, At: by.At})
	if err == nil && n == 0 {
		err = ErrTextTaken
	}
	return err
}

// TakenText reports whether a text message was answered before, and returns the alert that
// it was taken for, if it was for one.
func (s *Store) TakenText(ctx context.Context, sid string) (a Alert, n Notice, taken bool, err error) {
	id, taken, err := pg.IfAny(s.db.Q.TextTaken(ctx, s.db.Conn, sid))
	if err != nil || !taken || id == uuid.Nil {
		return a, n, taken, err
	}
	if n, err = s.db.Q.AlertNoticeByID(ctx, s.db.Conn, id); err != nil {
		return a, n, true, err
	}
	row, err := s.db.Q.AlertByID(ctx, s.db.Conn, n.AlertID)
	return alertOf(row), n, true, err
}

// PruneTexts forgets which text messages were answered before a time.
func (s *Store) PruneTexts(ctx context.Context, before time.Time) error {
	_, err := s.db.Q.TextsPrune(ctx, s.db.Conn, before)
	return err
}
