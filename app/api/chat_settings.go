package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/orchestration/chat"
)

// settingsIn takes the body as raw bytes, since absent, null and wrong fields differ, and each
// field has its own rule.
type settingsIn struct {
	RawBody []byte `contentType:"application/json"`
}

func (a *api) chatSettings(h huma.API) {
	describe := underChat("settings", "/settings")
	handle(a, h, describe("get-settings", http.MethodGet, "", "What is set", http.StatusOK),
		func(ctx context.Context, _ *none) (chat.Settings, error) { return a.Chat.Settings(ctx) })
	op := describe("update-settings", http.MethodPatch, "", "Change what is set", http.StatusOK)
	op.Description = "Each field is checked by itself; where one is wrong nothing changes. What is absent stays as it is."
	op.RequestBody = &huma.RequestBody{Required: true}
	op.SkipValidateBody = true // decodePatch does it, field by field
	handle(a, h, op, func(ctx context.Context, in *settingsIn) (chat.Settings, error) {
		p, err := decodePatch(in.RawBody)
		if err != nil {
			return chat.Settings{}, err
		}
		return a.Chat.ChangeSettings(ctx, p.set, p.remove)
	})
	schemas := h.OpenAPI().Components.Schemas
	fields := *schemas.SchemaFromRef(schemas.Schema(reflect.TypeFor[chat.Settings](), true, "").Ref)
	fields.Required, fields.Description = nil, "Any of the fields"
	op.RequestBody.Content = map[string]*huma.MediaType{"application/json": {Schema: &fields}}
}

// patch is a decoded change of the settings.
type patch struct {
	set    map[string]any
	remove []string
}

// A rule reads one field of a patch. It returns the value to store, nil for the default, or what
// is wrong.
type rule func(raw json.RawMessage) (value any, wrong string)

// rules are the rules of all settings, by name.
var rules = map[string]rule{
	"recentEpisodeLimit": integer(1, 20),
	"semanticLimit":      integer(1, 20),
	"scoreThreshold":     number(0, 1),
	"keywordWeight":      number(0, math.MaxFloat64),
	"semanticWeight":     number(0, math.MaxFloat64),
	"temperature":        number(0, 2),
	"repeatPenalty":      number(1, 2),
	"topP":               number(0, 1),
	"topK":               integer(1, 100),
	"modelsFolderPath":   folder,
	"systemPrompt":       prompt,
}

// decodePatch parses a patch. Its error lists everything that is wrong with it.
func decodePatch(raw []byte) (patch, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return patch{}, huma.Error400BadRequest("The body is not a JSON object.")
	}
	p := patch{set: make(map[string]any)}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		read, known := rules[name]
		if !known {
			wrong = append(wrong, &huma.ErrorDetail{Location: "body." + label(name), Message: "there is no such setting"})
			continue
		}
		value, msg := read(fields[name])
		switch {
		case msg != "":
			wrong = append(wrong, &huma.ErrorDetail{Location: "body." + name, Message: msg})
		case value == nil:
			p.remove = append(p.remove, name)
		default:
			p.set[name] = value
		}
	}
	if len(wrong) > 0 {
		return patch{}, huma.Error422UnprocessableEntity("validation failed", wrong...)
	}
	return p, nil
}

// label returns a field's name as an answer shows it: valid UTF-8 of at most 100 characters,
// since a client may send any name.
func label(name string) string {
	r := []rune(strings.ToValidUTF8(name, "\uFFFD"))
	return string(r[:min(len(r), 100)])
}

func number(least, most float64) rule {
	return func(raw json.RawMessage) (any, string) {
		v, ok := readNumber(raw)
		switch {
		case !ok:
			return nil, "must be a number"
		case v < least || v > most:
			return nil, outside(least, most)
		}
		return v, ""
	}
}

func integer(least, most float64) rule {
	within := number(least, most)
	return func(raw json.RawMessage) (any, string) {
		if v, ok := readNumber(raw); !ok || v != math.Trunc(v) {
			return nil, "must be an integer"
		}
		return within(raw)
	}
}

func outside(least, most float64) string {
	if most == math.MaxFloat64 {
		return fmt.Sprintf("must be at least %v", least)
	}
	return fmt.Sprintf("must be between %v and %v", least, most)
}

// readNumber parses a JSON number and nothing else: null would decode into 0.
func readNumber(raw json.RawMessage) (float64, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) {
		return 0, false
	}
	var v float64
	err := json.Unmarshal(raw, &v)
	return v + 0, err == nil // turns minus zero into zero
}

// maxPrompt bounds a system prompt, in characters.
const maxPrompt = 20_000

// prompt reads a system prompt; null or blank text means the default.
func prompt(raw json.RawMessage) (any, string) {
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, "must be a string or null"
	}
	if text == nil {
		return nil, ""
	}
	t := strings.TrimSpace(*text)
	switch {
	case strings.ContainsRune(t, 0):
		return nil, "must not hold a NUL character"
	case utf8.RuneCountInString(t) > maxPrompt:
		return nil, fmt.Sprintf("must not be longer than %d characters", maxPrompt)
	case t == "":
		return nil, ""
	}
	return t, ""
}

// folder reads the absolute path of a readable folder; null means none.
func folder(raw json.RawMessage) (any, string) {
	var path *string
	if err := json.Unmarshal(raw, &path); err != nil {
		return nil, "must be a string or null"
	}
	if path == nil {
		return nil, ""
	}
	if strings.ContainsRune(*path, 0) || !filepath.IsAbs(*path) {
		return nil, "must be an absolute path"
	}
	clean := filepath.Clean(*path)
	if _, err := os.ReadDir(clean); err != nil {
		return nil, "must be a folder that exists and can be read"
	}
	return clean, ""
}
