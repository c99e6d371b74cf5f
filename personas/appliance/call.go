package appliance

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checkpoint"
)

const (
	// turnDeadline bounds a turn whose caller has left: what was heard is saved even then.
	turnDeadline = 12 * time.Second
	// peekDeadline bounds asking whether a general call is about an appliance.
	peekDeadline = 500 * time.Millisecond
	// noteKey is where the timeline finds what a turn was about.
	noteKey = "appliance"
)

// Reply answers a turn of an appliance_help call.
func (p *Persona) Reply(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
	return p.reply(ctx, t, s, false)
}

func (p *Persona) reply(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech, within bool) error {
	in := callInput(t)
	in.within = within
	if danger := p.danger(in); danger != "" {
		if err := s.SayFixed(danger); err != nil {
			return err
		}
		s.Note("danger", "appliance")
		in.quiet = true
	}
	if in.text == "" && t.Keypad != "" {
		return p.keypad(t, s, in)
	}
	out, err := p.turn(ctx, t, in)
	p.metrics.turns.WithLabelValues("call", string(cmp.Or(out.Effect, "failed"))).Inc()
	switch {
	case in.quiet && err != nil: // the danger was answered
		p.log.LogAttrs(ctx, slog.LevelError, "what was said besides danger is lost", slog.String("call_id", in.session), slog.Any("err", err))
		return nil
	case in.quiet:
		return nil
	case errors.Is(err, graph.ErrSchema), errors.Is(err, checkpoint.ErrCorrupt):
		p.log.LogAttrs(ctx, slog.LevelError, "appliance session cannot be read", slog.String("call_id", in.session), slog.Any("err", err))
		if err := p.cfg.Checkpoints.Delete(ctx, ThreadName(in.person, in.session)); err != nil {
			return err
		}
		return s.SayFixed(say(in.language, true, "unreadable"))
	case err != nil:
		return err
	}
	s.Note(noteKey, note(&out.State))
	if out.State.danger != "" {
		s.Note("danger", "appliance")
	}
	if err := p.aloud(ctx, s, &out, in); err != nil || out.State.Ending == "" {
		return err
	}
	return s.EndCall(out.State.Ending)
}

// note is what the timeline tells of a turn: no word of the person.
func note(st *State) map[string]any {
	n := map[string]any{"goal": st.GoalType}
	if st.Asked != nil {
		n["asked"] = st.Asked.Kind
	}
	if st.Told {
		n["tool"], n["failed"] = st.LastToolResult.ToolName, st.LastToolResult.Data.Error != ""
	}
	return n
}

// aloud says what came of a turn, now that it is saved: in a model's words where the turn
// is new.
func (p *Persona) aloud(ctx context.Context, s *orchestration.Speech, out *graph.Outcome[State], in input) error {
	switch {
	case len(out.Said) == 0:
		return s.SayFixed(say(out.State.Language, true, "take_time"))
	case out.Effect == graph.Advanced || out.Effect == graph.Replaced:
		return p.word(ctx, &out.State, in, false, s.Say, s.SayFixed)
	default:
		return s.SayFixed(strings.Join(out.Said, " ")) // the prompt, not a model's words for it
	}
}

// turn applies a turn of a call to its thread, which is saved even if nobody waits for
// the reply any more.
func (p *Persona) turn(ctx context.Context, t *orchestration.Turn, in input) (graph.Outcome[State], error) {
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnDeadline)
	defer cancel()
	th := p.thread(in.person, in.session)
	out, err := th.Turn(saving, graph.Call[State, input]{
		Turn: checkpoint.Turn{Conversation: t.Line.ConversationID, Place: t.Place, Key: key(t.Heard + "\x00" + t.Keypad), At: t.At},
		Late: t.Late,
		Init: func(context.Context) (State, error) { return State{Language: reading.Code(in.language)}, nil },
		From: func(h *checkpoint.History, in *input) (from checkpoint.ID) {
			if !t.Late {
				var lost bool
				from, lost = graph.Unheard(h, t.Line.ConversationID, t.Since, t.Place)
				in.cut = in.cut || lost
			}
			return from
		},
		Input: in,
	})
	if errors.Is(err, graph.ErrConflict) { // others overtook it
		peeked, found, err := th.Peek(saving)
		if err != nil || !found {
			return peeked, cmp.Or(err, graph.ErrConflict)
		}
		peeked.Effect = graph.Late
		return peeked, nil
	}
	return out, err
}

func callInput(t *orchestration.Turn) input {
	in := input{
		text: strings.TrimSpace(t.Heard), session: t.Line.Call.ID.String(), person: t.Line.Person.ID, language: cmp.Or(t.Line.Person.Language, "en"),
		phone: true, dialled: cmp.Or(t.Line.Person.Phone, t.Line.Call.Phone), cut: t.Interrupted || t.Covered,
	}
	for _, m := range t.Messages {
		if (m.Role == llm.RoleUser || m.Role == llm.RoleAssistant) && strings.TrimSpace(m.Content) != "" {
			in.history = append(in.history, llm.Message{Role: m.Role, Content: m.Content})
		}
	}
	if n := len(in.history); n > 0 && in.history[n-1].Role == llm.RoleUser {
		in.history = in.history[:n-1]
	}
	return in
}

// keypad answers keys, none of which was asked for, with the question that is open.
func (p *Persona) keypad(t *orchestration.Turn, s *orchestration.Speech, in input) error {
	text := say(in.language, true, "keypad")
	if last := english.Sentences(t.LastSaid()); len(last) > 0 && strings.HasSuffix(last[len(last)-1], "?") {
		text += " " + strings.Join(last[max(0, len(last)-2):], " ")
	}
	return s.SayFixed(text)
}

// danger returns the fixed answer to danger that rules hear, or nothing.
func (p *Persona) danger(in input) string {
	kind, told := reading.Danger(in.text, in.language)
	if kind == "" {
		return ""
	}
	return p.alarm(kind, told, in)
}

// alarm returns the fixed answer to a kind of danger.
func (p *Persona) alarm(kind, told string, in input) string {
	aloud := in.phone
	p.metrics.danger.WithLabelValues(kind).Inc()
	number := ""
	if p.cfg.Emergency != nil {
		number = p.cfg.Emergency(in.dialled)
	}
	if number == "" {
		return say(told, aloud, "danger."+kind, "number", say(told, aloud, "no_number"))
	}
	if aloud { // apart, so that a voice says them one by one
		number = strings.Join(strings.Split(number, ""), " ")
	}
	return say(told, aloud, "danger."+kind, "number", say(told, aloud, "number", "digits", number))
}

// mostStrayed is how many turns in a row may be about something else until the talk goes
// back to where it was, while something is asked; longStray is how long a sentence is that
// is not just a pause for thought.
const (
	mostStrayed = 1
	longStray   = 6
)

// Within lets a general call turn to an appliance that is in trouble, and come back when
// the matter is done or the person speaks of something else. What is known of it stays,
// should they return to it.
func (p *Persona) Within(next orchestration.Persona) orchestration.Persona {
	return orchestration.PersonaFunc(func(ctx context.Context, t *orchestration.Turn, s *orchestration.Speech) error {
		if t.Kind == calls.TurnSilence || t.Line.Call.Type != calls.CallGeneral {
			return next.Reply(ctx, t, s)
		}
		in := callInput(t)
		danger, _ := reading.Danger(in.text, in.language)
		opens := danger != "" || reading.Begins(in.text, in.language)
		if !opens && !p.mayBeActive(t, in) {
			return next.Reply(ctx, t, s)
		}
		rd := reading.Read(in.text, in.language)
		st, known := p.peek(ctx, in)
		switch {
		case danger == "" && known && st.Active && st.strays(&rd, t.Keypad != ""):
			in.leave = true
			if _, err := p.turn(ctx, t, in); err != nil { // the next turn finds out again
				p.log.LogAttrs(ctx, slog.LevelWarn, "appliance is not left", slog.String("call_id", in.session), slog.Any("err", err))
			}
			return next.Reply(ctx, t, s)
		case opens, known && st.Active, known && st.resumes(&rd):
			return p.reply(ctx, t, s, true)
		}
		return next.Reply(ctx, t, s)
	})
}

// mayBeActive reports whether anything in a call may have been about an appliance, by its
// words: most calls need no look at their thread. A line that was picked up again has lost
// its words.
func (p *Persona) mayBeActive(t *orchestration.Turn, in input) bool {
	if first := t.Line.Call.ConversationID; first != "" && first != t.Line.ConversationID {
		return true
	}
	p.plain.isNew(t.Line.Call.ID, in.text) // it was found to begin nothing
	for _, m := range in.history {
		if m.Role == llm.RoleUser && p.plain.isNew(t.Line.Call.ID, m.Content) && reading.Begins(m.Content, in.language) {
			p.plain.forget(t.Line.Call.ID)
			return true
		}
	}
	return false
}

// plainCalls holds hashes of the messages of each call that are known to begin nothing about an
// appliance, so that a turn of a long call reads only what is new.
type plainCalls struct {
	mu sync.Mutex
	of map[store.CallID]map[uint64]struct{}
}

// mostPlainCalls is more than one process holds; beyond it all are read once more.
const mostPlainCalls = 4096

var plainSeed = maphash.MakeSeed()

// isNew reports whether a message of a call was not read yet, and stores that it was.
func (c *plainCalls) isNew(id store.CallID, message string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= mostPlainCalls {
		c.of = make(map[store.CallID]map[uint64]struct{})
	}
	if c.of[id] == nil {
		c.of[id] = make(map[uint64]struct{})
	}
	hash := maphash.String(plainSeed, message)
	_, known := c.of[id][hash]
	c.of[id][hash] = struct{}{}
	return !known
}

func (c *plainCalls) forget(id store.CallID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, id)
}

// peek returns the state of a call's thread before this turn.
func (p *Persona) peek(ctx context.Context, in input) (st State, known bool) {
	ctx, cancel := context.WithTimeout(ctx, peekDeadline)
	defer cancel()
	out, found, err := p.thread(in.person, in.session).Peek(ctx)
	if err != nil {
		p.log.LogAttrs(ctx, slog.LevelWarn, "appliance session is not known", slog.String("call_id", in.session), slog.Any("err", err))
	}
	return out.State, found && err == nil
}

// strays reports whether a turn is about something else than the appliance.
func (s *State) strays(rd *reading.Reading, keys bool) bool {
	says := rd.Says() && !rd.NotOurs
	open := s.Asked != nil || s.GoalType != ""
	switch {
	case keys || says:
		return false
	case rd.Goodbye, rd.Leave:
		return true
	case !open:
		return !rd.Yes && !rd.Wait
	case s.Asked != nil && (rd.Yes || rd.No), rd.Wait:
		return false
	}
	return s.Strayed >= mostStrayed || rd.Words > longStray
}

// resumes reports whether a turn comes back to the appliance that was left.
func (s *State) resumes(rd *reading.Reading) bool {
	return !rd.NotOurs && (len(rd.Numbers) > 0 || rd.Appliance && rd.Words > 1)
}
