package elevenlabs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// Document is a JSON object as encoding/json decodes it: maps, slices, strings,
// float64, bool and nil.
type Document map[string]any

// ParseDocument reads a JSON object.
func ParseDocument(raw []byte) (Document, error) {
	var d Document
	if err := json.Unmarshal(raw, &d); err != nil || d == nil {
		return nil, fmt.Errorf("%w: not a JSON object", ErrMalformed)
	}
	return d, nil
}

// normalise gives v the types that decoding would have given it.
func normalise(v any) (Document, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("marshal agent configuration: %w", err)
	}
	return ParseDocument(raw)
}

// Change is one setting that is not as it should be.
type Change struct {
	// Path is where, with dots: "conversation_config.tts.voice_id".
	Path string
	// Have and Want are compact JSON, or "[redacted]". Have is empty when the
	// setting is absent.
	Have, Want string
}

// String returns the change in one line, for people.
func (c Change) String() string {
	have := c.Have
	if have == "" {
		have = "(not set)"
	}
	return c.Path + ": " + have + " → " + c.Want
}

// Diff returns where current is not as desired, sorted by path. Only what
// desired sets is compared; lists of words are compared without regard to
// order.
func Diff(current, desired Document) []Change {
	var changes []Change
	walk("", map[string]any(current), map[string]any(desired), func(path string, have, want any, present bool) {
		c := Change{Path: path, Want: show(path, want)}
		if present {
			c.Have = show(path, have)
		}
		changes = append(changes, c)
	})
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

// wholePaths are objects that a patch replaces as one: half of one would be
// useless should ElevenLabs not merge it with the other half.
var wholePaths = []string{
	"conversation_config.agent.prompt.custom_llm",
	"conversation_config.agent.prompt.backup_llm_config",
	"conversation_config.agent.prompt.built_in_tools",
	"platform_settings.overrides.conversation_config_override",
	"platform_settings.workspace_overrides.webhooks",
}

// Patch returns the smallest change that makes current as desired, for
// [Client.UpdateAgent]. It is empty when nothing is to be changed.
func Patch(current, desired Document) Document {
	patch := Document{}
	walk("", map[string]any(current), map[string]any(desired), func(path string, _, _ any, _ bool) {
		for _, whole := range wholePaths {
			if strings.HasPrefix(path, whole+".") {
				path = whole
			}
		}
		set(patch, desired, strings.Split(path, "."))
	})
	return patch
}

// set copies what is at path from desired to patch.
func set(patch, desired map[string]any, path []string) {
	name := path[0]
	if len(path) == 1 {
		patch[name] = desired[name]
		return
	}
	from, isObject := desired[name].(map[string]any)
	if !isObject { // a name with a dot in it: take the whole object
		maps.Copy(patch, desired)
		return
	}
	to, isObject := patch[name].(map[string]any)
	if !isObject {
		to = map[string]any{}
		patch[name] = to
	}
	set(to, from, path[1:])
}

// walk calls found for each value in want that differs from that in have.
func walk(prefix string, have, want map[string]any, found func(path string, have, want any, present bool)) {
	for name, w := range want {
		path := prefix + name
		h, present := have[name]
		if inner, isObject := w.(map[string]any); isObject && len(inner) > 0 {
			current, _ := h.(map[string]any) // nil when absent: everything in it differs
			walk(path+".", current, inner, found)
			continue
		}
		if !present || !equal(h, w) {
			found(path, h, w, present)
		}
	}
}

func equal(have, want any) bool {
	if empty, isObject := want.(map[string]any); isObject && len(empty) == 0 {
		_, isObject = have.(map[string]any) // an empty object asks for no more than to exist
		return isObject
	}
	h, w := words(have), words(want)
	if h == nil || w == nil {
		return reflect.DeepEqual(have, want)
	}
	slices.Sort(h)
	slices.Sort(w)
	return slices.Equal(slices.Compact(h), slices.Compact(w))
}

// words returns a copy of a list of strings, or nil for anything else.
func words(v any) []string {
	list, isList := v.([]any)
	if !isList {
		return nil
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		s, isString := item.(string)
		if !isString {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// show returns v for people, unless it may be a credential.
func show(path string, v any) string {
	if secret(path) {
		return rest.Redacted
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return rest.Redacted // nothing that was decoded fails to encode
	}
	return strings.TrimSpace(b.String())
}

// secret reports whether a value at path may be a credential: a key that is not
// merely the id of a workspace secret.
func secret(path string) bool {
	return strings.Contains(path, ".api_key") && !strings.HasSuffix(path, ".api_key.secret_id")
}
