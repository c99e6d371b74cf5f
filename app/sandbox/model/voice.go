package model

import (
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
)

// A voice picks lines for one reply. It never picks a sentence that was said
// before in the conversation, nor one twice in the reply.
type voice struct {
	said  map[string]bool // bare sentences
	seed  uint64
	slots map[string]string
}

// newVoice reads what was said from the history.
func newVoice(history []message) *voice {
	v := &voice{said: map[string]bool{}, slots: map[string]string{}}
	h := fnv.New64a()
	for _, m := range history {
		if m.Role == "assistant" {
			for _, s := range sentencesOf(m.Content) {
				v.said[bare(s)] = true
			}
		}
		if m.Role == "user" {
			_, _ = h.Write([]byte(bare(m.Content) + "\n"))
		}
	}
	v.seed = h.Sum64()
	return v
}

// pick returns the first usable line of list, which it begins at a place that
// the conversation decides. It returns "" when all are used.
func (v *voice) pick(list []string) string {
	for i := range uint64(len(list)) {
		line, ok := v.fill(list[(v.seed+i)%uint64(len(list))])
		if ok && v.fresh(line) {
			return v.say(line)
		}
	}
	return ""
}

// pickBest is pick, but lines whose places are filled go first: they are the
// ones that show that somebody listened.
func (v *voice) pickBest(list []string) string {
	var personal, plain []string
	for _, line := range list {
		if strings.Contains(line, "{") {
			personal = append(personal, line)
		} else {
			plain = append(plain, line)
		}
	}
	if line := v.pick(personal); line != "" {
		return line
	}
	return v.pick(plain)
}

// fill replaces the places in braces, and reports whether all could be.
func (v *voice) fill(line string) (string, bool) {
	for {
		before, rest, ok := strings.Cut(line, "{")
		if !ok {
			return upperFirst(line), true
		}
		name, after, _ := strings.Cut(rest, "}")
		if v.slots[name] == "" {
			return "", false
		}
		line = before + v.slots[name] + after
	}
}

// fresh reports whether no sentence of line was said before.
func (v *voice) fresh(line string) bool {
	for _, s := range sentencesOf(line) {
		if v.said[bare(s)] {
			return false
		}
	}
	return true
}

func (v *voice) say(line string) string {
	for _, s := range sentencesOf(line) {
		v.said[bare(s)] = true
	}
	return line
}

// first returns the first fresh line of several lists, or one that is put
// together so that it was never said.
func (v *voice) first(lists ...[]string) string {
	for _, list := range lists {
		if line := v.pickBest(list); line != "" {
			return line
		}
	}
	return v.count()
}

// react and ask end with lines that are put together, of which there are more
// than any call has turns, and at last with one that counts.
func (v *voice) react(lists ...[]string) string {
	return v.first(append(lists, theTalk().General.React, spareReactions())...)
}

func (v *voice) ask(lists ...[]string) string {
	return v.first(append(lists, theTalk().General.Ask, spareQuestions())...)
}

var (
	spareReactions = sync.OnceValue(func() []string {
		s := &theTalk().Spare
		return combine(s.ReactHead, s.ReactTail, "", ".")
	})
	spareQuestions = sync.OnceValue(func() []string {
		s := &theTalk().Spare
		return combine(combine(s.AskHead, s.AskBody, " ", ""), s.AskTail, " ", "?")
	})
)

func combine(heads, tails []string, between, end string) []string {
	out := make([]string, 0, len(heads)*len(tails))
	for _, tail := range tails {
		for _, head := range heads {
			out = append(out, head+between+tail+end)
		}
	}
	return out
}

// count is the last resort: a sentence with a number that was not yet used.
func (v *voice) count() string {
	for n := 2; ; n++ {
		line := "That is the " + ordinal(n) + " good thing to talk about."
		if v.fresh(line) {
			return v.say(line)
		}
	}
}

func ordinal(n int) string {
	suffix := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return strconv.Itoa(n) + suffix
}
