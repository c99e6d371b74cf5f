package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
)

// Limits of one request for embeddings. Source: OpenAI API reference,
// embeddings, "input" and "dimensions".
const (
	maxInputs = 2048
	maxDims   = 3072
)

// embedsFaster is how much sooner vectors come than the first word of a reply.
const embedsFaster = 4

type embeddingRequest struct {
	Model          string          `json:"model"`
	Input          json.RawMessage `json:"input"`
	Dimensions     *int            `json:"dimensions"`
	EncodingFormat string          `json:"encoding_format"`
}

type embeddingItem struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"` // []float64, or base64 of little-endian float32
}

// embeddings answers POST /v1/embeddings.
func (s *server) embeddings(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	inputs, dims, asBase64, name, err := parseEmbeddings(body)
	if err != nil {
		return err
	}
	t := s.troubles()
	if s.strike(r.Context(), w, t) {
		return nil
	}
	if err := wait(r.Context(), s.cfg.FirstTokenDelay/embedsFaster+t.slow); err != nil {
		return nil //nolint:nilerr // the client has gone: there is nobody to answer
	}
	tokens := 0
	data := make([]embeddingItem, len(inputs))
	for i, text := range inputs {
		tokens += len(tokensOf(text))
		data[i] = embeddingItem{Object: "embedding", Index: i, Embedding: encodeVector(embed(text, dims), asBase64)}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list", "data": data, "model": name,
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})
	return nil
}

func encodeVector(v []float64, asBase64 bool) any {
	if !asBase64 {
		return v
	}
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// parseEmbeddings decodes and checks a request. Every error is an [apiError].
func parseEmbeddings(body []byte) (inputs []string, dims int, asBase64 bool, name string, err error) {
	var req embeddingRequest
	if err := parseJSON(body, &req); err != nil {
		return nil, 0, false, "", err
	}
	dims = defaultDims
	if req.Dimensions != nil {
		dims = *req.Dimensions
	}
	switch {
	case req.Model == "":
		err = invalid("", "", "you must provide a model parameter")
	case dims < 1 || dims > maxDims:
		err = invalid("", "dimensions", fmt.Sprintf("Invalid value for 'dimensions' = %d. Must be between 1 and %d.", dims, maxDims))
	case req.EncodingFormat != "" && req.EncodingFormat != "float" && req.EncodingFormat != "base64":
		err = invalid("invalid_value", "encoding_format", "Invalid value: '"+req.EncodingFormat+"'. Supported values are: 'float' and 'base64'.")
	default:
		inputs, err = parseInput(req.Input)
	}
	return inputs, dims, req.EncodingFormat == "base64", req.Model, err
}

var errInput = invalid("", "input", "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.")

// parseInput reads a text, a list of texts, or tokens as numbers, of which the
// last are taken for words of their own.
func parseInput(raw json.RawMessage) ([]string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, invalid("missing_required_parameter", "input", "Missing required parameter: 'input'.")
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return checkInputs([]string{one})
	}
	var many []string
	if json.Unmarshal(raw, &many) == nil {
		return checkInputs(many)
	}
	var tokens []uint32
	if json.Unmarshal(raw, &tokens) == nil {
		return checkInputs([]string{tokenText(tokens)})
	}
	var lists [][]uint32
	if json.Unmarshal(raw, &lists) == nil {
		texts := make([]string, len(lists))
		for i, l := range lists {
			texts[i] = tokenText(l)
		}
		return checkInputs(texts)
	}
	return nil, errInput
}

func tokenText(tokens []uint32) string {
	return strings.Trim(strings.ReplaceAll(strings.Trim(fmt.Sprint(tokens), "[]"), " ", " t"), " ")
}

func checkInputs(texts []string) ([]string, error) {
	if len(texts) == 0 || len(texts) > maxInputs {
		return nil, errInput
	}
	if slices.Contains(texts, "") {
		return nil, errInput
	}
	return texts, nil
}
