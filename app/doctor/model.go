package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
)

const (
	modelFix = "Check OPENAI_API_KEY, OPENAI_BASE_URL and the network."

	// probeTokens bounds the trial answer. Some models think first, and say nothing within fewer
	// tokens.
	probeTokens = 16
)

// ModelConfig is the model server and the models to check.
type ModelConfig struct {
	BaseURL, APIKey string
	// Models are each tried on their own, since failover hides a missing one.
	Models []string
	// EmbeddingModel is tried unless it is empty.
	EmbeddingModel string
	// HTTPClient may be nil for a default client.
	HTTPClient *http.Client
}

// Models returns checks of each model and of the embeddings.
func Models(cfg ModelConfig) []Check {
	if cfg.APIKey == "" && (cfg.BaseURL == "" || cfg.BaseURL == llm.DefaultBaseURL) {
		return []Check{{Name: "model", Run: func(context.Context) Finding {
			return fail("not configured", "Set OPENAI_API_KEY, or OPENAI_BASE_URL to a server of your own.\nTo try nAIber without one: naiber serve --sandbox")
		}}}
	}
	if len(cfg.Models) == 0 {
		return []Check{{Name: "model", Run: func(context.Context) Finding { return fail("no model is named", "Set OPENAI_MODEL.") }}}
	}
	var checks []Check
	for _, name := range cfg.Models {
		checks = append(checks, Check{Name: "model " + name, Run: func(ctx context.Context) Finding { return cfg.chat(ctx, name) }})
	}
	if cfg.EmbeddingModel != "" {
		checks = append(checks, Check{Name: "embeddings", Run: cfg.embeddings})
	}
	return checks
}

func (cfg ModelConfig) client(name string) (*llm.Client, error) {
	return llm.New(llm.Config{
		BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, Models: []string{name}, EmbeddingModel: cfg.EmbeddingModel, HTTPClient: cfg.HTTPClient,
		FirstTokenDeadline: checkTimeout, Deadline: checkTimeout, EmbedDeadline: checkTimeout, StallAfter: checkTimeout,
		MaxContinuations: -1, Retries: -1,
	})
}

// chat requests a few words, and checks that the model is listed.
func (cfg ModelConfig) chat(ctx context.Context, name string) Finding {
	client, err := cfg.client(name)
	if err != nil {
		return fail(reason(err), modelFix)
	}
	defer client.Close()
	listed, listErr := client.Models(ctx)
	if refusedByModel(listErr) {
		return fail("the key is refused", "Set OPENAI_API_KEY to a key that the server at OPENAI_BASE_URL takes.")
	}
	res, err := client.Complete(ctx, llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Content: "Say OK."}}, MaxTokens: probeTokens,
	})
	missing := listErr == nil && !slices.Contains(listed, name)
	switch {
	case errors.Is(err, llm.ErrNoContent):
		return warn(fmt.Sprintf("answers, but not with a word within %d tokens: it may think too long for a telephone", probeTokens),
			"Put a model that answers at once first in OPENAI_MODEL.")
	case err != nil && missing:
		return fail("the server does not have it: "+reason(err), "Set OPENAI_MODEL to models that the server has.")
	case refusedByModel(err):
		return fail("the key is refused", "Set OPENAI_API_KEY to a key that the server at OPENAI_BASE_URL takes.")
	case err != nil:
		return fail(reason(err), modelFix)
	case missing:
		return warn("answers, though the server does not list it", "Check the name in OPENAI_MODEL; it may be about to go.")
	}
	return ok("first word after " + res.TTFT.Round(time.Millisecond).String())
}

func (cfg ModelConfig) embeddings(ctx context.Context) Finding {
	client, err := cfg.client(cfg.EmbeddingModel)
	if err != nil {
		return fail(reason(err), modelFix)
	}
	defer client.Close()
	vectors, err := client.Embed(ctx, []string{"hello"})
	switch {
	case refusedByModel(err):
		return skip("the key is refused")
	case err != nil:
		return fail(reason(err), "Set OPENAI_EMBEDDING_MODEL to one that the server has. Without it, nothing is remembered by meaning.")
	}
	return ok(fmt.Sprintf("%s, %d dimensions", cfg.EmbeddingModel, len(vectors[0])))
}

func refusedByModel(err error) bool {
	e, is := errors.AsType[*llm.StatusError](err)
	return is && e.Status == http.StatusUnauthorized
}
