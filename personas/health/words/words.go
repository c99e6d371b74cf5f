package words

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health/packs"
)

// DefaultDeadline is how long the person may be kept waiting for a model's wording.
const DefaultDeadline = 700 * time.Millisecond

const (
	// failuresInARow are late or failed wordings after which no model is asked for a while:
	// nobody is kept waiting for one that is down.
	failuresInARow = 3
	restAfter      = 15 * time.Second
)

// Why a model's wording was wanted and not used.
const (
	DegradedNoModel  = "words_no_model"
	DegradedLate     = "words_late"
	DegradedFailed   = "words_failed"
	DegradedResting  = "words_resting"  // the last ones were late or failed
	DegradedUnfit    = "words_unfit"    // it came, and did not pass the checks
	DegradedLanguage = "words_language" // the pack is not in the person's language
)

// Model puts a question into words. *llm.Client is one.
type Model interface {
	// Complete returns the whole reply, or an error with what came of it.
	Complete(ctx context.Context, req llm.Request) (llm.Result, error)
}

// Config is what Words needs. Everything may be left out.
type Config struct {
	// Model words the questions; nil leaves the packs' own wordings.
	Model Model
	// Deadline is the limit for one wording. Default [DefaultDeadline].
	Deadline time.Duration
	// Log gets wordings that were not used, without what anybody said. Default: nowhere.
	Log *slog.Logger
}

// Words words the questions of a health check. It may be used by any number of
// goroutines.
type Words struct {
	Config

	breaker *gobreaker.CircuitBreaker[llm.Result]
}

// New returns Words. It sends nothing.
func New(cfg Config) *Words {
	w := &Words{Config: cfg}
	w.Deadline = cmp.Or(max(cfg.Deadline, 0), DefaultDeadline)
	w.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	w.breaker = gobreaker.NewCircuitBreaker[llm.Result](gobreaker.Settings{
		Timeout:     restAfter,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresInARow },
		// Somebody who hung up says nothing about the model.
		IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, context.Canceled) },
	})
	return w
}

// Ask is one question to be put.
type Ask struct {
	Question packs.Question
	Attempt  int // 0 for the first time
	// Lead is what leads to the question (Thanks, Digression, Resumed, …). Empty:
	// nothing stands in front.
	Lead Situation
	// About is the {value} of a lead that has one.
	About string
	// N chooses among fixed sentences; the number of the turn will do.
	N int
	// Heard is what the person just said. A model may take it up; the fixed
	// sentences never do.
	Heard string
	// Private: what was heard belongs to an instrument. No model is shown it.
	Private  bool
	Name     string // how the person is addressed; may be empty
	Language string // language tag
	// History is the conversation before Heard, of which the end is shown.
	History []llm.Message
	// Recall, if set, is what memory has that a model may take up: of what was just
	// heard, where it waits for that. It is asked only when a model is.
	Recall func(ctx context.Context, waits bool) []string

	memories []string
}

// Line is what is said.
type Line struct {
	Text string
	// Model is who worded it; empty when the words are ours.
	Model string
	// Degraded says why a model's wording was wanted and not used: one of the
	// Degraded constants. Empty: nothing was lost.
	Degraded string
}

// Question words one question. It never fails: what a model can't do in time, the
// pack's own wording does.
//
// An instrument's items are always said exactly as they are, and no model is
// asked for them. Nor is one for a further attempt: the person waits for other
// words already, and the pack has some. Who talked of something else and is
// remembered is answered all the same.
func (w *Words) Question(ctx context.Context, ask Ask) Line {
	talked := ask.digressed() && ask.Recall != nil && !ask.Private
	if ask.Question.Verbatim || ask.Attempt > 0 && !talked || ask.Lead == Explain || ask.Lead == Repeat {
		return Line{Text: ask.scripted()}
	}
	text, model, degraded := w.worded(ctx, ask)
	if degraded != "" {
		return Line{Text: ask.scripted(), Degraded: degraded}
	}
	if !ask.soft() && ask.Lead != "" {
		text = Join(ask.lead(ask.Language), text)
	}
	return Line{Text: text, Model: model}
}

// worded asks the model, and says what was wrong when its words are not used.
func (w *Words) worded(ctx context.Context, ask Ask) (text, model, degraded string) {
	switch {
	case w.Model == nil:
		return "", "", DegradedNoModel
	case !speaks(ask.Question.Wording(0), ask.Language):
		// What can't be checked against the pack can't be trusted to ask the same.
		return "", "", DegradedLanguage
	}
	ctx, cancel := context.WithTimeout(ctx, w.Deadline)
	defer cancel()
	res, err := w.breaker.Execute(func() (llm.Result, error) {
		if ask.soft() && !ask.Private && ask.Recall != nil {
			ask.memories = ask.Recall(ctx, ask.digressed())
		}
		return w.Model.Complete(ctx, ask.request())
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests):
		return "", "", DegradedResting
	case errors.Is(err, context.DeadlineExceeded):
		return "", "", DegradedLate
	case err != nil:
		w.Log.LogAttrs(ctx, slog.LevelWarn, "wording failed", slog.String("question_id", ask.Question.ID), slog.Any("err", err))
		return "", "", DegradedFailed
	}
	text = clean(res.Text)
	if why := ask.unfit(text); why != "" {
		w.Log.LogAttrs(ctx, slog.LevelInfo, "wording not used", slog.String("question_id", ask.Question.ID),
			slog.String("model", res.Model), slog.String("reason", why))
		return "", "", DegradedUnfit
	}
	return text, res.Model, ""
}

// softLeads say no more than that the person was heard, which a model may say in
// its own words. All others tell something that must be told.
var softLeads = []Situation{Thanks, Glad, Sorry, Digression, Story}

func (a Ask) soft() bool { return slices.Contains(softLeads, a.Lead) }

// digressed reports whether the person talked of something else.
func (a Ask) digressed() bool { return a.Lead == Digression || a.Lead == Story }

// scripted is the pack's own wording behind the fixed sentence that leads to it.
func (a Ask) scripted() string {
	own := a.Question.Wording(a.Attempt)
	lead := a.lead(a.Language)
	if !speaks(own, a.Language) {
		lead = a.lead(fallback) // one language at a time
	}
	switch {
	case lead == "":
	case a.spoken(own):
		lead = ""
	case a.Attempt > 0: // one sentence that leads to it is enough
		own = a.unled(own)
	}
	return Join(lead, own)
}

// unled is a wording without the sentence of its pack that leads to it.
func (a Ask) unled(own string) string {
	for _, l := range a.Question.Leads {
		if rest, ok := strings.CutPrefix(own, l+" "); ok {
			return rest
		}
	}
	return own
}

func (a Ask) lead(language string) string {
	if a.Lead == "" {
		return ""
	}
	return Say(a.Lead, a.N, Fill{Name: a.Name, Value: a.About, Language: language})
}

// spoken reports whether the pack's wording brings the lead along itself.
func (a Ask) spoken(own string) bool {
	switch a.Lead {
	case Thanks, Glad, Sorry:
		lower := strings.ToLower(own)
		return slices.ContainsFunc(tongueOf(a.Language).Openers, func(o string) bool { return strings.HasPrefix(lower, o) })
	case Unclear, Explain, Repeat, Silence:
		return a.Attempt > 0 && a.Question.Verbatim && slices.ContainsFunc(a.Question.Leads, func(l string) bool { return strings.HasPrefix(own, l) })
	default:
		return false
	}
}

// Join puts sentences next to each other; empty ones leave no gap.
func Join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" }), " ")
}
