package alerts

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ErrPassed says that a step was taken before, or is no longer needed.
var ErrPassed = errors.New("step is passed")

// Taken is the result of a step of a ladder.
type Taken struct {
	Notices []Notice  // to be sent; failed ones say why
	NextAt  time.Time // when the next step is due; zero if there is none
	Event   string    // the kind of an event to record; empty if none
	// Within, if set, is called in the same transaction.
	Within func(tx pg.Tx) error
}

// TakeStep takes a step of a ladder once: while the alert is locked, take decides on the
// result, which is stored completely or not at all. If the step was taken before, or the
// alert is acknowledged, TakeStep returns [ErrPassed].
func (s *Store) TakeStep(ctx context.Context, d Due, at time.Time, take func(a Alert) (Taken, error)) error {
	err := s.db.InTx(ctx, func(tx pg.Tx) error {
		row, err := s.db.Q.AlertLock(ctx, tx, d.ID)
		if err != nil {
			return err
		}
		a := alertOf(row)
		if !a.Awaited() || a.Run != d.Run || a.Step != d.Step {
			return ErrPassed
		}
		t, err := take(a)
		if err != nil {
			return err
		}
		for _, n := range t.Notices {
			if _, err := s.db.Q.AlertNoticeInsert(ctx, tx, db.AlertNoticeInsertParams{
				ID: n.ID, AlertID: a.ID, Run: a.Run, Step: a.Step, ContactID: n.ContactID, Name: n.Name, Channel: n.Channel, Address: n.Address,
				Language: n.Language, Status: n.Status, Detail: n.Detail, CreatedAt: at, DueAt: n.DueAt,
			}); err != nil {
				return err
			}
		}
		if t.Event != "" {
			if err := s.event(ctx, tx, a.ID, at, t.Event, "", ""); err != nil {
				return err
			}
		}
		if err := s.db.Q.AlertStepped(ctx, tx, db.AlertSteppedParams{ID: a.ID, DueAt: pg.Moment(t.NextAt)}); err != nil || t.Within == nil {
			return err
		}
		return t.Within(tx)
	})
	return pg.WrapErr(err, "take step %d of alert %s", d.Step, d.ID)
}

// DueSteps returns at most a hundred steps that were due before a time.
func (s *Store) DueSteps(ctx context.Context, before time.Time) ([]Due, error) {
	return s.db.Q.AlertsDue(ctx, s.db.Conn, before)
}

// DueNotices returns notices that were due before a time, or whose claim from before lapsed
// has had no result; a few hundred at a time, and none of except.
func (s *Store) DueNotices(ctx context.Context, before, lapsed time.Time, except ...uuid.UUID) ([]uuid.UUID, error) {
	if except == nil {
		except = []uuid.UUID{}
	}
	return s.db.Q.AlertNoticesDue(ctx, s.db.Conn, db.AlertNoticesDueParams{Before: before, Lapsed: lapsed, Seen: except})
}

// StalledSteps returns the latest steps of ladders that reached no one and whose next step
// is not due yet at a time.
func (s *Store) StalledSteps(ctx context.Context, at time.Time) ([]Step, error) {
	rows, err := s.db.Q.AlertsStalled(ctx, s.db.Conn, at)
	return pg.Each(rows, func(r db.AlertsStalledRow) Step { return Step(r) }), err
}

// Claim holds the parameters of a claim on a notice.
type Claim struct {
	At      time.Time
	Lapsed  time.Time // claims from before this time are dead
	Token   string    // of the link in the notice
	Expires time.Time // when the link expires
}

// ClaimNotice claims a notice for sending, and creates its link. No one else can claim it
// until the claim lapses, and then only once. For a notice that is no longer needed, or
// claimed by someone else, it returns [pg.ErrNotFound].
func (s *Store) ClaimNotice(ctx context.Context, id uuid.UUID, c Claim) (Notice, Alert, error) {
	var n Notice
	var a Alert
	err := s.db.InTx(ctx, func(tx pg.Tx) (err error) {
		if n, err = s.db.Q.AlertNoticeClaim(ctx, tx, db.AlertNoticeClaimParams{ID: id, At: c.At, Lapsed: c.Lapsed}); err != nil {
			return err
		}
		row, err := s.db.Q.AlertByID(ctx, tx, n.AlertID)
		if err != nil {
			return err
		}
		a = alertOf(row)
		return s.db.Q.AlertLinkInsert(ctx, tx, db.AlertLinkInsertParams{TokenHash: hash(c.Token), NoticeID: id, ExpiresAt: c.Expires})
	})
	return n, a, pg.WrapErr(err, "claim notice %s", id)
}

// NoticeSent records that a provider accepted a notice, with the provider's id, which may
// be empty.
func (s *Store) NoticeSent(ctx context.Context, id uuid.UUID, providerID string, at time.Time) error {
	return s.db.InTx(ctx, func(tx pg.Tx) error {
		alert, known, err := pg.IfAny(s.db.Q.AlertNoticeSent(ctx, tx, db.AlertNoticeSentParams{ID: id, ProviderID: pg.Optional(pg.Storable(providerID)), At: at}))
		if err != nil || !known { // recorded before
			return err
		}
		return s.db.Q.AlertNotified(ctx, tx, alert)
	})
}

// NoticeFailed marks a notice as failed. It returns its step, and whether all notices of
// that step have failed.
func (s *Store) NoticeFailed(ctx context.Context, id uuid.UUID, why string) (step Step, all bool, err error) {
	row, known, err := pg.IfAny(s.db.Q.AlertNoticeFailed(ctx, s.db.Conn, db.AlertNoticeFailedParams{ID: id, Detail: pg.Storable(why)}))
	if err != nil || !known {
		return Step{}, false, err
	}
	step = Step(row)
	all, err = s.StepFailed(ctx, step)
	return step, all, err
}

// StepFailed reports whether all notices of a step have failed.
func (s *Store) StepFailed(ctx context.Context, step Step) (bool, error) {
	return s.db.Q.AlertStepFailed(ctx, s.db.Conn, db.AlertStepFailedParams(step))
}

// ReleaseNotice releases a claim: the notice was not sent, and is tried again.
func (s *Store) ReleaseNotice(ctx context.Context, id uuid.UUID, why string) error {
	return s.db.Q.AlertNoticeRelease(ctx, s.db.Conn, db.AlertNoticeReleaseParams{ID: id, Detail: pg.Storable(why)})
}

// LoseNotices marks as failed the notices that were claimed before a time without a result
// and that must not be sent again. It returns their steps.
func (s *Store) LoseNotices(ctx context.Context, lapsed time.Time) ([]Step, error) {
	return s.db.Q.AlertNoticesLost(ctx, s.db.Conn, db.AlertNoticesLostParams{Detail: "it is not known whether it left", Lapsed: lapsed})
}

// NoticeTold records what a provider reported at a time about a notice: [Delivered],
// [Failed] or [Sent]. For an unknown id, and for a report older than the recorded one, it
// returns [pg.ErrNotFound].
func (s *Store) NoticeTold(ctx context.Context, providerID, status, detail string, at time.Time) (Notice, error) {
	return s.db.Q.AlertNoticeTold(ctx, s.db.Conn, db.AlertNoticeToldParams{ProviderID: providerID, Status: status, Detail: pg.Storable(detail), At: at})
}

// Link is a link in a notice, with the alert that it is about.
type Link struct {
	NoticeID  uuid.UUID
	Name      string // of the notice's receiver
	Channel   string
	Address   string // of the channel
	Language  string
	ExpiresAt time.Time
	UsedAt    *time.Time // when it was used to acknowledge the alert
	Alert     Alert
}

// AlertLink returns the link of a token, or [pg.ErrNotFound].
func (s *Store) AlertLink(ctx context.Context, token string) (Link, error) {
	row, err := s.db.Q.AlertLinkByToken(ctx, s.db.Conn, hash(token))
	if err != nil {
		return Link{}, pg.WrapErr(err, "link")
	}
	a, err := s.Alert(ctx, row.AlertID)
	return Link{NoticeID: row.NoticeID, Name: row.Name, Channel: row.Channel, Address: row.Address, Language: row.Language, ExpiresAt: row.ExpiresAt, UsedAt: row.UsedAt, Alert: a}, err
}

// OpenAlertLink records on the alert that its link was opened, the first time only. This
// does not acknowledge the alert, since programs open links too.
func (s *Store) OpenAlertLink(ctx context.Context, token string, at time.Time) error {
	return s.db.InTx(ctx, func(tx pg.Tx) error {
		row, err := s.db.Q.AlertLinkByToken(ctx, tx, hash(token))
		if err != nil {
			return err
		}
		n, err := s.db.Q.AlertLinkOpened(ctx, tx, db.AlertLinkOpenedParams{TokenHash: hash(token), At: at})
		if err != nil || n == 0 {
			return err
		}
		return s.event(ctx, tx, row.AlertID, at, "opened", row.Name, row.Channel)
	})
}

// AcknowledgeByLink is like [Store.AcknowledgeAlert], authorized by the link in a notice,
// which it uses up. For a used or expired link it returns [ErrLink].
func (s *Store) AcknowledgeByLink(ctx context.Context, token string, by Answer) (Alert, error) {
	row, err := s.db.Q.AlertLinkByToken(ctx, s.db.Conn, hash(token))
	if err != nil {
		return Alert{}, pg.WrapErr(err, "link")
	}
	by = by.timed()
	return s.settle(ctx, row.AlertID, by, "", func(tx pg.Tx, a Alert) error {
		if !a.Awaited() {
			return ErrTaken
		}
		if !by.At.Before(row.ExpiresAt) {
			return ErrLink
		}
		n, err := s.db.Q.AlertLinkUsed(ctx, tx, db.AlertLinkUsedParams{TokenHash: row.TokenHash, At: by.At})
		if err == nil && n == 0 {
			err = ErrLink
		}
		if err != nil {
			return err
		}
		return s.db.Q.AlertNoticeAcknowledged(ctx, tx, row.NoticeID)
	})
}

// CloseByLink is like [Store.CloseAlert], authorized by the link that acknowledged the
// alert, until the link expires; for any other link it returns [ErrLink].
func (s *Store) CloseByLink(ctx context.Context, token string, by Answer, outcome string) (Alert, error) {
	row, err := s.db.Q.AlertLinkByToken(ctx, s.db.Conn, hash(token))
	if err != nil {
		return Alert{}, pg.WrapErr(err, "link")
	}
	by = by.timed()
	switch {
	case row.UsedAt == nil || !by.At.Before(row.ExpiresAt):
		return Alert{}, ErrLink
	case strings.TrimSpace(outcome) == "":
		return Alert{}, ErrUnsaid
	}
	return s.settle(ctx, row.AlertID, by, outcome, func(_ pg.Tx, a Alert) error {
		if a.Awaited() { // it has become more urgent since
			return ErrLink
		}
		return nil
	})
}

func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Masked returns an address with only enough of it left to be recognized, for lists.
func Masked(channel, address string) string {
	switch channel {
	case SMS, Call:
		if r := []rune(address); len(r) > 6 {
			return string(r[:3]) + "…" + string(r[len(r)-3:])
		}
	case Email:
		if at := strings.LastIndexByte(address, '@'); at > 0 {
			return string([]rune(address)[:1]) + "…" + address[at:]
		}
	case Webhook:
		if scheme, rest, ok := strings.Cut(address, "://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			return scheme + "://" + host[strings.LastIndexByte(host, '@')+1:] + "/…"
		}
	}
	return "…"
}
