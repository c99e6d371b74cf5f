package reader

import (
	"math"
	"strconv"
	"strings"
)

// keyParts replaces a * or # between two digits.
const keyParts = "*"

// keypad returns the keys in "[keypad: 7]", the form in which a turn contains them. Several of
// these in a row are joined. A * or # separates digits; before the first and after the last digit
// it is ignored.
func keypad(said string) (keys, quote string, ok bool) {
	rest := strings.TrimSpace(said)
	quote = rest
	for rest != "" {
		body, isKeypad := strings.CutPrefix(rest, "[keypad:")
		pressed, after, closed := strings.Cut(body, "]")
		if !isKeypad || !closed {
			return "", "", false
		}
		for _, c := range strings.TrimSpace(pressed) {
			switch {
			case isDigit(c):
				keys += string(c)
			case c == '*' || c == '#':
				keys += keyParts
			case c == ' ':
			default:
				return "", "", false
			}
		}
		rest, ok = strings.TrimSpace(after), true
	}
	return strings.Trim(keys, keyParts), quote, ok
}

// readKeys reads keys as an answer: digits for numbers, 0 for ten on a scale that starts at one, 1
// and 2 for yes and no, the place of an option, and hours or hours and minutes for a time.
// Separated keys can only be hours and minutes.
func readKeys(q Question, keys, quote string) Reading {
	unclear := Reading{Status: Unclear, Quote: quote, Why: "keys"}
	if hours, minutes, parted := strings.Cut(keys, keyParts); parted && q.Kind == Time && len(minutes) == 2 {
		keys = hours + minutes
	}
	n, err := strconv.Atoi(keys)
	if err != nil {
		return unclear
	}
	v := Value{Kind: q.Kind}
	var ok bool
	switch low, high, _ := q.bounds(); q.Kind {
	case Scale, Number:
		if q.Kind == Scale && keys == "0" && low > 0 && high == 10 {
			n = 10
		}
		v.Number = float64(n)
		ok = q.within(v.Number)
	case Boolean:
		v.Bool = keys == "1"
		ok = v.Bool || keys == "2"
	case Choice:
		if ok = n >= 1 && n <= len(q.Options); ok {
			v.Choice = q.Options[n-1].Value
		}
	case Time:
		var minutes float64
		minutes, ok = keyedTime(q, keys, n)
		v.Time = clock(minutes)
	default:
		ok = false
	}
	if !ok {
		return unclear
	}
	return Reading{Status: Keypad, Value: v, Confidence: 1, Quote: quote, Why: "keys"}
}

// keyedTime reads "7", "10", "630" and "2230" as minutes after midnight.
func keyedTime(q Question, keys string, n int) (float64, bool) {
	h, m := n, 0
	if len(keys) > 2 {
		h, m = n/100, n%100
	}
	if len(keys) > 4 || h > 23 || m > 59 {
		return 0, false
	}
	minutes := float64(h*60 + m)
	near, ok := clockOf(q.Near)
	switch {
	case len(keys) == 4 && keys[0] == '0' || h > 12 || h == 0 || !ok && len(keys) == 4:
		return minutes, true
	case !ok:
		return 0, false
	}
	return nearest(math.Mod(minutes, dayMinutes), near), true
}
