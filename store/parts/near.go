package parts

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/naiber/naiber/store/internal/db"
)

// maxSaid is how many letters and digits of what was said are looked at: no number of
// the catalogue is longer.
const maxSaid = maxNumber

// smallCatalogue is up to how many rows all numbers of a catalogue, or of a model, are
// compared with what was said.
const smallCatalogue = 2000

// NearModels returns the models whose numbers are most like what was said, the nearest
// first: by edit distance, where letters that sound or look alike count half.
func (s *Store) NearModels(ctx context.Context, said string, limit int) ([]string, error) {
	key := saidKey(said)
	if key == "" {
		return []string{}, nil
	}
	rows, err := s.db.Q.CatalogueModelsNear(ctx, s.db.Conn, db.CatalogueModelsNearParams{Keys: variants(key), Said: key, Grams: grams(key)})
	n := nearest{said: key}
	for _, r := range rows {
		n.add(r.ModelKey, r.Model)
	}
	return n.first(limit), err
}

// NearParts returns the parts of a model whose numbers are most like what was said, the
// nearest first. An empty model is any: then, of a large catalogue, those that differ in
// one place, or by two letters that sound or look alike, or at whose end or beginning
// something is missing.
func (s *Store) NearParts(ctx context.Context, model, said string, limit int) ([]string, error) {
	n := nearest{said: saidKey(said)}
	if n.said == "" {
		return []string{}, nil
	}
	if model != "" {
		rows, err := s.db.Q.CatalogueNumbersOf(ctx, s.db.Conn, Key(model))
		for _, r := range rows {
			n.add(r.NumberKey, r.Number)
		}
		return n.first(limit), err
	}
	rows, err := s.db.Q.CatalogueNumbersNear(ctx, s.db.Conn, db.CatalogueNumbersNearParams{Keys: variants(n.said), Said: n.said})
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		n.add(r.NumberKey, r.Number)
	}
	if len(n.found) >= limit {
		return n.first(limit), nil
	}
	all, err := s.db.Q.CatalogueNumbersSome(ctx, s.db.Conn, smallCatalogue+1)
	if len(all) <= smallCatalogue {
		for _, r := range all {
			n.add(r.NumberKey, r.Number)
		}
	}
	return n.first(limit), err
}

func saidKey(said string) string {
	key := Key(said)
	return key[:min(len(key), maxSaid)]
}

// nearest collects numbers that are like what was said.
type nearest struct {
	said  string
	found []near
}

type near struct {
	key, number string
	distance    int
}

// add adds a number, unless it is too far away to have been meant.
func (n *nearest) add(key, number string) {
	if i := slices.IndexFunc(n.found, func(f near) bool { return f.key == key }); i >= 0 {
		n.found[i].number = max(n.found[i].number, number) // models may spell it in two ways
		return
	}
	d := distance(n.said, key)
	if len(n.said) >= minPiece && (strings.HasPrefix(key, n.said) || strings.HasSuffix(key, n.said)) {
		d = min(d, 2) // as one letter: part of the number was said, and nothing of it wrongly
	}
	if d <= max(2, 2*((len(n.said)+2)/3)) {
		n.found = append(n.found, near{key, number, d})
	}
}

// minPiece is from how many letters on a beginning or an end stands for a number.
const minPiece = 4

func (n *nearest) first(limit int) []string {
	slices.SortFunc(n.found, func(a, b near) int { return cmp.Or(a.distance-b.distance, strings.Compare(a.key, b.key)) })
	out := make([]string, 0, limit)
	for _, f := range n.found[:min(limit, len(n.found))] {
		out = append(out, f.number)
	}
	return out
}

// alike are letters and digits that are taken for each other, by ear or by eye.
var alike = []string{"BCDEGPTVZ3", "AJKH8", "MN", "FSX6", "IY59", "QUW2", "O0", "1IL7", "5S", "2Z", "8B", "UV", "OU4", "CK", "GJ", "6G"}

// alikes are those that are taken for each letter or digit.
var alikes = func() (out [256]string) {
	for _, group := range alike {
		for i := range len(group) {
			for j := range len(group) {
				if i != j && strings.IndexByte(out[group[i]], group[j]) < 0 {
					out[group[i]] += group[j : j+1]
				}
			}
		}
	}
	return out
}()

// distance is the edit distance of two keys, neighbours in the wrong order counting as
// one edit. It counts in halves: an edit is two, a letter taken for one that is alike one.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = 2 * j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = 2 * i
		for j := 1; j <= len(b); j++ {
			x, y := a[i-1], b[j-1]
			cost := 2
			if x == y {
				cost = 0
			} else if strings.IndexByte(alikes[x], y) >= 0 {
				cost = 1
			}
			row[j] = min(last[j]+2, row[j-1]+2, last[j-1]+cost)
			if i > 1 && j > 1 && x != y && x == b[j-2] && y == a[i-2] {
				row[j] = min(row[j], before[j-2]+2)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// maxVariants bounds the keys that are looked for.
const maxVariants = 1500

const signs = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// variants returns the keys that a key may have been meant for: itself, all at one edit
// from it, "fifty" for "fifteen", and those with two letters taken for ones that are
// alike.
func variants(key string) []string {
	seen := map[string]bool{}
	out := make([]string, 0, maxVariants)
	add := func(parts ...string) {
		if v := strings.Join(parts, ""); v != "" && len(out) < maxVariants && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	add(key)
	for i := range len(key) + 1 {
		for j := range len(signs) {
			add(key[:i], signs[j:j+1], key[i:])
		}
		if i == len(key) {
			continue
		}
		add(key[:i], key[i+1:])
		for j := range len(signs) {
			add(key[:i], signs[j:j+1], key[i+1:])
		}
		if i+1 == len(key) {
			continue
		}
		a, b := key[i:i+1], key[i+1:i+2]
		add(key[:i], b, a, key[i+2:])
		if a == "1" {
			add(key[:i], b, "0", key[i+2:])
		}
		if b == "0" {
			add(key[:i], "1", a, key[i+2:])
		}
	}
	for i := range len(key) {
		for j := i + 1; j < len(key); j++ {
			for a := range len(alikes[key[i]]) {
				for b := range len(alikes[key[j]]) {
					add(key[:i], alikes[key[i]][a:a+1], key[i+1:j], alikes[key[j]][b:b+1], key[j+1:])
				}
			}
		}
	}
	return out
}

// grams returns the trigrams of a key, each once.
func grams(key string) []string {
	out := []string{}
	for i := range max(0, len(key)-2) {
		out = append(out, key[i:i+3])
	}
	slices.Sort(out)
	return slices.Compact(out)
}
