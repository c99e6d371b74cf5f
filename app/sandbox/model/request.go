package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/naiber/naiber/store/quoted"
)

// A message is one entry of a chat history, its content flattened to text.
type message struct {
	Role       string
	Content    string
	ToolCalls  []toolCall
	ToolCallID string
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A tool is a function that the model may call.
type tool struct {
	Name        string
	Description string
	Parameters  *schema // nil: the function takes none
}

// A chatRequest is a valid request for a completion.
type chatRequest struct {
	Model        string
	Messages     []message
	Stream       bool
	IncludeUsage bool
	MaxTokens    int // 0: no limit
	Stop         []string
	Tools        []tool
	ToolChoice   string // "auto", "none", "required", or the name of a tool
	Schema       *schema
	SchemaName   string
	JSONObject   bool // any JSON object is wanted, without a schema
}

// rawRequest is the body as it comes. What is not read here is accepted and
// ignored, as clients send much that does not matter to a simulation.
type rawRequest struct {
	Model               string          `json:"model"`
	Messages            []rawMessage    `json:"messages"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	N                   *int            `json:"n"`
	Stop                json.RawMessage `json:"stop"`
	Tools               []rawTool       `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ResponseFormat      *responseFormat `json:"response_format"`
	Temperature         *float64        `json:"temperature"`
}

type rawMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type rawTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// readBody reads all of a bounded body.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		return body, nil
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, errTooLarge
	}
	return nil, fmt.Errorf("read body: %w", err)
}

// parseJSON decodes body into v. Anything wrong is an [apiError].
func parseJSON(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return invalid("invalid_type", wrong.Field,
			fmt.Sprintf("Invalid type for '%s': expected %s, but got %s instead.", wrong.Field, wrong.Type.Kind(), wrong.Value))
	}
	if api, ok := errors.AsType[*apiError](err); ok {
		return api
	}
	return errBadJSON
}

// parseChat decodes and checks the body of a request for a completion. Every
// error it returns is an [apiError].
func parseChat(body []byte) (*chatRequest, error) {
	var raw rawRequest
	if err := parseJSON(body, &raw); err != nil {
		return nil, err
	}
	if err := raw.check(); err != nil {
		return nil, err
	}
	req := &chatRequest{Model: raw.Model, Stream: raw.Stream}
	req.IncludeUsage = raw.StreamOptions != nil && raw.StreamOptions.IncludeUsage
	for _, limit := range []*int{raw.MaxTokens, raw.MaxCompletionTokens} {
		if limit != nil {
			req.MaxTokens = *limit
		}
	}
	var err error
	if req.Messages, err = parseMessages(raw.Messages); err != nil {
		return nil, err
	}
	if req.Stop, err = parseStop(raw.Stop); err != nil {
		return nil, err
	}
	if req.Tools, err = parseTools(raw.Tools); err != nil {
		return nil, err
	}
	if req.ToolChoice, err = parseToolChoice(raw.ToolChoice, req.Tools); err != nil {
		return nil, err
	}
	return req, req.format(raw.ResponseFormat)
}

func (raw *rawRequest) check() error {
	switch {
	case raw.Model == "":
		return invalid("", "", "you must provide a model parameter")
	case raw.Messages == nil:
		return invalid("missing_required_parameter", "messages", "Missing required parameter: 'messages'.")
	case len(raw.Messages) == 0:
		return invalid("empty_array", "messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case raw.N != nil && *raw.N != 1:
		return invalid("unsupported_value", "n", "Unsupported value: 'n' must be 1 for this model.")
	case raw.StreamOptions != nil && !raw.Stream:
		return invalid("", "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case raw.MaxTokens != nil && raw.MaxCompletionTokens != nil:
		return invalid("invalid_parameter_combination", "max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case raw.MaxTokens != nil && *raw.MaxTokens < 1:
		return tooSmall("max_tokens")
	case raw.MaxCompletionTokens != nil && *raw.MaxCompletionTokens < 1:
		return tooSmall("max_completion_tokens")
	case raw.Temperature != nil && (*raw.Temperature < 0 || *raw.Temperature > 2):
		return invalid("decimal_out_of_range", "temperature", "Invalid 'temperature': expected a value between 0 and 2.")
	}
	return nil
}

func tooSmall(param string) error {
	return invalid("integer_below_min_value", param, "Invalid '"+param+"': integer below minimum value. Expected a value >= 1.")
}

var roles = []string{"system", "developer", "assistant", "user", "function", "tool"}

// unquoted takes the marks of quoted speech out of a prompt: what reads it here
// follows no instructions.
var unquoted = strings.NewReplacer(quoted.Label, "", quoted.Open, "", quoted.Close, "")

func parseMessages(raw []rawMessage) ([]message, error) {
	out := make([]message, len(raw))
	for i, m := range raw {
		at := fmt.Sprintf("messages[%d]", i)
		if !slices.Contains(roles, m.Role) {
			return nil, invalid("invalid_value", at+".role", fmt.Sprintf("Invalid value: '%s'. Supported values are: '%s'.", m.Role, strings.Join(roles, "', '")))
		}
		text, present, err := contentText(m.Content)
		if err != nil {
			return nil, invalid("invalid_type", at+".content", "Invalid type for '"+at+".content': expected one of a string or array of objects.")
		}
		if !present && len(m.ToolCalls) == 0 && m.Role != "assistant" {
			return nil, invalid("invalid_type", at+".content", "Invalid value for 'content': expected a string, got null.")
		}
		if m.Role == "tool" && m.ToolCallID == "" {
			return nil, invalid("missing_required_parameter", at+".tool_call_id", "Missing required parameter: '"+at+".tool_call_id'.")
		}
		out[i] = message{Role: m.Role, Content: unquoted.Replace(text), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID}
	}
	return out, nil
}

var errContent = errors.New("content is neither text nor parts")

// contentText flattens content, which is a string, a list of parts, or null.
// Parts that are not text (images, audio) are passed over.
func contentText(raw json.RawMessage) (text string, present bool, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", false, nil
	}
	if raw[0] == '"' {
		err = json.Unmarshal(raw, &text)
		return text, true, err
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", false, errContent
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		switch p.Type {
		case "":
			return "", false, errContent
		case "text":
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n"), true, nil
}

func parseStop(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	if err := json.Unmarshal(raw, &many); err != nil || len(many) > 4 {
		return nil, invalid("invalid_type", "stop", "Invalid type for 'stop': expected a string or an array of at most 4 strings.")
	}
	return many, nil
}

func parseTools(raw []rawTool) ([]tool, error) {
	var out []tool
	for i, t := range raw {
		at := fmt.Sprintf("tools[%d]", i)
		if t.Type != "function" {
			return nil, invalid("invalid_value", at+".type", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'function'.", t.Type))
		}
		if t.Function.Name == "" {
			return nil, invalid("missing_required_parameter", at+".function.name", "Missing required parameter: '"+at+".function.name'.")
		}
		params, err := parseParameters(t.Function.Parameters)
		if err != nil {
			return nil, invalid("invalid_function_parameters", at+".function.parameters",
				fmt.Sprintf("Invalid schema for function '%s': %s.", t.Function.Name, err))
		}
		out = append(out, tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: params})
	}
	return out, nil
}

func parseParameters(raw json.RawMessage) (*schema, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	return parseSchema(raw)
}

// parseToolChoice returns a word ("auto", "none", "required") or the name of
// the tool that must be called.
func parseToolChoice(raw json.RawMessage, tools []tool) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "auto", nil
	}
	if len(tools) == 0 {
		return "", invalid("", "tool_choice", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if word == "auto" || word == "none" || word == "required" {
			return word, nil
		}
		return "", invalid("invalid_value", "tool_choice", "Invalid value: '"+word+"'. Supported values are: 'none', 'auto', and 'required'.")
	}
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := json.Unmarshal(raw, &named); err != nil || !slices.ContainsFunc(tools, func(t tool) bool { return t.Name == named.Function.Name }) {
		return "", invalid("", "tool_choice", "Invalid value for 'tool_choice': no function named '"+named.Function.Name+"' was specified in the 'tools' parameter.")
	}
	return named.Function.Name, nil
}

// format reads the wanted form of the answer.
func (req *chatRequest) format(f *responseFormat) error {
	if f == nil {
		return nil
	}
	switch f.Type {
	case "text":
		return nil
	case "json_object":
		req.JSONObject = true
		if !slices.ContainsFunc(req.Messages, func(m message) bool { return strings.Contains(strings.ToLower(m.Content), "json") }) {
			return invalid("", "messages", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
		}
		return nil
	case "json_schema":
	default:
		return invalid("invalid_value", "response_format.type", "Invalid value: '"+f.Type+"'. Supported values are: 'json_object', 'json_schema', and 'text'.")
	}
	if f.JSONSchema == nil || f.JSONSchema.Name == "" {
		return invalid("missing_required_parameter", "response_format.json_schema.name", "Missing required parameter: 'response_format.json_schema.name'.")
	}
	if len(f.JSONSchema.Schema) == 0 {
		return invalid("missing_required_parameter", "response_format.json_schema.schema", "Missing required parameter: 'response_format.json_schema.schema'.")
	}
	root, err := parseSchema(f.JSONSchema.Schema)
	if err == nil && f.JSONSchema.Strict {
		err = root.checkStrict()
	}
	if err != nil {
		return invalid("", "response_format", fmt.Sprintf("Invalid schema for response_format '%s': %s.", f.JSONSchema.Name, err))
	}
	req.Schema, req.SchemaName = root, f.JSONSchema.Name
	return nil
}
