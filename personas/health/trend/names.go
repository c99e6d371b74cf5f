package trend

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// named is what a value is called: a choice in its own words, anything else as a
// number.
func (c Change) named(x float64) string {
	if name := c.Names[x]; name != "" {
		return "“" + name + "”"
	}
	below, above := "", ""
	for _, v := range slices.Sorted(maps.Keys(c.Names)) {
		switch {
		case v < x:
			below = c.Names[v]
		case above == "":
			above = c.Names[v]
		default:
		}
	}
	if below == "" || above == "" {
		return number(x)
	}
	return fmt.Sprintf("between “%s” and “%s”", below, above)
}

// span is a range from low to high, told once where the ends are the same choice.
func (c Change) span(low, high float64) string {
	if len(c.Names) > 0 && low == high {
		return c.named(low)
	}
	return strings.Join([]string{c.named(low), c.named(high)}, " to ")
}
