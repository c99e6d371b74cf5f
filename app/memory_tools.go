package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/memory/vectors/embed"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/schedules"
)

// errNoModel is returned if a command needs a model and none is configured.
var errNoModel = errors.New("no OPENAI_API_KEY is configured, so nothing can tell what words mean")

// noModel is the embedding model of a command if none is configured. Vectors can still be
// deleted, and words searched.
type noModel struct{}

// Embed returns errNoModel.
func (noModel) Embed(context.Context, []string) ([][]float32, error) { return nil, errNoModel }

// sandboxModel is the sandbox's embedding model, for commands that run next to a sandbox.
type sandboxModel struct{ dims int }

// Embed implements [embed.Model]. It never fails.
func (m sandboxModel) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return model.Embed(texts, m.dims), nil
}

// commandMemory returns the memory service for a command that runs next to a server, and a
// function that closes it.
func (c Config) commandMemory(st *store.Store, log *slog.Logger) (*service.Service, func(), error) {
	var asked embed.Model = noModel{}
	done := func() {}
	if c.OpenAI.APIKey.Empty() {
		c.OpenAI.EmbeddingModel = sandboxEmbedding // the sandbox's vectors may be stored
		if _, found, err := SandboxAPIToken(c.DataDir); err != nil {
			return nil, nil, err
		} else if found {
			asked = sandboxModel{c.OpenAI.EmbeddingDims}
		}
	} else {
		client, err := llm.New(c.modelConfig(log))
		if err != nil {
			return nil, nil, err
		}
		asked, done = client, client.Close
	}
	shelf, err := c.openVectors(st, log)
	if err != nil {
		done()
		return nil, nil, err
	}
	end := func() { _ = shelf.Close(); done() } // closing writes nothing
	svc, err := c.memoryService(st, shelf, asked, service.Config{Log: log})
	if err != nil {
		end()
		return nil, nil, err
	}
	return svc, end, nil
}

// memoryService returns a memory service on the given vectors and embedding model. It fills in
// the rest of cfg.
func (c Config) memoryService(st *store.Store, shelf vectors.Store, asked embed.Model, cfg service.Config) (*service.Service, error) {
	embedder, err := embed.New(embed.Config{Model: asked, Dims: c.OpenAI.EmbeddingDims})
	if err != nil {
		return nil, err
	}
	settings := c.memorySettings()
	cfg.Store, cfg.Vectors, cfg.Embedder, cfg.Model, cfg.Settings = st, shelf, embedder, c.embeddingModel(), &settings
	cfg.VectorWait = c.RAG.VectorWait
	cfg.CheckSchedule = func(s schedules.Schedule) error { _, err := schedule.Check(s); return err }
	return service.New(cfg)
}
