package learn

import (
	"cmp"
	"slices"
	"strings"
)

// Words that name somebody by what they are to another; alone, those of whom one has
// but one.
var relations, alone = set("relations"), set("alone")

// relational reports whether an alias names nobody by a name of their own.
func relational(alias string) bool {
	for w := range strings.FieldsSeq(alias) {
		if !relations[w] && !relations[strings.TrimSuffix(w, "s")] {
			return false
		}
	}
	return true
}

// sameName reports whether two lists of aliases are of one. A name of one's own
// decides: the same, the short form of the other, or the first of its words.
// What somebody is to the person decides only where there can be but one, or
// where a model says so (asserted) and no name speaks against it.
func sameName(have, fresh []string, asserted bool) bool {
	x, y := slices.DeleteFunc(slices.Clone(have), relational), slices.DeleteFunc(slices.Clone(fresh), relational)
	if len(x) > 0 && len(y) > 0 {
		return slices.ContainsFunc(x, func(a string) bool {
			return slices.ContainsFunc(y, func(b string) bool { return sameProper(a, b) })
		})
	}
	return asserted || slices.ContainsFunc(have, func(a string) bool { return alone[a] && slices.Contains(fresh, a) })
}

// sameProper reports whether two proper names can be of one: "tom" and "thomas",
// "susan" and "susan miller".
func sameProper(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) == 0 || len(y) == 0 || full(x[0]) != full(y[0]) {
		return false
	}
	if len(x) > 1 && len(y) > 1 {
		return slices.Equal(x[1:], y[1:])
	}
	return true
}

// full returns the long form of a first name, where it is a short one.
func full(name string) string { return cmp.Or(shortForms[name], name) }

var shortForms = func() map[string]string {
	out := map[string]string{}
	for _, entry := range entries["short"] {
		names := strings.Fields(entry)
		for _, short := range names[1:] {
			out[short] = names[0]
		}
	}
	return out
}()
