package model

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

var errPattern = errors.New("no text of the wanted length matches the pattern")

// fromPattern builds the plainest text that matches: first alternatives, fewest
// repetitions, or as many as the length demands.
func (s *schema) fromPattern(re *regexp.Regexp, said string) (string, error) {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return "", errPattern
	}
	tree = tree.Simplify()
	for extra := range 8 {
		var b strings.Builder
		b.Grow(32)
		sample(&b, tree, extra*extra*4)
		text := b.String()
		if missing := s.MinLength - len([]rune(text)); missing > 0 && re.MatchString(text+strings.Repeat("a", missing)) {
			text += strings.Repeat("a", missing)
		}
		if re.MatchString(text) && s.rightLength(text) {
			return text, nil
		}
	}
	if re.MatchString(said) && s.rightLength(said) {
		return said, nil
	}
	return "", errPattern
}

// maxSample bounds a sample, in bytes, against patterns with huge counts.
const maxSample = 20_000

// sample writes text that matches re, with so many extra rounds of each
// repetition.
func sample(b *strings.Builder, re *syntax.Regexp, extra int) {
	if b.Len() > maxSample {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(plainRune(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			sample(b, sub, extra)
		}
	case syntax.OpAlternate:
		sample(b, re.Sub[0], extra)
	case syntax.OpPlus:
		sample(b, re.Sub[0], 0)
		fallthrough
	case syntax.OpStar:
		for range extra {
			sample(b, re.Sub[0], 0)
		}
	case syntax.OpRepeat:
		for range re.Min {
			sample(b, re.Sub[0], extra)
		}
	default: // what is optional, or has no width, adds nothing
	}
}

// plainRune picks a readable rune of a class, which is a list of ranges.
func plainRune(ranges []rune) rune {
	for _, wanted := range []rune{'a', 'A', '1', '0', ' ', '-'} {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= wanted && wanted <= ranges[i+1] {
				return wanted
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
