package app

import (
	"context"
	"time"

	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
)

// Limits of a written reply within its deadline: a reader waits longer than a listener, and a
// self-hosted model may have to be loaded first. The longest deadline that can be configured is
// below the response's own limit in http.go.
const (
	chatFailoverAfter = 10 * time.Second
	chatFirstToken    = 45 * time.Second
	chatStallAfter    = 20 * time.Second
)

// makeChat makes the text channel, with a model client of its own: the same server and models,
// but longer deadlines and no limit on the length of a reply.
func (a *App) makeChat(context.Context) (err error) {
	model := a.cfg.modelConfig(a.log)
	model.Deadline = a.cfg.Chat.Deadline
	model.FirstTokenDeadline = min(chatFirstToken, model.Deadline/2)
	model.FailoverAfter, model.StallAfter = min(chatFailoverAfter, model.FirstTokenDeadline/2), min(chatStallAfter, model.Deadline/2)
	model.MaxTokens = 0
	if a.chatModel, err = llm.New(model); err != nil {
		return err
	}
	a.onStopDo(a.chatModel.Close)
	cfg := a.cfg.chatConfig()
	cfg.Store, cfg.Model, cfg.Log, cfg.Metrics = a.store, a.chatModel, a.log, a.metrics
	cfg.Memory = &chatMemory{store: a.store, service: a.memory, learner: a.learner, log: a.log, settings: a.cfg.memorySettings()}
	if a.chat, err = chat.New(cfg); err != nil {
		return err
	}
	a.onStop(a.chat.Stop)
	return nil
}
