package telephony

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"github.com/nyaruka/phonenumbers"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/twilio"
)

// placeTimeout bounds the creation of a call at Twilio, looks and retries
// included. Beyond it the call is left to its callbacks and to [Service.Reconcile].
const placeTimeout = 45 * time.Second

// Why a call was not placed; the gate's own answer is a [*Refusal].
var (
	ErrUnknownPerson       = errors.New("no such person")
	ErrAmbiguousPhone      = errors.New("several people share this telephone number; name the person")
	ErrInvalidPhone        = errors.New("not a telephone number in international form")
	ErrUnknownCallType     = errors.New("no such call type")
	ErrIdempotencyMismatch = errors.New("idempotency key was used for another request")

	// The call is on record, and has failed, for these.
	ErrNumberRefused        = errors.New("this telephone number cannot be called")
	ErrCarrierConfiguration = errors.New("the telephone service is not set up for this call")
	ErrCarrierBusy          = errors.New("the telephone service takes no more calls now")
	ErrCarrierFailed        = errors.New("the telephone service refused the call")
	// ErrCarrierUnclear says that nobody knows whether the telephone rings. The
	// call is on record and live; it settles by itself.
	ErrCarrierUnclear = errors.New("the telephone service did not say whether it placed the call")
)

// PlaceRequest is a wish for a call. It names the person by id or by a telephone
// number that only they answer.
type PlaceRequest struct {
	PersonID store.PersonID
	Phone    string
	Second   bool // dial the person's second number, where there is one
	Safety   bool // it looks after the person's safety: no cap holds it back
	Wanted   bool // the person has just asked for it, or it follows danger: the law's hours do not hold it back
	Type     calls.CallType
	Reason   string // why, in the words of whoever asks; nAIber may be told, the person is not
	By       string // who asks: api, cli, console, schedule, ...
	// IdempotencyKey makes a repeated request return the same call. Empty: every
	// request stands for itself.
	IdempotencyKey string
}

// Place asks the gate and, if it agrees, places a call. When it returns, Twilio
// has accepted the call; it does not wait for the telephone to ring.
//
// Its errors are a [*Refusal], one of this package's sentinels, or a database
// failure. Where a call was recorded it is returned with the error.
func (s *Service) Place(ctx context.Context, r PlaceRequest) (calls.Call, error) {
	if !s.knownType(r.Type) {
		return calls.Call{}, fmt.Errorf("%w: %q", ErrUnknownCallType, r.Type)
	}
	hash := requestHash(r)
	if c, found, err := s.placed(ctx, r.IdempotencyKey, hash); found || err != nil {
		return c, err
	}
	p, err := s.callee(ctx, r)
	if err != nil {
		return calls.Call{}, err
	}
	if r.Second && p.SecondPhone != "" {
		p.Phone = p.SecondPhone
	}
	unlock, err := s.dialing.lock(ctx, p.Phone) // see twilio.PlaceCall
	if err != nil {
		return calls.Call{}, err
	}
	defer unlock()
	return s.dial(ctx, r, p, hash)
}

func (s *Service) dial(ctx context.Context, r PlaceRequest, p people.Person, hash []byte) (calls.Call, error) {
	if err := s.lineFree(ctx, p); err != nil {
		return calls.Call{}, s.refused(ctx, p.ID, err)
	}
	token := rand.Text()
	now := s.cfg.Now()
	c, err := s.dep.Store.Dial(ctx, now, calls.NewCall{
		PersonID: p.ID, Type: r.Type, Direction: calls.Outbound, Reason: r.Reason, Second: r.Second, Safety: r.Safety, MostMinutes: s.cfg.mostMinutes(),
		StreamToken: token, IdempotencyKey: r.IdempotencyKey, RequestHash: hash,
	}, func(facts calls.DialFacts) error {
		facts.Wanted = r.Wanted
		if no := Gate(s.cfg, facts, now); no != nil {
			return no
		}
		return nil
	})
	if err != nil {
		// The same request may have come twice at once: then the other one is the answer.
		if c, found, again := s.placed(ctx, r.IdempotencyKey, hash); found {
			return c, again
		}
		return calls.Call{}, s.refused(ctx, p.ID, err)
	}
	log := s.callLog(c)
	log.LogAttrs(ctx, slog.LevelInfo, "call dialled", slog.String("by", r.By))
	// From here on somebody's telephone may ring: whoever asked may go away, this may not.
	ctx = context.WithoutCancel(ctx)
	s.note(ctx, c.ID, "queued", "queued", map[string]any{"by": r.By, "reason": r.Reason})
	return s.create(ctx, c, token)
}

// create makes Twilio place a call that is on record.
func (s *Service) create(ctx context.Context, c calls.Call, token string) (calls.Call, error) {
	bounded, cancel := context.WithTimeout(ctx, placeTimeout)
	defer cancel()
	made, err := s.dep.Twilio.PlaceCall(bounded, twilio.CallRequest{
		To: c.Phone, From: s.cfg.Number, TwiML: s.connectTwiML(c.ID, token),
		StatusCallback:  s.hook(routeStatus, c.ID, eventTuning),
		MachineCallback: s.hook(routeAMD, c.ID, eventTuning),
		RingTimeout:     s.cfg.RingTimeout,
		TimeLimit:       s.cfg.TimeLimit + twilioLimitSlack,
	})
	if err != nil {
		return c, s.undialled(ctx, c, err)
	}
	s.metrics.dials.WithLabelValues("placed").Inc()
	return s.dialled(ctx, c, string(made.SID))
}

// dialled records Twilio's name for the call. The call may have become another
// one meanwhile: an operator ended it, or a callback brought a different name.
func (s *Service) dialled(ctx context.Context, c calls.Call, sid string) (calls.Call, error) {
	switch err := s.dep.Store.SetCallSID(ctx, c.ID, sid); {
	case errors.Is(err, store.ErrConflict):
		return s.misnamed(ctx, c, sid)
	case err != nil:
		// The status callback names both and will bring them together.
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "sid was not kept", slog.Any("err", err))
	}
	s.note(ctx, c.ID, "dialled", "dialled", map[string]any{"callSid": sid})
	now, err := s.dep.Store.Call(ctx, c.ID)
	if err != nil {
		c.SID = sid
		return c, nil //nolint:nilerr // the call is placed, only its row cannot be read now
	}
	if !now.Live() {
		return now, s.hangUp(ctx, sid)
	}
	if err := s.withdraw(ctx, now); err != nil { // taken back before there was a name to cancel it by
		s.callLog(now).LogAttrs(ctx, slog.LevelError, "unwanted call is not cancelled yet", slog.Any("err", err))
	}
	return now, nil
}

// misnamed sorts out a name that cannot be this call's: it has another one by
// now, or the name is an earlier call's, which was found when ours was looked for.
func (s *Service) misnamed(ctx context.Context, c calls.Call, sid string) (calls.Call, error) {
	now, err := s.dep.Store.Call(ctx, c.ID)
	if err != nil {
		return c, err
	}
	if now.SID == "" {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "call may or may not have been placed")
		return c, fmt.Errorf("place call %s: %w", c.ID, ErrCarrierUnclear)
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelError, "call was created twice, the second one is hung up")
	return now, s.hangUp(ctx, sid)
}

// undialled turns Twilio's answer into ours, and ends the call unless the
// telephone may be ringing all the same.
func (s *Service) undialled(ctx context.Context, c calls.Call, cause error) error {
	class := twilio.ClassOf(cause)
	failure, known := carrierErrors[class]
	if !known {
		failure = carrierErrors[twilio.ClassOther]
	}
	s.metrics.dials.WithLabelValues(failure.result).Inc()
	s.callLog(c).LogAttrs(ctx, slog.LevelError, "call was not placed, or may not have been", slog.String("reason", failure.result), slog.Any("err", cause))
	err := fmt.Errorf("place call %s: %w: %w", c.ID, failure.err, cause)
	if class == twilio.ClassOutcomeUnknown {
		return err
	}
	return errors.Join(err, s.finish(ctx, c.ID, endingOf(causeFailed, failure.by, 0)))
}

// carrierErrors are what Twilio's failures mean to whoever asked for a call, whose
// doing they are, and what they are counted under.
var carrierErrors = map[twilio.Class]struct {
	err        error
	by, result string
}{
	twilio.ClassOutcomeUnknown: {ErrCarrierUnclear, "", "unclear"},
	twilio.ClassNumber:         {ErrNumberRefused, byTwilio, "number"},
	twilio.ClassConfiguration:  {ErrCarrierConfiguration, byNaiber, "configuration"},
	twilio.ClassRetryable:      {ErrCarrierBusy, byTwilio, "busy"},
	twilio.ClassOther:          {ErrCarrierFailed, byNaiber, "failed"},
}

// HangUp ends a call because somebody who may do so asked for it; by says who.
// A call that has ended already is left as it is. It returns [store.ErrNotFound]
// for a call that never was.
func (s *Service) HangUp(ctx context.Context, id store.CallID, by string) error {
	c, err := s.dep.Store.Call(ctx, id)
	if err != nil {
		return err
	}
	if !c.Live() {
		return nil
	}
	s.callLog(c).LogAttrs(ctx, slog.LevelInfo, "call is hung up", slog.String("by", by))
	if lc, here := s.live.get(id); here {
		lc.end(verdict{cause: causeOperator, by: byOperator, phone: phoneHangUp, final: true})
		return nil
	}
	if c.SID != "" {
		if err := s.hangUp(ctx, c.SID); err != nil {
			return err
		}
	}
	return s.settle(ctx, id, causeOperator)
}

// placed returns the call that an idempotency key was spent on.
func (s *Service) placed(ctx context.Context, key string, hash []byte) (calls.Call, bool, error) {
	if key == "" {
		return calls.Call{}, false, nil
	}
	c, spent, err := s.dep.Store.CallByIdempotencyKey(ctx, key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return calls.Call{}, false, nil
	case err != nil:
		return calls.Call{}, false, err
	case !slices.Equal(spent, hash):
		return calls.Call{}, true, ErrIdempotencyMismatch
	}
	return c, true, nil
}

// callee finds the person that a request means.
func (s *Service) callee(ctx context.Context, r PlaceRequest) (people.Person, error) {
	if r.PersonID.Known() {
		p, err := s.dep.Store.Person(ctx, r.PersonID)
		if errors.Is(err, store.ErrNotFound) {
			return people.Person{}, ErrUnknownPerson
		}
		return p, err
	}
	phone, err := e164(r.Phone)
	if err != nil {
		return people.Person{}, err
	}
	persons, err := s.dep.Store.PeopleByPhone(ctx, phone)
	switch {
	case err != nil:
		return people.Person{}, err
	case len(persons) == 0:
		return people.Person{}, ErrUnknownPerson
	case len(persons) > 1:
		return people.Person{}, ErrAmbiguousPhone
	}
	return persons[0], nil
}

// lineFree refuses a call to a telephone on which another person is being
// called: a couple may share one.
func (s *Service) lineFree(ctx context.Context, p people.Person) error {
	calls, err := s.dep.Store.LiveCallsByPhone(ctx, p.Phone)
	if err != nil {
		return err
	}
	for _, c := range calls {
		if c.PersonID != p.ID {
			return &Refusal{Rule: RuleLiveCall, Text: "The telephone of " + p.CallName() + " is in use for another call with nAIber."}
		}
	}
	return nil
}

// refused counts what the gate said, and leaves other errors as they are.
func (s *Service) refused(ctx context.Context, id store.PersonID, err error) error {
	if errors.Is(err, store.ErrConflict) {
		// The person phoned us between the gate's look and the record of the call.
		err = &Refusal{Rule: RuleLiveCall, Text: "A call with this person has just begun."}
	}
	no, ok := errors.AsType[*Refusal](err)
	switch {
	case ok:
		if no.Rule == RuleCostCap {
			s.capReached(ctx, id, no)
		}
		s.metrics.refusals.WithLabelValues(no.Rule).Inc()
		s.log.LogAttrs(ctx, slog.LevelInfo, "call refused", slog.String("person_id", id.String()), slog.String("reason", no.Rule))
	case errors.Is(err, store.ErrNotFound):
		return ErrUnknownPerson // deleted a moment ago
	}
	return err
}

// capReached tells the operator of a cap that is reached, once in a month for each person, or for all.
func (s *Service) capReached(ctx context.Context, id store.PersonID, no *Refusal) {
	now := s.cfg.Now()
	key := "cost_cap:" + calls.Month(now).Format("2006-01")
	if no.person {
		key += ":" + id.String()
	}
	_, _, err := s.dep.Store.RaiseAlert(context.WithoutCancel(ctx), alerts.New{Tier: alerts.SameDay, Kind: "operator_cost_cap", Why: no.Text, Key: key, At: now})
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelError, "nobody is told of a cap that is reached", slog.Any("err", err))
	}
}

func (s *Service) knownType(t calls.CallType) bool { return slices.Contains(s.cfg.Types, t) }

func (s *Service) callLog(c calls.Call) *slog.Logger {
	return s.log.With(slog.String("call_id", c.ID.String()), slog.String("person_id", c.PersonID.String()), slog.String("call_type", string(c.Type)))
}

// e164 reads a telephone number in international form, with or without the
// spaces that people put into it. Its error does not repeat the number.
func e164(phone string) (string, error) {
	n, err := phonenumbers.Parse(phone, "")
	if err == nil && phonenumbers.IsPossibleNumber(n) {
		if number := phonenumbers.Format(n, phonenumbers.E164); e164Form.MatchString(number) {
			return number, nil
		}
	}
	return "", ErrInvalidPhone
}

// e164Form is what the database takes for a person's number.
var e164Form = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// requestHash is what an idempotency key stands for.
func requestHash(r PlaceRequest) []byte {
	of := []string{r.PersonID.String(), r.Phone, string(r.Type), r.Reason}
	if r.Second {
		of = append(of, "second")
	}
	b, _ := json.Marshal(of) // strings always marshal
	h := sha256.Sum256(b)
	return h[:]
}
