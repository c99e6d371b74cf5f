package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
)

// finishInterrupted is how a reply ends whose reader left.
const finishInterrupted = "interrupted"

// saveWithin bounds the keeping of an episode whose reader may be gone.
const saveWithin = 10 * time.Second

// turn is one message on its way to a reply.
type turn struct {
	session store.ChatSession
	message string
	frame   store.MemoryFrame // of the person whose session it is
	first   bool              // nothing was said in the session before
	request llm.Request
	// degraded names what the reply has to do without.
	degraded []string
}

// begin finds or makes the session, and puts the prompt together.
func (s *Server) begin(ctx context.Context, in chatIn) (*turn, error) {
	ses, err := s.open(ctx, in)
	if err != nil {
		return nil, err
	}
	t := &turn{session: ses, message: in.Message}
	if t.frame, err = s.frame(ctx, ses.PersonID); err != nil {
		return nil, err
	}
	set, err := s.settings(ctx)
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
		Messages:    turnPrompt(system, rec, recent, in.Message, t.frame.Location),
		Temperature: &set.Temperature, TopP: &set.TopP, TopK: set.TopK, RepeatPenalty: &set.RepeatPenalty,
	}
	if in.Model != "" {
		t.request.Models = []string{in.Model}
	}
	return t, nil
}

// frame says whether what is said with a person may be kept and recalled, and
// where they live. What is nobody's may be.
func (s *Server) frame(ctx context.Context, person store.PersonID) (store.MemoryFrame, error) {
	if !person.Known() {
		return store.MemoryFrame{Location: time.UTC, Consented: true}, nil
	}
	frame, err := s.store.MemoryFrame(ctx, nil, person)
	if errors.Is(err, store.ErrNotFound) { // deleted just now
		return store.MemoryFrame{Location: time.UTC}, nil
	}
	return frame, err
}

// recall asks memory, within its time. Without it the reply is poorer, and says so.
func (s *Server) recall(ctx context.Context, t *turn, set Settings, recent []store.ChatEpisode) Recollection {
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
	rec, err := s.cfg.Memory.Recall(ctx, scopeOf(t.session.ID, t.session.ProjectID, t.session.PersonID), q)
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
func (s *Server) within(ctx context.Context, ses store.ChatSession, found []Recalled, q Query) ([]Recalled, error) {
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

// saved is what became of a turn.
type saved struct {
	episode    int64 // 0: none was kept
	remembered bool
}

// interrupted keeps a message whose reader left, with what was sent of the reply:
// what was generated but not sent was not said. The message was, even where
// nothing was sent.
func (s *Server) interrupted(ctx context.Context, t *turn, res llm.Result, sent string) {
	res.Text, res.FinishReason = sent, finishInterrupted
	s.save(ctx, t, res)
}

// save keeps what was said, if any text came or the reader left before it, and starts what follows a turn.
// It goes on when the reader is gone. That it fails does not undo the reply: the
// answer says that it is not remembered.
func (s *Server) save(ctx context.Context, t *turn, res llm.Result) saved {
	s.metrics.turns.WithLabelValues(outcome(res.FinishReason)).Inc()
	if res.Text == "" && res.FinishReason != finishInterrupted {
		s.log.WarnContext(ctx, "no text came; no episode is kept", "session_id", t.session.ID, "model", res.Model)
		return saved{}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWithin)
	defer cancel()
	e, kept, err := s.store.AddChatEpisode(ctx, store.ChatEpisode{
		SessionID: t.session.ID, Message: t.message, Response: res.Text, Model: res.Model, Finish: res.FinishReason,
		Tokens: tokens(t.message, res.Text),
	})
	if err != nil {
		s.log.ErrorContext(ctx, "episode not kept", "session_id", t.session.ID, "err", err)
		s.metrics.degraded.WithLabelValues("history").Inc()
		t.degraded = append(t.degraded, "history")
		return saved{}
	}
	if !kept {
		return saved{}
	}
	s.follow(t, e) //nolint:contextcheck // it outlives the request
	return saved{episode: e.ID, remembered: true}
}

// follow starts what comes after a turn.
func (s *Server) follow(t *turn, e store.ChatEpisode) {
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
func (s *Server) open(ctx context.Context, in chatIn) (store.ChatSession, error) {
	person, err := s.personOf(ctx, in)
	if err != nil {
		return store.ChatSession{}, err
	}
	project, err := s.projectOf(ctx, in.ProjectID, "body.projectId")
	if err != nil {
		return store.ChatSession{}, err
	}
	id := in.SessionID
	if id == "" {
		id = uuid.NewString()
	}
	ses, made, err := s.store.EnsureChatSession(ctx, id, person, project)
	switch {
	case err != nil:
		return store.ChatSession{}, fmt.Errorf("open session: %w", err)
	case made:
		return ses, nil
	case person.Known() && ses.PersonID != person:
		return store.ChatSession{}, errOtherPerson
	case project != uuid.Nil && ses.ProjectID != project:
		return store.ChatSession{}, errOtherProject
	}
	return ses, nil
}
