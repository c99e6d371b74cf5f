package reading

import "strings"

// alike holds letters and digits that sound or look alike, and the cost of taking one for another.
var alike = []struct {
	chars string
	cost  float64
}{
	{"O0", 0.1},
	{"I1L", 0.3},
	{"MN", 0.4},
	{"FS", 0.4},
	{"SX", 0.5},
	{"BDEGPTVCZ3", 0.5},
	{"BV", 0.4},
	{"DT", 0.4},
	{"PT", 0.4},
	{"AK8HJ", 0.6},
	{"59", 0.5},
	{"IY", 0.5},
	{"QU", 0.5},
	{"UW2", 0.6},
	{"5S", 0.3},
	{"2Z", 0.3},
	{"8B", 0.4},
	{"6G", 0.5},
	{"4F", 0.6},
	{"AR", 0.6},
	{"1N", 0.7},
	{"7S", 0.7},
}

// swap returns the cost of taking a for b.
func swap(a, b byte) float64 {
	if a == b {
		return 0
	}
	least := 1.0
	for _, s := range alike {
		if s.cost < least && strings.IndexByte(s.chars, a) >= 0 && strings.IndexByte(s.chars, b) >= 0 {
			least = s.cost
		}
	}
	return least
}

// Distance returns the distance of two numbers as heard: edits that cost at most 1 each, and less
// for letters and digits that sound or look alike.
func Distance(a, b string) float64 {
	rows := make([][]float64, len(a)+1)
	for i := range rows {
		rows[i] = make([]float64, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = float64(j)
				continue
			case j == 0:
				rows[i][j] = float64(i)
				continue
			}
			d := min(rows[i-1][j-1]+swap(a[i-1], b[j-1]), rows[i-1][j]+gap(a, i-1), rows[i][j-1]+gap(b, j-1))
			if i > 1 && j > 1 {
				before := rows[i-2][j-2]
				switch {
				case a[i-1] == b[j-2] && a[i-2] == b[j-1]:
					d = min(d, before+0.7)
				case a[i-2] == '1' && b[j-1] == '0' && a[i-1] == b[j-2], b[j-2] == '1' && a[i-1] == '0' && b[j-1] == a[i-2]: // "fifteen", "fifty"
					d = min(d, before+0.5)
				}
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

// gap returns the cost of a superfluous letter: less if it repeats the one before it.
func gap(s string, i int) float64 {
	if i > 0 && s[i] == s[i-1] {
		return 0.6
	}
	return 1
}

// farthest is the largest share of a number that may be misheard; one edit is always allowed.
const farthest = 0.34

// Near reports whether a number at a distance may have been meant.
func Near(far float64, number string) bool { return far <= max(1, farthest*float64(len(number))) }
