package weights

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// An Example is a text to learn from.
type Example struct {
	Features []Feature
	Is       int    // the index of its kind
	Among    []bool // the kinds that were possible; nil: any
}

const (
	fewest       = 3   // features of fewer examples are not learned
	rounds       = 30  // passes over all examples
	step         = 0.5 // learning rate of AdaGrad
	unknownShare = 0.5 // the share of its frequency that an unknown feature counts with
)

// Learn fits weights by AdaGrad, deterministically. decay is the total L2 regularisation over all
// examples. Learn sorts the examples' features.
func Learn(set []Example, h Header, decay float64) *Weights {
	in := make(map[uint32]int)
	for _, x := range set {
		slices.SortFunc(x.Features, func(a, b Feature) int { return cmp.Compare(a.Hash, b.Hash) }) // sums of floats depend on their order
		for _, f := range x.Features {
			in[f.Hash]++
		}
	}
	maps.DeleteFunc(in, func(_ uint32, n int) bool { return n < fewest })
	at := make(map[uint32]int, len(in))
	var keys []uint32
	var idf, decays []float64
	for _, f := range slices.Sorted(maps.Keys(in)) {
		at[f] = len(keys)
		keys = append(keys, f)
		decays = append(decays, decay/float64(in[f]))
		idf = append(idf, 1+math.Log(float64(1+len(set))/float64(1+in[f])))
	}
	h.Unknown = unknownShare * (1 + math.Log(float64(1+len(set))/2))
	type cell struct {
		i int
		x float64
	}
	xs := make([][]cell, len(set))
	for i, x := range set {
		square := 0.
		for _, f := range x.Features {
			if j, ok := at[f.Hash]; ok {
				xs[i] = append(xs[i], cell{j, idf[j]})
				square += idf[j] * idf[j]
			} else {
				square += h.Unknown * h.Unknown
			}
		}
		for j := range xs[i] {
			xs[i][j].x /= math.Sqrt(max(square, 1e-9))
		}
	}
	n := len(h.Kinds)
	w, past := make([]float64, n*len(keys)), make([]float64, n*len(keys))
	bias, biasPast := make([]float64, n), make([]float64, n)
	p := make([]float64, n)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same order each time
	for range rounds {
		for _, i := range random.Perm(len(set)) {
			copy(p, bias)
			for _, c := range xs[i] {
				for k, v := range w[c.i*n : c.i*n+n] {
					p[k] += v * c.x
				}
			}
			softmax(p, set[i].Among)
			p[set[i].Is]--
			for k, g := range p {
				biasPast[k] += g * g
				bias[k] -= 0.1 * g / math.Sqrt(biasPast[k]+1e-6)
			}
			for _, c := range xs[i] {
				row, sq := w[c.i*n:c.i*n+n], past[c.i*n:c.i*n+n]
				for k, g := range p {
					g = g*c.x + decays[c.i]*row[k]
					sq[k] += g * g
					row[k] -= step * g / math.Sqrt(sq[k]+1e-6)
				}
			}
		}
	}
	h.Bias, h.Scale = bias, make([]float64, n)
	for i, v := range w {
		h.Scale[i%n] = max(h.Scale[i%n], math.Abs(v))
	}
	for k := range h.Scale {
		h.Scale[k] = max(h.Scale[k], 1e-9) / math.MaxInt8
	}
	out := &Weights{Header: h}
	for i, f := range keys {
		out.rows = append(binary.LittleEndian.AppendUint32(out.rows, f), bits(min(math.MaxInt8, math.Round(idf[i]/frequencyScale))))
		for k, v := range w[i*n : i*n+n] {
			out.rows = append(out.rows, bits(math.Round(v/h.Scale[k])))
		}
	}
	return out
}

// bits is the inverse of [signed].
func bits(v float64) byte {
	return byte(int8(v)) //nolint:gosec // a byte's bits are those of the number
}

// File returns the weights in the file format, see [Header].
func (w *Weights) File() ([]byte, error) {
	line, err := json.Marshal(w.Header)
	return append(append(line, '\n'), w.rows...), err
}
