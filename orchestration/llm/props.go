package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3/option"
)

// ErrNoProps means that the server does not report what it has loaded: only llama.cpp's server
// does.
var ErrNoProps = errors.New("server does not tell its properties")

// Props holds what llama.cpp's server reports on the model that it has loaded.
type Props struct {
	// ContextWindow is how many tokens a conversation may have; 0 if not reported.
	ContextWindow int
	// ModelAlias is the server's name for the model, or its file name if it has no other.
	ModelAlias string
}

// Props asks llama.cpp's server for the model that it has loaded. It requests /props, which is not
// part of the dialect, under the base URL without its version. For another server it returns a
// [*StatusError] or [ErrNoProps].
func (c *Client) Props(ctx context.Context) (Props, error) {
	root := strings.TrimSuffix(strings.TrimRight(c.cfg.BaseURL, "/"), "/v1") + "/"
	var answer struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Context int    `json:"n_ctx"` // where older servers report it
		Alias   string `json:"model_alias"`
		Path    string `json:"model_path"`
	}
	if err := c.get(ctx, "properties of the server", "props", &answer, option.WithBaseURL(root)); err != nil {
		return Props{}, fmt.Errorf("ask for properties: %w", err)
	}
	p := Props{ContextWindow: max(answer.Settings.Context, answer.Context), ModelAlias: answer.Alias}
	if p.ModelAlias == "" {
		p.ModelAlias = answer.Path[strings.LastIndexAny(answer.Path, `/\`)+1:]
	}
	if p == (Props{}) {
		return Props{}, ErrNoProps
	}
	return p, nil
}
