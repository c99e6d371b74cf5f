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

// placeTimeout bounds the creation of a call at Twilio, including lookups and retries. After that
// the call is left to its callbacks and to [Service.Reconcile].
const placeTimeout = 45 * time.Second

// The reasons why a call was not placed. The gate's refusals are of type [*Refusal].
var (
	ErrUnknownPerson       = errors.New("no such person")
	ErrAmbiguousPhone      = errors.New("several people share this telephone number; name the person")
	ErrInvalidPhone        = errors.New("not a telephone number in international form")
	ErrUnknownCallType     = errors.New("no such call type")
	ErrIdempotencyMismatch = errors.New("idempotency key was used for another request")

	// For the errors below, the call is on record and has failed.
	ErrNumberRefused        = errors.New("this telephone number cannot be called")
	ErrCarrierConfiguration = errors.New("the telephone service is not set up for this call")
	ErrCarrierBusy          = errors.New("the telephone service takes no more calls now")
	ErrCarrierFailed        = errors.New("the telephone service refused the call")
	// ErrCarrierUnclear means that it is not known whether the telephone rings. The call is on
	// record and live; a callback or reconciliation settles it.
	ErrCarrierUnclear = errors.New("the telephone service did not say whether it placed the call")
)

// PlaceRequest is a request for a call. It names the person by id, or by a telephone number that
// belongs to one person only.
type PlaceRequest struct {
	PersonID store.PersonID
	Phone    string
	Second   bool // dial the person's second number, if there is one
	Safety   bool // it looks after the person's safety: no cap but 0 holds it back
	Wanted   bool // the person has just asked for it, or it follows danger: legal hours do not hold it back
	Type     calls.CallType
	Reason   string // why, in the requester's words; nAIber may be told, the person is not
	By       string // the origin of the request: api, cli, console, schedule, ...
	// IdempotencyKey makes a repeated request return the same call. If it is empty, every request
	// is a new one.
	IdempotencyKey string
}

// Place asks the gate and, if it agrees, places a call. When it returns, Twilio has accepted the
// call; it does not wait for the telephone to ring.
//
// Its errors are a [*Refusal], one of this package's sentinels, or a database failure. If a call
// was recorded, it is returned with the error.
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
		// The same request may have come twice at once: then the other one's call is returned.
		if c, found, again := s.placed(ctx, r.IdempotencyKey, hash); found {
			return c, again
		}
		return calls.Call{}, s.refused(ctx, p.ID, err)
	}
	log := s.callLog(c)
	log.LogAttrs(ctx, slog.LevelInfo, "call dialled", slog.String("by", r.By))
	// From here on a telephone may ring: placing the call continues even if the request is
	// canceled.
	ctx = context.WithoutCancel(ctx)
	s.note(ctx, c.ID, "queued", "queued", map[string]any{"by": r.By, "reason": r.Reason})
	return s.create(ctx, c, token)
}

// create asks Twilio to place a call that is on record.
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

// dialled records Twilio's SID for the call. The call may have changed meanwhile: an operator ended
// it, or a callback brought a different SID.
func (s *Service) dialled(ctx context.Context, c calls.Call, sid string) (calls.Call, error) {
	switch err := s.dep.Store.SetCallSID(ctx, c.ID, sid); {
	case errors.Is(err, store.ErrConflict):
		return s.misnamed(ctx, c, sid)
	case err != nil:
		// The status callback names both, and will record the SID.
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
	if err := s.withdraw(ctx, now); err != nil { // revoked before there was a SID to cancel it by
		s.callLog(now).LogAttrs(ctx, slog.LevelError, "unwanted call is not cancelled yet", slog.Any("err", err))
	}
	return now, nil
}

// misnamed handles a SID that cannot be this call's: the call has another one by now, or the SID
// belongs to an earlier call, which a lookup took for ours.
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

// undialled returns our error for Twilio's, and ends the call unless the telephone may be ringing
// all the same.
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

// carrierErrors holds, for each class of Twilio's failures, the error that Place returns, the party
// that caused it, and its label in metrics.
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

// HangUp ends a call at the request of by, who must be allowed to do so. It does nothing for a call
// that has ended already, and returns [store.ErrNotFound] for one that does not exist.
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

// placed returns the call that was placed under an idempotency key, and whether there is one.
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

// callee returns the person that a request names.
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

// lineFree refuses a call to a telephone on which another person is being called: a couple may
// share one.
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

// refused counts and logs a refusal of the gate, and translates [store.ErrConflict] and
// [store.ErrNotFound]. It returns other errors unchanged.
func (s *Service) refused(ctx context.Context, id store.PersonID, err error) error {
	if errors.Is(err, store.ErrConflict) {
		// The person phoned us after the gate's check and before the call was recorded.
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

// capReached raises an alert for the operator that a cost cap is reached: once a month for each
// person, or for the cap over all.
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

// e164 parses a telephone number in international form, with or without spaces. Its error does not
// repeat the number.
func e164(phone string) (string, error) {
	n, err := phonenumbers.Parse(phone, "")
	if err == nil && phonenumbers.IsPossibleNumber(n) {
		if number := phonenumbers.Format(n, phonenumbers.E164); e164Form.MatchString(number) {
			return number, nil
		}
	}
	return "", ErrInvalidPhone
}

// e164Form matches the numbers that the database accepts for a person.
var e164Form = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// requestHash returns the hash of what must be the same in every request under one idempotency key.
func requestHash(r PlaceRequest) []byte {
	of := []string{r.PersonID.String(), r.Phone, string(r.Type), r.Reason}
	if r.Second {
		of = append(of, "second")
	}
	b, _ := json.Marshal(of) // strings always marshal
	h := sha256.Sum256(b)
	return h[:]
}
