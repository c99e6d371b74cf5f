package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3/option"
)

// ErrNoProps says that the server does not tell what it has loaded: only
// llama.cpp's server does.
var ErrNoProps = errors.New("server does not tell its properties")

// Props is what llama.cpp's server tells of the model that it has loaded.
type Props struct {
	// ContextWindow is how many tokens a conversation may have; 0 when not told.
	ContextWindow int
	// ModelAlias is what the server calls the model; its file, where it has no
	// other name.
	ModelAlias string
}

// Props asks llama.cpp's server for what it has loaded. It is asked alongside the
// dialect, at /props under the base URL without its version. Another server is
// a [*StatusError] or [ErrNoProps].
func (c *Client) Props(ctx context.Context) (Props, error) {
	root := strings.TrimSuffix(strings.TrimRight(c.cfg.BaseURL, "/"), "/v1") + "/"
	var answer struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Context int    `json:"n_ctx"` // where older servers tell it
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
