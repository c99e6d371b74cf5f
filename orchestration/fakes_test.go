package orchestration

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

const testSecret = "the-voice-service-presents-this"

// desk stands in for telephony and the database at this package's edge.
type desk struct {
	mu        sync.Mutex
	line      calls.Line
	lookupErr error
	named     int           // look-ups by a person or a number
	known     time.Time     // when the conversation's id is; zero: always
	startWait time.Duration // how long StartTurn takes
	startErrs int           // how many times StartTurn fails first
	turns     map[store.TurnID]*calls.Turn
	order     []store.TurnID
	events    []string
	ended     []string
	reasons   []string // for ends by the voice service's own tool
}

func newDesk() *desk {
	return &desk{
		line: calls.Line{
			Call:           calls.Call{ID: store.NewCallID(), Type: calls.CallGeneral, Phone: "+15550100001"},
			Person:         people.Person{ID: store.NewPersonID(), Name: "Margaret Ellis"},
			ConversationID: "conv_1",
		},
		turns: make(map[store.TurnID]*calls.Turn),
	}
}

func (d *desk) find(ok bool) (calls.Line, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	line := d.line
	if time.Now().Before(d.known) {
		line.ConversationID = ""
	}
	return line, ok && d.lookupErr == nil, d.lookupErr
}

func (d *desk) findNamed(ok bool) (calls.Line, bool, error) {
	d.mu.Lock()
	d.named++
	d.mu.Unlock()
	return d.find(ok)
}

func (d *desk) LineByCall(_ context.Context, id store.CallID) (calls.Line, bool, error) {
	return d.find(id == d.line.Call.ID)
}

func (d *desk) LineByPerson(_ context.Context, id store.PersonID) (calls.Line, bool, error) {
	return d.findNamed(id == d.line.Person.ID)
}

func (d *desk) LineByPhone(_ context.Context, phone string) (calls.Line, bool, error) {
	return d.findNamed(phone == d.line.Call.Phone)
}

func (d *desk) EndAfterSpeech(_ context.Context, _ store.CallID, reason string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = append(d.ended, reason)
	return nil
}

func (d *desk) WillEnd(_ store.CallID, reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reasons = append(d.reasons, reason)
}

func (d *desk) StartTurn(ctx context.Context, t calls.Turn) error {
	if d.startWait > 0 {
		select {
		case <-time.After(d.startWait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.startErrs > 0 {
		d.startErrs--
		return errors.New("the database is away")
	}
	d.turns[t.ID] = &t
	d.order = append(d.order, t.ID)
	return nil
}

func (d *desk) FinishTurn(_ context.Context, id store.TurnID, r calls.TurnResult) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.turns[id]
	if !ok {
		return store.ErrNotFound
	}
	t.TurnResult = r
	d.events = append(d.events, "turn "+string(r.Event))
	return nil
}

// verify knows tokens of the form "token-for-<call id>".
func verify(token string) (store.CallID, bool) {
	id, ok := strings.CutPrefix(token, "token-for-")
	if !ok {
		return store.CallID{}, false
	}
	call, err := store.ParseCallID(id)
	return call, err == nil
}

func (d *desk) token() string { return "token-for-" + d.line.Call.ID.String() }

// upstream answers passthroughs with fixed payloads.
type upstream struct {
	payloads []string
	err      error
	mu       sync.Mutex
	bodies   []string
}

func (u *upstream) Passthrough(_ context.Context, body []byte, payload func([]byte) error) (llm.Result, error) {
	u.mu.Lock()
	u.bodies = append(u.bodies, string(body))
	u.mu.Unlock()
	for _, p := range u.payloads {
		if err := payload([]byte(p)); err != nil {
			return llm.Result{}, err
		}
	}
	return llm.Result{}, u.err
}

func payloadOf(words string) string {
	return fmt.Sprintf(`{"id":"up","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, words)
}

func newTestServer(t *testing.T, d *desk, p Persona, adjust func(*Config)) *Server {
	t.Helper()
	cfg := Config{
		Secret: testSecret, Personas: map[calls.CallType]Persona{calls.CallGeneral: p},
		Directory: d, Ender: d, Recorder: d, Verify: verify,
		Passthrough: &upstream{payloads: []string{payloadOf("Plain "), payloadOf("answer.")}},
		Log:         slog.New(slog.DiscardHandler),
	}
	if adjust != nil {
		adjust(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return s
}

func saying(words ...string) Persona {
	return PersonaFunc(func(_ context.Context, _ *Turn, s *Speech) error {
		for _, w := range words {
			if err := s.Say(w); err != nil {
				return err
			}
		}
		return nil
	})
}
