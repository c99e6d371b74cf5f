package health_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/personas/health/words"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/storetest"
)

const (
	// mostAsked is how often a question may be put in a call at its default of three
	// tries: those, the keys, and four times at the person's wish.
	mostAsked = 8
	// mostTried is how often where nobody wished to hear it again.
	mostTried = 4
	// mostRead is how often the answers to one question may be read back.
	mostRead = 6
)

// chatter are replies that answer nothing for sure. Whoever wishes to hear a question
// again, or to change an answer, says one of wishes.
var (
	chatter = []string{
		"Oh, the green one.", "Did I tell you that my grandson is getting married?", "Well, I would say a", "My hip, let me think,", "and", "Um",
		"The words hide from me, now, what was it,", "It was in the spring that we went up to the lake with the whole family, and we laughed about it for years afterwards.",
		"How are you?", "What's the weather like?", "No", "Yes", "I did have a fall", "No falls", "I slept well", "I want to stop now.", "No, go on.",
		"some. A three,", "No, say six", "How much longer is it?", "I have no pain", "not that", "my",
		"no, wait", "oh wait, I did", "or three", "It's not", "well, yes, I did", "My ankles are", "There is one thing", "Oh wait, actually",
	}
	wishes = []string{"Pardon?", "What do you mean?", "Who is this?", "Hold on a minute.", "I said seven!", "The pain was wrong.", "Change my answer about sleep."}
)

// TestNothingIsAskedForEver plays random calls against the real graph: whatever is said,
// over whichever words of ours, in pieces, late, twice, on a line that breaks, no question
// is put more often than its tries allow, none is read back for ever, and the call ends or
// goes on to other questions.
func TestNothingIsAskedForEver(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for seed := range uint64(40) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			r := randomCall{stage: newStage(t, st, nil), rand: rand.New(rand.NewPCG(seed, 8)), wishing: seed%3 == 0, asked: map[string]int{}, read: map[string]int{}}
			r.call()
			for range 90 {
				if r.stage.over {
					break
				}
				r.turn()
			}
			most := mostTried
			if r.wishing {
				most = mostAsked
			}
			for id, n := range r.asked {
				if n > most {
					t.Errorf("%s was asked %d times", id, n)
				}
			}
			for id, n := range r.read {
				if n > mostRead {
					t.Errorf("%s was read back %d times", id, n)
				}
			}
			if t.Failed() {
				t.Log(r.book.String())
			}
		})
	}
}

// randomCall is a call in which anything may be said.
type randomCall struct {
	*stage

	rand    *rand.Rand
	wishing bool // the person also wishes to hear questions again
	asked   map[string]int
	read    map[string]int
	now     health.Note // what the last turn led to
}

func (r *randomCall) pick(list []string) string { return list[r.rand.IntN(len(list))] }

// turn plays one thing that happens.
func (r *randomCall) turn() {
	words := r.pick(chatter)
	if r.wishing && r.rand.IntN(4) == 0 {
		words = r.pick(wishes)
	}
	t := r.turnOf(words, "")
	switch n := r.rand.IntN(20); {
	case n < 7: // over our words
		t = r.over(words)
	case n == 7:
		r.converse(openingAgain)
		t = r.turnOf(words, "")
	case n == 8:
		t.Place, t.Late = t.Place-2, true
		r.reply(t)
		return
	case n == 9 && r.last != nil:
		again := *r.last
		again.ID = store.NewTurnID()
		r.reply(&again)
		return
	case n == 10:
		t = r.turnOf("", "")
	case n == 11:
		t = r.turnOf("", "5")
	}
	r.replies(t)
}

// replies plays a turn and takes note of what it led to.
func (r *randomCall) replies(t *orchestration.Turn) {
	got := r.reply(t)
	r.answered(t, got)
	n, ok := got.Notes["health"].(health.Note)
	if !ok || n.Question == nil {
		return
	}
	if r.now = n; gives(got.Text) {
		return
	}
	switch health.Phase(n.Phase) {
	case health.PhaseAsking, health.PhaseKeypad, "follow_up":
		r.asked[n.Question.ID]++
	case health.PhaseReadingBack:
		r.read[n.Question.ID]++
	case health.PhaseOpening, health.PhaseDistress, health.PhaseConfirmExit, health.PhaseConfirmPerson, health.PhaseClosing:
	}
}

// over is a turn that cut our last words short.
func (r *randomCall) over(words string) *orchestration.Turn {
	last := &r.messages[len(r.messages)-1]
	said := strings.Fields(last.Content)
	last.Content = strings.Join(said[:1+r.rand.IntN(len(said))], " ") + "..."
	t := r.turnOf(words, "")
	t.Interrupted = true
	return t
}

// gives reports whether the words only give time.
func gives(text string) bool {
	return slices.ContainsFunc([]words.Situation{words.Hold, words.Filler}, func(s words.Situation) bool {
		return slices.ContainsFunc([]int{0, 1, 2}, func(n int) bool { return words.Say(s, n, words.Fill{Language: "en"}) == text })
	})
}

// definite are answers to each type of question, whole and in pieces, and what is on
// record then.
var definite = map[string][]struct {
	said []string
	want string
}{
	"scale":   {{[]string{"Four"}, "4"}, {[]string{"My, let me think,", "some. A four,"}, "4"}, {[]string{"I would say a", "four"}, "4"}},
	"boolean": {{[]string{"No"}, "false"}, {[]string{"Well, let me see,", "no, not really."}, "false"}},
	"choice":  {{[]string{"Fair"}, `"fair"`}, {[]string{"It is, let me think,", "fair."}, `"fair"`}},
	"text":    {{[]string{"My bad hip in the cold."}, "hip in the cold"}, {[]string{"My bad hip in the", "cold, what was it,", "and both my knees."}, "both my knees"}},
}

// TestNoAnswerIsLost plays random calls in which every answer that is given to a question
// that was heard, at once or in pieces, also over our own words, has to be on record.
func TestNoAnswerIsLost(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	harmless := []string{"Oh, the green one.", "Did I tell you that my grandson is getting married?", "Pardon?", "How are you?", "What do you mean?"}
	for seed := range uint64(25) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			r := randomCall{stage: newStage(t, st, nil), rand: rand.New(rand.NewPCG(seed, 8)), asked: map[string]int{}, read: map[string]int{}}
			r.call()
			r.replies(r.turnOf("Yes", ""))
			want, heard := map[string]string{}, map[string]bool{}
			for range 60 {
				n := r.now
				if r.stage.over || n.Question == nil {
					break
				}
				id, answers := n.Question.ID, definite[n.Question.Type]
				if n.Phase == string(health.PhaseReadingBack) {
					r.replies(r.turnOf("Yes, that's right.", ""))
					continue
				}
				say := []string{r.pick(harmless)}
				if n.Question.Type == "text" {
					say = nil
				}
				if say == nil || r.rand.IntN(2) == 0 {
					a := answers[r.rand.IntN(len(answers))]
					say, want[id] = a.said, a.want
				}
				for _, piece := range say {
					if heard[id] && r.rand.IntN(2) == 0 {
						r.replies(r.over(piece))
					} else {
						r.replies(r.turnOf(piece, ""))
					}
					heard[id] = true
				}
			}
			r.finish()
			got := r.checks(t)
			for id, value := range want {
				if !slices.ContainsFunc(got[0].Answers, func(a checks.Answer) bool { return a.QuestionID == id && strings.Contains(string(a.Value), value) }) {
					t.Errorf("%s is not %s", id, value)
				}
			}
			if t.Failed() {
				t.Logf("%s\n%s", r.book.String(), r.results())
			}
		})
	}
}
