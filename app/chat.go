package app

import (
	"context"
	"time"

	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
)

// Limits of a written reply: whoever reads waits longer than whoever listens,
// and a model of one's own may have to be loaded first. All is below the answer's
// own limit in http.go.
const (
	chatFailoverAfter = 10 * time.Second
	chatFirstToken    = 45 * time.Second
	chatDeadline      = 90 * time.Second
	chatStallAfter    = 20 * time.Second
)

// makeChat makes the text channel, with a model client of its own: the same
// server and models, but time to think and no limit to a letter's length.
func (a *App) makeChat(context.Context) (err error) {
	cfg := a.cfg.modelConfig(a.log)
	cfg.FailoverAfter, cfg.FirstTokenDeadline, cfg.Deadline, cfg.StallAfter = chatFailoverAfter, chatFirstToken, chatDeadline, chatStallAfter
	cfg.MaxTokens = 0
	if a.chatModel, err = llm.New(cfg); err != nil {
		return err
	}
	a.chat, err = chat.New(chat.Config{
		Store: a.store, Model: a.chatModel, Services: a.chatServices(), Log: a.log, Metrics: a.metrics,
	})
	return err
}

// chatServices are the services of /status that the text channel depends on.
func (a *App) chatServices() []chat.Service {
	var out []chat.Service
	for _, s := range a.Services() {
		switch s.Name {
		case "postgres", "model", "memory", "vectors", "qdrant":
			out = append(out, chat.Service{Name: s.Name, Check: s.Check})
		}
	}
	return out
}
