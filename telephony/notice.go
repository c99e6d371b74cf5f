package telephony

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nyaruka/phonenumbers"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/twilio"
)

// ErrNoticeRefused means that a notice cannot be sent, and that retrying does not help.
var ErrNoticeRefused = errors.New("notice cannot be sent")

// Notice is a message or call about an alert over the telephone network.
type Notice struct {
	ID       uuid.UUID
	To       string // telephone number, E.164
	Language string
	Text     string // who, what and when
	Link     string // where the alert is acknowledged; its last path element is the token
}

// noticeTimeLimit bounds a call about an alert, whose text may be repeated a few times.
const noticeTimeLimit = 4 * time.Minute

// noticeNumber parses the number that a notice goes to. It refuses emergency numbers, short codes
// and numbers that are only dialled within an area.
func noticeNumber(phone string) (string, error) {
	number, err := e164(phone)
	if err == nil {
		n, failed := phonenumbers.Parse(number, "")
		if failed != nil || phonenumbers.IsPossibleNumberWithReason(n) != phonenumbers.IS_POSSIBLE ||
			phonenumbers.ConnectsToEmergencyNumber(phonenumbers.GetNationalSignificantNumber(n), phonenumbers.GetRegionCodeForNumber(n)) {
			err = ErrInvalidPhone
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoticeRefused, err)
	}
	return number, nil
}

// noticeFailed returns err if a notice that Twilio did not take can be retried, and wraps it in
// [ErrNoticeRefused] if not.
func noticeFailed(err error) error {
	switch twilio.ClassOf(err) {
	case twilio.ClassRetryable, twilio.ClassOutcomeUnknown:
		return err
	default:
		return fmt.Errorf("%w: %w", ErrNoticeRefused, err)
	}
}

// CallNotice calls a contact or the operator because of an alert, and returns Twilio's SID for the
// call. Such a call is not one of a person's: no gate applies to it, and it is not listed with
// theirs. The alert's escalation ladder bounds such calls.
//
// If it is not known whether the telephone rings, the call's first callback shows it: the notice
// then counts as sent, and is not retried.
func (s *Service) CallNotice(ctx context.Context, n Notice) (string, error) {
	to, err := noticeNumber(n.To)
	if err != nil {
		return "", err
	}
	unlock, err := s.dialing.lock(ctx, to) // see twilio.PlaceCall
	if err != nil {
		return "", err
	}
	defer unlock()
	token := path.Base(n.Link)
	made, err := s.dep.Twilio.CreateCall(ctx, twilio.CallRequest{
		To: to, From: s.cfg.Number, URL: s.noticeURL(routeNotice, "token", token, reconnectTuning),
		StatusCallback:  s.noticeURL(routeNoticeStatus, "notice", n.ID.String(), eventTuning),
		MachineCallback: s.noticeURL(routeNoticeAMD, "token", token, eventTuning),
		RingTimeout:     s.cfg.RingTimeout, TimeLimit: noticeTimeLimit,
	})
	if err != nil {
		return "", noticeFailed(err)
	}
	return string(made.SID), nil
}

// noticeURL returns the address of a webhook about a notice.
func (s *Service) noticeURL(route, key, value, tuning string) string {
	return s.cfg.PublicURL + route + "?" + url.Values{key: {value}}.Encode() + "#" + tuning
}

// noticeCall holds what is known of a call about an alert.
type noticeCall struct {
	alerts.Link

	token  string
	person people.Person
	words  noticeText
}

// mine reports whether this notice was used to acknowledge the alert, so that the person on the
// line takes care of it.
func (n noticeCall) mine() bool { return n.UsedAt != nil && !n.Alert.Awaited() }

// noticeCall returns the call that the token in a webhook's address belongs to. found is false if
// the token is no longer valid: it is unknown, the alert is closed, or its contact must not be told
// of it.
func (s *Service) noticeCall(ctx context.Context, h hookCall) (n noticeCall, found bool, err error) {
	n.token = h.query.Get("token")
	n.Link, err = s.dep.Store.AlertLink(ctx, n.token)
	if err == nil && n.Alert.PersonID.Known() {
		n.person, err = s.dep.Store.Person(ctx, n.Alert.PersonID)
	}
	n.words = noticeWords(n.Language)
	if errors.Is(err, store.ErrNotFound) {
		return n, false, nil
	}
	found = err == nil && n.Alert.Status != alerts.Closed
	if found {
		found, err = s.mayBeTold(ctx, n.Alert, alerts.Notice{Channel: n.Channel, Address: n.Address})
	}
	return n, found, err
}

// answerNotice speaks the purpose of a call about an alert, and handles a key. It says nothing of
// what has happened before a key was pressed: a machine or a child may listen.
func (s *Service) answerNotice(ctx context.Context, h hookCall) (string, error) {
	n, found, err := s.noticeCall(ctx, h)
	switch {
	case err != nil:
		return "", err
	case !found, !s.cfg.Now().Before(n.ExpiresAt):
		return twilio.SayHangup(n.words.Call.Over, n.words.voice), nil
	}
	if err := s.dep.Store.NoticeSent(ctx, n.NoticeID, string(h.CallSID), s.cfg.Now()); err != nil {
		return "", err
	}
	switch digit := h.form.Get("Digits"); {
	case digit == "1" && n.Alert.Awaited():
		return s.takenByKey(ctx, n)
	case digit == "3" && n.mine():
		return s.putThrough(ctx, n, h.CallSID)
	case n.mine():
		return s.noticeDetails(ctx, n, ""), nil
	case !n.Alert.Awaited():
		return twilio.SayHangup(fill(n.words.Call.By, "who", n.Alert.AcknowledgedBy), n.words.voice), nil
	case digit == "9":
		if err := s.declined(ctx, n.NoticeID, alerts.Answer{By: n.Name, How: "call", At: s.cfg.Now()}, allPhone, alerts.CannotHelp); err != nil {
			return "", err
		}
		return twilio.SayHangup(n.words.Call.Declined, n.words.voice), nil
	}
	hello := n.words.Call.Operator
	if n.person.ID.Known() {
		hello = fill(n.words.Call.Hello, "name", n.person.Name)
	}
	return twilio.AskKey(hello+" "+n.words.Call.Keys, n.words.voice, 2, s.noticeURL(routeNotice, "token", n.token, reconnectTuning), n.words.Call.Silence), nil
}

// takenByKey acknowledges an alert by the key 1. If somebody else was faster, it names them.
func (s *Service) takenByKey(ctx context.Context, n noticeCall) (string, error) {
	a, err := s.dep.Store.AcknowledgeByNotice(ctx, n.NoticeID, n.Alert.ID, alerts.Answer{By: n.Name, How: "call", At: s.cfg.Now()})
	if errors.Is(err, alerts.ErrTaken) {
		if a, err = s.dep.Store.Alert(ctx, n.Alert.ID); err != nil {
			return "", err
		}
		return twilio.SayHangup(fill(n.words.Call.By, "who", a.AcknowledgedBy), n.words.voice), nil
	}
	if err != nil {
		return "", err
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "alert is acknowledged by telephone", slog.String("alert_id", a.ID.String()))
	n.Alert = a
	return s.noticeDetails(ctx, n, ""), nil
}

// noticeDetails returns TwiML that tells the contact who takes care of the alert what has happened,
// or first instead if that is not empty.
func (s *Service) noticeDetails(ctx context.Context, n noticeCall, first string) string {
	w := n.words.Call
	say := []string{fill(w.Details, "head", s.alertHead(n.Language, n.person, n.Alert), "when", n.Alert.CreatedAt.In(n.person.Location()).Format("15:04"))}
	if first != "" {
		say = []string{first}
	} else if c, ok, err := s.connectable(ctx, n); err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "it is not known whether the person is on the line", slog.String("alert_id", n.Alert.ID.String()), slog.Any("err", err))
	} else if ok && !connected(c.Connected, s.cfg.Now()) {
		say = append(say, fill(w.Connect, "name", n.person.Name))
	}
	if n.person.Phone != "" {
		say = append(say, fill(w.Ring, "name", n.person.Name, "phone", figures(n.person.Phone)))
	}
	say = append(say, w.Emergency, w.Again)
	return twilio.AskKey(strings.Join(say, " "), n.words.voice, 1, s.noticeURL(routeNotice, "token", n.token, reconnectTuning), "")
}

// alertHead returns a line on what an alert is about.
func (s *Service) alertHead(language string, p people.Person, a alerts.Alert) string {
	if s.dep.AlertHead == nil {
		return p.Name
	}
	return s.dep.AlertHead(language, p, a.Kind)
}

// allPhone holds the channels over the telephone network.
var allPhone = []string{alerts.Call, alerts.SMS}

// declined records that the recipient of a notice will not act on it. If that leaves nobody on its
// step, the ladder goes on to the next.
func (s *Service) declined(ctx context.Context, notice uuid.UUID, by alerts.Answer, channels []string, why string) error {
	step, all, err := s.dep.Store.DeclineNotice(ctx, notice, by, channels, why)
	if err != nil || !all {
		return err
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "notice of an alert is declined", slog.String("alert_id", step.AlertID.String()), slog.String("reason", why))
	return s.stepFailed(ctx, step)
}

func (s *Service) stepFailed(ctx context.Context, step alerts.Step) error {
	if s.dep.NoticeFailed == nil {
		return nil
	}
	return s.dep.NoticeFailed(ctx, step)
}

// tell records what Twilio reports on a notice by its SID, in any order, and reports whether that
// was new. After a notice that failed, the ladder goes on.
func (s *Service) tell(ctx context.Context, notice uuid.UUID, sid, status, detail string) (news bool, err error) {
	// Twilio may be faster than the process that sent the notice, or that process may have died.
	if err := s.dep.Store.NoticeSent(ctx, notice, sid, s.cfg.Now()); err != nil {
		return false, err
	}
	n, err := s.dep.Store.NoticeTold(ctx, sid, status, detail, s.cfg.Now())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case n.Status == alerts.Failed:
		return true, s.stepFailed(ctx, alerts.Step{AlertID: n.AlertID, Run: n.Run, Step: n.Step})
	}
	return true, nil
}

// callEnds maps the final status of a call about an alert to the notice's status and its
// explanation. An answered call does not mean that anybody listened.
var callEnds = map[calls.CallStatus]struct{ status, detail string }{
	calls.StatusCompleted: {alerts.Sent, "answered, and no key was pressed"},
	calls.StatusBusy:      {alerts.Failed, "busy"},
	calls.StatusNoAnswer:  {alerts.Failed, "no answer"},
	calls.StatusFailed:    {alerts.Failed, "the number cannot be reached"},
	calls.StatusCanceled:  {alerts.Failed, "the call was cancelled"},
}

// onNoticeStatus records the status of a call about an alert.
func (s *Service) onNoticeStatus(ctx context.Context, h hookCall) (string, error) {
	id, err := uuid.Parse(h.query.Get("notice"))
	if err != nil {
		return "", nil //nolint:nilerr // signed, so it is ours from another time
	}
	end, over := callEnds[calls.CallStatus(h.Status)]
	if !over {
		end.status = alerts.Sent
	}
	_, err = s.tell(ctx, id, string(h.CallSID), end.status, end.detail)
	if err == nil && over {
		err = s.dep.Store.Disconnect(ctx, id, s.cfg.Now())
	}
	return "", err
}

// onNoticeAnsweredBy leaves a machine a message that says nothing private. If it is a person all
// the same, they can still press a key.
func (s *Service) onNoticeAnsweredBy(ctx context.Context, h hookCall) (string, error) {
	n, found, err := s.noticeCall(ctx, h)
	if err != nil || !found || !isMachine(string(h.AnsweredBy)) {
		return "", err
	}
	news, err := s.tell(ctx, n.NoticeID, string(h.CallSID), alerts.Failed, "a machine answered")
	if err != nil || !news {
		return "", err
	}
	if h.AnsweredBy == twilio.AnsweredByFax {
		return "", s.hangUp(ctx, string(h.CallSID))
	}
	say := twilio.AskKey(n.words.Call.Machine, n.words.voice, 1, s.noticeURL(routeNotice, "token", n.token, reconnectTuning), "")
	bounded, cancel := context.WithTimeout(ctx, hangUpTimeout)
	defer cancel()
	if err := s.dep.Twilio.Redirect(bounded, h.CallSID, say); err != nil && twilio.ClassOf(err) != twilio.ClassNotInProgress {
		s.log.LogAttrs(ctx, slog.LevelWarn, "message about an alert was not left", slog.Any("err", err))
	}
	return "", nil
}
