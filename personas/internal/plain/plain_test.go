package plain

import "testing"

func TestText(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"":                       "",
		"  Oh,  DEAR! ":          "oh dear",
		"I don’t — 'never' – go": "i don't never go",
		"It's 7:30":              "it's 7 30",
	} {
		if got := Text(said); got != want {
			t.Errorf("Text(%q) = %q, want %q", said, got, want)
		}
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, phrase string
		want         bool
	}{
		{"not now dear", "not now", true},
		{"not nowhere", "not now", false},
		{"stop", "stop", true},
		{"nonstop", "stop", false},
		{"", "stop", false},
	} {
		if got := Holds(tt.text, "never said", tt.phrase); got != tt.want {
			t.Errorf("Holds(%q, %q) = %v", tt.text, tt.phrase, got)
		}
	}
}
