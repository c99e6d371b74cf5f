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

// finishInterrupted is the finish reason of a reply whose reader left.
const finishInterrupted = "interrupted"

// saveWithin bounds storing an episode whose reader may be gone.
const saveWithin = 10 * time.Second

// Message is a message that a user writes.
type Message struct {
	Session string         // its external id; empty: a new session
	Person  store.PersonID // owner of the session; the zero id if there is none, or it is not known
	Project uuid.UUID      // the project of a new session
	Model   string         // empty: the configured models
	Text    string
}

// Reply is the answer to a message.
type Reply struct {
	Text, Model string
	Finish      string // stop, length, or broken if the model broke off
	Usage       llm.Usage
	Episode     int64 // 0: none was stored
	Remembered  bool
	Degraded    []string // what the reply had to do without
}

// Turn is one message whose reply is being prepared.
type Turn struct {
	session chats.Session
	message string
	frame   memories.Frame // of the person who owns the session
	first   bool           // the session was empty before
	request llm.Request
	// degraded names what the reply has to do without.
	degraded []string
}

// Session returns the external id of the session that the message belongs to.
func (t *Turn) Session() string { return t.session.ExternalID }

// Begin finds or creates the session of a message, and builds the prompt.
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
		if err != nil && !errors.Is(err, store.ErrNotFound) { // it may have been deleted just now
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

// frame returns whether a person's words may be stored and recalled, and where they live. For
// nobody in particular, they may.
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

// recall queries memory, within its deadline. If that fails, the reply is made without it, and
// t.degraded says so.
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
		counted = []string{"recall_late"} // a late answer alone does not mean that memory is down
	}
	for _, reason := range counted {
		s.metrics.degraded.WithLabelValues(reason).Inc()
	}
	return rec
}

// within returns those of found that belong to the session, its person, or a session that is in its
// project now, and are not in the prompt already. Memory filters in the same way; but a session may
// have changed its project a moment ago, and even then nothing foreign may reach this one.
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

// Reply queries the model, passes each piece of the reply to send, which may be nil, and stores
// what was said. If ctx ends or send fails, the reader has left: it then stores the message with
// what was sent, and returns an error.
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
	if lost = cmp.Or(ctx.Err(), lost); lost != nil { // text that was generated but not sent does not count
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

// save stores what was said, and starts the work that follows a turn, even if the reader is gone. A
// failure does not undo the reply. It returns the id of the episode, or 0 if none is stored.
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

// follow starts the background work that follows a turn.
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

// outcome returns the metric label for a finish reason: a server may send any.
func outcome(finish string) string {
	switch finish {
	case llm.FinishStop, llm.FinishLength, llm.FinishBroken, llm.FinishContentFilter, finishInterrupted:
		return finish
	}
	return "other"
}

// open returns the session that a message belongs to, and creates it if there is none.
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
