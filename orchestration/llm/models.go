package llm

import (
	"context"
	"fmt"
	"slices"

	"github.com/openai/openai-go/v3/option"
)

// Models returns the names that the server lists, sorted. It is a cheap proof
// that the server is there and takes the key: a refused one is a
// [*StatusError] with status 401. Not every server lists all it can do.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := c.get(ctx, "list of models", "models", &answer, option.WithMaxRetries(2)); err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	names := make([]string, 0, len(answer.Data))
	for _, m := range answer.Data {
		names = append(names, m.ID)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
