// Package quotedtest checks prompts: what somebody says must stand in them as
// quoted speech, whatever it is. It is for tests.
package quotedtest

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/quoted"
)

// injections are attempts to be taken for instructions, one a line, as Go quotes
// strings. Each says Canary.
//
//go:embed injections.txt
var injections string

// Canary is in every injection.
const Canary = "ZEBRA"

// Each builds a prompt with every injection and checks it: the injected words are
// there, wholly within fences, which stand on one line each, after the label.
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

// split parts a prompt into what stands in fences and what does not.
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
