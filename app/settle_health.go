package app

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// shippedPacks loads the shipped packs once for all checks.
var shippedPacks = sync.OnceValues(packs.Load)

// recordCheck stores a health check of an earlier day, so that the next one has
// something to be compared with.
func recordCheck(ctx context.Context, st *store.Store, p people.Person, c elders.PastCheck, at time.Time) error {
	library, err := shippedPacks()
	if err != nil {
		return err
	}
	hc := checks.Check{PersonID: p.ID, Status: checks.Completed, StartedAt: at, EndedAt: at.Add(4 * time.Minute)}
	if hc.Answers, err = pastAnswers(library, p.Language, c, at); err != nil {
		return err
	}
	if hc.CallID, err = st.RecordPastCall(ctx, p, memories.PastCall{Type: calls.CallHealthCheck, At: at}); err != nil {
		return err
	}
	return st.SaveHealthCheck(ctx, hc)
}

// pastAnswers returns a check's answers in the order of the daily pack.
func pastAnswers(library *packs.Library, language string, c elders.PastCheck, at time.Time) ([]checks.Answer, error) {
	daily, _ := library.Pack("daily", language)
	var out []checks.Answer
	for _, it := range daily.Items {
		given, ok := c.Answers[it.ID]
		if !ok {
			continue
		}
		value, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		a := checks.Answer{
			QuestionID: it.ID, Question: it.Text, Short: it.Short, Pack: daily.ID, PackVersion: daily.Version, Type: string(it.Type),
			Status: string(reader.Answered), Value: value, Confidence: 0.9, Source: "rules", Attempts: 1, At: at,
		}
		if n, ok := it.Ordinal(pastValue(it.Type, given)); ok {
			a.Ordinal = &n
		}
		out = append(out, a)
	}
	if len(out) != len(c.Answers) {
		return nil, fmt.Errorf("%d of %d answers are to no daily question", len(c.Answers)-len(out), len(c.Answers))
	}
	return out, nil
}

func pastValue(kind packs.Type, given any) packs.Value {
	v := packs.Value{Type: kind}
	switch given := given.(type) {
	case uint64:
		v.Number = float64(given)
	case int:
		v.Number = float64(given)
	case bool:
		v.Bool = given
	case string:
		v.Text = given
	}
	return v
}
