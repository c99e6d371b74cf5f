package model

import (
	"strings"
	"testing"
)

func TestAboutPerson(t *testing.T) {
	t.Parallel()
	for say, want := range map[string]string{
		"My son Tom is in hospital.":            "Margaret's son Tom is in hospital.",
		"I love my garden.":                     "Margaret loves their garden.",
		"I've got a sore knee.":                 "Margaret has got a sore knee.",
		"I don't sleep well.":                   "Margaret doesn't sleep well.",
		"I was in Boston last week.":            "Margaret was in Boston last week.",
		"I worry about the stairs.":             "Margaret worries about the stairs.",
		"Susan visits me on Sundays, you know":  "Susan visits Margaret on Sundays, you know",
		"I was tired, so I was in bed by nine.": "Margaret was tired, so they were in bed by nine.",
		"My knees kept me and my sister home.":  "Margaret's knees kept them and their sister home.",
		"I've hurt myself, and I'm not glad.":   "Margaret has hurt themselves, and they are not glad.",
		"Margaret's son Tom rang me.":           "Margaret's son Tom rang them.",
		"Ruth and I do the crossword.":          "Ruth and Margaret do the crossword.",
		"Sewing is all I do.":                   "Sewing is all Margaret does.",
		"I taught the little ones.":             "Margaret taught the little ones.",
		"":                                      "",
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

// What makes sense only with the question before it is no fact.
func TestFactsAreOfTheLife(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"An eight, my dear, I have plenty of go in me.":              "",
		"A four, I would say.":                                       "",
		"About seven hours, I sleep like a log.":                     "",
		"Not bad, my knees hurt a little.":                           "",
		"Yes, I took my pills with my breakfast.":                    "",
		"Yes, this is Margaret. Yes, they kept me from the harbour.": "",
		"This is Margaret. It kept me from going to the harbour.":    "",
		"Yes, my son Tom is in hospital.":                            "Margaret's son Tom is in hospital.",
		"I grow roses in my garden, dear.":                           "Margaret grows roses in their garden.",
		"I'm going to the dentist on Monday.":                        "Margaret is going to the dentist on Monday.",
		"Two of my grandchildren came to see me.":                    "Two of Margaret's grandchildren came to see them.",
		"My cat Whiskers is ill. It eats no fish.":                   "Margaret's cat Whiskers is ill.|Margaret's cat Whiskers eats no fish.",
		"Hello my dear, how good of you to ring!":                    "",
		"My, look at the time, the soup is boiling.":                 "",
		"The weather is all fog and rain.":                           "",
	} {
		var got []string
		for _, f := range factsIn(readNumbered("The person is called Margaret.\n\nTRANSCRIPT\n[1] Person: " + line + "\n")) {
			got = append(got, f.Text)
		}
		if all := strings.Join(got, "|"); all != want {
			t.Errorf("%q: got %q, want %q", line, all, want)
		}
	}
}

// A person is no topic of their own talk.
func TestSummaryNamesNobodyAsTheirOwnTopic(t *testing.T) {
	t.Parallel()
	summed := func(user string) string {
		req := &chatRequest{SchemaName: "memory_summary", Messages: []message{{Role: "user", Content: user}}}
		var err error
		if req.Schema, err = parseSchema([]byte(`{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}`)); err != nil {
			t.Fatal(err)
		}
		text, _ := learned(req)
		return text
	}
	for in, want := range map[string]string{
		"The person is called Margaret.\n\nTRANSCRIPT\n[1] nAIber: Hello.\n[2] Person: Yes, this is Margaret. Margaret Ellis.\n":   `{"summary":"Margaret exchanged a few words."}`,
		"TRANSCRIPT\n[1] nAIber: Hello.\n[2] Person: Yes, this is Margaret. A four.\n[3] Person: My son Tom sent me a postcard.\n": `{"summary":"The person talked about their son Tom. The person's son Tom sent them a postcard."}`,
	} {
		if got := summed(in); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
