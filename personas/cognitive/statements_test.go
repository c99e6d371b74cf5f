package cognitive_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// forbidden is what is never said in a check: a verdict on an answer, a figure, a
// diagnosis, a comparison.
var forbidden = regexp.MustCompile(`(?i)\b(?:right|wrong|correct\w*|incorrect\w*|(?:an?|your|no|\w+) mistakes|a mistake|errors?|well done|good job|great job|very good|excellent|` +
	`perfect\w*|brilliant|clever|impressive|scor\w+|points?|marks?|results?|tests?|exams?|quiz|pass|passed|fail\w*|succe\w+|` +
	`normal\w*|abnormal|dementia|alzheimer\w*|memory (?:loss|problems?)|forgetful\w*|impair\w*|diagnos\w*|disease|disorder|declin\w*|deteriorat\w*|` +
	`worse|worsen\w*|improv\w*|better than|fewer than|more than|less than|than (?:others|most|average|last time|before|usual)|average|` +
	`other people|others do|most people|for your age|everyone else|per ?cent\w*|out of (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)|\d+)\b`)

// sayable are the sentences that the persona can say, by where they come from.
func sayable(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, err := filepath.Glob("words/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.Contains(file, "phrases") { // what people say
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var lists map[string][]string
		if err := yaml.Unmarshal(data, &lists); err != nil {
			t.Fatal(err)
		}
		for name, list := range lists {
			for _, s := range list {
				all[file+" "+name+": "+s] = s
			}
		}
	}
	for _, k := range library(t).Tasks("en") {
		all[k.ID+" lead: "+k.Lead] = k.Lead
		for _, f := range k.Forms {
			for _, it := range f.Items {
				for _, s := range []string{it.Say, it.Repeat} {
					all[k.ID+" "+f.ID+" "+it.ID+": "+s] = s
				}
			}
		}
	}
	openings, err := filepath.Glob("../../telephony/prompts/text/cognitive/purpose*.txt")
	if err != nil || len(openings) == 0 {
		t.Fatalf("no opening: %v", err)
	}
	for _, file := range openings {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = string(data)
	}
	return all
}

// Nothing that the persona can say tells how an answer went, gives a figure, diagnoses or
// compares.
func TestNoStatementIsForbidden(t *testing.T) {
	t.Parallel()
	all := sayable(t)
	if len(all) < 200 {
		t.Fatalf("only %d sentences were gathered", len(all))
	}
	for where, s := range all {
		if found := forbidden.FindAllString(s, -1); len(found) > 0 {
			t.Errorf("%s\nholds %q", where, found)
		}
	}
}

// The list finds what it is to find.
func TestForbiddenStatementsAreFound(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"That is right.", "I'm afraid that was wrong.", "Correct!", "Well done!", "You have 5 of 6.", "Your score was lower.", "The test is over.",
		"That is perfectly normal.", "It may be dementia.", "You did better than last time.", "Better than most people of your age.", "You passed.",
		"Your memory has declined.", "That is worse than before.", "You had four out of six.", "That was very good.",
	} {
		if !forbidden.MatchString(s) {
			t.Errorf("%q is not found", s)
		}
	}
}
