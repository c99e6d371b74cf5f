package memories

import (
	"slices"

	"github.com/google/uuid"
)

// Term is a lexeme of a question, and in how many windows it stands.
type Term struct {
	Lexeme  string
	Windows int
	Places  []int // of the words that it comes from, from 1
	keys    []memoryKey
}

// memoryKey is under what an owner's windows with a lexeme are found.
type memoryKey struct {
	owner uuid.UUID
	key   int64
}

// terms are lexemes, each once for all owners.
type terms struct {
	all []Term
	at  map[string]int
}

func (t *terms) add(lexeme string, windows int64, key memoryKey, places []int) {
	i, ok := t.at[lexeme]
	if !ok {
		if t.at == nil {
			t.at = map[string]int{}
		}
		i = len(t.all)
		t.at[lexeme] = i
		t.all = append(t.all, Term{Lexeme: lexeme, Places: places})
	}
	t.all[i].Windows += int(windows)
	t.all[i].keys = append(t.all[i].keys, key)
}

func (t *terms) rarestFirst() []Term {
	slices.SortStableFunc(t.all, func(a, b Term) int { return a.Windows - b.Windows })
	return t.all
}

// WeightedTerm is a term and what finding it is worth.
type WeightedTerm struct {
	Term
	Weight float64
}

// Match asks for windows that have any of the terms. The common ones find
// nothing by themselves; they count among the Pool best that the others found.
type Match struct {
	Terms, Common []WeightedTerm
	// Flatten is how much a window's length counts against it, from 0 to 1, and
	// Typical the length, in lexemes, at which it does not.
	Flatten, Typical float64
	Pool, Limit      int
}

// quoteLexeme writes a lexeme as a tsquery that asks for exactly it.
func quoteLexeme(l string) string {
	quoted := make([]byte, 0, len(l)+2)
	quoted = append(quoted, '\'')
	for i := range len(l) {
		if l[i] == '\'' || l[i] == '\\' {
			quoted = append(quoted, l[i])
		}
		quoted = append(quoted, l[i])
	}
	return string(append(quoted, '\''))
}
