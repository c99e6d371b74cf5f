package vectors

import "math"

// probe is a query's vector, prepared for multiplication with codes.
//
// Let q = step·w + f be the query, w whole numbers, and v = scale·c + e a vector,
// c its codes without their offset. Then
//
//	q·v = step·scale·(w·c) + f·(scale·c) + q·e
//
// The first term is computed exactly, in whole numbers, except for its first two factors.
// By Cauchy and Schwarz the others are at most |f|·|scale·c| and |q|·|e|; |e| is at most
// the vector's slip, and |scale·c| at most |v| + |e|. So the error of an estimate is at
// most
//
//	slip·(|q| + |f|) + |v|·|f| + rounding
//
// where |q| and |v| are one up to [unitSlack].
type probe struct {
	lanes  []lanes
	offset int64 // what the offset of the codes adds to each sum of products
	step   float64
	// slope and least give the bound: slope·slip + least.
	slope, least float64
}

// rounding exceeds all floating-point error of an estimate and of the score that it stands
// for: the score is rounded to 24 bits and cut off at one (each less than 1<<22), its sum
// of up to [MaxDims] products and the estimate's factors are rounded to 53 bits.
const rounding = 1.0 / (1 << 20)

func newProbe(q []float32) probe {
	var most float64
	for _, x := range q {
		most = max(most, math.Abs(float64(x)))
	}
	p := probe{lanes: make([]lanes, words(len(q))), step: most / laneMax}
	var off float64
	for i, x := range q {
		w := min(max(math.Round(float64(x)/p.step), -laneMax), laneMax)
		miss := float64(x) - w*p.step
		off += miss * miss
		p.offset += int64(w) * codeZero
		at := i % codesPerWord
		lane := uint64(int64(w)) //nolint:gosec // two's complement is meant
		if at < codesPerWord/2 {
			lane <<= 32
		}
		p.lanes[i/codesPerWord][at%(codesPerWord/2)] += lane
	}
	f, one := float64(above(math.Sqrt(off))), 1+unitSlack
	p.slope, p.least = one+f, one*f+rounding
	return p
}

// estimate returns the approximate score of a vector; see [probe.bound].
func (p *probe) estimate(codes []uint64, scale float32) float64 {
	return float64(multiply(codes, p.lanes)-p.offset) * p.step * float64(scale)
}

// bound returns the maximum distance between an estimate and the score.
func (p *probe) bound(slip float32) float64 { return p.slope*float64(slip) + p.least }
