package vectors

import (
	"encoding/binary"
	"math"
)

// A vector in memory is one code of eight bits for each number, eight codes to a word, and
// two numbers for the whole: v ≈ scale·(code-codeZero), and slip is the maximum distance
// between the two.
const (
	codeMax      = 127 // the largest number of a vector, as a code without its offset
	codeZero     = 128 // codes are stored as positive numbers, so masks can separate them
	codesPerWord = 8
)

// The query's numbers are rounded to fifteen bits. Then 256 products fit a sum of 31 bits:
// 256 · (codeZero+codeMax) · laneMax < 1<<31.
const (
	laneMax    = 32767
	blockWords = 256 / codesPerWord
	lowLanes   = 0x000000ff_000000ff
)

// unitSlack is how much longer than one a vector may be through rounding alone.
const unitSlack = 1.0 / (1 << 22)

// words returns the number of words that the codes of a vector take.
func words(dims int) int { return (dims + codesPerWord - 1) / codesPerWord }

// encode writes the codes of v to dst, which must have a length of [words], and returns the
// scale and slip to read them. A vector whose length is not one gets an infinite slip, so
// only its exact score counts.
func encode(dst []uint64, v []float32) (scale, slip float32) {
	var most, length float64
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
		length += float64(x) * float64(x)
	}
	if !(length > 0.5 && length <= (1+unitSlack)*(1+unitSlack)) { // negated to catch NaN too
		clear(dst)
		return 0, float32(math.Inf(1))
	}
	scale = float32(most / codeMax)
	var off float64
	for w := range dst {
		var word uint64
		for i := range codesPerWord {
			code := 0.0 // codes past the end are zero
			if at := w*codesPerWord + i; at < len(v) {
				x := float64(v[at])
				code = min(max(math.Round(x/float64(scale)), -codeMax), codeMax)
				miss := x - code*float64(scale)
				off += miss * miss
			}
			word |= uint64(int(code)+codeZero) << (8 * i) //nolint:gosec // from 1 to 255
		}
		dst[w] = word
	}
	return scale, above(math.Sqrt(off))
}

// above returns the float32 just above x, large enough to be above it in spite of rounding
// in the computation of x.
func above(x float64) float32 {
	return math.Nextafter32(float32(x*(1+1.0/(1<<30))), float32(math.Inf(1)))
}

// lanes are eight numbers of a query, two to a word: the number for code i in the upper
// half, the one for code i+4 in the lower.
type lanes [codesPerWord / 2]uint64

// multiply returns the sum of the products of codes and query. One multiplication computes
// two of them: the upper half of (a + b·2³²)·(y + x·2³²) is a·x + b·y, after the lower
// half, which may be negative, is subtracted; the rest overflows.
func multiply(codes []uint64, query []lanes) int64 {
	var all int64
	for len(codes) > 0 {
		n := min(len(codes), blockWords)
		all += multiplyBlock(codes[:n], query[:n])
		codes, query = codes[n:], query[n:]
	}
	return all
}

func multiplyBlock(codes []uint64, query []lanes) int64 {
	query = query[:len(codes)] // lets the compiler check bounds only once
	var one, two uint64
	for i, w := range codes {
		q := &query[i]
		one += (w&lowLanes)*q[0] + (w>>8&lowLanes)*q[1]
		two += (w>>16&lowLanes)*q[2] + (w>>24&lowLanes)*q[3]
	}
	sum := one + two
	lower := int64(int32(sum))
	return (int64(sum) - lower) >> 32
}

// exact returns the cosine of two vectors of length one, the second in the encoding of the
// database. The sum of the exact products is rounded in the same order on every machine,
// which gives equal vectors equal scores.
func exact(q []float32, b []byte) float32 {
	var sum [4]float64
	for len(q) >= 4 && len(b) >= 16 {
		sum[0] += float64(q[0]) * number(b)
		sum[1] += float64(q[1]) * number(b[4:])
		sum[2] += float64(q[2]) * number(b[8:])
		sum[3] += float64(q[3]) * number(b[12:])
		q, b = q[4:], b[16:]
	}
	for i, x := range q {
		sum[i] += float64(x) * number(b[4*i:])
	}
	return float32(min(max(sum[0]+sum[1]+sum[2]+sum[3], -1), 1))
}

func number(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}
