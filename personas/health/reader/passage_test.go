package reader

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPassages(t *testing.T) {
	t.Parallel()
	energy := Question{Kind: Scale, Min: 1, Max: 10, Topic: []string{"energy"}}
	pills := Question{Kind: Boolean, Topic: []string{"pills", "tablets"}}
	appetite := Question{Kind: Choice, Topic: []string{"appetite"}, Options: []Option{{Value: "poor", Words: []string{"off my food"}}}}
	glasses := Question{Kind: Number, Max: 20, Unit: "glasses"}
	weight := Question{Kind: Number, Min: 25, Max: 600}
	meal := Question{Kind: Time}
	for _, tt := range []struct {
		name, said, quote string
		q                 Question
		want              []Passage
	}{
		{"not said", "call it six", "seven", energy, nil},
		{"nothing", "call it six", "", energy, nil},
		{"a number", "Call it SEVEN, my dear.", "it seven", energy, []Passage{{Quote: "it SEVEN", Numbers: []float64{7}, Counted: true}}},
		{"said twice, and corrected", "Four today, no wait, it was six. Four!", "four", energy, []Passage{{Quote: "Four", Counted: true}, {Quote: "Four", Numbers: []float64{4}, Counted: true}}},
		{"denied", "it is not a seven", "a seven", energy, []Passage{{Quote: "a seven", Counted: true, Denied: true}}},
		{"denied in another clause", "I am not well, but a seven", "a seven", energy, []Passage{{Quote: "a seven", Numbers: []float64{7}, Counted: true}}},
		{"a part of a number", "seventy five", "five", energy, []Passage{{Quote: "five"}}},
		{"a share of another scale", "two out of five", "two out of five", energy, []Passage{{Quote: "two out of five", Numbers: []float64{4}, Counted: true}}},
		{"misheard by itself", "about fore", "fore", energy, []Passage{{Quote: "fore", Numbers: []float64{4}}}},
		{"the same word in others", "they came for tea", "for tea", energy, []Passage{{Quote: "for tea", Others: true}}},
		{"a unit of something else", "slept six hours", "six", energy, []Passage{{Quote: "six", Counted: true}}},
		{"somebody else's", "my son says eight", "eight", energy, []Passage{{Quote: "eight", Counted: true, Others: true}}},
		{"an amount", "half a dozen glasses", "half a dozen", glasses, []Passage{{Quote: "half a dozen"}}},
		{"an amount with its unit", "half a dozen glasses", "half a dozen glasses", glasses, []Passage{{Quote: "half a dozen glasses", Numbers: []float64{6}, Counted: true}}},
		{"none", "none so far", "none", glasses, []Passage{{Quote: "none", Numbers: []float64{0}, Counted: true}}},
		{"hundreds", "a hundred and forty pounds", "a hundred and forty pounds", weight, []Passage{{Quote: "a hundred and forty pounds", Numbers: []float64{140}, Counted: true}}},
		{"an hour by its name", "it was noon", "noon", meal, []Passage{{Quote: "noon", Numbers: []float64{12}, Counted: true}}},
		{"a topic, of somebody else", "her tablets went down", "her tablets", pills, []Passage{{Quote: "her tablets", Named: true, Others: true}}},
		{"of another day", "the tablets went down yesterday", "tablets", pills, []Passage{{Quote: "tablets", Named: true, Past: true}}},
		{"of oneself", "I never got them down", "I never got them", pills, []Passage{{Quote: "I never got them", Mine: true, Denies: true}}},
		{"an option", "quite off my food, I am", "off my food", appetite, []Passage{{Quote: "off my food", Named: true, Option: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Passages(tt.q, tt.said, tt.quote, Context{})); diff != "" {
				t.Errorf("%q in %q:\n%s", tt.quote, tt.said, diff)
			}
		})
	}
}
