package telephony

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/twilio"
)

const (
	// textValidity is how long a text message about an alert waits for a telephone that is switched
	// off.
	textValidity = 4 * time.Hour
	// textSegments is the most segments of a text message with its optional sentence, which is left
	// out of a longer one.
	textSegments = 2
	// maxReplyKept bounds how much of a reply is stored, in characters: Twilio's own bound.
	maxReplyKept = 1600
)

// TextNotice sends a text message about an alert, and returns Twilio's SID for it. Its error wraps
// [ErrNoticeRefused] if retrying does not help.
func (s *Service) TextNotice(ctx context.Context, n Notice) (string, error) {
	to, err := noticeNumber(n.To)
	if err != nil {
		return "", err
	}
	stopped, err := s.dep.Store.TextsStopped(ctx, to)
	switch {
	case err != nil:
		return "", err
	case stopped:
		return "", errStopped
	}
	sent, err := s.dep.Twilio.SendText(ctx, twilio.TextRequest{
		To: to, From: s.cfg.MessagingNumber, ServiceSID: s.cfg.MessagingService, Body: noticeBody(n),
		StatusCallback: s.noticeURL(routeTextStatus, "notice", n.ID.String(), eventTuning), Validity: textValidity,
	})
	if err != nil {
		return "", noticeFailed(err)
	}
	return string(sent.SID), nil
}

var errStopped = fmt.Errorf("%w: whoever has this number wants no text messages", ErrNoticeRefused)

// noticeBody returns the body of a text message about an alert: who, what and when, how to answer,
// and where the alert is acknowledged, but not what was said.
func noticeBody(n Notice) string {
	w := noticeWords(n.Language).Text
	body := texted(strings.Join([]string{"nAIber:", n.Text, w.Reply, w.More, n.Link}, " "))
	if whole := texted(body + " " + w.Emergency); segments(whole) <= textSegments {
		return whole
	}
	return body
}

// onTextStatus records the status of a text message.
func (s *Service) onTextStatus(ctx context.Context, query, form url.Values) (string, error) {
	told, err := twilio.ParseTextStatus(form)
	if err != nil {
		return "", err
	}
	id, err := uuid.Parse(query.Get("notice"))
	if err != nil {
		return "", nil //nolint:nilerr // signed, so it is ours from another time
	}
	status, detail := alerts.Sent, ""
	switch {
	case told.Delivered():
		status = alerts.Delivered
	case told.Failed():
		status, detail = alerts.Failed, strings.TrimSpace("text message was not delivered "+told.Code)
	}
	_, err = s.tell(ctx, id, string(told.SID), status, detail)
	return "", err
}

// onText handles a text message: a contact who was told of an alert may answer it, and anybody may
// say stop. Unknown senders learn nothing.
func (s *Service) onText(ctx context.Context, _, form url.Values) (string, error) {
	in, err := twilio.ParseText(form)
	if err != nil {
		return "", err
	}
	from, err := e164(in.From)
	if err != nil {
		return twilio.Reply(""), nil //nolint:nilerr // a short code, or a name: no human being
	}
	say, err := s.answerText(ctx, from, in)
	if errors.Is(err, alerts.ErrTextTaken) { // delivered twice at the same time: the other delivery is answered
		return twilio.Reply(""), nil
	}
	if err != nil || in.OptOut != "" { // Twilio has sent its own answer
		say = ""
	}
	return twilio.Reply(texted(say)), err
}

// answerText carries out what a text message asks for, and returns the answer to it.
func (s *Service) answerText(ctx context.Context, from string, in twilio.Text) (string, error) {
	wants := readText(in.Body)
	switch in.OptOut {
	case "STOP":
		wants = meansStop
	case "START":
		wants = meansStart
	}
	if a, n, taken, err := s.dep.Store.TakenText(ctx, string(in.SID)); err != nil || taken {
		return s.answeredText(ctx, a, n), err
	}
	n, a, err := s.dep.Store.NoticeTo(ctx, from, s.cfg.Now().Add(-s.cfg.ReplyWithin))
	told := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	w := noticeWords(n.Language).Text
	by := alerts.Answer{By: n.Name, How: "sms", At: s.cfg.Now(), Text: string(in.SID)}
	switch wants { //nolint:exhaustive // the others are about an alert
	case meansStop:
		return s.stopTexts(ctx, from, n, by, told && a.Awaited())
	case meansStart:
		was, err := s.dep.Store.StartTexts(ctx, from, by)
		if err != nil || was {
			return w.Started, err
		}
	}
	if !told {
		return s.chatter.bounded(from, w.Neutral), nil
	}
	if may, err := s.mayBeTold(ctx, a, n); err != nil || !may {
		return s.chatter.bounded(from, w.Gone), err
	}
	p, err := s.personOf(ctx, a)
	if err != nil {
		return "", err
	}
	head := s.alertHead(n.Language, p, a)
	switch {
	case !a.Awaited():
		return s.chatter.bounded(from, fill(w.By, "who", a.AcknowledgedBy, "head", head)), nil
	case wants == meansYes:
		return s.takenByText(ctx, from, n, by, p, head)
	case wants == meansNo:
		return w.Declined, s.declined(ctx, n.ID, by, allPhone, alerts.CannotHelp)
	}
	text := []rune(in.Body)
	if err := s.dep.Store.NoteReply(ctx, n, by, string(text[:min(len(text), maxReplyKept)])); err != nil {
		return "", err
	}
	return s.chatter.bounded(from, fill(w.Unclear, "head", head)), nil
}

// mayBeTold reports whether the recipient of a notice may still be told of its alert.
func (s *Service) mayBeTold(ctx context.Context, a alerts.Alert, n alerts.Notice) (bool, error) {
	if s.dep.MayBeTold == nil {
		return true, nil
	}
	return s.dep.MayBeTold(ctx, a, n.Channel, n.Address)
}

// answeredText returns the answer to a text message that was answered before: the carrier delivers
// a message again if it did not receive the answer.
func (s *Service) answeredText(ctx context.Context, a alerts.Alert, n alerts.Notice) string {
	if may, err := s.mayBeTold(ctx, a, n); a.AcknowledgedBy == "" || err != nil || !may {
		return ""
	}
	p, err := s.personOf(ctx, a)
	if err != nil {
		return ""
	}
	return fill(noticeWords(n.Language).Text.By, "who", a.AcknowledgedBy, "head", s.alertHead(n.Language, p, a))
}

// takenByText acknowledges the alert of a notice, and returns a confirmation. If the same number
// was told of another alert that is still open, the confirmation names that one too.
func (s *Service) takenByText(ctx context.Context, from string, n alerts.Notice, by alerts.Answer, p people.Person, head string) (string, error) {
	w := noticeWords(n.Language).Text
	a, err := s.dep.Store.AcknowledgeByNotice(ctx, n.ID, n.AlertID, by)
	if errors.Is(err, alerts.ErrTaken) {
		if a, err = s.dep.Store.Alert(ctx, n.AlertID); err != nil {
			return "", err
		}
		return fill(w.By, "who", a.AcknowledgedBy, "head", head), nil
	}
	if err != nil {
		return "", err
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "alert is acknowledged by text message", slog.String("alert_id", a.ID.String()))
	say := fill(w.Taken, "who", n.Name, "head", head)
	if p.Phone != "" {
		say += " " + fill(w.Ring, "phone", p.Phone)
	}
	other, a, err := s.dep.Store.NoticeTo(ctx, from, s.cfg.Now().Add(-s.cfg.ReplyWithin))
	if err != nil || !a.Awaited() {
		return say, nil //nolint:nilerr // what was asked for is done
	}
	if may, err := s.mayBeTold(ctx, a, other); err != nil || !may {
		return say, nil //nolint:nilerr // as above
	}
	if p, err = s.personOf(ctx, a); err != nil {
		return say, nil //nolint:nilerr // as above
	}
	return say + " " + fill(w.Next, "head", s.alertHead(other.Language, p, a)), nil
}

// stopTexts handles a stop: a person whom nAIber calls is not called any more, and a contact gets
// no more text messages. An alert that waits for them goes on to others.
func (s *Service) stopTexts(ctx context.Context, from string, n alerts.Notice, by alerts.Answer, awaited bool) (string, error) {
	elders, err := s.dep.Store.PeopleByPhone(ctx, from)
	if err != nil {
		return "", err
	}
	var say []string
	for _, p := range elders { // everybody who shares the telephone opts out
		if err := s.dep.Store.OptOut(ctx, p.ID, "sms"); err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		say = []string{noticeWords(p.Language).Text.OptedOut}
	}
	stop := by
	if awaited { // only the last step consumes the message: the steps before it can be repeated
		stop.Text = ""
	}
	known, err := s.dep.Store.StopTexts(ctx, from, stop)
	if err == nil && awaited {
		err = s.declined(ctx, n.ID, by, []string{alerts.SMS}, "wants no text messages")
	}
	w := noticeWords(n.Language).Text
	switch {
	case known:
		say = append(say, w.Stopped)
	case len(say) == 0:
		say = []string{s.chatter.bounded(from, w.Neutral)}
	}
	return strings.Join(say, " "), err
}

// personOf returns the person that an alert is about, or the zero Person for an alert of the
// operator's.
func (s *Service) personOf(ctx context.Context, a alerts.Alert) (people.Person, error) {
	if !a.PersonID.Known() {
		return people.Person{}, nil
	}
	return s.dep.Store.Person(ctx, a.PersonID)
}

const (
	// chatterEvery and chatterBurst limit the answers to text messages without effect, by number:
	// two machines that answer each other would never stop.
	chatterEvery = 10 * time.Minute
	chatterBurst = 3
	// maxChatter bounds how many numbers are remembered.
	maxChatter = 10_000
)

// chatter limits answers by number.
type chatter struct {
	mu    sync.Mutex // guards limit
	limit map[string]*rate.Limiter
}

func newChatter() *chatter { return &chatter{limit: make(map[string]*rate.Limiter)} }

// bounded returns say, or "" if the number has reached its limit.
func (c *chatter) bounded(number, say string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.limit) >= maxChatter {
		clear(c.limit)
	}
	l := c.limit[number]
	if l == nil {
		l = rate.NewLimiter(rate.Every(chatterEvery), chatterBurst)
		c.limit[number] = l
	}
	if !l.Allow() {
		return ""
	}
	return say
}
