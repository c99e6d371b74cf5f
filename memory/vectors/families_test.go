package vectors_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/naiber/naiber/memory/vectors"
)

// families make vectors that are easy and hard to tell apart by their codes.
var families = map[string]func(rng *rand.Rand, dims, n int) [][]float32{
	"random": func(rng *rand.Rand, dims, n int) [][]float32 {
		return each(n, func(int) []float32 { return gauss(rng, dims) })
	},
	"near ties": func(rng *rand.Rand, dims, n int) [][]float32 {
		base := gauss(rng, dims)
		return each(n, func(int) []float32 {
			v, by := slices.Clone(base), math.Pow(10, -1-7*rng.Float64())
			for i := range v {
				v[i] += float32(by * rng.NormFloat64())
			}
			return v
		})
	},
	"duplicates": func(rng *rand.Rand, dims, n int) [][]float32 {
		few := each(5, func(int) []float32 { return gauss(rng, dims) })
		return each(n, func(i int) []float32 { return slices.Clone(few[i%len(few)]) })
	},
	"tiny and huge": func(rng *rand.Rand, dims, n int) [][]float32 {
		return each(n, func(int) []float32 {
			v, by := gauss(rng, dims), math.Pow(10, 74*rng.Float64()-37)
			for i := range v {
				v[i] = float32(float64(v[i]) * by)
			}
			v[rng.IntN(dims)] = float32(by)
			return v
		})
	},
	"spikes": func(rng *rand.Rand, dims, n int) [][]float32 {
		return each(n, func(i int) []float32 {
			v := gauss(rng, dims)
			for j := range v {
				v[j] *= 1e-4
			}
			v[i%dims] = []float32{1, -1}[i%2]
			return v
		})
	},
	"all codes at their largest": func(rng *rand.Rand, dims, n int) [][]float32 {
		signs := []func(i int) float32{
			func(int) float32 { return 1 }, func(int) float32 { return -1 },
			func(i int) float32 { return float32(1 - i&4/2) }, func(int) float32 { return float32(1 - 2*rng.IntN(2)) },
		}
		return each(n, func(i int) []float32 {
			v := make([]float32, dims)
			for j := range v {
				v[j] = signs[i%len(signs)](j)
			}
			return v
		})
	},
}

func each(n int, one func(i int) []float32) [][]float32 {
	vs := make([][]float32, n)
	for i := range vs {
		vs[i] = one(i)
	}
	return vs
}

func gauss(rng *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// units are vectors at length one, as they are kept.
func units(t *testing.T, vs [][]float32) [][]float32 {
	t.Helper()
	return each(len(vs), func(i int) []float32 {
		v, _, err := vectors.Unit(vs[i])
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
}
