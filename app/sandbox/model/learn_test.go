package model

import "testing"

func TestAboutPerson(t *testing.T) {
	t.Parallel()
	for say, want := range map[string]string{
		"My son Tom is in hospital.":           "Margaret's son Tom is in hospital.",
		"I love my garden.":                    "Margaret loves Margaret's garden.",
		"I've got a sore knee.":                "Margaret has got a sore knee.",
		"I don't sleep well.":                  "Margaret doesn't sleep well.",
		"I was in Boston last week.":           "Margaret was in Boston last week.",
		"I worry about the stairs.":            "Margaret worries about the stairs.",
		"Susan visits me on Sundays, you know": "Susan visits Margaret on Sundays, you know",
		"":                                     "",
	} {
		if got := aboutPerson(say, "Margaret"); got != want {
			t.Errorf("%q: got %q, want %q", say, got, want)
		}
	}
}

func TestFactsInNameTheirLines(t *testing.T) {
	t.Parallel()
	facts := factsIn(readNumbered("The person is called Margaret. The call was on Tuesday.\n\nTRANSCRIPT\n" +
		"[1] nAIber: How is Tom?\n[2] Person: Well, my son Tom is in hospital.\n[3] nAIber: Oh dear.\n[4] Person: He broke his hip. Don't mention my brother.\n"))
	want := []struct {
		text  string
		turns []int
	}{{"Margaret's son Tom is in hospital.", []int{2}}, {"Margaret's son Tom broke his hip.", []int{2, 4}}}
	if len(facts) != len(want) {
		t.Fatalf("facts: %+v", facts)
	}
	for i, w := range want {
		if facts[i].Text != w.text || len(facts[i].Turns) != len(w.turns) || facts[i].Turns[0] != w.turns[0] {
			t.Errorf("got %+v, want %+v", facts[i], w)
		}
	}
}

func TestVerdictsIn(t *testing.T) {
	t.Parallel()
	got := verdictsIn("The person is called Margaret.\n\nNEW 2: Tom came home (4 November 2026)\n  OLD 1: Margaret's son Tom is in hospital (3 November 2026)\n" +
		"  OLD 2: Margaret grows roses (3 November 2026)\n\nNEW 3: Margaret grows roses (4 November 2026)\n  OLD 2: Margaret grows roses (3 November 2026)\n")
	if len(got) != 2 || got[0].Verdict != "DELETE" || got[0].New != 2 || len(got[0].Old) != 1 || got[0].Old[0] != 1 || got[1].Verdict != "PASS" || got[1].Old[0] != 2 {
		t.Errorf("got %+v", got)
	}
}
