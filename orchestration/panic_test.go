package orchestration

import (
	"context"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// panicky panics in one of the things that a turn needs.
type panicky struct {
	*desk

	in string
}

func (p panicky) at(what string) {
	if p.in == what {
		panic("in " + what)
	}
}

func (p panicky) StartTurn(ctx context.Context, t calls.Turn) error {
	p.at("start")
	return p.desk.StartTurn(ctx, t)
}

func (p panicky) FinishTurn(ctx context.Context, id store.TurnID, r calls.TurnResult) error {
	p.at("finish")
	return p.desk.FinishTurn(ctx, id, r)
}

func (p panicky) WillEnd(id store.CallID, reason string) {
	p.at("will end")
	p.desk.WillEnd(id, reason)
}

func (p panicky) EndAfterSpeech(ctx context.Context, id store.CallID, reason string) error {
	p.at("end after speech")
	return p.desk.EndAfterSpeech(ctx, id, reason)
}

// Whatever panics beside a turn, the process lives, the person hears what was
// said, and the next turn is answered.
func TestPanicEndsOneTurnAtMost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		tool bool // the voice service offers its own end_call
	}{{"start", false}, {"finish", false}, {"will end", true}, {"end after speech", false}, {"persona", false}} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			d := panicky{newDesk(), tt.in}
			reg := prometheus.NewRegistry()
			p := PersonaFunc(func(_ context.Context, turn *Turn, s *Speech) error {
				if turn.Heard == "hello" && tt.in == "persona" {
					panic("in persona")
				}
				if err := s.Say("Goodbye, Margaret."); err != nil {
					return err
				}
				return s.EndCall("goodbye")
			})
			s := newTestServer(t, d.desk, p, func(c *Config) { c.Ender, c.Recorder, c.Metrics = d, d, reg })
			c := client(listen(t, s), "/v1")
			for _, heard := range []string{"hello", "hello again"} {
				q := openai.ChatCompletionNewParams{Model: "naiber", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(heard)}}
				if tt.tool {
					q.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "end_call"})}
				}
				res, err := c.Chat.Completions.New(t.Context(), q, withToken(d.desk))
				if err != nil {
					t.Fatal(err)
				}
				want := "Goodbye, Margaret."
				if tt.in == "persona" && heard == "hello" {
					want = calmSentence
				}
				if got := res.Choices[0].Message.Content; !strings.HasPrefix(got, want) {
					t.Errorf("%s: said %q, want %q", heard, got, want)
				}
			}
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if running := counted(t, reg, "naiber_turns_total"); running != 2 {
				t.Errorf("%v turns ended, want both", running)
			}
		})
	}
}
