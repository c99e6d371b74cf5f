package app_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/naiber/naiber/personas/health/packs"
)

// reply is what somebody says to a question, and what is to be on record for it.
type reply struct {
	said   string
	status string
	value  string // JSON; empty where there is none
}

// catalogue knows every question by its words.
type catalogue struct {
	items map[string]packs.Item
	parts []fragment
}

// fragment is a piece of text that only one question has.
type fragment struct {
	text     string
	id       string
	readBack bool
}

func newCatalogue(lib *packs.Library) *catalogue {
	c := &catalogue{items: map[string]packs.Item{}}
	for _, pack := range lib.Packs() {
		if pack.Language != "en" {
			continue
		}
		for _, it := range pack.Items {
			c.items[it.ID] = it
			for _, text := range append([]string{it.Text}, it.Alternatives...) {
				c.parts = append(c.parts, fragment{text, it.ID, false})
			}
			if it.Risky != nil {
				before, _, _ := strings.Cut(it.Risky.ReadBack, "{value}")
				c.parts = append(c.parts, fragment{before, it.ID, true})
			}
			for _, f := range it.FollowUps {
				c.items[f.ID] = packs.Item{ID: f.ID, Text: f.Text, Type: f.Type}
				c.parts = append(c.parts, fragment{f.Text, f.ID, false})
			}
		}
	}
	return c
}

// asked finds the question that a reply ends with.
func (c *catalogue) asked(text string) (f fragment, ok bool) {
	end := -1
	for _, p := range c.parts {
		if i := strings.LastIndex(text, p.text); i >= 0 && (i+len(p.text) > end || i+len(p.text) == end && len(p.text) > len(f.text)) {
			f, end, ok = p, i+len(p.text), true
		}
	}
	return f, ok
}

var numberWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers, booleans and strings
	}
	return string(b)
}

// valued is a reply with a value.
func valued(said string, v any) reply { return reply{said, "answered", mustJSON(v)} }

// scripted is a plain reply to a question: the same for the same person, question
// and seed, whenever it is asked.
func scripted(seed uint64, person int, it packs.Item) reply {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d/%s", person, it.ID)
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	if it.Type != packs.TypeText && r.IntN(12) == 0 {
		return reply{"I'd rather not say.", "refused", ""}
	}
	switch it.Type {
	case packs.TypeScale:
		return scriptedScale(r)
	case packs.TypeBoolean:
		yes := r.IntN(3) == 0
		key, word := "2", "No."
		if yes {
			key, word = "1", "Yes."
		}
		if r.IntN(5) == 0 {
			return reply{"[keypad: " + key + "]", "keypad", mustJSON(yes)}
		}
		return valued(word, yes)
	case packs.TypeChoice:
		c := it.Choices[r.IntN(len(it.Choices))]
		return valued(capital(c.Label)+".", c.Value)
	case packs.TypeNumber:
		if it.Max > 300 {
			n := 120 + r.IntN(60)
			return valued(fmt.Sprintf("%d pounds.", n), n)
		}
		n := max(it.Min, 1) + r.IntN(4)
		return valued(fmt.Sprintf("%d.", n), n)
	case packs.TypeText, packs.TypeTime:
	}
	friends := []string{"Beatrice", "Conrad", "Delphine", "Ernest", "Flora", "Gilbert", "Hester", "Ivor", "Judith", "Kenneth"}
	trees := []string{"mulberry", "larch", "rowan", "chestnut", "elder", "walnut", "cherry", "plane", "poplar", "willow", "cedar", "maple", "birch", "alder", "hazel", "lime", "oak", "beech", "elm", "yew"}
	places := []string{"gate", "pond", "wall", "shed", "lawn", "hedge", "bench", "church", "river", "bridge", "mill", "barn"}
	said := fmt.Sprintf("Because %s and I were at the %s by the %s.", friends[person/20%10], trees[person%20], places[h.Sum64()%12])
	return valued(said, said)
}

func scriptedScale(r *rand.Rand) reply {
	n := 1 + r.IntN(10)
	word := numberWords[n]
	switch r.IntN(5) {
	case 0:
		article := "a "
		if n == 8 {
			article = "an "
		}
		return valued("About "+article+word+", I'd say.", n)
	case 1:
		return valued(capital(word)+" out of ten.", n)
	case 2:
		return valued(capital(numberWords[1+n%10])+". No, say "+word+".", n)
	case 3:
		return reply{fmt.Sprintf("[keypad: %d]", n%10), "keypad", mustJSON(n)}
	}
	return valued(capital(word)+".", n)
}
