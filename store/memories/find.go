package memories

import (
	"slices"

	"github.com/google/uuid"
)

// Term is a lexeme of a question, with the number of windows that have it.
type Term struct {
	Lexeme  string
	Windows int
	Places  []int // positions of its words, from 1
	keys    []memoryKey
}

// memoryKey is the index key of one owner's windows with a lexeme.
type memoryKey struct {
	owner uuid.UUID
	key   int64
}

// terms collects lexemes, each once for all owners.
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

// WeightedTerm is a term with its weight in a search.
type WeightedTerm struct {
	Term
	Weight float64
}

// Match asks for windows that have any of the terms. The common terms find no windows; they
// only help to rank the best Pool windows that the others found.
type Match struct {
	Terms, Common []WeightedTerm
	// Flatten is how much a window's length counts against it, from 0 to 1, and Typical the
	// length, in lexemes, at which it does not count.
	Flatten, Typical float64
	Pool, Limit      int
}

// quoteLexeme returns a tsquery for exactly one lexeme.
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
