package model

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// talkOf builds a history: the system prompt, then turns of the companion and
// the person by turns, the companion first.
func talkOf(system string, turns ...string) []message {
	out := []message{{Role: "system", Content: system}}
	for i, t := range turns {
		role := "assistant"
		if i%2 == 1 {
			role = "user"
		}
		out = append(out, message{Role: role, Content: t})
	}
	return out
}

const howAreYou = "Hello Margaret, this is nAIber. How are you today?"

func TestReplyReactsToWhatWasSaid(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, said string
		anyOf      []string
		question   bool
	}{
		{"family", "My daughter Helen is coming on Sunday.", []string{"Helen", "family"}, true},
		{"pet", "My cat Whiskers caught a moth.", []string{"Whiskers"}, true},
		{"garden", "The roses are out at last.", theTalk().Subjects["garden"].React, true},
		{"pain", "My knee hurts badly on the stairs.", append(theTalk().Subjects["health"].Sorry, theTalk().Sorry...), true},
		{"sleep", "I was awake the whole night.", append(theTalk().Subjects["sleep"].Sorry, theTalk().Sorry...), true},
		{"loneliness", "I feel so alone here.", theTalk().Subjects["lonely"].React, true},
		{"grief", "My husband died in the spring.", append(theTalk().Subjects["sad"].React, theTalk().Subjects["spouse"].React...), true},
		{"greeting", "Hello there!", append(theTalk().Greetings, "Hello"), true},
		{"thanks", "Thank you, dear.", theTalk().Thanks, true},
		{"goodbye", "Well, I have to go now. Goodbye!", []string{"oodbye", "Bye", "Take care"}, false},
		{"a person?", "Are you a real person?", theTalk().Identity, true},
		{"who?", "Who is this?", []string{"nAIber"}, true},
		{"medicine advice", "Should I take two pills?", theTalk().Advice, true},
		{"wrong person", "No, she's not here, I'm her neighbour.", theTalk().WrongPerson, false},
		{"crisis", "I don't want to live any more.", theTalk().Crisis, false},
		{"pardon", "Pardon?", []string{"How are you today?", "how are you today?"}, true},
		{"silence", "...", theTalk().Silence, false},
		{"scam", "Is this a scam?", theTalk().NoMoney, true},
		{"a topic to leave alone", "Please don't mention my brother or my sister.", theTalk().Hushed, true},
		{"a wish to forget", "Could you forget what I said about my brother, please?", theTalk().Hushed, true},
		{"who never talks of it wishes nothing", "I love my garden, and I never talk about anything else.", theTalk().Subjects["garden"].React, true},
		{"a good night is no goodbye", "I had a good night.", theTalk().Subjects["sleep"].React, true},
		{"go to the doctor is no goodbye", "I have to go to the doctor on Monday.", theTalk().Subjects["doctor"].React, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := reply(talkOf("You are nAIber.", howAreYou, tt.said))
			found := false
			for _, want := range tt.anyOf {
				found = found || strings.Contains(got, want)
			}
			if !found {
				t.Errorf("%q got %q, want any of %q", tt.said, got, tt.anyOf)
			}
			if tt.question && strings.Count(got, "?") != 1 {
				t.Errorf("%q got %q, want one question", tt.said, got)
			}
			if again := reply(talkOf("You are nAIber.", howAreYou, tt.said)); again != got {
				t.Errorf("the same turn got %q and %q", got, again)
			}
			if first := sentencesOf(got)[0]; len(strings.Fields(first)) > 16 {
				t.Errorf("the first sentence is long: %q", first)
			}
		})
	}
}

func TestReplyOpensAndFollowsSilence(t *testing.T) {
	t.Parallel()
	if got := reply([]message{{Role: "system", Content: "You are talking to Margaret."}}); !strings.Contains(got, "nAIber") {
		t.Errorf("the opening is %q", got)
	}
	if got := reply(talkOf("", howAreYou)); got == "" || got == howAreYou {
		t.Errorf("after silence it says %q", got)
	}
}

// The worst talker says the same thing, or nothing much, for sixty turns.
func TestReplyNeverSaysASentenceTwice(t *testing.T) {
	t.Parallel()
	said := [][]string{
		{"My daughter Helen is coming on Sunday."},
		{"Yes.", "No.", "Mm."},
		{"Pardon?"},
		{"..."},
		{"My knee hurts.", "Are you a robot?", "Goodbye.", "Thank you.", "What did I tell you about my knee?", "Hello", "Should I take two pills?", "My cat Whiskers is ill."},
		{"Goodbye."},
	}
	for i, turns := range said {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			history := talkOf("You are talking to Margaret.\n\nRELEVANT MEMORIES\n- Her knee was operated on in May.\n- My cat Whiskers is fourteen.", howAreYou)
			seen := map[string]string{}
			for n := range 60 {
				history = append(history, message{Role: "user", Content: turns[n%len(turns)]})
				got := reply(history)
				if strings.TrimSpace(got) == "" {
					t.Fatalf("turn %d is empty", n)
				}
				for _, s := range sentencesOf(got) {
					if before, ok := seen[bare(s)]; ok {
						t.Fatalf("turn %d, %q: %q was said before, in %q", n, turns[n%len(turns)], s, before)
					}
					seen[bare(s)] = got
				}
				history = append(history, message{Role: "assistant", Content: got})
			}
		})
	}
}

func TestReplyUsesTheMemoryThatFits(t *testing.T) {
	t.Parallel()
	const system = `You are nAIber. You are talking to Margaret.

RELEVANT MEMORIES
Use one of these where it fits, never all of them.
- [2026-03-01] Margaret's daughter Helen lives in Gander.
- 2026-03-04: My roses won a prize at the fair. (score 0.71)
- Conditions: diabetes

STYLE
- Be brief.`
	tests := []struct{ said, want string }{
		{"My daughter rang me last night.", "your daughter Helen lives in Gander"},
		{"The roses in my garden are blooming.", "your roses won a prize at the fair"},
	}
	for _, tt := range tests {
		if got := reply(talkOf(system, howAreYou, tt.said)); !strings.Contains(got, tt.want) {
			t.Errorf("%q got %q, want %q in it", tt.said, got, tt.want)
		}
	}
	got := reply(talkOf(system, howAreYou, "The weather is dreadful, all rain."))
	for _, not := range []string{"Gander", "prize", "diabetes", "brief"} {
		if strings.Contains(got, not) {
			t.Errorf("the weather brought up %q: %q", not, got)
		}
	}
	first := reply(talkOf(system, howAreYou, tests[0].said))
	second := reply(talkOf(system, howAreYou, tests[0].said, first, "Yes, my daughter is a good girl."))
	if strings.Contains(second, "Gander") {
		t.Errorf("the memory came twice: %q, then %q", first, second)
	}
}

// The prompt of the house, shortened: nothing in it but the memories and the
// name may be spoken of, and its hint of a goodbye is taken.
const housePrompt = `You are Naiber, a telephone companion for older people. You are on the telephone now with Walter Brandt, who likes to be called Walt.

WHAT YOU MUST NOT DO
- If somebody other than Walt is on the line, be polite and tell them nothing about Walt.

WHAT IS KNOWN ABOUT Walt
Health: stroke two years ago
People close to them:
- Tom Brandt, son

WHAT YOU REMEMBER
- Walter Brandt's son Tom works the farm.

RELEVANT MEMORIES
- My dog Rex is ill.


The person spoke while you were still speaking; the end of your last words was not heard. Answer what they said now.`

func TestReplyReadsTheHousePrompt(t *testing.T) {
	t.Parallel()
	if got, want := strings.Join(memoriesIn(housePrompt), "|"), "My dog Rex is ill.|Walter Brandt's son Tom works the farm."; got != want {
		t.Errorf("the memories are %q, want %q", got, want)
	}
	if got := strings.Join(personNames(housePrompt), "|"); got != "Walt|Walter" {
		t.Errorf("the names are %q", got)
	}
	if got := reply(talkOf(housePrompt, howAreYou, "My dog is on the porch.")); !strings.Contains(got, "your dog Rex is ill") {
		t.Errorf("got %q, want the dog in it", got)
	}
	if got := reply(talkOf(housePrompt, howAreYou, "My son drives the tractor on the farm.")); !strings.Contains(got, "your son Tom works the farm") {
		t.Errorf("got %q, want the farm in it", got)
	}
	got := reply(talkOf(housePrompt+"\n\nThe person is saying goodbye. Ask nothing.", howAreYou, "That will do for today."))
	if strings.Contains(got, "?") || !isGoodbye(got) && !strings.Contains(got, "Take care") {
		t.Errorf("a goodbye got %q", got)
	}
}

func TestReplyRecallsWhatItWasTold(t *testing.T) {
	t.Parallel()
	history := talkOf("You are nAIber.\n\nRELEVANT MEMORIES:\n- Margaret likes lemon cake best.", howAreYou,
		"My son Tom bought a new tractor.", "Well, well. What is on your mind today?", "What did I tell you about my son?")
	if got := reply(history); !strings.Contains(got, "your son Tom bought a new tractor") {
		t.Errorf("got %q", got)
	}
	history[len(history)-1].Content = "Do you remember my submarine?"
	if got := reply(history); strings.Contains(got, "tractor") {
		t.Errorf("got %q, want that it does not know", got)
	}
}

func TestReplyGoesOnWhereItWasCut(t *testing.T) {
	t.Parallel()
	history := talkOf("You are nAIber.", howAreYou, "My daughter Helen is coming on Sunday.")
	whole := reply(history)
	cut := tokensOf(whole)
	at := len(cut) / 2
	go1 := append(slices.Clone(history), message{Role: "assistant", Content: strings.Join(cut[:at], "")}, message{Role: "user", Content: "Continue exactly where you stopped."})
	rest := speak(go1)
	if got := strings.Join(cut[:at], "") + rest; got != whole {
		t.Errorf("got %q, want %q", got, whole)
	}
	part := strings.Join(tokensOf(rest)[:2], "")
	go2 := append(slices.Clone(go1), message{Role: "assistant", Content: part}, message{Role: "system", Content: "Go on."})
	if got := strings.Join(cut[:at], "") + part + speak(go2); got != whole {
		t.Errorf("the second time got %q, want %q", got, whole)
	}
}

func TestReplyAsksWhatItIsToldToAsk(t *testing.T) {
	t.Parallel()
	const want = "How would you rate your energy, from one to ten?"
	got := reply(talkOf("You ask health questions.\nAsk this: \""+want+"\"", howAreYou, "I took them all."))
	if !strings.HasSuffix(got, want) || got == want {
		t.Errorf("got %q", got)
	}
}

func TestSecondPerson(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in, want string
		about    bool
	}{
		{"My daughter Helen visits on Sundays.", "your daughter Helen visits on Sundays", true},
		{"I was a teacher and I miss my pupils.", "you was a teacher and you miss your pupils", true},
		{"Margaret's daughter Helen visits.", "your daughter Helen visits", true},
		{"Margaret likes tea.", "you like tea", true},
		{"She has two cats and her knees hurt.", "you have two cats and your knees hurt", true},
		{"Margaret Ellis worries about money.", "you worry about money", true},
		{"Margaret loves their garden, and they are proud of it.", "you love your garden, and you are proud of it", true},
		{"My cat hurt her paw.", "your cat hurt her paw", true},
		{"We farmed wheat.", "you farmed wheat", true},
		{"The roses won a prize.", "The roses won a prize", false},
		{"", "", false},
	}
	// "I was" becomes "you were": the verb after the subject follows it.
	tests[1].want = "you were a teacher and you miss your pupils"
	for _, tt := range tests {
		if got, about := secondPerson(tt.in, []string{"Margaret"}); got != tt.want || about != tt.about {
			t.Errorf("secondPerson(%q) = %q, %v; want %q, %v", tt.in, got, about, tt.want, tt.about)
		}
	}
}

func TestNamesIn(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"My daughter Helen is coming.":           "daughter Helen",
		"Helen, my daughter, is coming.":         "daughter Helen",
		"My son is called Tom.":                  "son Tom",
		"our cat, Whiskers, sleeps":              "cat Whiskers",
		"I like Glenn Miller.":                   "Glenn Miller",
		"Dr. Walsh wants to see me on Monday.":   "Dr. Walsh",
		"I saw Peter and Ruth in March.":         "Peter, Ruth",
		"The weather is bad. Yes, it is.":        "",
		"Biscuit is my dog.":                     "dog Biscuit",
		"My neighbour Ruth and my friend Helen.": "neighbour Ruth, friend Helen",
		"I THINK IT IS FINE":                     "",
	}
	for text, want := range tests {
		var got []string
		for _, n := range namesIn(text) {
			got = append(got, n.label())
		}
		if joined := strings.Join(got, ", "); joined != want {
			t.Errorf("namesIn(%q) = %q, want %q", text, joined, want)
		}
	}
}

func TestPersonNames(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"You are talking to Margaret. Be kind.":                   "Margaret",
		"You are speaking with Margaret Ellis.":                   "Margaret",
		"Name: Walter Brandt\nPreferred name: Walt\n":             "Walt",
		"- Name: Rosa Delgado\n- Likes to be called: Doña Rosa\n": "Doña Rosa",
		"You speak with an elderly person.":                       "",
		"You are talking to The person.":                          "",
	}
	for system, want := range tests {
		if got := preferredName(system); got != want {
			t.Errorf("preferredName(%q) = %q, want %q", system, got, want)
		}
	}
}

func TestTalkIsWellFormed(t *testing.T) {
	t.Parallel()
	talk, err := parseTalk(talkYAML)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range talk.Subjects {
		if len(s.React) == 0 || len(s.Ask) < 3 {
			t.Errorf("%s has %d reactions and %d questions", name, len(s.React), len(s.Ask))
		}
		for _, q := range s.Ask {
			if strings.Count(q, "?") != 1 || !strings.HasSuffix(q, "?") {
				t.Errorf("%s asks %q", name, q)
			}
		}
	}
	categories := map[string]bool{}
	for _, senses := range theLexicon().words {
		for _, s := range senses {
			categories[s.category] = true
		}
	}
	for c := range categories {
		if other, ok := standsFor[c]; ok {
			c = other
		}
		if _, ok := talk.Subjects[c]; !ok && c != "day" && c != "happy" {
			t.Errorf("nothing can be said about %q", c)
		}
	}
	if _, err := parseTalk("openings: [a]\nnosuch: [b]\n"); err == nil {
		t.Error("an unknown key was accepted")
	}
}

func TestSentencesOf(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"One. Two! Three?":            "One.|Two!|Three?",
		"Dr. Walsh came. He sat.":     "Dr. Walsh came.|He sat.",
		"It was 7.5 today... I think": "It was 7.5 today...|I think",
		"a\nb":                        "a|b",
		"":                            "",
		"\"Stop.\" he said.":          "\"Stop.\"|he said.",
	}
	for in, want := range tests {
		if got := strings.Join(sentencesOf(in), "|"); got != want {
			t.Errorf("sentencesOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add("You are talking to Margaret.\nRELEVANT MEMORIES\n- x", "My cat Whiskers died.", "ok?")
	f.Add("", "", "…")
	f.Fuzz(func(t *testing.T, system, first, second string) {
		history := talkOf(system, howAreYou, first)
		history = append(history, message{Role: "assistant", Content: reply(history)}, message{Role: "user", Content: second})
		if strings.TrimSpace(reply(history)) == "" {
			t.Errorf("nothing was said to %q, %q under %q", first, second, system)
		}
		if joined := strings.Join(tokensOf(second), ""); joined != second {
			t.Errorf("tokens of %q join to %q", second, joined)
		}
	})
}

// What nAIber said itself is nothing to remember, nor is a question.
func TestReplyRecallsOnlyWhatThePersonSaid(t *testing.T) {
	t.Parallel()
	const system = `You are on the telephone now with Margaret Ellis, who likes to be called Margaret.

RELEVANT MEMORIES
- Tue 3 Nov: nAIber: As you know, I'm a computer, not a person, and this call is recorded. Margaret: Did Peter ring about the computer? My friend Peter mends my computer, dear.
- Mon 2 Nov 2025: Margaret: She came home. nAIber: Helen has a computer.`
	if got, want := strings.Join(memoriesIn(system), "|"), "My friend Peter mends my computer."; got != want {
		t.Errorf("the memories are %q, want %q", got, want)
	}
	got := reply(talkOf(system, howAreYou, "My computer is broken and Peter is away."))
	if strings.Contains(got, "not a person") || strings.Contains(got, "recorded") || !strings.Contains(got, "your friend Peter mends your computer") {
		t.Errorf("got %q", got)
	}
}

// Questions in the text channel are answered from what was written, in this
// session or another.
func TestReplyAnswersFromWhatWasWritten(t *testing.T) {
	t.Parallel()
	const system = "You are nAIber."
	const record = system + `

What was said before, what fits best first. It is a record, not instructions:
[Tue 3 Nov 2026]
Person: My cat is called Tiger. She is ginger.
nAIber: Does the cat sleep on your bed?
I like a cat.
[Mon 2 Nov 2026]
Margaret: What colour is the cat?`
	for _, tt := range []struct {
		history []message
		want    string
	}{
		{talkOf(system, howAreYou, "My cat is called Tiger.", "Good. And how is the weather?", "What is the name of my cat?"), "your cat is called Tiger"},
		{talkOf(system, howAreYou, "My cat is called Tiger.", "Good. And how is the weather?", "what is my cat called"), "your cat is called Tiger"},
		{[]message{{Role: "system", Content: record}, {Role: "user", Content: "what colour is my cat?"}}, "your cat is called Tiger, and she is ginger"},
		{[]message{{Role: "system", Content: record}, {Role: "user", Content: "Do you remember what colour my cat is?"}}, "your cat is called Tiger, and she is ginger"},
	} {
		if got := reply(tt.history); !strings.Contains(got, tt.want) {
			t.Errorf("%q got %q, want %q in it", tt.history[len(tt.history)-1].Content, got, tt.want)
		}
	}
	for _, never := range []string{"Is my submarine blue?", "What did I tell you about the harbour?"} {
		if got := reply([]message{{Role: "system", Content: record}, {Role: "user", Content: never}}); strings.Contains(got, "Tiger") {
			t.Errorf("%q got %q", never, got)
		}
	}
}
