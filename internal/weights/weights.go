// Package weights estimates the likelihood of each of some kinds from the words of a text: by
// multinomial logistic regressions, learned from examples by [Learn] and shipped as files.
package weights

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/naiber/naiber/internal/phrases"
)

// Weights is a multinomial logistic regression over features weighted by inverse document frequency
// and normalised to length one.
type Weights struct {
	Header

	rows []byte // in the format that Header describes
}

// Header is the first line of a file of weights. It is followed by a row for each feature, ordered
// by hash: the hash, four bytes, little-endian, and a signed byte each for its frequency and for
// its weight for each kind.
type Header struct {
	Version string    `json:"version"`
	From    string    `json:"from"`  // SHA-256 of the training data
	Kinds   []string  `json:"kinds"` // the first stands for a text of no other kind
	Bias    []float64 `json:"bias"`
	Scale   []float64 `json:"scale"`   // the value of a weight of one, by kind
	Unknown float64   `json:"unknown"` // the frequency of features that were not learned: it makes the others weigh less
}

// frequencyScale is the value of one in a row's frequency.
const frequencyScale = 12. / math.MaxInt8

// Open reads a file of weights. It returns nil if the file does not exist.
func Open(files embed.FS, name string) (*Weights, error) {
	raw, err := files.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // a language may have none
	}
	if err != nil {
		return nil, err
	}
	return read(raw)
}

// read parses a file of weights.
func read(raw []byte) (*Weights, error) {
	line, rows, ok := bytes.Cut(raw, []byte("\n"))
	w := &Weights{rows: rows}
	if err := json.Unmarshal(line, &w.Header); err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	n := len(w.Kinds)
	if !ok || n == 0 || len(w.Bias) != n || len(w.Scale) != n || len(rows)%w.size() != 0 {
		return nil, errors.New("weights: the file is cut short")
	}
	return w, nil
}

// size returns the length of a row in bytes.
func (w *Weights) size() int { return 4 + 1 + len(w.Kinds) }

// row returns a feature's frequency and its weights, as signed bytes, or nil if it was not learned.
// It searches the rows in place, since reading them into a map would take a tenth of a second at
// every start, and by interpolation, since hashes are spread evenly.
func (w *Weights) row(hash uint32) []byte {
	size := w.size()
	from, to := 0, len(w.rows)/size
	low, high := uint64(0), uint64(math.MaxUint32) // the hashes that rows from to to-1 may have
	for h := uint64(hash); from < to && low <= h && h <= high; {
		at := from + int(uint64(to-from)*(h-low)/(high-low+1)) //nolint:gosec // below to
		row := w.rows[at*size : (at+1)*size]
		switch found := uint64(binary.LittleEndian.Uint32(row)); {
		case found == h:
			return row[4:]
		case found < h:
			from, low = at+1, found+1
		default:
			to, high = at, found-1
		}
	}
	return nil
}

// signed returns a signed number of a row.
func signed(b byte) float64 {
	return float64(int8(b)) //nolint:gosec // a byte's bits are those of the number
}

// A Feature is one property of a text, with the tokens that it covers; a feature that is not of
// words covers none.
type Feature struct {
	Hash     uint32
	from, to int
}

// Features holds the features of a text, each once.
type Features struct {
	seen map[uint32]bool
	All  []Feature
}

// Add adds a feature that is not of words, by its sort and its parts.
func (f *Features) Add(what byte, parts ...string) { f.add(0, 0, what, parts...) }

func (f *Features) add(from, to int, what byte, parts ...string) {
	if h := Hash(what, parts...); !f.seen[h] {
		f.seen[h] = true
		f.All = append(f.All, Feature{h, from, to})
	}
}

// letters is how many letters of a word make a feature, and apartMost the largest distance between
// two words that make one.
const (
	letters   = 4
	apartMost = 5
)

// Of returns the features of a text's words, given as stems: words, pairs, pairs that are apart,
// triples, and runs of letters.
func Of(words []string) *Features {
	f := &Features{make(map[uint32]bool, 20*len(words)), make([]Feature, 0, 20*len(words))}
	for i, w := range words {
		f.add(i, i+1, 'u', w)
		if i+1 < len(words) {
			f.add(i, i+2, 'b', w, words[i+1])
		}
		for j := i + 2; j < min(i+apartMost+1, len(words)); j++ {
			f.add(i, j+1, 's', w, words[j])
		}
		if i+2 < len(words) {
			f.add(i, i+3, 't', w, words[i+1], words[i+2])
		}
		for j := 0; j+letters <= len(w); j++ {
			f.add(i, i+1, 'c', w[j:j+letters])
		}
	}
	return f
}

// Hash returns the FNV-1a hash of a feature's sort and parts.
func Hash(what byte, parts ...string) uint32 {
	const prime = 16777619
	h := (uint32(2166136261) ^ uint32(what)) * prime
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint32(p[i])) * prime
		}
		h *= prime
	}
	return h
}

// Read returns the likelihood of each kind for a text with these features. among holds the possible
// kinds; nil: any.
func (w *Weights) Read(all []Feature, among []bool) []float64 {
	n := len(w.Kinds)
	p, square := make([]float64, n), 0.
	for _, f := range all {
		row := w.row(f.Hash)
		if row == nil {
			square += w.Unknown * w.Unknown
			continue
		}
		x := signed(row[0]) * frequencyScale
		square += x * x
		for k := range p {
			p[k] += x * signed(row[1+k])
		}
	}
	norm := 1 / math.Sqrt(max(square, 1e-9))
	for k := range p {
		p[k] = w.Bias[k] + p[k]*norm*w.Scale[k]
	}
	softmax(p, among)
	return p
}

// softmax converts scores to likelihoods. Those of kinds that are not in among become 0.
func softmax(p []float64, among []bool) {
	most, total := math.Inf(-1), 0.
	for k, v := range p {
		if among == nil || among[k] {
			most = max(most, v)
		}
	}
	for k := range p {
		if among == nil || among[k] {
			p[k] = math.Exp(p[k] - most)
			total += p[k]
		} else {
			p[k] = 0
		}
	}
	for k := range p {
		p[k] /= total
	}
}

// mostParts is how many words or groups of words explain why a text was taken for a kind.
const mostParts = 3

// Parts returns the tokens that speak most for a kind rather than for the first one, which stands
// for none, in their order.
func (w *Weights) Parts(of []Feature, kind int) (parts []phrases.Match) {
	type weighed struct {
		Feature

		by float64
	}
	var all []weighed
	for _, f := range of {
		if row := w.row(f.Hash); row != nil && f.to > f.from {
			by := signed(row[0]) * (signed(row[1+kind])*w.Scale[kind] - signed(row[1])*w.Scale[0])
			if by > 0 {
				all = append(all, weighed{f, by})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.by, a.by) })
	for _, f := range all {
		if len(parts) < mostParts && !slices.ContainsFunc(parts, func(m phrases.Match) bool { return m.From < f.to && f.from < m.To }) {
			parts = append(parts, phrases.Match{From: f.from, To: f.to})
		}
	}
	slices.SortFunc(parts, func(a, b phrases.Match) int { return cmp.Compare(a.From, b.From) })
	return parts
}

// Learned reports whether a feature was learned.
func (w *Weights) Learned(hash uint32) bool { return w.row(hash) != nil }
