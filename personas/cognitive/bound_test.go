package cognitive_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/storetest"
)

// TestEveryCheckEnds has people say whatever comes: answers, everything that has a meaning
// of its own, silences, lines that drop, words that are cut. Each check ends, after a
// bounded number of turns, and leaves a record that can be.
func TestEveryCheckEnds(t *testing.T) {
	t.Parallel()
	phrases := phrasesOf(t)
	var odd []string
	for _, name := range []string{"again", "no_idea", "no_more", "how_did_i_do", "noise", "not_heard", "company", "wait", "refuse", "what_for", "who", "illness", "go_on", "stop", "another_time"} {
		if len(phrases[name]) == 0 {
			t.Fatalf("no phrases %s", name)
		}
		odd = append(odd, phrases[name]...)
	}
	plain := []string{
		"Yes", "No", "Apple, table, penny", "2026", "May", "Thursday", "the fourteenth", "three seven five", "4 9 3 8 6", "dog cat cow", "paper and pencil",
		"I'd throw it away", "I'd ring my daughter", "about ten", "at home", "Ellen took the bus to the market", "um", "", "",
	}
	const runs, most = 24, 400
	st := storetest.New(t)
	seen := map[string]int{}
	for seed := range runs {
		rnd := rand.New(rand.NewPCG(uint64(seed), 13))
		s := newStage(t, st)
		s.call()
		s.ready()
		turns := 0
		for ; !s.over && turns < most; turns++ {
			words, seconds := plain[rnd.IntN(len(plain))], 1+rnd.Float64()*9
			if rnd.IntN(3) == 0 {
				words = s.said.Text // what was read out, digits and stories, is said back right
			}
			if rnd.IntN(8) < seed%4 { // some keep to answers, some rarely do
				words = odd[rnd.IntN(len(odd))]
			}
			switch rnd.IntN(40) {
			case 0:
				s.converse(openingAgain)
			case 1:
				s.restart()
			}
			turn := s.turnOf(words, seconds)
			turn.Interrupted = words != "" && rnd.IntN(20) == 0
			s.answered(turn, s.reply(turn))
		}
		if !s.over {
			t.Fatalf("seed %d: the check has not ended after %d turns:\n%s", seed, turns, s.book.String())
		}
		s.finish()
		k, err := st.CognitiveCheckOfCall(t.Context(), s.line.Call.ID)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, s.book.String())
		}
		seen[s.said.EndReason]++
		for _, task := range k.Tasks {
			seen[string(task.Status)]++
			if (task.Raw != nil) != (task.Status == cognition.TaskComplete) || task.Raw != nil && task.Confidence <= 0 || task.Confidence > 1 {
				t.Errorf("seed %d: task %s is %s with raw %v, confidence %v", seed, task.TaskID, task.Status, task.Raw, task.Confidence)
			}
			if task.Status == cognition.TaskVoid && task.Why == "" {
				t.Errorf("seed %d: task %s is void for no reason", seed, task.TaskID)
			}
		}
	}
	for _, what := range []string{"cognitive_done", "cognitive_easier", "cognitive_stopped", "complete", "void", "refused", "not_reached"} {
		if seen[what] == 0 {
			t.Errorf("nothing came to %s, so little was tried: %v", what, seen)
		}
	}
}

// phrasesOf are what people say besides answers, by what it means.
func phrasesOf(t *testing.T) (phrases map[string][]string) {
	t.Helper()
	data, err := os.ReadFile("words/phrases.en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &phrases); err != nil {
		t.Fatal(err)
	}
	return phrases
}

// TestOneThingSaidForEver has people say one thing to everything, from the beginning, from
// the first task, and over the end of what nAIber says: a television does no less. No check
// goes on for ever, and each is over within a call's time.
func TestOneThingSaidForEver(t *testing.T) {
	t.Parallel()
	const most = 130
	st := storetest.New(t)
	said := []string{"", "What?", "Pardon?", "Yes", "No", "Hello?", "um", "Go on", "I'll get her", "Who are you?", "Just a minute", "blah blah blah", "in other news the weather will be fine"}
	for name, list := range phrasesOf(t) {
		if name != "relation" && name != "says" && name != "said" && name != "address" && name != "prompts" { // parts of phrases
			said = append(said, list[0])
		}
	}
	for _, words := range said {
		for _, ready := range []bool{false, true} {
			for _, cuts := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, ready %t, cuts in %t", words, ready, cuts), func(t *testing.T) {
					t.Parallel()
					s := newStage(t, st)
					s.call()
					if ready {
						s.ready()
					}
					turns := 0
					for ; !s.over && turns < most; turns++ {
						if last := &s.messages[len(s.messages)-1]; cuts && words != "" && last.Content != "" {
							heard := strings.Fields(last.Content)
							last.Content = strings.Join(heard[:(len(heard)+1)/2], " ") + "..."
						}
						turn := s.turnOf(words, 6)
						turn.Interrupted = cuts && words != ""
						s.answered(turn, s.reply(turn))
					}
					if !s.over {
						t.Errorf("it has not ended after %d turns:\n%s", turns, s.book.String())
					}
				})
			}
		}
	}
}
