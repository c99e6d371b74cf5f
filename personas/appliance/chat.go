package appliance

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
)

// Written is one message by text.
type Written struct {
	Session string
	Person  store.PersonID // zero: of no particular person
	Seq     int            // counts the messages of a session, from 1
	Text    string
	// Language is a BCP 47 tag; if empty, the language of the first message is used.
	Language string
	// Phone, if known, determines the emergency number that is named.
	Phone string
	// State is the last known state, in case the thread has expired.
	State json.RawMessage
}

// Reply is the answer to a message.
type Reply struct {
	Text  string
	Tool  *ToolData // result of a tool for this message, or nil
	State json.RawMessage
}

// Chat answers one message by text. It is idempotent: the same Seq with the same text again is
// answered by the same words.
func (p *Persona) Chat(ctx context.Context, w Written) (Reply, error) {
	in := input{text: strings.TrimSpace(w.Text), session: w.Session, person: w.Person, language: w.Language, dialled: w.Phone}
	danger := p.danger(in)
	in.quiet = danger != ""
	out, err := p.thread(w.Person, w.Session).Turn(ctx, graph.Call[State, input]{
		Turn: checkpoint.Turn{Conversation: w.Session, Place: w.Seq, Key: key(w.Text), At: time.Now()},
		Init: func(ctx context.Context) (State, error) { return p.restore(ctx, w) }, Input: in,
	})
	p.metrics.turns.WithLabelValues("text", string(cmp.Or(out.Effect, "failed"))).Inc()
	if danger != "" { // the answer does not depend on anything that may fail
		if err != nil {
			p.log.LogAttrs(ctx, slog.LevelError, "what was said besides danger is lost", slog.String("session_id", w.Session), slog.Any("err", err))
			return Reply{Text: danger, State: w.State}, nil
		}
		raw, err := json.Marshal(out.State)
		return Reply{Text: danger, State: raw}, err
	}
	if err != nil {
		return Reply{}, fmt.Errorf("message %d of session %s: %w", w.Seq, w.Session, err)
	}
	r := Reply{Text: strings.Join(out.Said, " ")}
	if out.State.Told {
		r.Tool = out.State.LastToolResult
	}
	r.State, err = json.Marshal(out.State)
	return r, err
}

// restore returns the state in which a session begins: w.State, if it can be read.
func (p *Persona) restore(ctx context.Context, w Written) (State, error) {
	if len(w.State) > 0 {
		st, err := p.machine.Read(schema, w.State)
		if err == nil {
			return st, nil
		}
		p.log.LogAttrs(ctx, slog.LevelWarn, "state of a session cannot be read", slog.String("session_id", w.Session), slog.Any("err", err))
	}
	return State{Language: reading.Code(w.Language)}, nil
}

// Peek returns the state of a session, and reports whether there is one.
func (p *Persona) Peek(ctx context.Context, person store.PersonID, session string) (State, bool, error) {
	out, found, err := p.thread(person, session).Peek(ctx)
	return out.State, found, err
}

// keyBytes is how many bytes of a hash distinguish messages at one place.
const keyBytes = 12

// key returns a hash that distinguishes messages at one place, without any of the person's words.
func key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:keyBytes])
}
