package llm

import (
	"context"
	"fmt"
	"slices"

	"github.com/openai/openai-go/v3/option"
)

// Models returns the names that the server lists, sorted. It is a cheap check that the server is
// reachable and accepts the key: a refused key gives a [*StatusError] with status 401. Not every
// server lists all its models.
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
