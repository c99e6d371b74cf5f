package alerts

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// NoticeTo returns the notice that a reply from a telephone number answers, with its alert:
// among those sent to the number at or after since, it prefers alerts that no one has
// acknowledged, then notices not declined from that number, then the highest tier, then the
// latest. If there are none, it returns [pg.ErrNotFound].
func (s *Store) NoticeTo(ctx context.Context, phone string, since time.Time) (Notice, Alert, error) {
	n, err := s.db.Q.AlertNoticeTo(ctx, s.db.Conn, db.AlertNoticeToParams{Phone: phone, Since: since, Declined: CannotHelp})
	if err != nil {
		return Notice{}, Alert{}, err
	}
	row, err := s.db.Q.AlertByID(ctx, s.db.Conn, n.AlertID)
	return n, alertOf(row), err
}

// AcknowledgeByNotice is like [Store.AcknowledgeAlert], in answer to a notice by its
// receiver; by holds their name. It uses up the links in the receiver's notices, as an
// acknowledgement by link would.
func (s *Store) AcknowledgeByNotice(ctx context.Context, id, alert uuid.UUID, by Answer) (Alert, error) {
	by = by.timed()
	return s.settle(ctx, alert, by, "", func(tx pg.Tx, a Alert) error {
		if err := s.takeText(ctx, tx, by, id); err != nil {
			return err
		}
		if !a.Awaited() {
			return nil // settle returns who was first
		}
		if err := s.db.Q.AlertLinksUsed(ctx, tx, db.AlertLinksUsedParams{At: by.At, NoticeID: id}); err != nil {
			return err
		}
		return s.db.Q.AlertNoticeAcknowledged(ctx, tx, id)
	})
}

// DeclineNotice marks as declined the notices that a step of a ladder sent to a receiver by
// some channels, identified by one of them: the receiver cannot or does not want to act. It
// returns the step, and whether all its notices have failed. If there was nothing to
// decline, all is false.
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
	all, err = s.StepFailed(ctx, step) // if two decline at once, the later one sees both
	return step, all, err
}

// NoteReply records on the alert of a notice a reply that is not an answer.
func (s *Store) NoteReply(ctx context.Context, n Notice, by Answer, text string) error {
	by = by.timed()
	return s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.event(ctx, tx, n.AlertID, by.At, "replied", by.By, text); err != nil {
			return err
		}
		return s.takeText(ctx, tx, by, n.ID)
	})
}

// StopTexts records that a number wants no text messages about alerts. It reports whether
// the number is a contact's or was notified of an alert; for others it stores nothing.
func (s *Store) StopTexts(ctx context.Context, phone string, by Answer) (known bool, err error) {
	by = by.timed()
	return s.texts(ctx, by, func(tx pg.Tx) (int64, error) {
		return s.db.Q.TextStop(ctx, tx, db.TextStopParams{Phone: phone, At: by.At})
	})
}

// StartTexts undoes [Store.StopTexts], and reports whether there was anything to undo.
func (s *Store) StartTexts(ctx context.Context, phone string, by Answer) (was bool, err error) {
	return s.texts(ctx, by.timed(), func(tx pg.Tx) (int64, error) { return s.db.Q.TextStart(ctx, tx, phone) })
}

// texts runs the change that a text message asks for, one that is not about an alert, and
// reports whether it changed anything.
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

// takeText marks a text message as answered, in the transaction of its effect.
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

// TakenText reports whether a text message was answered before, and returns its alert and
// notice, if it was about one.
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

// PruneTexts deletes the records of text messages answered before a time.
func (s *Store) PruneTexts(ctx context.Context, before time.Time) error {
	_, err := s.db.Q.TextsPrune(ctx, s.db.Conn, before)
	return err
}
