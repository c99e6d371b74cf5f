package reader

import (
	"strconv"
	"strings"
)

// number reads the number that begins at token i and returns its value and its length in words, or
// 0 if there is none. With pairs, "one thirty-five" is 135, as people say weights and blood sugars.
func (r *text) number(i int, pairs bool) (float64, int) {
	t := r.at(i)
	if t == "" {
		return 0, 0
	}
	if isDigit(rune(t[0])) {
		return r.digits(i)
	}
	if n, v := r.match(i, cue.Amounts); n > 0 {
		return valueOf(v), n
	}
	v, n := r.hundreds(i, pairs)
	return r.fraction(i, v, n)
}

// valueOf returns the number that a phrase stands for.
func valueOf(value string) float64 {
	v, _ := strconv.ParseFloat(value, 64) // the cues hold numbers
	return v
}

// digits reads "7", "7.5" and "1,200". A clock time is not a number.
func (r *text) digits(i int) (float64, int) {
	v, err := strconv.ParseFloat(r.at(i), 64)
	if err != nil {
		return 0, 0
	}
	return r.fraction(i, v, 1)
}

// hundreds reads "a hundred and twenty-one", "two hundred", "doscientos", "one thirty-five".
func (r *text) hundreds(i int, pairs bool) (float64, int) {
	v, n := r.tens(i)
	switch {
	case n > 0:
	case r.in(i, cue.A) && (r.in(i+1, cue.Hundred) || r.in(i+1, cue.Thousand)):
		v, n = 1, 1
	default:
		h, ok := r.value(i, cue.Hundred)
		if !ok {
			return 0, 0
		}
		return r.remainder(i, float64(h), 1)
	}
	k := i + n
	switch {
	case !r.follows(k):
	case r.in(k, cue.Thousand):
		v, n = v*1000, n+1
		if rest, m := r.hundreds(i+n, false); rest >= 100 && rest < 1000 && r.follows(i+n) {
			return v + rest, n + m
		}
		return r.remainder(i, v, n)
	case r.in(k, cue.Hundred):
		return r.remainder(i, v*100, n+1)
	case pairs && v >= 1 && v <= 9 && n == 1:
		if u, ok := r.value(k+1, cue.Ones); r.in(k, cue.Oh) && ok && u < 10 {
			return v*100 + float64(u), 3
		}
		rest, m := r.tens(k)
		if m > 0 && rest >= 10 {
			return v*100 + rest, 1 + m
		}
		if u, one := r.tens(k + 1); m == 1 && one == 1 && u < 10 && r.follows(k+1) && !r.isNumberWord(k+2) {
			return v*100 + rest*10 + u, 3 // "one eight six"
		}
	}
	return v, n
}

// remainder adds "(and) twenty-one" to v.
func (r *text) remainder(i int, v float64, n int) (float64, int) {
	k := i + n
	if r.in(k, cue.And) && r.follows(k) {
		k++
	}
	if rest, m := r.tens(k); m > 0 && rest > 0 && r.follows(k) {
		return v + rest, k + m - i
	}
	return v, n
}

// tens reads 0 to 99 in words: "thirty-one", "treinta y uno".
func (r *text) tens(i int) (float64, int) {
	w := r.at(i)
	for _, ending := range r.lx.endings[cue.Roughly] {
		w = strings.TrimSuffix(w, ending) // "sevenish"
	}
	if v, ok := r.lx.value(w, cue.Ones); ok {
		return float64(v), 1
	}
	v, ok := r.lx.value(w, cue.Tens)
	if !ok {
		return 0, 0
	}
	k := i + 1
	if r.in(k, cue.AndOnes) && r.follows(k) {
		k++
	}
	if u, ok := r.value(k, cue.Ones); ok && u > 0 && u < 10 && r.follows(k) {
		return float64(v + u), k + 1 - i
	}
	return float64(v), 1
}

// fraction adds "and a half", "point five", "and three quarters".
func (r *text) fraction(i int, v float64, n int) (float64, int) {
	k := i + n
	if n == 0 || !r.follows(k) {
		return v, n
	}
	if r.in(k, cue.Point) {
		if u, ok := r.value(k+1, cue.Ones); ok && u < 10 {
			return v + float64(u)/10, n + 2
		}
		if d := r.at(k + 1); len(d) == 1 && isDigit(rune(d[0])) {
			return v + float64(d[0]-'0')/10, n + 2
		}
	}
	if m, part := r.match(k, cue.Fractions); m > 0 {
		return v + valueOf(part), n + m
	}
	return v, n
}

// isNumberWord reports whether a number could begin at i.
func (r *text) isNumberWord(i int) bool {
	_, n := r.number(i, false)
	return n > 0
}
