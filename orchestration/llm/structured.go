package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
)

var errTruncated = errors.New("the answer was cut off by its length; be brief")

// Structured requests an answer that fits schema and decodes it into out, a pointer. Servers that
// know strict JSON schemas enforce it; for others the schema is part of a message. The answer is
// checked in any case, and the model gets one chance to correct a bad one; that request goes to
// [Config.Models] if the background model gave the answer. Structured runs under the same failover
// and limits as [Client.Stream].
//
// If the answer is still wrong, its error wraps [ErrInvalidAnswer]. It writes out only on success.
func (c *Client) Structured(ctx context.Context, req Request, schema Schema, out any) error {
	var root rule
	if err := json.Unmarshal(schema.JSON, &root); err != nil {
		return fmt.Errorf("structured answer %s: schema: %w", schema.Name, err)
	}
	target := reflect.ValueOf(out)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("structured answer %s: %T is not a pointer to decode into", schema.Name, out)
	}
	limits := c.cfg.timing(req.Background)
	ctx, cancel := context.WithTimeoutCause(ctx, limits.whole, &TimeoutError{What: "structured answer", After: limits.whole})
	defer cancel()

	var problem error
	for range 2 {
		p, err := c.structuredPayload(req, schema)
		if err != nil {
			return fmt.Errorf("structured answer %s: %w", schema.Name, err)
		}
		res, err := c.reply(ctx, p, limits, 0, nil)
		if err != nil {
			return fmt.Errorf("structured answer %s: %w", schema.Name, err)
		}
		if ctx.Err() != nil && res.FinishReason == FinishBroken {
			return fmt.Errorf("structured answer %s: %w", schema.Name, context.Cause(ctx))
		}
		if problem = decodeAnswer(res, &root, target); problem == nil {
			return nil
		}
		c.log.WarnContext(ctx, "structured answer invalid", slog.String("model", res.Model), slog.String("schema", schema.Name))
		req = repair(req, res, problem, c.cfg.MaxTokens)
		if len(req.Models) == 0 {
			req.Models = c.cfg.Models
		}
	}
	return fmt.Errorf("structured answer %s: %w: %w", schema.Name, ErrInvalidAnswer, problem)
}

func (c *Client) structuredPayload(req Request, schema Schema) (*payload, error) {
	p, err := c.payload(req)
	if err != nil {
		return nil, err
	}
	format := []byte(`{"type":"json_schema","json_schema":{"name":`)
	format = AppendString(format, schema.Name)
	format = append(format, `,"strict":true,"schema":`...)
	format = append(format, schema.JSON...)
	format = append(format, `}}`...)
	p.set("response_format", format)
	p.schema = schema.JSON
	return p, nil
}

// decodeAnswer checks res against root and decodes it into target.
func decodeAnswer(res Result, root *rule, target reflect.Value) error {
	switch res.FinishReason {
	case FinishLength:
		return errTruncated
	case FinishBroken:
		return res.Cause
	}
	raw := object(res.Text)
	var loose any
	if err := json.Unmarshal(raw, &loose); err != nil {
		return errors.New("the answer is not one JSON object")
	}
	if err := root.validate("the answer", loose); err != nil {
		return err
	}
	// Into a new value: after a failure out is unchanged.
	fresh := reflect.New(target.Type().Elem())
	if err := json.Unmarshal(raw, fresh.Interface()); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return errors.New("the key " + strconv.Quote(e.Field) + " cannot be read as " + e.Type.String())
		}
		return errors.New("the answer cannot be read")
	}
	target.Elem().Set(fresh.Elem())
	return nil
}

// object returns the JSON object in text, without the code fence or the sentence that some models
// put around it.
func object(text string) []byte {
	raw := bytes.TrimSpace([]byte(text))
	if json.Valid(raw) {
		return raw
	}
	from, to := bytes.IndexByte(raw, '{'), bytes.LastIndexByte(raw, '}')
	if from < 0 || to < from {
		return raw
	}
	return raw[from : to+1]
}

// repair returns the request for a corrected answer, which names the problem. A broken answer is
// requested again, a truncated one with more tokens.
func repair(req Request, res Result, problem error, defaultTokens int) Request {
	again := req
	if res.FinishReason == FinishLength {
		again.MaxTokens = 2 * firstPositive(req.MaxTokens, defaultTokens)
	}
	if res.FinishReason == FinishBroken {
		return again
	}
	again.Messages = append(append([]Message(nil), req.Messages...),
		Message{Role: RoleAssistant, Content: res.Text},
		Message{
			Role: RoleUser, Content: "That answer cannot be used: " + problem.Error() +
				". Answer again, with one JSON object that matches the schema and nothing else.",
		})
	return again
}
