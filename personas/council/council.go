package council

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/people"
)

// Model generates what voices say; *llm.Client implements it.
type Model interface {
	Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error)
	Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error
}

// Store stores discussions; *store.Store implements it.
type Store interface {
	Person(ctx context.Context, id store.PersonID) (people.Person, error)
	Discussion(ctx context.Context, id uuid.UUID) (discussions.Discussion, error)
	DiscussionEvents(ctx context.Context, id uuid.UUID, after int64) ([]discussions.Event, error)
	AppendEvents(ctx context.Context, id uuid.UUID, last int64, also discussions.Appended, events ...discussions.NewEvent) ([]discussions.Event, error)
	Alive(ctx context.Context, id uuid.UUID) error
	CreateDiscussion(ctx context.Context, tx store.Tx, n discussions.NewDiscussion) (discussions.Discussion, error)
	DiscussionByKey(ctx context.Context, key string) (discussions.Discussion, error)
	Actions(ctx context.Context, id uuid.UUID) ([]discussions.Action, error)
	Action(ctx context.Context, tx store.Tx, id, action uuid.UUID) (discussions.Action, error)
	DecideAction(ctx context.Context, tx store.Tx, id, action uuid.UUID, status, by, note string) (discussions.Action, error)
	TouchPerson(ctx context.Context, tx store.Tx, id store.PersonID) error
	AddAuditTx(ctx context.Context, tx store.Tx, a calls.Audit) error
	ConsentScopes(ctx context.Context, id store.PersonID) (map[people.Scope]bool, error)
	InTx(ctx context.Context, do func(tx store.Tx) error) error
}

// The limits of a discussion.
const (
	DefaultRounds = 2
	MaxRounds     = 5
	// mostRounds is the most rounds of a discussion that carers prolong round by round.
	mostRounds = 30
)

// Config configures a [Council]. Model, Store, Checkpoints and Read are required.
type Config struct {
	Model       Model
	Store       Store
	Checkpoints graph.Store
	// Read returns what is on record about a person.
	Read func(ctx context.Context, p people.Person) (Record, error)
	// Raisable, if set, removes from the record of a discussion that is carried on what must no
	// longer be brought up.
	Raisable Raisable
	// Schedule requests, inside tx, a [Council.Run] of a discussion from its event seq on.
	Schedule func(ctx context.Context, tx store.Tx, id uuid.UUID, seq int64) error
	// Effects carries out confirmed actions. If nil, no action can be confirmed.
	Effects Effects
	// HistoryTokens is how many tokens of earlier rounds a prompt holds; default 6000. Older rounds
	// are summarised.
	HistoryTokens int
	// DiscussionTokens is how many tokens may be said before no further round begins; default 8000.
	DiscussionTokens int
	// MaxTokens limits one message; default 700.
	MaxTokens int
	Log       *slog.Logger
	Metrics   prometheus.Registerer
}

// Council discusses people. It is safe for concurrent use.
type Council struct {
	cfg     Config
	machine *graph.Machine[state, input]
	metrics *metrics
	feed    feed
}

// New returns a Council, or an error if its graph is wrong.
func New(cfg Config) (*Council, error) {
	cfg.HistoryTokens, cfg.DiscussionTokens, cfg.MaxTokens = cmp.Or(cfg.HistoryTokens, 6000), cmp.Or(cfg.DiscussionTokens, 8000), cmp.Or(cfg.MaxTokens, 700)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	c := &Council{cfg: cfg, metrics: newMetrics(cfg.Metrics), feed: feed{tails: make(map[uuid.UUID]*tail)}}
	var err error
	c.machine, err = c.compile()
	return c, err
}

// Wish is a request for a discussion.
type Wish struct {
	PersonID store.PersonID
	Question string
	Rounds   int // 0 means [DefaultRounds]
	By       string
	Key      string // idempotency key: the same wish again returns the same discussion
}

// hash returns a hash of the request, to detect a key that is used for another one.
func (w Wish) hash() []byte {
	raw, _ := json.Marshal([]any{w.PersonID, w.Question, w.Rounds}) // these always marshal
	sum := sha256.Sum256(raw)
	return sum[:]
}

// ErrKeyUsed is returned if an idempotency key was used for another wish.
var ErrKeyUsed = errors.New("idempotency key was used for another discussion")

// ErrBusy is returned if a discussion is under way, and can take no round yet.
var ErrBusy = errors.New("discussion is under way")

// ErrUnfinished is returned if the last round of a discussion must be tried again before anything
// is asked: its voices have begun to speak without the question.
var ErrUnfinished = errors.New("last round is not finished")

// ErrRounds is returned if a discussion has as many rounds as it may have.
var ErrRounds = errors.New("no more rounds")

// Start begins a discussion, which then goes on in the background.
func (c *Council) Start(ctx context.Context, w Wish) (d discussions.Discussion, err error) {
	if d, err := c.begun(ctx, w); !errors.Is(err, store.ErrNotFound) {
		return d, err
	}
	for range mostStarts { // what is forgotten while the record is read must not be in it
		if d, err = c.start(ctx, w); !errors.Is(err, discussions.ErrMoved) {
			break
		}
	}
	if errors.Is(err, store.ErrConflict) { // another request was first with the key
		return c.begun(ctx, w)
	}
	return d, err
}

// mostStarts is how often the record is read for one wish.
const mostStarts = 5

func (c *Council) start(ctx context.Context, w Wish) (discussions.Discussion, error) {
	p, err := c.cfg.Store.Person(ctx, w.PersonID)
	if err != nil {
		return discussions.Discussion{}, err
	}
	record, err := c.cfg.Read(ctx, p)
	if err != nil {
		return discussions.Discussion{}, err
	}
	n := discussions.NewDiscussion{
		PersonID: p.ID, Question: w.Question, AskedBy: w.By, Rounds: min(cmp.Or(w.Rounds, DefaultRounds), MaxRounds),
		Record: record, Sources: record.sources(), IdempotencyKey: w.Key, RequestHash: w.hash(), AsOf: p.UpdatedAt,
	}
	var d discussions.Discussion
	err = c.cfg.Store.InTx(ctx, func(tx store.Tx) (err error) {
		if d, err = c.cfg.Store.CreateDiscussion(ctx, tx, n); err != nil {
			return err
		}
		return c.asked(ctx, tx, d, "start", w.By, 0)
	})
	return d, err
}

// asked records, inside tx, who asked for a discussion or for more of it, and schedules it from its
// event seq on.
func (c *Council) asked(ctx context.Context, tx store.Tx, d discussions.Discussion, verb, by string, seq int64) error {
	if err := c.audit(ctx, tx, d, verb, by); err != nil {
		return err
	}
	return c.cfg.Schedule(ctx, tx, d.DiscussionID, seq)
}

func (c *Council) audit(ctx context.Context, tx store.Tx, d discussions.Discussion, verb, by string) error {
	return c.cfg.Store.AddAuditTx(ctx, tx, calls.Audit{Actor: by, Action: "council." + verb, PersonID: d.PersonID, Subject: d.DiscussionID.String()})
}

// begun returns the discussion that an earlier wish with the same key has begun, or
// [store.ErrNotFound].
func (c *Council) begun(ctx context.Context, w Wish) (discussions.Discussion, error) {
	if w.Key == "" {
		return discussions.Discussion{}, store.ErrNotFound
	}
	d, err := c.cfg.Store.DiscussionByKey(ctx, w.Key)
	if err == nil && !bytes.Equal(d.RequestHash, w.hash()) {
		err = ErrKeyUsed
	}
	return d, err
}

// Prolong requests one more round, with what a carer asks or answers, and returns its number. If a
// round or its conclusion failed, that is tried again instead.
func (c *Council) Prolong(ctx context.Context, id uuid.UUID, question, by string) (int, error) {
	s, err := c.open(ctx, id)
	if err != nil {
		return 0, err
	}
	round, last := len(s.shown.Rounds), s.shown.round()
	switch {
	case s.d.Status == discussions.Running:
		return 0, ErrBusy
	case last != nil && last.State == Failed && question != "":
		return 0, ErrUnfinished
	case last != nil && (last.State == Failed || s.d.Status == discussions.Failed && question == ""):
		// The round is gone on with, or concluded again.
	case round >= mostRounds:
		return 0, ErrRounds
	default:
		round++
	}
	var events []discussions.NewEvent
	if round > len(s.shown.Rounds) {
		events = append(events, discussions.NewEvent{Kind: EventRound, Data: Data{Round: round, Question: question}})
	}
	seq := s.d.LastSeq + int64(len(events))
	return round, s.append(ctx, discussions.Appended{Status: discussions.Running, Rounds: round, Within: func(tx store.Tx) error {
		return c.asked(ctx, tx, s.d, "round", by, seq)
	}}, events...)
}

// Stop ends a discussion; for one that has ended it is a no-op.
func (c *Council) Stop(ctx context.Context, id uuid.UUID, by string) error {
	for {
		s, err := c.open(ctx, id)
		if err != nil || s.d.Status != discussions.Running && s.d.Status != discussions.Waiting && s.d.Status != discussions.Failed {
			return err
		}
		err = s.append(ctx, discussions.Appended{Status: discussions.Stopped, Within: func(tx store.Tx) error { return c.audit(ctx, tx, s.d, "stop", by) }},
			discussions.NewEvent{Kind: EventStopped, Data: Data{By: by}})
		if !errors.Is(err, discussions.ErrMoved) {
			return err
		}
	}
}

// Show returns the current state of a discussion.
func (c *Council) Show(ctx context.Context, id uuid.UUID) (discussions.Discussion, Shown, error) {
	s, err := c.open(ctx, id)
	if err != nil {
		return discussions.Discussion{}, Shown{}, err
	}
	actions, err := c.cfg.Store.Actions(ctx, id)
	for _, a := range actions {
		s.shown.Actions = append(s.shown.Actions, ActionOf(a))
	}
	return s.d, s.shown, err
}

// session is a discussion that is being carried on.
type session struct {
	c      *Council
	d      discussions.Discussion
	record Record
	shown  Shown
	loc    *time.Location
	// summarised holds the older rounds and their summary.
	summarised struct{ of, text string }
}

// open reads a discussion as of one moment: events that come while it is read are not in it, and
// make [session.append] fail.
func (c *Council) open(ctx context.Context, id uuid.UUID) (*session, error) {
	none := Shown{Rounds: []RoundShown{}, Agreed: []string{}, Open: []string{}, Citations: []Citation{}, Actions: []ActionShown{}} // lists, so that they are not null in JSON
	s := &session{c: c, loc: time.UTC, shown: none}
	var err error
	if s.d, err = c.cfg.Store.Discussion(ctx, id); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(s.d.Record, &s.record); err != nil {
		return nil, fmt.Errorf("record of discussion %s: %w", id, err)
	}
	for s.shown.last < s.d.LastSeq {
		events, err := c.cfg.Store.DiscussionEvents(ctx, id, s.shown.last)
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			return nil, fmt.Errorf("discussion %s was forgotten meanwhile: %w", id, store.ErrNotFound)
		}
		for _, e := range events[:min(int64(len(events)), s.d.LastSeq-s.shown.last)] {
			if err := s.shown.Fold(e); err != nil {
				return nil, fmt.Errorf("discussion %s: %w", id, err)
			}
		}
	}
	return s, nil
}

// append stores events, folds them, and publishes them to viewers.
func (s *session) append(ctx context.Context, also discussions.Appended, events ...discussions.NewEvent) error {
	id, feed := s.d.DiscussionID, &s.c.feed
	feed.expect(id, s.shown.last+int64(len(events)))
	kept, err := s.c.cfg.Store.AppendEvents(ctx, id, s.shown.last, also, events...)
	if err != nil {
		feed.expect(id, 0)
		s.c.Appended(id, 0) // another process may have appended instead
		return err
	}
	if err := feed.publish(id, kept); err != nil {
		return err
	}
	for _, e := range kept {
		if err := s.shown.Fold(e); err != nil {
			return err
		}
	}
	s.d.LastSeq, s.d.Status = s.shown.last, cmp.Or(also.Status, s.d.Status)
	return nil
}

// Run carries a discussion on until it waits or ends. If another process does the same, Run returns
// nil and the discussion goes on there.
func (c *Council) Run(ctx context.Context, id uuid.UUID) error {
	s, err := c.open(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		c.cfg.Log.InfoContext(ctx, "discussion was forgotten", "discussion_id", id)
		return nil
	}
	if err != nil {
		return err
	}
	p, err := c.cfg.Store.Person(ctx, s.d.PersonID)
	if err != nil {
		return err
	}
	s.loc = p.Location()
	if c.cfg.Raisable != nil {
		if s.record.Evidence, err = c.cfg.Raisable.of(ctx, p.ID, s.record.Evidence); err != nil {
			return err
		}
	}
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	go c.beat(ctx, id)
	for s.d.Status == discussions.Running {
		if err = s.step(ctx); err != nil {
			break
		}
	}
	switch {
	case errors.Is(err, discussions.ErrMoved):
		c.cfg.Log.InfoContext(ctx, "discussion is carried on elsewhere", "discussion_id", id)
		return nil
	case err != nil && ctx.Err() == nil:
		return s.fail(ctx, err)
	}
	return err
}

// Beat is the interval at which a discussion that is being carried on is reported alive.
const Beat = 10 * time.Second

// beat reports a discussion alive every Beat, until ctx is done.
func (c *Council) beat(ctx context.Context, id uuid.UUID) {
	tick := time.NewTicker(Beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.cfg.Store.Alive(ctx, id); err != nil && ctx.Err() == nil {
				c.cfg.Log.WarnContext(ctx, "discussion may be taken for left", "discussion_id", id, "err", err)
			}
		}
	}
}

// step runs the next round, or ends the discussion.
func (s *session) step(ctx context.Context) error {
	if stopped, err := s.withdrawn(ctx); err != nil || stopped {
		return err
	}
	switch r := s.shown.round(); {
	case s.shown.last == 0:
		return s.append(ctx, discussions.Appended{},
			discussions.NewEvent{Kind: EventStart, Data: Data{Question: s.d.Question, UserID: s.d.PersonID.String()}},
			discussions.NewEvent{Kind: EventRound, Data: Data{Round: 1}})
	case r.State != Completed:
		return s.hold(ctx)
	}
	return s.conclude(ctx)
}

// withdrawn stops a discussion whose record holds memories if the person no longer consents to
// memory, and reports whether it did.
func (s *session) withdrawn(ctx context.Context) (bool, error) {
	if !slices.ContainsFunc(s.record.Evidence, func(e Evidence) bool { return e.Kind == KindMemory }) {
		return false, nil
	}
	scopes, err := s.c.cfg.Store.ConsentScopes(ctx, s.d.PersonID)
	if err != nil || scopes[people.ScopeMemory] {
		return false, err
	}
	return true, s.append(ctx, discussions.Appended{Status: discussions.Stopped},
		discussions.NewEvent{Kind: EventStopped, Data: Data{By: "naiber", Message: "The person no longer consents to being remembered."}})
}

// fail records that a round failed; it can be tried again.
func (s *session) fail(ctx context.Context, cause error) error {
	s.c.cfg.Log.WarnContext(ctx, "round of a discussion failed", "discussion_id", s.d.DiscussionID, "err", cause)
	s.c.metrics.failed.Inc()
	retry, data := true, Data{Message: "The round could not be finished. It can be tried again."}
	if r := s.shown.round(); r != nil {
		data.Round = r.Round
		if m := s.shown.message(); m != nil && m.Status != Whole {
			data.Turn = m.Turn
		}
	}
	data.Retry = &retry
	err := s.append(ctx, discussions.Appended{Status: discussions.Failed}, discussions.NewEvent{Kind: EventError, Data: data})
	if errors.Is(err, discussions.ErrMoved) {
		return nil
	}
	return err
}
