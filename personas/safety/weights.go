package safety

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

// weights tell how likely each kind of red flag is, from the words of a turn and from what
// phrases were found in it: a multinomial logistic regression over features of inverse document
// frequency, normalised to length one. It was learned from testdata/corpus, see learn_test.go.
type weights struct {
	header

	rows []byte // see header
}

// header begins a file of weights, on a line of its own. What follows is a row for each
// feature, in the order of their hashes: the hash, four bytes, little-endian, and a signed byte
// for its frequency and for its weight for each kind.
type header struct {
	Version string    `json:"version"`
	From    string    `json:"from"`  // SHA-256 of what it was learned from
	Kinds   []string  `json:"kinds"` // the first stands for none
	Bias    []float64 `json:"bias"`
	Scale   []float64 `json:"scale"`   // what a weight of one stands for, by kind
	Unknown float64   `json:"unknown"` // the frequency of what was not learned: it makes the rest weigh less
}

// frequencyScale is what one of a row's frequency stands for.
const frequencyScale = 12. / math.MaxInt8

// weightsOf reads a file of weights; nil: there is none.
func weightsOf(files embed.FS, name string) (*weights, error) {
	raw, err := files.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // a language may have none
	}
	if err != nil {
		return nil, err
	}
	return readWeights(raw)
}

// readWeights reads a file of weights.
func readWeights(raw []byte) (*weights, error) {
	line, rows, ok := bytes.Cut(raw, []byte("\n"))
	w := &weights{rows: rows}
	if err := json.Unmarshal(line, &w.header); err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	n := len(w.Kinds)
	if !ok || n == 0 || len(w.Bias) != n || len(w.Scale) != n || len(rows)%w.size() != 0 {
		return nil, errors.New("weights: the file is cut short")
	}
	return w, nil
}

// size is that of a row.
func (w *weights) size() int { return 4 + 1 + len(w.Kinds) }

// row returns a feature's frequency and its weights, which are signed; nil: it was not learned.
// The rows are searched where they lie: reading them into a map would take a tenth of a second
// of every start.
func (w *weights) row(hash uint32) []byte {
	size := w.size()
	from, to := 0, len(w.rows)/size
	for from < to {
		at := from + (to-from)/2
		row := w.rows[at*size : (at+1)*size]
		switch h := binary.LittleEndian.Uint32(row); {
		case h == hash:
			return row[4:]
		case h < hash:
			from = at + 1
		default:
			to = at
		}
	}
	return nil
}

// signed is a number of a row.
func signed(b byte) float64 {
	return float64(int8(b)) //nolint:gosec // a byte's bits are those of the number
}

// A feature is one thing that a text has, and the tokens in which it stands; what phrases found
// has none.
type feature struct {
	hash     uint32
	from, to int
}

// features are those of a text, each once.
type features struct {
	seen map[uint32]bool
	all  []feature
}

func (f *features) add(from, to int, what byte, parts ...string) {
	if h := hash(what, parts...); !f.seen[h] {
		f.seen[h] = true
		f.all = append(f.all, feature{h, from, to})
	}
}

// letters is how many letters of a word make a feature, and apartMost how far apart two words
// may stand that make one.
const (
	letters   = 4
	apartMost = 5
)

// featuresOf returns the features of words by their stems: words, pairs, pairs that are apart,
// three in a row, and runs of letters.
func featuresOf(code string, toks []phrases.Token) *features {
	words := make([]string, len(toks))
	for i, tok := range toks {
		words[i] = stemmers[code](tok.Word, false)
	}
	f := &features{make(map[uint32]bool, 20*len(words)), make([]feature, 0, 20*len(words))}
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

// hash is FNV-1a.
func hash(what byte, parts ...string) uint32 {
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

// likelihood is what weights make of a turn.
type likelihood struct {
	flag  float64 // that there is a flag
	kind  int     // the column of the one that it would be
	named float64 // that there is that one
}

// mostParts is how many words or pairs of words tell why a turn was taken for a flag.
const mostParts = 3

// read weighs features.
func (w *weights) read(all []feature) (l likelihood) {
	n := len(w.Kinds)
	p, square := make([]float64, n), 0.
	for _, f := range all {
		row := w.row(f.hash)
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
	most, total := slices.Max(p), 0.
	for k := range p {
		p[k] = math.Exp(p[k] - most)
		total += p[k]
	}
	best := 1
	for k := range p[1:] {
		if p[1+k] > p[best] {
			best = 1 + k
		}
	}
	return likelihood{flag: 1 - p[0]/total, kind: best, named: p[best] / total}
}

// parts returns the words that speak most for a kind and against none, in their order.
func (w *weights) parts(of []feature, kind int) (parts []phrases.Match) {
	type weighed struct {
		feature

		by float64
	}
	var all []weighed
	for _, f := range of {
		if row := w.row(f.hash); row != nil && f.to > f.from {
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
