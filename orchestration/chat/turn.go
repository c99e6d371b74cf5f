package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/memories"
)

// finishInterrupted is how a reply ends whose reader left.
const finishInterrupted = "interrupted"

// saveWithin bounds the keeping of an episode whose reader may be gone.
const saveWithin = 10 * time.Second

// Message is what somebody writes.
type Message struct {
	Session string         // its external id; empty: a new session
	Person  store.PersonID // owner of the session; the zero id where there is none, or it is not known
	Project uuid.UUID      // the project of a new session
	Model   string         // empty: the configured ones
	Text    string
}

// Reply is the answer to a message.
type Reply struct {
	Text, Model string
	Finish      string // stop, length, or broken where the model broke off
	Usage       llm.Usage
	Episode     int64 // 0: none was kept
	Remembered  bool
	Degraded    []string // what the reply had to do without
}

// Turn is one message on its way to a reply.
type Turn struct {
	session chats.Session
	message string
	frame   memories.Frame // of the person whose session it is
	first   bool           // nothing was said in the session before
	request llm.Request
	// degraded names what the reply has to do without.
	degraded []string
}

// Session returns the external id of the session that the message belongs to.
func (t *Turn) Session() string { return t.session.ExternalID }

// Begin finds or makes the session of a message, and puts the prompt together.
func (s *Channel) Begin(ctx context.Context, in Message) (*Turn, error) {
	ses, err := s.open(ctx, in)
	if err != nil {
		return nil, err
	}
	t := &Turn{session: ses, message: in.Text}
	if t.frame, err = s.frame(ctx, ses.PersonID); err != nil {
		return nil, err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	system := set.SystemPrompt
	if ses.ProjectID != uuid.Nil {
		p, err := s.store.ChatProject(ctx, ses.ProjectID)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // it was deleted just now
			return nil, err
		}
		if p.SystemPrompt != nil {
			system = *p.SystemPrompt
		}
	}
	recent, err := s.store.RecentChatEpisodes(ctx, ses.ID, set.RecentEpisodeLimit)
	if err != nil {
		return nil, err
	}
	t.first = len(recent) == 0
	rec := s.recall(ctx, t, set, recent)
	t.request = llm.Request{
		Messages:    turnPrompt(system, rec, recent, in.Text, t.frame.Location),
		Temperature: &set.Temperature, TopP: &set.TopP, TopK: set.TopK, RepeatPenalty: &set.RepeatPenalty,
	}
	if in.Model != "" {
		t.request.Models = []string{in.Model}
	}
	return t, nil
}

// frame says whether what is said with a person may be kept and recalled, and
// where they live. What is nobody's may be.
func (s *Channel) frame(ctx context.Context, person store.PersonID) (memories.Frame, error) {
	if !person.Known() {
		return memories.Frame{Location: time.UTC, Consented: true}, nil
	}
	frame, err := s.store.MemoryFrame(ctx, nil, person)
	if errors.Is(err, store.ErrNotFound) { // deleted just now
		return memories.Frame{Location: time.UTC}, nil
	}
	return frame, err
}

// recall asks memory, within its time. Without it the reply is poorer, and says so.
func (s *Channel) recall(ctx context.Context, t *Turn, set Settings, recent []chats.Episode) Recollection {
	if s.cfg.Memory == nil || !t.frame.Consented {
		return Recollection{}
	}
	q := Query{
		Text: t.message, Now: time.Now().In(t.frame.Location), Limit: set.SemanticLimit, Budget: s.cfg.RecallBudget, MinScore: set.ScoreThreshold,
		KeywordWeight: set.KeywordWeight, SemanticWeight: set.SemanticWeight,
	}
	for _, e := range recent {
		q.Exclude = append(q.Exclude, e.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.RecallDeadline)
	defer cancel()
	rec, err := s.cfg.Memory.Recall(ctx, Scope{t.session.ID, t.session.ProjectID, t.session.PersonID}, q)
	if err == nil {
		rec.Recalled, err = s.within(ctx, t.session, rec.Recalled, q)
	}
	if err != nil {
		s.log.WarnContext(ctx, "memory does not recall", "session_id", t.session.ID, "err", err)
		rec = Recollection{Degraded: []string{"memory"}}
	}
	t.degraded = append(t.degraded, rec.Degraded...)
	counted := rec.Degraded
	if errors.Is(err, context.DeadlineExceeded) {
		counted = []string{"recall_late"} // one alone says nothing about the memory
	}
	for _, reason := range counted {
		s.metrics.degraded.WithLabelValues(reason).Inc()
	}
	return rec
}

// within keeps what belongs to the session, its person, or a session that is in
// its project now, and is not in the prompt already. Memory does the same; but
// a session may have changed its project a moment ago, and what is not meant
// for this one must not reach it even then.
func (s *Channel) within(ctx context.Context, ses chats.Session, found []Recalled, q Query) ([]Recalled, error) {
	var others []uuid.UUID
	for _, r := range found {
		if r.Session != uuid.Nil && r.Session != ses.ID {
			others = append(others, r.Session)
		}
	}
	siblings := map[uuid.UUID]bool{}
	if ses.ProjectID != uuid.Nil && len(others) > 0 {
		var err error
		if siblings, err = s.store.RecallableChatSessions(ctx, ses.ProjectID, others); err != nil {
			return nil, err
		}
	}
	known := make(map[int64]bool, len(q.Exclude))
	for _, id := range q.Exclude {
		known[id] = true
	}
	kept := make([]Recalled, 0, min(len(found), q.Limit))
	for _, r := range found {
		own := r.Session == ses.ID || (r.Person.Known() && r.Person == ses.PersonID)
		if len(kept) < q.Limit && (own || siblings[r.Session]) && (r.Episode == 0 || !known[r.Episode]) {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// Reply asks the model, hands each piece of the reply to send, which may be nil,
// and keeps what was said. Where ctx ends or send fails, the reader has left: then
// the message is kept with what was sent, and Reply returns an error.
func (s *Channel) Reply(ctx context.Context, t *Turn, send func(text string) error) (Reply, error) {
	var sent strings.Builder
	var lost error
	var yield func(llm.Delta) error
	if send != nil {
		yield = func(d llm.Delta) error {
			if lost = send(d.Text); lost == nil {
				sent.WriteString(d.Text)
			}
			return lost
		}
	}
	res, err := s.cfg.Model.Stream(ctx, t.request, yield)
	if lost = cmp.Or(ctx.Err(), lost); lost != nil { // what was generated but not sent was not said
		res.Text, res.FinishReason = sent.String(), finishInterrupted
		s.save(ctx, t, res)
		return Reply{}, lost
	}
	if err == nil && (res.Text == "" || send != nil && sent.Len() == 0) {
		err = ErrEmpty
	}
	if err != nil {
		s.metrics.turns.WithLabelValues("failed").Inc()
		return Reply{}, err
	}
	episode := s.save(ctx, t, res)
	return Reply{
		Text: res.Text, Model: res.Model, Finish: res.FinishReason, Usage: res.Usage,
		Episode: episode, Remembered: episode != 0, Degraded: t.degraded,
	}, nil
}

// save keeps what was said, and starts what follows a turn. It goes on when the
// reader is gone. That it fails does not undo the reply. It returns the id of the
// episode, 0 where none is kept.
func (s *Channel) save(ctx context.Context, t *Turn, res llm.Result) int64 {
	s.metrics.turns.WithLabelValues(outcome(res.FinishReason)).Inc()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWithin)
	defer cancel()
	e, kept, err := s.store.AddChatEpisode(ctx, chats.Episode{
		SessionID: t.session.ID, Message: t.message, Response: res.Text, Model: res.Model, Finish: res.FinishReason,
		Tokens: english.Tokens(t.message, res.Text),
	})
	if err != nil {
		s.log.ErrorContext(ctx, "episode not kept", "session_id", t.session.ID, "err", err)
		s.metrics.degraded.WithLabelValues("history").Inc()
		t.degraded = append(t.degraded, "history")
		return 0
	}
	if !kept {
		return 0
	}
	s.follow(t, e) //nolint:contextcheck // it outlives the request
	return e.ID
}

// follow starts what comes after a turn.
func (s *Channel) follow(t *Turn, e chats.Episode) {
	id := t.session.ID
	if s.cfg.Memory != nil {
		s.tasks.do("remember", id, func(ctx context.Context) error { return s.remember(ctx, e.ID) })
	}
	if t.first && t.session.Name == "" {
		s.tasks.do("name", id, func(ctx context.Context) error { return s.name(ctx, id, e) })
	}
	s.tasks.do("summarise", id, func(ctx context.Context) error { return s.summarise(ctx, id) })
}

// outcome is a finish reason as a label of a metric: a server may send anything.
func outcome(finish string) string {
	switch finish {
	case llm.FinishStop, llm.FinishLength, llm.FinishBroken, llm.FinishContentFilter, finishInterrupted:
		return finish
	}
	return "other"
}

// open returns the session that a message belongs to, and makes it where there is none.
func (s *Channel) open(ctx context.Context, in Message) (chats.Session, error) {
	ses, made, err := s.store.EnsureChatSession(ctx, cmp.Or(in.Session, uuid.NewString()), in.Person, in.Project)
	switch {
	case err != nil:
		return chats.Session{}, fmt.Errorf("open session: %w", err)
	case made:
	case in.Person.Known() && ses.PersonID != in.Person:
		return chats.Session{}, ErrOtherPerson
	case in.Project != uuid.Nil && ses.ProjectID != in.Project:
		return chats.Session{}, ErrOtherProject
	}
	return ses, nil
}
