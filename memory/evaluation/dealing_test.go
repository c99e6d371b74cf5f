package evaluation

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/naiber/naiber/store/calls"
)

const (
	// A call has fewestTurns to mostTurns turns.
	fewestTurns, mostTurns = 12, 30
	// pace is how long a turn takes.
	pace = 20 * time.Second
)

// exchange is what nAIber says and what it hears.
type exchange [2]string

// talk is what anybody may say, by the part of a call.
type talk struct {
	greetings, closings, between []exchange
}

func parseTalk(text string) (talk, error) {
	var t talk
	var into *[]exchange
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "greeting":
			into = &t.greetings
		case word == "closing":
			into = &t.closings
		case word == "talk":
			into = &t.between
		case word == "" || word == "#":
		case word == "n" && into != nil:
			*into = append(*into, exchange{rest})
		case word == "e" && into != nil && len(*into) > 0:
			(*into)[len(*into)-1][1] = rest
		default:
			return t, fmt.Errorf("%q: %w", line, errLine)
		}
	}
	if len(t.greetings) == 0 || len(t.closings) == 0 || len(t.between) == 0 {
		return t, fmt.Errorf("a part of the calls is missing: %w", errLine)
	}
	return t, nil
}

// deal puts small talk around what matters in each call, and gives every turn
// its time. The same person gets the same talk each time.
func (t talk) deal(e *Elder) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(e.Name))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	left := r.Perm(len(t.between))
	next := func() exchange {
		if len(left) == 0 { // people do repeat themselves
			left = r.Perm(len(t.between))
		}
		i := left[0]
		left = left[1:]
		return t.between[i]
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		size := fewestTurns + r.IntN(mostTurns-fewestTurns+1)
		before, after := []exchange{t.greetings[r.IntN(len(t.greetings))]}, []exchange{}
		for n := len(c.Turns) + 4; n+2 <= size || n < fewestTurns; n += 2 {
			if r.IntN(2) == 0 {
				before = append(before, next())
			} else {
				after = append(after, next())
			}
		}
		after = append(after, t.closings[r.IntN(len(t.closings))])
		c.Turns = append(append(said(before, e.CallName), c.Turns...), said(after, e.CallName)...)
		for j := range c.Turns {
			c.Turns[j].At = c.At.Add(time.Duration(j) * pace)
		}
	}
}

func said(exchanges []exchange, name string) []Turn {
	var turns []Turn
	for _, x := range exchanges {
		turns = append(turns,
			Turn{Role: calls.RoleAssistant, Text: strings.ReplaceAll(x[0], "{name}", name)},
			Turn{Role: calls.RoleUser, Text: x[1]})
	}
	return turns
}
