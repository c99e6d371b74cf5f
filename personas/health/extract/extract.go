package extract

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health/reader"
)

// DefaultDeadline is how long the person may be kept waiting for a model's reading.
const DefaultDeadline = 1500 * time.Millisecond

// mostConfidence bounds what a model's reading is worth: less than what a rule
// reads in plain words.
const mostConfidence = 0.85

// Model answers by a schema. *llm.Client is one.
type Model interface {
	// Structured decodes an answer that fits the schema into out, or fails.
	Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error
}

// Config is what an Extractor needs. Everything may be left out.
type Config struct {
	// Model reads; nil reads nothing.
	Model Model
	// Deadline is the limit for one reading. Default [DefaultDeadline].
	Deadline time.Duration
	// Log gets readings that were not believed, without what anybody said. Default: nowhere.
	Log *slog.Logger
}

// Extractor reads replies. It may be used by any number of goroutines.
type Extractor struct{ Config }

// New returns an Extractor. It sends nothing.
func New(cfg Config) *Extractor {
	cfg.Deadline = cmp.Or(max(cfg.Deadline, 0), DefaultDeadline)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Extractor{cfg}
}

// Ask is a reply to be read.
type Ask struct {
	reader.Context

	Question reader.Question
	// Wording is how the question was put.
	Wording string
	// Before are the last exchanges before the question, the oldest first.
	Before []llm.Message
	Said   string

	rules reader.Reading // unsettled
}

// Heard is what a reply comes to.
type Heard struct {
	// Reading is settled where it can be believed, else what the rules made of the reply.
	// With Risky set it is to be read back before it counts: the rules do not see it.
	// Which answers the question itself wants read back is for the caller to know.
	reader.Reading

	// Ends: the person wants to end the call, or to be called another time. It is to be
	// asked back as well.
	Ends bool
}

// Read reads a reply that the rules did not settle. There is an error if the model could
// not be asked. Whatever the rules do settle, a refusal above all, is returned as it is.
//
// Try [Anchor] first: it costs nothing.
func (e *Extractor) Read(ctx context.Context, ask Ask) (Heard, error) {
	ask.rules = reader.Read(ask.Question, ask.Said, ask.Context)
	rules := Heard{Reading: ask.rules}
	if ask.rules.Settled || e.Model == nil || !mayAnswer(ask.Said, ask.Context) {
		return rules, nil
	}
	a, err := e.ask(ctx, &ask)
	if err != nil {
		return rules, fmt.Errorf("read the answer to %s: %w", ask.Question.ID, err)
	}
	got, why := ask.believe(a)
	switch {
	case why != "":
		e.Log.LogAttrs(ctx, slog.LevelInfo, "model's reading not used", slog.String("question_id", ask.Question.ID), slog.String("reason", why))
		return rules, nil
	case got.Why == ended:
		rules.Ends = true
		return rules, nil
	}
	return Heard{Reading: got}, nil
}

// mayAnswer reports whether a reply is of a kind that may hold an answer.
func mayAnswer(said string, rc reader.Context) bool {
	switch reader.IntentIn(said, rc) {
	case reader.IntentExit, reader.IntentRepeat, reader.IntentExplain, reader.IntentHold, reader.IntentWrongPerson,
		reader.IntentDistress, reader.IntentFiller, reader.IntentSilence:
		return false
	default:
		return true
	}
}
