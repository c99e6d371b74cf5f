package llm

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/openai/openai-go/v3/option"
)

// Models returns the names that the server lists, sorted. It is a cheap proof
// that the server is there and takes the key: a refused one is a
// [*StatusError] with status 401. Not every server lists all it can do.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	ctx, cancel := c.listDeadline(ctx, "list of models")
	defer cancel()
	var resp *http.Response
	err := c.api.Get(ctx, "models", nil, &resp, option.WithMaxRetries(2))
	resp, err = checked(resp, err) //nolint:bodyclose // closed below, once there is one
	if err != nil {
		return nil, fmt.Errorf("list models: %w", listReason(ctx, err))
	}
	defer resp.Body.Close()
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := decodeList(ctx, resp.Body, &answer); err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	names := make([]string, 0, len(answer.Data))
	for _, m := range answer.Data {
		names = append(names, m.ID)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
