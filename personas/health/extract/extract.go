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

// DefaultDeadline is the longest wait for a model's reading.
const DefaultDeadline = 1500 * time.Millisecond

// mostConfidence limits the confidence of a model's reading: it is less than that of a rule that
// read plain words.
const mostConfidence = 0.85

// Model answers according to a schema. *llm.Client implements it.
type Model interface {
	// Structured decodes an answer that fits the schema into out, or returns an error.
	Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error
}

// Config configures an Extractor. All fields are optional.
type Config struct {
	// Model reads replies. If nil, only rules do.
	Model Model
	// Deadline is the limit for one reading. Default [DefaultDeadline].
	Deadline time.Duration
	// Log receives the reasons why readings were not used, without anything that was said. Default:
	// discarded.
	Log *slog.Logger
}

// Extractor reads replies. It is safe for concurrent use.
type Extractor struct{ Config }

// New returns an Extractor. It makes no requests.
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
	// Doubted is set if what rules settle is not believed. The model is then asked all the same,
	// and what it reads must be read back.
	Doubted bool

	rules reader.Reading
}

// Heard is the result of reading a reply.
type Heard struct {
	// Reading is the model's if it can be believed, and then settled, or else that of the rules. If
	// it is Risky, it must be read back before it counts: the rules do not read the same. The
	// caller has to check which answers the question itself wants read back.
	reader.Reading

	// Seen is set if the model saw an answer that its words do not bear out.
	Seen bool
	// None is set if the model was sure that there is no answer, refusal, or wish.
	None bool

	// Ends is set if the person wants to end the call, or to be called another time. This must be
	// confirmed, too.
	Ends bool
}

// Read reads a reply that the rules did not settle. It returns an error if the request to the model
// fails. If the rules do settle the reply, for example as a refusal, it returns their reading
// unchanged, unless that is doubted.
//
// Try [Anchor] first, which needs no model.
func (e *Extractor) Read(ctx context.Context, ask Ask) (Heard, error) {
	ask.rules = reader.Read(ask.Question, ask.Said, ask.Context)
	rules := Heard{Reading: ask.rules}
	rules.Settled = rules.Settled && !ask.Doubted
	if rules.Settled || e.Model == nil || !mayAnswer(ask.Said, ask.Context) {
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
		rules.Seen, rules.None = a.Verdict == verdictAnswer, a.Verdict == verdictNone && a.Confidence >= reader.SettleAt
		return rules, nil
	case got.Why == ended:
		rules.Ends = true
		return rules, nil
	}
	return Heard{Reading: got}, nil
}

// mayAnswer reports whether the reply is of a kind that may contain an answer.
func mayAnswer(said string, rc reader.Context) bool {
	switch reader.IntentIn(said, rc) {
	case reader.IntentExit, reader.IntentRepeat, reader.IntentExplain, reader.IntentHold, reader.IntentWrongPerson,
		reader.IntentDistress, reader.IntentFiller, reader.IntentSilence:
		return false
	default:
		return true
	}
}
