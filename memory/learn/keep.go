package learn

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// keep keeps what was said word for word, but for what the person asked in the
// same call to be forgotten.
func (s *lesson) keep(ctx context.Context, done commit) error {
	left, err := s.forgotten(ctx)
	if err != nil {
		return err
	}
	var turns []memory.Turn
	for i, u := range s.lines {
		if said(u) != "" && !left[i] {
			turns = append(turns, s.turn(u))
		}
	}
	if len(turns) > 0 {
		if _, err := s.cfg.Memory.Keep(ctx, turns); err != nil {
			return err
		}
	}
	if err := s.reach("kept"); err != nil {
		return err
	}
	// Keep has its own transaction, and does nothing to what it kept before.
	return done(ctx, nothing)
}

// turn is a line of the transcript as it is kept. Its id stays the same.
func (s *lesson) turn(u calls.Utterance) memory.Turn {
	return memory.Turn{
		ID: s.turnID(u), Scope: s.scope(), CallID: s.of.call, Conversation: s.of.conversation(), Speaker: u.Role, Text: said(u), At: u.At,
		Source: memories.FromCall, SourceKey: s.sourceKey(u),
	}
}

func (s *lesson) sourceKey(u calls.Utterance) string {
	return s.of.call.String() + "/" + strconv.FormatInt(u.ID, 10)
}

func (s *lesson) turnID(u calls.Utterance) uuid.UUID {
	return memory.TurnID(s.scope(), memories.FromCall, s.sourceKey(u))
}

// turnOf is the id in memory of a line, by its place.
func (s *lesson) turnOf(i int) uuid.UUID {
	if s.of.written() {
		return s.turns[s.old+i].ID
	}
	return s.turnID(s.lines[i])
}

// said is what a line says; empty where nobody spoke.
func said(u calls.Utterance) string {
	text := english.OneLine(u.Text)
	if strings.Trim(text, ".… ") == "" {
		return ""
	}
	return memory.Fit(text) // a longer one would be refused for ever; the transcript has it all
}

// forgotten are the places of the lines that the person asked in this call to
// be forgotten, with the lines that ask.
func (s *lesson) forgotten(ctx context.Context) (map[int]bool, error) {
	left := map[int]bool{}
	for _, r := range s.heard.forget {
		left[r.line] = true
		for i := range s.lines {
			left[i] = left[i] || r.all || slices.Contains(r.lines, i) || r.day != "" && i < r.line && s.at(i).Format(time.DateOnly) == dayMeant(r.day, s.at(r.line))
		}
		if r.topic == "" {
			continue
		}
		texts := make([]string, r.line)
		for i := range texts {
			texts[i] = s.lines[i].Text
		}
		met, err := s.cfg.Store.MatchTopics(ctx, nil, s.frame.Config, texts, []string{r.topic})
		if err != nil {
			return nil, err
		}
		for i, about := range met {
			if !about {
				continue
			}
			left[i] = true
			// What answers a question about it is about it.
			if i+1 < r.line && s.lines[i].Role == calls.RoleAssistant && s.lines[i+1].Role == calls.RoleUser {
				left[i+1] = true
			}
		}
	}
	return left, nil
}

// unkept are requests to forget the topics that are never to be kept and came up
// all the same: they stand in the transcript, or in the text channel's history.
func (s *lesson) unkept(ctx context.Context) ([]ForgetRequest, error) {
	topics, err := s.topicsBarred(ctx, nil, memories.NeverStore)
	if err != nil || len(topics) == 0 {
		return nil, err
	}
	texts, until, err := s.record(ctx)
	if err != nil {
		return nil, err
	}
	var asked []ForgetRequest
	for _, topic := range topics {
		met, err := s.cfg.Store.MatchTopics(ctx, nil, s.frame.Config, texts, []string{topic})
		if err != nil {
			return nil, err
		}
		if slices.Contains(met, true) {
			asked = append(asked, ForgetRequest{Person: s.of.person, Call: s.of.call, Topic: topic, At: until})
		}
	}
	return asked, nil
}

// record is what was said as it stands outside of memory, which has left out what
// is never to be kept, and a moment after the last of it.
func (s *lesson) record(ctx context.Context) (texts []string, until time.Time, err error) {
	if s.of.written() {
		texts, err = s.cfg.Store.WritingTexts(ctx, s.of.wrote)
		return texts, s.of.wrote.Through.Add(time.Microsecond), err
	}
	for _, u := range s.lines {
		texts = append(texts, u.Text)
		until = u.At.Add(time.Microsecond)
	}
	return texts, until, nil
}

// forget hands on what the person asked to be forgotten, and what is never to be kept.
func (s *lesson) forget(ctx context.Context, done commit) error {
	asked, err := s.unkept(ctx)
	if err != nil {
		return err
	}
	for _, r := range s.heard.forget {
		asked = append(asked, s.request(r))
	}
	for _, r := range asked {
		if err := s.cfg.Forgetter.Forget(ctx, r); err != nil {
			return err
		}
		s.metrics.learned.WithLabelValues("forget").Inc()
	}
	if err := s.reach("forgot"); err != nil {
		return err
	}
	return done(ctx, nothing)
}

// request is what a line asks for, with the line itself.
func (s *lesson) request(r forgetRequest) ForgetRequest {
	asks := s.lines[r.line]
	req := ForgetRequest{Person: s.of.person, Call: s.of.call, Topic: r.topic, All: r.all, At: asks.At, Words: said(asks)}
	if r.all {
		return req
	}
	if r.day != "" {
		req.Day = dayMeant(r.day, s.at(r.line))
	}
	for _, i := range r.lines {
		req.Turns = append(req.Turns, s.turnOf(i))
		req.Utterances = append(req.Utterances, s.lines[i].ID)
	}
	req.Utterances = append(req.Utterances, asks.ID)
	if s.of.written() {
		req.Turns, req.Utterances = append(req.Turns, s.turnOf(r.line)), nil
	}
	return req
}

// at is when a line was said, where the person lives.
func (s *lesson) at(line int) time.Time { return s.lines[line].At.In(s.who.Location()) }
