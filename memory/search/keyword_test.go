package search

import (
	"slices"
	"testing"
)

func TestCallings(t *testing.T) {
	t.Parallel()
	got := callings("My best friend's dogs!")
	want := []string{"best", "best friend", "best friend dog", "best friend dogs", "dog", "dogs", "friend", "friend dog", "friend dogs", "my", "my best", "my best friend"}
	if !slices.Equal(got, want) {
		t.Errorf("callings %q, want %q", got, want)
	}
}
