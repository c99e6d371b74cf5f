package memory

import (
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store"
)

// Alias normalizes a name for comparison: lower case, single spaces, no punctuation,
// without leading words such as "my".
func Alias(name string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.NewReplacer("’s", "", "'s", "", "’", "'").Replace(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
	for len(words) > 1 && leading[words[0]] {
		words = words[1:]
	}
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

var leading = english.Set("my our the dear old little poor his her their this that mr mrs ms miss dr")

// selfSpace is the namespace of ids made by learning.
var selfSpace = uuid.MustParse("b8f2b0c4-0f5c-5a1e-8a53-3f4b7f6f2d11")

// SelfID returns the id of the entity that represents the person.
func SelfID(id store.PersonID) uuid.UUID {
	return uuid.NewSHA1(selfSpace, []byte("self\x00"+id.String()+"\x00"))
}
