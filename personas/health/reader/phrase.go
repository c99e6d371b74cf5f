package reader

import "strings"

// table finds phrases of whole words, the longest first. Phrases do not reach
// over the end of a sentence.
type table[T any] struct {
	root node[T]
}

type node[T any] struct {
	next  map[string]*node[T]
	value T
	ends  bool
}

// add puts comma-separated phrases into the table, under one value.
func (t *table[T]) add(value T, phrases string) *table[T] {
	for phrase := range strings.SplitSeq(phrases, ",") {
		n := &t.root
		words := strings.Fields(phrase)
		if len(words) == 0 {
			continue
		}
		for _, w := range words {
			if n.next == nil {
				n.next = map[string]*node[T]{}
			}
			if n.next[w] == nil {
				n.next[w] = &node[T]{}
			}
			n = n.next[w]
		}
		n.value, n.ends = value, true
	}
	return t
}

// at is the length in words of the longest phrase that begins at i, and its
// value; 0 when there is none.
func (t *table[T]) at(toks []token, i int) (n int, value T) {
	at := &t.root
	for k := i; k < len(toks); k++ {
		if k > i && toks[k].pause == hard {
			break
		}
		at = at.next[toks[k].text]
		if at == nil {
			break
		}
		if at.ends {
			n, value = k-i+1, at.value
		}
	}
	return n, value
}

// anywhere is the first place of any phrase, or -1.
func (t *table[T]) anywhere(toks []token) (i, n int, value T) {
	for i = range toks {
		if n, value = t.at(toks, i); n > 0 {
			return i, n, value
		}
	}
	return -1, 0, value
}

// set is a set of single words.
type set map[string]bool

func setOf(words string) set {
	s := set{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}
