package trend

import (
	"math"
	"slices"
)

const (
	// madToSD converts the median distance of a normal distribution to its standard deviation;
	// meanToSD converts the mean distance.
	madToSD  = 1.4826
	meanToSD = 1.2533

	normal975 = 1.959964 // 97.5 % of a normal distribution lie below
)

// madSmall corrects the median distance of few values, which is too small (Croux and Rousseeuw
// 1992, for 2 to 9 values).
var madSmall = [...]float64{2: 1.196, 3: 1.495, 4: 1.363, 5: 1.206, 6: 1.200, 7: 1.140, 8: 1.129, 9: 1.107}

// median returns the median of the values, or 0 if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// spread returns the median distance from the centre and the standard deviation that it corresponds
// to. If more than half of the values are the same, the median distance is zero; the mean distance
// then replaces it, without the largest distance, which may be a mistake. The standard deviation is
// at least what rounding to the resolution hides: half a step either way.
func spread(values []float64, centre, resolution float64) (mad, sd float64) {
	distances := make([]float64, len(values))
	sum := 0.0
	for i, v := range values {
		distances[i] = math.Abs(v - centre)
		sum += distances[i]
	}
	mad = median(distances)
	n := len(values)
	correction := float64(n) / (float64(n) - 0.8)
	if n < len(madSmall) {
		correction = madSmall[n]
	}
	sd = madToSD * mad * correction
	if mad == 0 {
		sd = meanToSD * (sum - slices.Max(distances)) / float64(n-1)
	}
	return mad, max(sd, madToSD*resolution/2)
}

// studentTails returns the probability that a value of Student's distribution with the given
// degrees of freedom lies at least as far from zero as t (Abramowitz and Stegun 26.7.3 and 26.7.4:
// exact for whole degrees).
func studentTails(t float64, degrees int) float64 {
	if degrees < 1 {
		return 1
	}
	theta := math.Atan(math.Abs(t) / math.Sqrt(float64(degrees)))
	sin, cos := math.Sincos(theta)
	var inside float64
	if degrees%2 == 1 {
		term, sum := cos, 0.0
		for k := 3; k <= degrees; k += 2 {
			sum += term
			term *= cos * cos * float64(k-1) / float64(k)
		}
		inside = 2 / math.Pi * (theta + sin*sum)
	} else {
		term, sum := 1.0, 0.0
		for k := 2; k <= degrees; k += 2 {
			sum += term
			term *= cos * cos * float64(k-1) / float64(k)
		}
		inside = sin * sum
	}
	return min(max(1-inside, 0), 1)
}

// studentBound returns the distance from zero that is exceeded with the given probability.
func studentBound(chance float64, degrees int) float64 {
	low, high := 0.0, 1e6
	for range 80 {
		mid := (low + high) / 2
		if studentTails(mid, degrees) > chance {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// wilson returns the 95 % interval of a share.
func wilson(yes, n int) (low, high float64) {
	p, m, z := float64(yes)/float64(n), float64(n), normal975
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, centre-half), min(1, centre+half)
}
