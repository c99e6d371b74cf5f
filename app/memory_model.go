package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/orchestration/llm"
)

// learnSchemas are the schemas of the answers that learning asks for.
var learnSchemas = map[string]llm.Schema{
	learn.TaskFacts:    llm.SchemaOf[learn.FactsAnswer](learn.TaskFacts),
	learn.TaskRevision: llm.SchemaOf[learn.RevisionAnswer](learn.TaskRevision),
	learn.TaskNames:    llm.SchemaOf[learn.NamesAnswer](learn.TaskNames),
	learn.TaskPromises: llm.SchemaOf[learn.PromisesAnswer](learn.TaskPromises),
	learn.TaskSummary:  llm.SchemaOf[learn.SummaryAnswer](learn.TaskSummary),
	learn.TaskTopic:    llm.SchemaOf[learn.TopicAnswer](learn.TaskTopic),
}

// learnModel implements [learn.Model], which learning after a call asks.
type learnModel struct{ client *llm.Client }

// Ask sends one task to the model as background work; see [learn.Model].
func (m learnModel) Ask(ctx context.Context, t learn.Task, out any) error {
	schema, ok := learnSchemas[t.Name]
	if !ok {
		return fmt.Errorf("no form of answer for %q", t.Name)
	}
	err := m.client.Structured(ctx, llm.Request{Background: true, Messages: []llm.Message{
		{Role: llm.RoleSystem, Content: t.System}, {Role: llm.RoleUser, Content: t.User},
	}}, schema, out)
	if errors.Is(err, llm.ErrInvalidAnswer) {
		return fmt.Errorf("%w: %w", learn.ErrBadAnswer, err)
	}
	return err
}
