package orchestration

import (
	"context"
	"net/http"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// Persona is a role of nAIber on a call. It is to orchestration what a handler is to net/http: app
// registers one for each call type, and each request for a turn is passed to it.
type Persona interface {
	// Reply answers one turn by speaking into s. It returns when it has nothing more to say. ctx
	// ends when the reply is no longer wanted: the person spoke on or hung up, or the turn was
	// replaced. If an error comes before anything was said, the calm sentence is said.
	Reply(ctx context.Context, t *Turn, s *Speech) error
}

// PersonaFunc adapts a function to a Persona.
type PersonaFunc func(ctx context.Context, t *Turn, s *Speech) error

// Reply calls f.
func (f PersonaFunc) Reply(ctx context.Context, t *Turn, s *Speech) error { return f(ctx, t, s) }

// Middleware wraps a persona, as safety and the silence ladder do.
type Middleware func(next Persona) Persona

// Directory looks up who is on a call. It does not find a call that has ended.
type Directory interface {
	LineByCall(ctx context.Context, id store.CallID) (calls.Line, bool, error)
	LineByPerson(ctx context.Context, id store.PersonID) (calls.Line, bool, error)
	LineByPhone(ctx context.Context, phone string) (calls.Line, bool, error)
}

// Ender ends the call of a reply once what was said has been heard.
type Ender interface {
	// EndAfterSpeech ends a call in which the voice service did not offer its own end_call.
	EndAfterSpeech(ctx context.Context, id store.CallID, reason string) error
	// WillEnd stores the reason why the voice service's own tool is about to end the call: the tool
	// does not pass it on. It ends nothing, and the latest reason counts.
	WillEnd(id store.CallID, reason string)
}

// Recorder stores turns: what was heard before the reply, the result after it.
type Recorder interface {
	StartTurn(ctx context.Context, t calls.Turn) error
	FinishTurn(ctx context.Context, id store.TurnID, r calls.TurnResult) error
}

var _ http.Handler = (*Server)(nil)
