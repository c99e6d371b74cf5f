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

// Read reads a reply to q that the rules did not settle; question is how it was
// put. ok is false when there is nothing in it that can be believed; err is then
// set if the model could not be asked. A reading that is not ok holds what the
// rules made of it.
//
// Whatever the rules do settle, a refusal above all, is returned as it is. A
// reading with Risky set is to be read back before it counts: the words bear it
// out, but not plainly. Which answers the question itself wants read back is
// for the caller to know.
//
// Try [Anchor] first: it costs nothing.
func (e *Extractor) Read(ctx context.Context, q reader.Question, question, said string, rc reader.Context) (reading reader.Reading, ok bool, err error) {
	rules := reader.Read(q, said, rc)
	switch {
	case rules.Settled:
		return rules, true, nil
	case e.Model == nil || !mayAnswer(said, rc):
		return rules, false, nil
	}
	a, err := e.ask(ctx, q, question, said)
	if err != nil {
		return rules, false, fmt.Errorf("read the answer to %s: %w", q.ID, err)
	}
	r := reply{q: q, rc: rc, asked: question, said: said, words: wordsOf(said), rules: rules}
	got, why := r.believe(a)
	if why != "" {
		e.Log.LogAttrs(ctx, slog.LevelInfo, "model's reading not used", slog.String("question_id", q.ID), slog.String("reason", why))
		return rules, false, nil
	}
	return got, true, nil
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
