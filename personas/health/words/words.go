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

// DefaultDeadline is the longest wait for a model's wording.
const DefaultDeadline = 700 * time.Millisecond

const (
	// failuresInARow is the number of consecutive late or failed wordings after which the model is
	// not asked for a while, so that a model that is down does not delay every question.
	failuresInARow = 3
	restAfter      = 15 * time.Second
)

// The reasons that a model's wording was wanted but not used.
const (
	DegradedNoModel  = "words_no_model"
	DegradedLate     = "words_late"
	DegradedFailed   = "words_failed"
	DegradedResting  = "words_resting"  // the previous ones were late or failed
	DegradedUnfit    = "words_unfit"    // it arrived but did not pass the checks
	DegradedLanguage = "words_language" // the pack is not in the person's language
)

// Model words a question. *llm.Client implements it.
type Model interface {
	// Complete returns the whole reply, or an error with what had arrived of it.
	Complete(ctx context.Context, req llm.Request) (llm.Result, error)
}

// Config configures Words. All fields are optional.
type Config struct {
	// Model words the questions; if nil, the packs' own wordings are used.
	Model Model
	// Deadline is the limit for one wording. Default [DefaultDeadline].
	Deadline time.Duration
	// Log receives the reasons why wordings were not used, without anything that was said. Default:
	// discarded.
	Log *slog.Logger
}

// Words words the questions of a health check. It is safe for concurrent use.
type Words struct {
	Config

	breaker *gobreaker.CircuitBreaker[llm.Result]
}

// New returns Words. It makes no requests.
func New(cfg Config) *Words {
	w := &Words{Config: cfg}
	w.Deadline = cmp.Or(max(cfg.Deadline, 0), DefaultDeadline)
	w.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	w.breaker = gobreaker.NewCircuitBreaker[llm.Result](gobreaker.Settings{
		Timeout:     restAfter,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresInARow },
		// A cancelled call, as when the person hung up, is not a failure of the model.
		IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, context.Canceled) },
	})
	return w
}

// Ask is one question to be put.
type Ask struct {
	Question packs.Question
	Attempt  int // 0 for the first time
	// Lead leads to the question (Thanks, Digression, Resumed, …). If empty, nothing is said before
	// it.
	Lead Situation
	// About fills in the {value} of a lead that has one.
	About string
	// N chooses among fixed sentences, for example the number of the turn.
	N int
	// Heard is what the person just said. A model may refer to it; the fixed sentences never do.
	Heard string
	// Private is set if Heard belongs to an instrument. It is then not shown to the model.
	Private  bool
	Name     string // how the person is addressed; may be empty
	Language string // language tag
	// History is the conversation before Heard. Only its end is shown to the model.
	History []llm.Message
	// Recall, if set, returns memories that a model may refer to. If waits is true, it waits for
	// those related to Heard. It is called only if a model is asked.
	Recall func(ctx context.Context, waits bool) []string

	memories []string
}

// Line is a line to be spoken.
type Line struct {
	Text string
	// Model is the model that worded it, or empty if the words are ours.
	Model string
	// Degraded is the reason why a model's wording was wanted but not used, one of the Degraded
	// constants, or empty.
	Degraded string
}

// Question words one question. It never fails: if the model does not provide a wording in time, it
// returns the pack's own.
//
// An instrument's items are always spoken exactly as written, without a model. Further attempts
// use the pack's other wordings, as the person has waited already. The exception is a person who
// talked about something else: if Recall is set, a model may still respond to that.
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

// worded asks the model for a wording. If it cannot be used, degraded says why.
func (w *Words) worded(ctx context.Context, ask Ask) (text, model, degraded string) {
	switch {
	case w.Model == nil:
		return "", "", DegradedNoModel
	case !speaks(ask.Question.Wording(0), ask.Language):
		// A wording that can't be checked against the pack can't be trusted to ask the same.
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

// softLeads only say that the person was heard, which a model may do in its own words. All other
// leads say something that must be said.
var softLeads = []Situation{Thanks, Glad, Sorry, Digression, Story}

func (a Ask) soft() bool { return slices.Contains(softLeads, a.Lead) }

// digressed reports whether the person talked about something else.
func (a Ask) digressed() bool { return a.Lead == Digression || a.Lead == Story }

// scripted returns the pack's own wording after the fixed sentence that leads to it.
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
	case a.Attempt > 0: // one leading sentence is enough
		own = a.unled(own)
	}
	return Join(lead, own)
}

// unled returns a wording without the leading sentence of its pack.
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

// spoken reports whether the pack's wording already contains the lead.
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

// Join joins the sentences with spaces, leaving out empty ones.
func Join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" }), " ")
}
