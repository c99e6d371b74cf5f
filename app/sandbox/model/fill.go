package model

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// fillSchema produces JSON that honours the schema, filled with what the scene
// tells. Where the scene tells nothing, a value is null or empty if the schema
// lets it, and otherwise the plainest that is allowed. It returns an error
// when no value is allowed, or none of finite depth.
func fillSchema(root *schema, sc *scene) (string, error) {
	f := &filler{root: root, sc: sc, said: sentencesOf(sc.personText()), nodes: maxNodes, vectors: vectors{}}
	f.said = f.said[max(0, len(f.said)-maxSentences):]
	f.topics = slices.DeleteFunc(topicsOf(f.said, namesIn(sc.instructions)), f.isSelf)
	out, err := f.value(nil, root, field{}, 0)
	return string(out), err
}

// Bounds of the work for one answer: the values in it, and the sentences that
// are read for it, the last ones.
const (
	maxNodes     = 5_000
	maxSentences = 500
)

// filler carries what is known of the scene through the schema.
type filler struct {
	root   *schema
	sc     *scene
	said   []string // the person's sentences
	topics []topic
	nodes  int
	refs   []string // references that lead to here
	vectors
}

// A field is the place that a value is produced for.
type field struct {
	name   string // as in the schema
	desc   string
	focus  string // the sentence that this item of a list is about
	topic  *topic // the topic, when the list is one of topics
	person *named // the person or animal, when the list is one of them
	index  int    // place in the list
	listed bool   // is in a list
}

// words are those of the name: "painLevel" and "pain_level" give "pain level".
func (fd field) words() []string { return strings.Fields(spaced(fd.name)) }

// is reports whether the name holds one of the words.
func (fd field) is(list ...string) bool {
	return slices.ContainsFunc(fd.words(), func(w string) bool {
		return slices.Contains(list, w) || slices.Contains(list, strings.TrimSuffix(w, "s"))
	})
}

// about is the text that says what is wanted.
func (fd field) about() string { return spaced(fd.name) + ". " + fd.desc }

// spaced writes an identifier as lower-case words.
func spaced(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ' ':
			b.WriteByte(' ')
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimSpace(b.String())
}

// resolve follows references and merges allOf. The result is a copy where
// anything was merged. It pushes the references on the way, and returns how
// many. A schema that leads to itself, and to nothing else, allows nothing.
func (f *filler) resolve(s *schema) (*schema, int) {
	return f.resolveFrom(s, nil)
}

// resolveFrom does the work of resolve; active are the references on the way to
// s.
func (f *filler) resolveFrom(s *schema, active []string) (*schema, int) {
	pushed := 0
	for {
		switch {
		case s.Ref != "":
			target := f.root.lookup(s.Ref)
			if f.nodes--; f.nodes < 0 || target == nil || slices.Contains(active, s.Ref) {
				return &schema{never: true}, pushed
			}
			active = append(slices.Clip(active), s.Ref)
			f.refs = append(f.refs, s.Ref)
			pushed++
			if s.Description != "" && target.Description == "" {
				described := *target
				described.Description = s.Description
				target = &described
			}
			s = target
		case len(s.AllOf) > 0:
			merged := *s
			merged.AllOf = nil
			for _, part := range s.AllOf {
				p, n := f.resolveFrom(part, active)
				pushed += n
				merged.merge(p)
			}
			s = &merged
		default:
			return s, pushed
		}
	}
}

// value appends a value for s to out.
func (f *filler) value(out []byte, s *schema, fd field, depth int) ([]byte, error) {
	if f.nodes--; f.nodes < 0 || depth > 2*maxSchemaDepth {
		return nil, errTooDeep
	}
	s, pushed := f.resolve(s)
	defer func() { f.refs = f.refs[:len(f.refs)-pushed] }()
	if s.never {
		return nil, errNever
	}
	if s.Description != "" {
		fd.desc = s.Description
	} else if s.Title != "" {
		fd.desc = s.Title
	}
	if len(s.AnyOf) > 0 {
		return f.branch(out, s, fd, depth)
	}
	if len(s.Enum) > 0 {
		return f.enum(out, s, fd)
	}
	switch kind := f.kindOf(s, fd); kind {
	case "object":
		return f.object(out, s, fd, depth)
	case "array":
		return f.array(out, s, fd, depth)
	case "boolean":
		return f.boolean(out, s, fd), nil
	case "integer", "number":
		return f.number(out, s, fd, kind == "integer")
	case "string":
		return f.str(out, s, fd)
	default:
		return append(out, "null"...), nil
	}
}

// kindOf picks the type to produce. A schema without types tells by its other
// words; one with several gets the first that can hold something.
func (f *filler) kindOf(s *schema, fd field) string {
	if len(s.Types) == 0 {
		switch {
		case len(s.Properties) > 0 || len(s.Required) > 0:
			return "object"
		case s.Items != nil || len(s.Prefix) > 0:
			return "array"
		case s.Minimum != nil || s.Maximum != nil || s.MultipleOf != nil:
			return "number"
		default:
			return "string"
		}
	}
	kinds := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
	if len(kinds) == 0 {
		return "null"
	}
	// An answer of several possible types takes the one that its words have.
	if len(kinds) > 1 {
		if _, ok := f.findBool(fd); ok && slices.Contains(kinds, "boolean") {
			return "boolean"
		}
		if i := slices.IndexFunc(kinds, func(k string) bool { return k == "number" || k == "integer" }); i >= 0 {
			if _, ok := f.findNumber(s, fd); ok {
				return kinds[i]
			}
		}
		if slices.Contains(kinds, "string") {
			return "string"
		}
	}
	return kinds[0]
}

// branch fills one of several schemas: null when nothing is found for the
// others, or when they would lead round in a circle.
func (f *filler) branch(out []byte, s *schema, fd field, depth int) ([]byte, error) {
	nullable := false
	var others []*schema
	for _, b := range s.AnyOf {
		if f.onlyNull(b) {
			nullable = s.admits(json.RawMessage("null")) && !s.excludesNull()
			continue
		}
		others = append(others, b)
	}
	last := errNever
	for _, b := range f.ordered(others, fd) {
		if nullable && (f.circular(b) || !f.tells(b, fd)) {
			continue
		}
		merged := *s
		merged.AnyOf = nil
		merged.AllOf = []*schema{b}
		got, err := f.value(out, &merged, fd, depth+1)
		if err == nil {
			return got, nil
		}
		last = err
	}
	if nullable {
		return append(out, "null"...), nil
	}
	return nil, last
}

// ordered puts the branch whose type the words have before the others, and
// those that lead round in a circle at the end.
func (f *filler) ordered(branches []*schema, fd field) []*schema {
	out := slices.Clone(branches)
	rank := func(b *schema) int {
		if f.circular(b) {
			return 3
		}
		r, pushed := f.resolve(b)
		defer func() { f.refs = f.refs[:len(f.refs)-pushed] }()
		switch {
		case r.never:
			return 4
		case slices.Contains(r.Types, "boolean"):
			if _, ok := f.findBool(fd); ok {
				return 0
			}
			return 2
		case slices.Contains(r.Types, "number") || slices.Contains(r.Types, "integer"):
			if _, ok := f.findNumber(r, fd); ok {
				return 0
			}
			return 2
		default:
			return 1
		}
	}
	slices.SortStableFunc(out, func(a, b *schema) int { return rank(a) - rank(b) })
	return out
}

// excludesNull reports whether the schema lists its values, and null is none.
func (s *schema) excludesNull() bool {
	return len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(v json.RawMessage) bool { return string(v) == "null" })
}

func (f *filler) onlyNull(s *schema) bool {
	return (len(s.Types) == 1 && s.Types[0] == "null") || (len(s.Enum) == 1 && string(s.Enum[0]) == "null")
}

// circular reports whether s refers to a schema that is being filled.
func (f *filler) circular(s *schema) bool {
	return s.Ref != "" && (s.Ref == "#" || slices.Contains(f.refs, s.Ref))
}

// tells reports whether the scene has something for a value that may be null.
func (f *filler) tells(s *schema, fd field) bool {
	s, pushed := f.resolve(s)
	defer func() { f.refs = f.refs[:len(f.refs)-pushed] }()
	if s.Description != "" {
		fd.desc = s.Description
	}
	if len(s.Enum) > 0 {
		_, ok := f.matchEnum(s.Enum, fd)
		return ok
	}
	switch f.kindOf(s, fd) {
	case "boolean":
		_, ok := f.findBool(fd)
		return ok
	case "integer", "number":
		_, ok := f.findNumber(s, fd)
		return ok
	case "string":
		_, ok := f.findString(s, fd, true)
		return ok
	case "array":
		return true
	case "object":
		return len(f.said) > 0
	default:
		return false
	}
}

// object fills the properties in the order of the schema. A property that is
// not required is left out where it would lead round in a circle.
func (f *filler) object(out []byte, s *schema, fd field, depth int) ([]byte, error) {
	out = append(out, '{')
	done := 0
	add := func(name string, sub *schema) error {
		mark := len(out)
		if done > 0 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, validUTF8(name)), ':')
		inner := fd
		inner.name, inner.desc = name, ""
		got, err := f.value(out, sub, inner, depth+1)
		if err != nil {
			out = out[:mark]
			return err
		}
		out = got
		done++
		return nil
	}
	for _, p := range s.Properties {
		required := slices.Contains(s.Required, p.name)
		if !required && (f.circular(p.schema) || depth > maxSchemaDepth) {
			continue
		}
		if err := add(p.name, p.schema); err != nil && required {
			return nil, err
		}
	}
	for i, name := range s.Required {
		known := slices.ContainsFunc(s.Properties, func(p property) bool { return p.name == name })
		if known || slices.Contains(s.Required[:i], name) {
			continue
		}
		if s.closed {
			return nil, errNever
		}
		if err := add(name, &schema{MaxLength: -1, MaxItems: -1}); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
