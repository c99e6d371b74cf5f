package parts

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/naiber/naiber/store/internal/db"
)

// maxSaid is how many letters and digits of a spoken number are used: no number of the
// catalogue is longer.
const maxSaid = maxNumber

// smallCatalogue is the number of rows up to which a spoken number is compared with all
// numbers of the catalogue.
const smallCatalogue = 2000

// NearModels returns the models whose numbers are most similar to what was said, nearest
// first: by edit distance, in which letters that sound or look alike count half.
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

// NearParts returns the parts of a model whose numbers are most similar to what was said,
// nearest first. An empty model means any: then, in a large catalogue, only numbers are
// found that differ in one place, or by two letters that sound or look alike, or that were
// cut off at the start or end.
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
	all, err := s.db.Q.CatalogueNumbersSmall(ctx, s.db.Conn, smallCatalogue)
	for _, r := range all {
		n.add(r.NumberKey, r.Number)
	}
	return n.first(limit), err
}

func saidKey(said string) string {
	key := Key(said)
	return key[:min(len(key), maxSaid)]
}

// nearest collects the numbers similar to what was said.
type nearest struct {
	said  string
	found []near
}

type near struct {
	key, number string
	distance    int
}

// add adds a number, unless its distance is too large to have been meant.
func (n *nearest) add(key, number string) {
	if i := slices.IndexFunc(n.found, func(f near) bool { return f.key == key }); i >= 0 {
		n.found[i].number = max(n.found[i].number, number) // models may spell it differently
		return
	}
	d := distance(n.said, key)
	if len(n.said) >= minPiece && (strings.HasPrefix(key, n.said) || strings.HasSuffix(key, n.said)) {
		d = min(d, 2) // like one edit: part of the number was said, without errors
	}
	if d <= max(2, 2*((len(n.said)+2)/3)) {
		n.found = append(n.found, near{key, number, d})
	}
}

// minPiece is the minimum length of a start or end that stands for a number.
const minPiece = 4

func (n *nearest) first(limit int) []string {
	slices.SortFunc(n.found, func(a, b near) int { return cmp.Or(a.distance-b.distance, strings.Compare(a.key, b.key)) })
	out := make([]string, 0, limit)
	for _, f := range n.found[:min(limit, len(n.found))] {
		out = append(out, f.number)
	}
	return out
}

// alike holds groups of letters and digits that are confused by ear or by eye.
var alike = []string{"BCDEGPTVZ", "3BE", "AJKH8", "MN", "FSX6", "IY59", "QUW2", "O0", "1IL7", "38", "5S", "2Z", "8B", "UV", "OU4", "CK", "GJ", "6G"}

// alikes holds for each letter or digit those confused with it.
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

// distance returns the edit distance of two keys, in which a transposition counts as one
// edit. It counts in halves: 2 for an edit, 1 for a substitution by a similar letter.
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

// maxVariants limits the keys that are searched for.
const maxVariants = 1500

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	signs   = digits + letters
)

// kind returns all signs of the same kind: a digit is usually mistaken for a digit, and a
// letter for a letter.
func kind(sign byte) string {
	if sign <= '9' {
		return digits
	}
	return letters
}

// variants returns the keys that may have been meant: the key itself, those at one edit
// from it, "fifty" for "fifteen", and those with two signs replaced by similar ones.
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
	for i := range key {
		before, sign, after := key[:i], key[i], key[i+1:]
		add(before, after)
		for _, other := range kind(sign) + alikes[sign] {
			add(before, string(other), after)
		}
		for _, more := range kind(sign) { // a sign was left out, before or after it
			add(before, string(more), key[i:])
			add(before, key[i:i+1], string(more), after)
		}
		if after == "" {
			continue
		}
		next, rest := after[:1], after[1:]
		add(before, next, string(sign), rest)
		if sign == '1' {
			add(before, next, "0", rest)
		}
		if next == "0" {
			add(before, "1", string(sign), rest)
		}
	}
	for i := range key {
		for j := i + 1; j < len(key); j++ {
			for _, a := range alikes[key[i]] {
				for _, b := range alikes[key[j]] {
					add(key[:i], string(a), key[i+1:j], string(b), key[j+1:])
				}
			}
		}
	}
	return out
}

// grams returns the sorted trigrams of a key, without duplicates.
func grams(key string) []string {
	out := []string{}
	for i := range max(0, len(key)-2) {
		out = append(out, key[i:i+3])
	}
	slices.Sort(out)
	return slices.Compact(out)
}
