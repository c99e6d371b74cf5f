package model

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const transcript = `The person is called Margaret. The call was on Tuesday.

TRANSCRIPT
[1] nAIber: How is Tom? I'll ask how he is getting on.
[2] Person: Well, my son Tom is in hospital.
[3] nAIber: Oh dear.
[4] Person: He broke his hip. Don't mention my brother. I take warfarin for my heart.
[5] Person: A four, I would say. Yes, this is Margaret. My cat Whiskers is "fourteen".
[6] Person: I have an appointment with the optician on Friday.
`

func TestForms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"memory_facts": {
			`"text":"My son Tom is in hospital. He broke his hip."`, `"turns":[2,4]`, `"kind":"health"`, `"text":"I take warfarin for my heart."`,
			`"text":"My cat Whiskers is \"fourteen\"."`, `"kind":"pet"`, `"kind":"plan"`,
		},
		"memory_names": {
			`"name":"Tom"`, `"aliases":["son Tom"]`, `"kind":"pet"`, `"name":"warfarin"`, `"label":"takes"`, `"label":"son"`,
		},
		"memory_promises": {`"text":"how he is getting on"`, `"kind":"follow_up"`, `"kind":"appointment"`},
		"memory_summary":  {`"summary":"Margaret talked about `, "son Tom", "In their own words: My son Tom is in hospital. He broke his hip."},
		"call_topics":     {`"label":"son Tom"`, `"label":"cat Whiskers"`, `"mentions":1`},
		"memory_topic":    {`"topic":"cat Whiskers"`},
	} {
		got := compact(t, fill(name, nil, []message{{Role: "user", Content: transcript}}))
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %s lacks %s", name, got, part)
			}
		}
		for _, no := range []string{"brother", "four,", "this is Margaret"} {
			if strings.Contains(got, no) {
				t.Errorf("%s: %s has %s", name, got, no)
			}
		}
	}
	for name, want := range map[string]string{
		"memory_facts": `{"facts":[]}`, "memory_names": `{"entities":[],"relations":[]}`, "memory_promises": `{"promises":[]}`, "call_topics": `{"topics":[]}`,
		"memory_revision": `{"verdicts":[]}`, "memory_topic": `{"topic":""}`, "memory_summary": `{"summary":"The person exchanged a few words."}`,
	} {
		if got := compact(t, fill(name, nil, []message{{Role: "user", Content: "TRANSCRIPT\n[1] Person: Hello.\n"}})); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A summary goes on from the one before, of which headings are no part.
func TestSummariesGoOn(t *testing.T) {
	t.Parallel()
	record := "The person is called Margaret.\n\nSUMMARY SO FAR\nConversation Daughter Anna visits:\nShe bakes.\n\nTRANSCRIPT\n[1] Person: Hello.\n"
	got := compact(t, fill("memory_summary", nil, []message{{Role: "user", Content: record}}))
	if want := `{"summary":"She bakes. Margaret exchanged a few words."}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A topic is somebody or something: what is talked about is no verb.
func TestTopicsAreNouns(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"I fell in the hall, and my neighbour found me.":  "Margaret talked about a fall, a neighbour.",
		"I could not sleep, and I felt so alone and sad.": "Margaret talked about loneliness, sadness, sleep.",
		"My knees hurt when I danced.":                    "Margaret talked about knees, pain, dancing.",
		"I forgot my pills.":                              "Margaret talked about forgetting things, pills.",
	} {
		record := "The person is called Margaret.\n\nTRANSCRIPT\n[1] Person: " + line + "\n"
		got := compact(t, fill("memory_summary", nil, []message{{Role: "user", Content: record}}))
		if !strings.Contains(got, want) {
			t.Errorf("%q: got %s, want %q", line, got, want)
		}
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out.String()
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	got := record{Text: "The person is called Margaret.\n\nNEW 2: Tom came home (4 November 2026)\n  OLD 1: My son Tom is in hospital (3 November 2026)\n" +
		"  OLD 2: I grow roses (3 November 2026)\n\nNEW 3: I grow roses (4 November 2026)\n  OLD 2: I grow roses (3 November 2026)\n"}.Verdicts()
	if len(got) != 2 || got[0].Verdict != "DELETE" || got[0].New != 2 || len(got[0].Old) != 1 || got[0].Old[0] != 1 || got[1].Verdict != "PASS" || got[1].Old[0] != 2 {
		t.Errorf("got %+v", got)
	}
}

// What is true only with the question before it is no fact, nor is small talk.
func TestFactsAreOfTheLife(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"An eight, my dear, I have plenty of go in me.":           "",
		"A four, I would say.":                                    "",
		"Not bad, my knees hurt a little.":                        "",
		"This is Margaret. It kept me from going to the harbour.": "",
		"Yes, my son Tom is in hospital.":                         "My son Tom is in hospital.",
		"I grow roses in my garden, dear.":                        "I grow roses in my garden.",
		"Two of my grandchildren came to see me.":                 "Two of my grandchildren came to see me.",
		"My cat Whiskers is ill. It eats no fish.":                "My cat Whiskers is ill. It eats no fish.",
		"Hello my dear, how good of you to ring!":                 "",
		"My, look at the time, the soup is boiling.":              "",
		"The weather is all fog and rain.":                        "",
	} {
		var got []string
		for _, f := range readRecord("[1] Person: " + line + "\n").Facts() {
			got = append(got, f.Text)
		}
		if all := strings.Join(got, "|"); all != want {
			t.Errorf("%q: got %q, want %q", line, all, want)
		}
	}
}

// A schema that has no form yet is answered with what fits it and says nothing.
func TestUnknownSchemasAreAnsweredBlank(t *testing.T) {
	t.Parallel()
	var s schema
	raw := `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]},"c":{"type":"array","items":{"type":"string"}},` +
		`"d":{"type":"string","enum":["x","y"]},"e":{"type":"number","minimum":2},"f":{"type":"boolean"}},"required":["a","b","c","d","e","f"],"additionalProperties":false}`
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		t.Fatal(err)
	}
	if got, want := fill("new_persona", &s, nil), `{"a":"","b":null,"c":[],"d":"y","e":2,"f":false}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !s.strict() {
		t.Error("a strict schema is refused")
	}
}

// A summary of a council's rounds is what its moderator said last.
func TestRoundsAreSummedUp(t *testing.T) {
	t.Parallel()
	system := "Sum up these rounds of a care council in at most ten sentences."
	if got := replyTo(system, "", "Round 1\nanalyzer: Well.\nmoderator: Old.\n\nRound 2\nsolver: Rest.\nmoderator: The sleep deserves attention [A1]."); got != "The sleep deserves attention [A1]." {
		t.Errorf("got %q", got)
	}
}

// What is wrong with an appliance is taken down in the person's words; numbers and
// addresses are left to rules.
func TestSymptomsAreInTheirWords(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"My dishwasher won’t start, and it makes a dreadful grinding noise.": `["won’t start","grinding noise"]`,
		"It does not drain and the dishes are still dirty.":                  `["does not drain","still dirty"]`,
		"There's a puddle under it, and the door won't latch.":               `["puddle","door won't latch"]`,
		"The number is KDW482SS, mail it to ann@example.org.":                `[]`,
		"No, it starts fine.": `[]`,
	} {
		got := compact(t, fill("appliance_extraction", nil, []message{{Role: "user", Content: said}}))
		if whole := `{"model":null,"part":null,"symptoms":` + want + `,"goal":null,"email":null,"danger":null}`; got != whole {
			t.Errorf("%q: got %s, want %s", said, got, whole)
		}
	}
}

// The appliance helper's sentence is said as its rules have decided on it.
func TestApplianceSentencesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, say := range []string{
		"KP3406971 fits the KDW482SS. I have sent you the video.", "I could not find a K D W 4 8 2 F S: is it K D W 4 8 2 S S?",
		"These could help:\n1. Control Board (KP3406971), $249.99\n2. Door Latch",
	} {
		system := "You help somebody with a household appliance.\nAt most two sentences. Use nothing but SAY or FACTS.\n\nSAY: " + say + "\nFACTS:\n- Dishwasher"
		for _, said := range []string{"Yes.", "Goodbye.", "My knee hurts, and I am so alone.", ""} {
			if got := replyTo(system, say, said); got != say {
				t.Errorf("%q: got %q, want %q", said, got, say)
			}
		}
	}
	facts := "Here is what we found out.\n\n## Your appliance\n- Model: KDW482SS"
	if got := replyTo("You write the summary of a conversation about a household appliance, in English.\n\nFACTS:\n"+facts+"\n", "", "user: My KDW482SS is broken.\n"); got != facts {
		t.Errorf("the summary is %q, want %q", got, facts)
	}
}
