package search

import (
	"testing"

	"github.com/google/uuid"
)

func TestFuse(t *testing.T) {
	t.Parallel()
	a, b, c := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	words, meaning := []uuid.UUID{a, b}, []uuid.UUID{b, c}
	for name, row := range map[string]struct {
		words, meaning float64
		want           []uuid.UUID
	}{
		"found twice is best":        {1, 1, []uuid.UUID{b, a, c}},
		"the heavier list leads":     {1, 3, []uuid.UUID{b, c, a}},
		"a list without weight":      {1, 0, []uuid.UUID{a, b}},
		"the other one":              {0, 1, []uuid.UUID{b, c}},
		"a first place outweighs it": {1, 0.01, []uuid.UUID{a, b, c}},
	} {
		var got []uuid.UUID
		for _, r := range fuse(60, list{ListKeyword, row.words, words}, list{ListVector, row.meaning, meaning}) {
			got = append(got, r.id)
		}
		if len(got) != len(row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
			continue
		}
		for i := range got {
			if got[i] != row.want[i] {
				t.Errorf("%s: %v, want %v", name, got, row.want)
				break
			}
		}
	}
	if got := fuse(60, list{ListKeyword, 1, words})[0].score; got != 1.0/61 {
		t.Errorf("first of one list: %v, want 1/61", got)
	}
}
