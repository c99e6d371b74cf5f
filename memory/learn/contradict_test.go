package learn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

func TestContradicts(t *testing.T) {
	t.Parallel()
	const q = "a: " // nAIber says
	for _, test := range []struct {
		said []string
		fact string
		want bool
	}{
		{[]string{"I have no cat."}, "Margaret has a cat", true},
		{[]string{"I have no cat."}, "Margaret has no cat", false},
		{[]string{"I have a cat."}, "Margaret has no cat", true},
		{[]string{"I have a cat."}, "Margaret has a cat", false},
		{[]string{"I don't smoke any more."}, "Margaret smokes", true},
		{[]string{"I don’t smoke any more."}, "Margaret smokes", true},
		{[]string{"I don't smoke any more."}, "Margaret no longer smokes", false},
		{[]string{"I don't smoke any more."}, "Margaret stopped smoking", false},
		{[]string{"I no longer drive."}, "Margaret drives", true},
		{[]string{"I stopped smoking."}, "Margaret smokes", true},
		{[]string{"I gave up smoking."}, "Margaret gave up smoking", false},
		{[]string{"I used to smoke."}, "Margaret smokes", true},
		{[]string{"I smoke."}, "Margaret stopped smoking", true},
		{[]string{"I never married."}, "Margaret married", true},
		{[]string{"I can't walk far."}, "Margaret has difficulty walking far", false},
		{[]string{"I cannot sleep."}, "Margaret can sleep", true},
		{[]string{"I don't like coffee."}, "Margaret dislikes coffee", false},
		{[]string{"I hate coffee."}, "Margaret does not like coffee", false},
		{[]string{"I forgot my pills."}, "Margaret did not take her pills", false},
		{[]string{"I don't think Tom is coming."}, "Tom is coming", true},

		{[]string{"I used to work at the bakery."}, "Margaret worked at the bakery", false},
		{[]string{"I used to work at the bakery."}, "Margaret works at the bakery", true},
		{[]string{"I worked at the bakery."}, "Margaret used to work at the bakery", false},
		{[]string{"I don't live in Boston any more."}, "Margaret lived in Boston", false},
		{[]string{"I am not lonely."}, "Margaret is lonely", true},
		{[]string{"I am lonely."}, "Margaret is lonely", false},
		{[]string{"I have no trouble sleeping."}, "Margaret has trouble sleeping", true},
		{[]string{"I have trouble sleeping."}, "Margaret has trouble sleeping", false},
		{[]string{"None of my children visit me."}, "Margaret's children visit her", true},

		// A denial reaches no further than its clause.
		{[]string{"I have a dog and no cat."}, "Margaret has a dog", false},
		{[]string{"I have a dog and no cat."}, "Margaret has a cat", true},
		{[]string{"I have a dog and no cat."}, "Margaret has a dog and no cat", false},
		{[]string{"I don't have a cat, just a dog."}, "Margaret has a dog", false},
		{[]string{"I have no cat but a dog."}, "Margaret has a dog", false},
		{[]string{"I don't like coffee, tea or milk."}, "Margaret likes tea", true},
		{[]string{"I can't see and hear well."}, "Margaret hears well", true},
		{[]string{"I don't drive, my son Tom visits on Sundays."}, "Margaret's son Tom visits on Sundays", false},
		{[]string{"I can't go to church because my knee hurts."}, "Margaret's knee hurts", false},
		{[]string{"I can't go to church because my knee hurts."}, "Margaret does not go to church because her knee hurts", false},
		{[]string{"I don't live in Boston any more, I moved to Chicago."}, "Margaret moved from Boston to Chicago", false},
		{[]string{"I don't smoke. Frank smokes."}, "Frank smokes", false},
		{[]string{"I don't smoke. Frank smokes."}, "Margaret does not smoke", false},
		{[]string{"I have a cat. I don't like the food she gets."}, "Margaret has a cat", false},

		// What is said last counts.
		{[]string{"I have a cat.", "No, I have no cat any more."}, "Margaret has a cat", true},
		{[]string{"I had no cat.", "Now I have a cat."}, "Margaret has a cat", false},

		// What denies nothing.
		{[]string{"I can't wait to see Tom."}, "Margaret will see Tom", false},
		{[]string{"I never go out without my stick."}, "Margaret has a stick", true}, // dropped rather than wrong
		{[]string{"I can't live without my stick."}, "Margaret has a stick", false},
		{[]string{"I grow not only roses."}, "Margaret grows roses", false},
		{[]string{"Haven't I told you about my cat Felix?"}, "Margaret has a cat Felix", false},
		{[]string{"Tom won't come until Monday."}, "Tom comes on Monday", false},
		{[]string{"No, I have a cat."}, "Margaret has a cat", false},
		{[]string{"No I have a cat."}, "Margaret has a cat", false},

		// A question says what its answer makes of it.
		{[]string{q + "Do you have a cat?", "No."}, "Margaret has a cat", true},
		{[]string{q + "Do you have a cat?", "No."}, "Margaret has no cat", false},
		{[]string{q + "Do you have a cat?", "Oh no, not since Frank died."}, "Margaret has a cat", true},
		{[]string{q + "Do you have a cat?", "I don't."}, "Margaret has a cat", true},
		{[]string{q + "Do you have a cat?", "I do not."}, "Margaret has a cat", true},
		{[]string{q + "Do you have a cat?", "Of course not."}, "Margaret has a cat", true},
		{[]string{q + "Do you have a cat?", "Of course!"}, "Margaret has a cat", false},
		{[]string{q + "Do you have a cat?", "Yes."}, "Margaret has a cat", false},
		{[]string{q + "Do you have a cat?", "Yes, I do."}, "Margaret has no cat", true},
		{[]string{q + "You don't smoke, do you?", "No."}, "Margaret smokes", true},
		{[]string{q + "You don't smoke, do you?", "No."}, "Margaret does not smoke", false},
		{[]string{q + "You don't smoke, do you?", "Yes, I do."}, "Margaret smokes", false},
		{[]string{q + "Do you have a cat?", "Mitzi, she is old."}, "Margaret has a cat", false},
		{[]string{q + "Do you have a cat?", "No, a dog."}, "Margaret has a dog", false},
		{[]string{q + "You have a lovely dog. Do you have a cat?", "No."}, "Margaret has a dog", false},
	} {
		var ch chunk
		var own, all []int
		for _, s := range test.said {
			turn := memories.Turn{ID: uuid.New(), Speaker: calls.RoleUser, Text: s}
			if len(s) > len(q) && s[:len(q)] == q {
				turn.Speaker, turn.Text = calls.RoleAssistant, s[len(q):]
			} else {
				own = append(own, len(ch.turns)+1)
			}
			ch.turns = append(ch.turns, turn)
			all = append(all, len(ch.turns))
		}
		for _, numbers := range [][]int{own, all} { // whether or not the question is named with the answer
			if got := contradicts(test.fact, ch.cite(numbers).evidence(), "Margaret Miller\nMargaret"); got != test.want {
				t.Errorf("%q after %q: got %t; evidence %v, fact %v", test.fact, test.said, got, ch.cite(numbers).evidence(), english.Clauses(test.fact))
			}
		}
	}
}

func TestFactsMustNotSayTheOpposite(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.on(TaskFacts, facts(
		fact("Margaret has a cat", "pet", 1),
		fact("Margaret smokes", "health", 2),
		fact("Margaret has a dog", "pet", 4),
		fact("Margaret does not smoke any more", "health", 2),
		fact("Margaret grows roses", "like", 5),
	))
	h.learn(t, h.call(t, tuesday, "I have no cat.", "I don't smoke any more.", "a: Do you have a dog?", "No.", "I grow roses."))
	want := []string{"Margaret does not smoke any more", "Margaret grows roses"}
	if diff := cmp.Diff(want, h.known(t)); diff != "" {
		t.Error(diff)
	}
}
