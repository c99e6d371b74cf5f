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

// keep keeps what was said word for word, except what the person asked in the same call to
// be forgotten.
func (s *lesson) keep(ctx context.Context) (write, error) {
	left, err := s.forgotten(ctx)
	if err != nil {
		return nil, err
	}
	var turns []memory.Turn
	for i, u := range s.lines {
		if said(u) != "" && !left[i] {
			turns = append(turns, s.turn(u))
		}
	}
	if len(turns) > 0 {
		if _, err := s.cfg.Memory.Keep(ctx, turns); err != nil {
			return nil, err
		}
	}
	// Keep has its own transaction, and leaves what it kept before unchanged.
	return nil, s.reach("kept")
}

// turn returns a line of the transcript as a turn of memory. Its id is the same every time.
func (s *lesson) turn(u calls.Utterance) memory.Turn {
	key := s.of.call.String() + "/" + strconv.FormatInt(u.ID, 10)
	return memory.Turn{
		ID: memory.TurnID(s.of.scope(), memories.FromCall, key), Scope: s.of.scope(), CallID: s.of.call, Conversation: s.of.conversation,
		Speaker: u.Role, Text: said(u), At: u.At, Source: memories.FromCall, SourceKey: key,
	}
}

// turnOf returns the id in memory of the line at index i.
func (s *lesson) turnOf(i int) uuid.UUID {
	if s.of.written() {
		return s.turns[s.old+i].ID
	}
	return s.turn(s.lines[i]).ID
}

// said returns the text of a line, or "" if nothing was spoken.
func said(u calls.Utterance) string {
	text := english.OneLine(u.Text)
	if strings.Trim(text, ".… ") == "" {
		return ""
	}
	return memory.Fit(text) // a longer one would always be refused; the transcript has the whole text
}

// forgotten returns the indices of the lines that the person asked in this call to be
// forgotten, and of the lines that ask.
func (s *lesson) forgotten(ctx context.Context) (map[int]bool, error) {
	left := map[int]bool{}
	for _, r := range s.heard.forget {
		for i := range s.lines {
			left[i] = left[i] || i == r.line || r.all || slices.Contains(r.lines, i) ||
				r.day != "" && i < r.line && s.at(i).Format(time.DateOnly) == dayMeant(r.day, s.at(r.line))
		}
		if r.topic == "" {
			continue
		}
		met, err := s.about(ctx, nil, texts(s.lines[:r.line]), r.topic)
		if err != nil {
			return nil, err
		}
		for i, about := range met {
			left[i] = left[i] || about
			// The answer to a question about the topic is about it too.
			if about && i+1 < r.line && s.lines[i].Role == calls.RoleAssistant && s.lines[i+1].Role == calls.RoleUser {
				left[i+1] = true
			}
		}
	}
	return left, nil
}

// unkept returns requests to forget the topics that must never be kept but came up anyway:
// they are in the transcript, or in the text channel's history.
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
		met, err := s.about(ctx, nil, texts, topic)
		if err != nil {
			return nil, err
		}
		if slices.Contains(met, true) {
			asked = append(asked, ForgetRequest{Person: s.of.person, Topic: topic, At: until})
		}
	}
	return asked, nil
}

// record returns what was said as stored outside of memory, which leaves out what must
// never be kept, and the time one microsecond after the last of it.
func (s *lesson) record(ctx context.Context) (said []string, until time.Time, err error) {
	if s.of.written() {
		said, err = s.cfg.Store.WritingTexts(ctx, s.of.wrote)
		return said, s.of.wrote.Through.Add(time.Microsecond), err
	}
	if n := len(s.lines); n > 0 {
		until = s.lines[n-1].At.Add(time.Microsecond)
	}
	return texts(s.lines), until, nil
}

func texts(lines []calls.Utterance) []string {
	out := make([]string, len(lines))
	for i, u := range lines {
		out[i] = u.Text
	}
	return out
}

// forget passes on what the person asked to be forgotten, and what must never be kept.
func (s *lesson) forget(ctx context.Context) (write, error) {
	asked, err := s.unkept(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range s.heard.forget {
		asked = append(asked, s.request(r))
	}
	for _, r := range asked {
		if err := s.cfg.Forgetter.Forget(ctx, r); err != nil {
			return nil, err
		}
		s.metrics.learned.WithLabelValues("forget").Inc()
	}
	return nil, s.reach("forgot")
}

// request converts what a line asks for, including the line itself.
func (s *lesson) request(r forgetRequest) ForgetRequest {
	asks := s.lines[r.line]
	req := ForgetRequest{Person: s.of.person, Topic: r.topic, All: r.all, At: asks.At}
	if r.all {
		return req
	}
	if r.day != "" {
		req.Day = dayMeant(r.day, s.at(r.line))
	}
	for _, i := range r.lines {
		req.Turns = append(req.Turns, s.turnOf(i))
	}
	if s.of.written() {
		req.Turns = append(req.Turns, s.turnOf(r.line))
		return req
	}
	for _, i := range append(r.lines, r.line) {
		req.Utterances = append(req.Utterances, s.lines[i].ID)
	}
	return req
}

// at returns when a line was said, in the person's time zone.
func (s *lesson) at(line int) time.Time { return s.lines[line].At.In(s.who.Location()) }
