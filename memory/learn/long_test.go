package learn

import (
	"strings"
	"testing"
)

// A line that is longer than memory takes keeps nothing else from being learned.
func TestVeryLongLineIsLearnedFrom(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.call(t, tuesday, strings.Repeat("My garden is large. ", 4000), "Tom lives in Lisbon.")
	h.learn(t, c)
	kept := h.column(t, "select text from memory_turns order by seq")
	if len(kept) != 2 || !strings.HasPrefix(kept[0], "My garden is large.") || kept[1] != "Tom lives in Lisbon." {
		t.Errorf("%d turns are kept: %.80q", len(kept), kept)
	}
}
