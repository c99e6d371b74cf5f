package llm

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"

	"github.com/openai/openai-go/v3/option"
)

const (
	// embedBatch is how many texts go into one request. The dialect allows 2048; local servers
	// often far fewer.
	embedBatch = 64
	// maxListBytes bounds an answer that is not a stream: 64 vectors of 3072
	// numbers of 22 digits are 4.5 MB.
	maxListBytes = 16 << 20
)

// ErrBadEmbedding means that an answer does not contain one vector of the right length for each
// text.
var ErrBadEmbedding = errors.New("embeddings do not match the texts")

// Embed returns one vector for each text, in order, all of the same length. For no texts it returns
// nil and sends no request. It returns all vectors or none, and does not retry: its callers can do
// without the vectors, or try later.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if c.cfg.EmbeddingModel == "" {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), ErrNoEmbeddingModel)
	}
	ctx, cancel := c.listDeadline(ctx, "embeddings")
	defer cancel()
	vectors := make([][]float32, 0, len(texts))
	for from := 0; from < len(texts); from += embedBatch {
		batch := texts[from:min(from+embedBatch, len(texts))]
		got, err := c.embedBatch(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("embed texts %d to %d of %d: %w", from+1, from+len(batch), len(texts), err)
		}
		vectors = append(vectors, got...)
	}
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("embed %d texts: vector %d has length %d, not %d: %w",
				len(texts), i+1, len(v), len(vectors[0]), ErrBadEmbedding)
		}
	}
	return vectors, nil
}

func (c *Client) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	body := []byte(`{"model":`)
	body = AppendString(body, c.cfg.EmbeddingModel)
	body = append(body, `,"encoding_format":"base64","input":`...)
	body = appendStrings(body, texts)
	if c.cfg.EmbeddingDimensions > 0 {
		body = append(body, `,"dimensions":`...)
		body = strconv.AppendInt(body, int64(c.cfg.EmbeddingDimensions), 10)
	}
	body = append(body, '}')

	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding embedding `json:"embedding"`
		} `json:"data"`
	}
	resp, err := c.post(ctx, "embeddings", body)
	if err != nil {
		return nil, listReason(ctx, err)
	}
	defer resp.Body.Close()
	if err := decodeList(ctx, resp.Body, &answer); err != nil {
		return nil, err
	}
	if len(answer.Data) != len(texts) {
		return nil, fmt.Errorf("%d vectors came: %w", len(answer.Data), ErrBadEmbedding)
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		switch {
		case d.Index < 0 || d.Index >= len(texts) || vectors[d.Index] != nil:
			return nil, fmt.Errorf("index %d came out of turn: %w", d.Index, ErrBadEmbedding)
		case len(d.Embedding) == 0, c.cfg.EmbeddingDimensions > 0 && len(d.Embedding) != c.cfg.EmbeddingDimensions:
			return nil, fmt.Errorf("vector %d has length %d: %w", d.Index+1, len(d.Embedding), ErrBadEmbedding)
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, nil
}

// embedding is a vector in a server's format: in base64, as requested, with its numbers as four
// bytes each in little-endian order; or as a list of numbers, if a server knows no other way.
type embedding []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (e *embedding) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		return json.Unmarshal(text, (*[]float32)(e))
	}
	var raw []byte // encoding/json decodes it from base64
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	if len(raw)%4 != 0 {
		return ErrBadEmbedding
	}
	*e = make(embedding, len(raw)/4)
	for i := range *e {
		(*e)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}

// get sends a GET request and decodes its JSON answer, which is not a stream, into out.
func (c *Client) get(ctx context.Context, what, path string, out any, opts ...option.RequestOption) error {
	ctx, cancel := c.listDeadline(ctx, what)
	defer cancel()
	var resp *http.Response
	err := c.api.Get(ctx, path, nil, &resp, opts...)
	resp, err = checked(resp, err) //nolint:bodyclose // closed below, once there is one
	if err != nil {
		return listReason(ctx, err)
	}
	defer resp.Body.Close()
	return decodeList(ctx, resp.Body, out)
}

// listDeadline returns a context that bounds a request whose answer is not a stream.
func (c *Client) listDeadline(ctx context.Context, what string) (context.Context, context.CancelFunc) {
	after := c.cfg.EmbedDeadline
	return context.WithTimeoutCause(ctx, after, &TimeoutError{What: what, After: after})
}

// listReason returns the cause of ctx if it has ended, and else err.
func listReason(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// decodeList decodes one bounded JSON answer into out.
func decodeList(ctx context.Context, body io.Reader, out any) error {
	raw, err := io.ReadAll(io.LimitReader(body, maxListBytes))
	switch {
	case err != nil:
		return fmt.Errorf("read answer: %w", listReason(ctx, public(err)))
	case len(raw) == maxListBytes:
		return ErrTooLong
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return ErrBrokenChunk // the decoder's error may quote the answer
	}
	return nil
}
