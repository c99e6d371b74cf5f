// Package quotedtest checks in tests that whatever a person says appears in a prompt as
// quoted speech.
package quotedtest

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/quoted"
)

// injections are attempts to be taken for instructions, one per line, quoted as Go strings.
// Each contains Canary.
//
//go:embed injections.txt
var injections string

// Canary is in every injection.
const Canary = "ZEBRA"

// Each builds a prompt with every injection and checks it: the injected words must be
// present, completely within fences, each on one line and after the label.
func Each(t *testing.T, prompt func(injected string) string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(injections) {
		text, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil || !strings.Contains(text, Canary) {
			t.Fatalf("line %d: %v", n+1, err)
		}
		n++
		got := prompt(text)
		before, after, labelled := strings.Cut(got, quoted.Label)
		if !labelled || strings.Contains(before, quoted.Open) {
			t.Errorf("injection %d: fences stand before their label, or it is missing: %.300q", n, got)
			continue
		}
		outside, inside, why := split(strings.ReplaceAll(after, quoted.Label, ""))
		switch {
		case why != "":
			t.Errorf("injection %d: %s: %.600q", n, why, after)
		case strings.Contains(strings.ToUpper(before+outside), Canary):
			t.Errorf("injection %d stands outside of a fence: %.600q", n, after)
		case !strings.Contains(inside, Canary):
			t.Errorf("injection %d is not in the prompt: %.600q", n, after)
		}
	}
	if n < 100 {
		t.Errorf("%d injections", n)
	}
}

// split returns the parts of a prompt inside and outside of fences; why is an error, or "".
func split(prompt string) (outside, inside, why string) {
	var out, in strings.Builder
	open := false
	for _, r := range prompt {
		switch c := string(r); {
		case c == quoted.Open && open:
			return "", "", "a fence opens within a fence"
		case c == quoted.Close && !open:
			return "", "", "a fence closes that was not open"
		case c == quoted.Open, c == quoted.Close:
			open = !open
		case open && (r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'):
			return "", "", "a fence goes over a line"
		case open:
			in.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	if open {
		return "", "", "a fence stays open"
	}
	return out.String(), in.String(), ""
}
