package elevenlabs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// Document is a JSON object as encoding/json decodes it: maps, slices, strings,
// float64, bool and nil.
type Document map[string]any

// ParseDocument parses a JSON object. Its errors wrap [ErrMalformed].
func ParseDocument(raw []byte) (Document, error) {
	var d Document
	if err := json.Unmarshal(raw, &d); err != nil || d == nil {
		return nil, fmt.Errorf("%w: not a JSON object", ErrMalformed)
	}
	return d, nil
}

// put stores value at a dotted path, and creates the objects on the way to it.
func (d Document) put(path string, value any) {
	in, names := map[string]any(d), strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		inner, isObject := in[name].(map[string]any)
		if !isObject {
			inner = map[string]any{}
			in[name] = inner
		}
		in = inner
	}
	in[names[len(names)-1]] = value
}

// Change is one setting that differs from the desired one.
type Change struct {
	// Path is the setting's dotted path: "conversation_config.tts.voice_id".
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

// Diff returns the settings in which current differs from desired, sorted by path. It compares only
// what desired sets, and lists of words without regard to order.
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

// wholePaths lists the objects that a patch replaces as a whole: half of one would be useless if
// ElevenLabs did not merge it with the other half.
var wholePaths = []string{
	"conversation_config.agent.prompt.custom_llm",
	"conversation_config.agent.prompt.backup_llm_config",
	"conversation_config.agent.prompt.built_in_tools",
	"platform_settings.overrides.conversation_config_override",
	"platform_settings.workspace_overrides.webhooks",
}

// Patch returns the smallest change that turns current into desired, for [Client.UpdateAgent]. It
// is empty if they do not differ.
func Patch(current, desired Document) Document {
	patch := Document{}
	walk("", map[string]any(current), map[string]any(desired), func(path string, _, want any, _ bool) {
		for _, whole := range wholePaths {
			if strings.HasPrefix(path, whole+".") {
				path, want = whole, desired.at(whole)
			}
		}
		patch.put(path, want)
	})
	return patch
}

// at returns the value at a dotted path, or nil if there is none.
func (d Document) at(path string) any {
	var v any = map[string]any(d)
	for name := range strings.SplitSeq(path, ".") {
		object, _ := v.(map[string]any) // nil if v is no object
		v = object[name]
	}
	return v
}

// walk calls found for each value in want that differs from the one in have.
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
	return reflect.DeepEqual(sorted(have), sorted(want))
}

// sorted returns a list of strings sorted and without duplicates, and any other value unchanged.
func sorted(v any) any {
	list, _ := v.([]any)
	var words []string
	for _, item := range list {
		word, isWord := item.(string)
		if !isWord {
			return v
		}
		words = append(words, word)
	}
	if words == nil {
		return v
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// show returns v as JSON for people, or [rest.Redacted] if it may be a credential.
func show(path string, v any) string {
	if secret(path) {
		return rest.Redacted
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // what was decoded can be encoded
	return strings.TrimSpace(b.String())
}

// secret reports whether a value at path may be a credential: an API key, but not the mere id of a
// workspace secret.
func secret(path string) bool {
	return strings.Contains(path, ".api_key") && !strings.HasSuffix(path, ".api_key.secret_id")
}
