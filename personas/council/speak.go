package council

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/discussions"
)

// speak returns a voice's message of a round, and generates it unless it was said already. What was
// said of it before a crash or a failure stays, and the model is asked for the rest.
func (s *session) speak(ctx context.Context, r Round, p Persona) (Message, error) {
	turn := CalculateTurnNumber(r.Round, p)
	for _, m := range s.shown.round().Messages { // searches all messages: the round's thread may have expired
		if m.Turn == turn && m.Status == Whole {
			return m.Message, nil
		}
	}
	m := s.shown.message()
	switch {
	case m != nil && m.Turn == turn && m.Status == Streaming:
	default:
		if err := s.append(ctx, discussions.Appended{}, discussions.NewEvent{Kind: EventMessage, Data: Data{Round: r.Round, Turn: turn, Persona: p}}); err != nil {
			return Message{}, err
		}
		m = s.shown.message()
	}
	final, err := s.generate(ctx, r, p, m)
	if err != nil {
		return Message{}, err
	}
	// The final text counts: what the chunks lack of it is sent first.
	var events []discussions.NewEvent
	chunks := m.chunks
	if rest, ok := strings.CutPrefix(final, m.Content); ok && rest != "" {
		s.c.metrics.missing.Inc()
		s.c.cfg.Log.WarnContext(ctx, "chunks lacked the end of a message", "discussion_id", s.d.DiscussionID, "turn", turn, "bytes", len(rest))
		events = append(events, chunk(r.Round, turn, chunks, rest))
		chunks++
	} else if !ok {
		return Message{}, fmt.Errorf("turn %d: chunks differ from the final text", turn)
	}
	d := Data{Round: r.Round, Turn: turn, Persona: p, Content: final, Chunks: chunks}
	d.Citations, d.Unbacked = s.record.Cite(final)
	if p != Analyzer || len(s.record.Evidence) == 0 { // the others rest on what the analyzer said, and an empty record has nothing to cite
		d.Unbacked = nil
	}
	s.c.metrics.messages.WithLabelValues(string(p)).Inc()
	s.c.metrics.unsupported.Add(float64(len(d.Unbacked)))
	if err := s.append(ctx, discussions.Appended{}, append(events, discussions.NewEvent{Kind: EventSaid, Data: d})...); err != nil {
		return Message{}, err
	}
	return s.shown.message().Message, nil
}

func chunk(round, turn, index int, text string) discussions.NewEvent {
	return discussions.NewEvent{Kind: EventChunk, Data: Data{Round: round, Turn: turn, Index: &index, Text: text}}
}

// generate streams the rest of a message, and returns the whole message. A message that stops in
// the middle of a sentence is continued once.
func (s *session) generate(ctx context.Context, r Round, p Persona, m *MessageShown) (string, error) {
	req, err := s.prompt(ctx, r, p)
	if err != nil {
		return "", err
	}
	req.Said = m.Content
	for again := range 2 {
		if again > 0 && !unfinished(req.Said) {
			break
		}
		if req.Said, err = s.stream(ctx, req, r.Round, m.Turn); err != nil {
			return "", err
		}
	}
	return req.Said, nil
}

// stream asks the model, and appends each piece of its answer as it comes; pieces that come while
// others are being stored are stored together.
func (s *session) stream(ctx context.Context, req llm.Request, round, turn int) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pieces, kept := make(chan string, 1024), make(chan error, 1)
	go func() {
		err := s.keep(ctx, round, turn, pieces)
		cancel(err)
		for err != nil {
			if _, more := <-pieces; !more { // the model may be blocked sending a piece
				break
			}
		}
		kept <- err
	}()
	res, err := s.c.cfg.Model.Stream(ctx, req, func(d llm.Delta) error {
		pieces <- d.Text
		return nil
	})
	close(pieces)
	switch keptErr := <-kept; {
	case keptErr != nil:
		return "", keptErr
	case err == nil:
		err = broken(res)
	}
	return res.Text, err
}

// broken returns an error if a reply is not whole. A reply to which the model had nothing to add
// is.
func broken(res llm.Result) error {
	if res.FinishReason == llm.FinishBroken || res.Cause != nil && !errors.Is(res.Cause, llm.ErrNoContent) {
		return fmt.Errorf("model broke off: %w", res.Cause)
	}
	return nil
}

// keep appends pieces as chunks until the channel is closed.
func (s *session) keep(ctx context.Context, round, turn int, pieces <-chan string) error {
	for text := range pieces {
		index := s.shown.message().chunks
		events := []discussions.NewEvent{chunk(round, turn, index, text)}
	more:
		for {
			select {
			case text, ok := <-pieces:
				if !ok {
					break more
				}
				index++
				events = append(events, chunk(round, turn, index, text))
			default:
				break more
			}
		}
		if err := s.append(ctx, discussions.Appended{}, events...); err != nil {
			return err
		}
	}
	return nil
}
