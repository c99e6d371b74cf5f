package orchestration

import (
	"context"
	"net/http"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// Persona is what nAIber can be on a call. It is to orchestration what a
// handler is to net/http: app registers one for each call type, and each
// request for a turn is handed to it.
type Persona interface {
	// Reply answers one turn by speaking into s. It returns when it has nothing
	// more to say. ctx ends when nobody waits for the reply any more: the
	// person spoke on, hung up, or the turn was replaced. An error before
	// anything was said becomes the calm fixed sentence.
	Reply(ctx context.Context, t *Turn, s *Speech) error
}

// PersonaFunc lets a function be a Persona.
type PersonaFunc func(ctx context.Context, t *Turn, s *Speech) error

// Reply calls f.
func (f PersonaFunc) Reply(ctx context.Context, t *Turn, s *Speech) error { return f(ctx, t, s) }

// Middleware wraps a persona, as safety and the silence ladder do.
type Middleware func(next Persona) Persona

// Directory knows who is on a call. A call that has ended is not found.
type Directory interface {
	LineByCall(ctx context.Context, id store.CallID) (calls.Line, bool, error)
	LineByPerson(ctx context.Context, id store.PersonID) (calls.Line, bool, error)
	LineByPhone(ctx context.Context, phone string) (calls.Line, bool, error)
}

// Ender is how a reply ends its call once what was said has been heard.
type Ender interface {
	// EndAfterSpeech ends it where the voice service did not offer its own end_call.
	EndAfterSpeech(ctx context.Context, id store.CallID, reason string) error
	// WillEnd says why the voice service's own tool is about to end the call: the
	// tool does not pass the reason on. It ends nothing, and the latest reason counts.
	WillEnd(id store.CallID, reason string)
}

// Recorder keeps turns: what was heard before the reply, the result after it.
type Recorder interface {
	StartTurn(ctx context.Context, t calls.Turn) error
	FinishTurn(ctx context.Context, id store.TurnID, r calls.TurnResult) error
}

var _ http.Handler = (*Server)(nil)
