package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/personas/safety"
	"github.com/naiber/naiber/personas/wishes"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
)

// makeSafety makes the rules that look for red flags before any persona hears a turn.
func (a *App) makeSafety() (err error) {
	cfg := safety.Config{
		Store: a.store, Numbers: byCountry(a.cfg.Safety.EmergencyNumbers), CrisisLines: byCountry(a.cfg.Safety.CrisisLines),
		Answers: answersMachines, Lesser: wishes.Hears, Ends: a.cfg.Safety.Then == "end", Journal: filepath.Join(a.cfg.DataDir, "journal"), Log: a.log,
		Tells: func(ctx context.Context, id store.PersonID, kind string, tier alerts.Tier) (bool, error) {
			return a.escalation.Tells(ctx, id, kind, tier) // no turn comes until every part is made
		},
	}
	if a.cfg.Safety.SecondReading {
		cfg.Second = secondReading(a.model, a.log)
	}
	if a.safety, err = safety.New(cfg); err != nil {
		return err
	}
	a.onStopDo(a.safety.Close)
	return nil
}

// putsThrough reports whether a contact may be connected to a person who told of this kind of
// danger. No contact may for a confidential kind, of which somebody close may be the cause.
func (a *App) putsThrough(kind string) bool {
	return a.cfg.Safety.Then == "connect" && !slices.Contains(a.cfg.Alerts.Confidential, kind)
}

// answersMachines reports whether a turn tells of a danger from a machine on a call of the
// appliance helper, which answers it in its own words.
func answersMachines(t *orchestration.Turn) bool {
	if t.Line.Call.Type != calls.CallApplianceHelp {
		return false
	}
	kind, _ := reading.Danger(t.Heard, t.Line.Person.Language)
	return kind != ""
}

// flagAnswer is a model's reading of what a person said.
type flagAnswer struct {
	Kind *string `json:"kind" enum:"chest_pain,breathing,stroke,collapse,bleeding,overdose,fire,gas,intruder,suicide_attempt,fall_stuck,fall_injury,suicidal,confusion,abuse,no_food,no_heat,no_medicine,fall,severe_pain,scam,neglect" desc:"What a human being must be told of, or null"`
}

var flagSchema = llm.SchemaOf[flagAnswer]("red_flag")

const flagPrompt = `An old person said something in one turn of a telephone conversation, written down by a speech recogniser. Rules have found no danger in it.
Say of which kind the danger is that they tell of, in whatever words, however lightly: now or very lately, of themselves or of somebody with them who needs help.
confusion is not to know where they are, whose house or which time of life it is, or to expect the dead; no_medicine, no_heat and no_food are to be without; neglect is a carer who does not come.
null where there is none: another time, somebody who is cared for elsewhere, a figure of speech, a film, a dream, a fear, a joke, ordinary talk. Most turns are null.`

// secondWithin bounds one reading, for which no turn waits.
const secondWithin = 20 * time.Second

// secondReading returns a function that asks a model for the red flag in a text in which the
// rules found none.
func secondReading(model *llm.Client, log *slog.Logger) func(ctx context.Context, text, language string) (string, bool) {
	return func(ctx context.Context, text, _ string) (string, bool) {
		ctx, cancel := context.WithTimeout(ctx, secondWithin)
		defer cancel()
		var out flagAnswer
		err := model.Structured(ctx, llm.Request{Background: true, Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: flagPrompt}, {Role: llm.RoleUser, Content: text},
		}}, flagSchema, &out)
		if err != nil {
			log.LogAttrs(ctx, slog.LevelWarn, "no second reading", slog.Any("err", err))
			return "", false
		}
		if out.Kind == nil {
			return "", false
		}
		return *out.Kind, true
	}
}
