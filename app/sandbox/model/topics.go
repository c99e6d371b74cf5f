package model

import (
	"cmp"
	"slices"
	"strings"
)

// A topic is something that the person spoke of.
type topic struct {
	label    string // "daughter Helen", "knee pain", "roses"
	category string // of the lexicon; "person" for a bare name
	count    int    // sentences that mention it
	sentence string // the first of them
	name     *named
	weight   float64
}

// maxTopics is how many topics a list gets when its schema sets no bound.
const maxTopics = 8

// quietCategories are no topics by themselves: time, and ways of meeting.
var quietCategories = map[string]bool{"day": true, "visit": true, "contact": true, "happy": true, "past": true, "angry": true}

// heavyCategories are what those who care would ask about first.
var heavyCategories = map[string]bool{"health": true, "fall": true, "sad": true, "lonely": true, "doctor": true, "sleep": true, "medicine": true}

// spokenLabels writes a meaning's name as people say it.
var spokenLabels = map[string]string{
	"bloodpressure": "blood pressure", "sugar": "blood sugar", "lonely": "loneliness", "sad": "low mood", "inlaw": "in-laws",
	"insomnia": "lying awake", "breath": "breathing", "dizzy": "dizziness", "tired": "tiredness", "worry": "worries",
	"forget": "forgetfulness", "fall": "fall", "ill": "feeling ill", "pray": "prayer", "sing": "singing", "dance": "dancing",
	"read": "reading", "cook": "cooking", "walk": "walking", "hot": "hot weather", "chilly": "the cold", "sun": "sunshine",
	"exercise": "walks", "chores": "housework", "move": "moving house", "cold": "a cold", "paint": "painting",
	"fishing": "fishing", "weed": "garden work", "cake": "baking", "food": "food", "back": "back", "grief": "grief", "sleep": "sleep",
}

// bodyParts are meanings that become "… pain" when pain is spoken of with them.
var bodyParts = map[string]bool{
	"knee": true, "hip": true, "back": true, "foot": true, "leg": true, "hand": true, "shoulder": true, "head": true,
	"chest": true, "stomach": true, "tooth": true, "eye": true, "ear": true,
}

// topicsOf returns what the sentences are about, the weightiest first. What
// else is known tells the roles of people who are only named.
func topicsOf(sentences []string, known []named) []topic {
	c := &topicCount{byLabel: map[string]int{}}
	people := namesIn(strings.Join(sentences, "\n"))
	for i := range people {
		p := &people[i]
		if at := slices.IndexFunc(known, func(k named) bool { return k.name == p.name && k.role != "" }); at >= 0 && p.role == "" {
			*p = known[at]
		}
		c.people = append(c.people, p)
	}
	for _, s := range sentences {
		if strings.HasSuffix(s, "?") && len(namesIn(s)) == 0 && len(wordsOf(s)) < 6 {
			continue
		}
		c.sentence(s)
	}
	slices.SortStableFunc(c.topics, func(a, b topic) int {
		return cmp.Compare(b.weight*float64(b.count), a.weight*float64(a.count))
	})
	return c.topics[:min(len(c.topics), maxTopics)]
}

// topicCount gathers topics sentence by sentence.
type topicCount struct {
	people  []*named
	topics  []topic
	byLabel map[string]int
}

func (c *topicCount) add(t topic, seen map[string]bool) {
	if seen[t.label] {
		return
	}
	seen[t.label] = true
	if i, ok := c.byLabel[t.label]; ok {
		c.topics[i].count++
		return
	}
	t.count = 1
	c.byLabel[t.label] = len(c.topics)
	c.topics = append(c.topics, t)
}

func (c *topicCount) sentence(s string) {
	seen := map[string]bool{}
	words := wordsOf(s)
	roles := map[string]bool{}
	for _, p := range c.people {
		if !slices.ContainsFunc(words, func(w word) bool { return strings.EqualFold(w.text, lastWord(p.name)) }) {
			continue
		}
		roles[stemOf(p.role)] = true
		category := "person"
		if p.pet {
			category = "pets"
		}
		c.add(topic{label: p.label(), category: category, sentence: s, name: p, weight: 3}, seen)
	}
	hits := theLexicon().find(words)
	hurts := slices.ContainsFunc(hits, func(h hit) bool { return h.senses[0].meaning == "pain" || h.senses[0].meaning == "arthritis" })
	for _, h := range hits {
		if t, ok := topicOfHit(words, h, hurts, roles); ok {
			t.sentence = s
			c.add(t, seen)
		}
	}
}

// lastWord is the name without the title.
func lastWord(name string) string { return name[strings.LastIndexByte(name, ' ')+1:] }

// topicOfHit names the topic of one hit of the lexicon, if it is one.
func topicOfHit(words []word, h hit, hurts bool, roles map[string]bool) (topic, bool) {
	s, w := h.senses[0], words[h.at]
	if quietCategories[s.category] || roles[w.stem] {
		return topic{}, false
	}
	t := topic{category: s.category, weight: 1, label: labelOf(w, h, s)}
	if t.label == "" {
		spoken := make([]string, h.n)
		for i := range spoken {
			spoken[i] = strings.ToLower(words[h.at+i].text)
		}
		t.label = strings.Join(spoken, " ")
	}
	if heavyCategories[s.category] {
		t.weight = 2
	}
	if bodyParts[s.meaning] && hurts {
		t.label = strings.TrimPrefix(s.meaning, "bad ") + " pain"
	} else if s.meaning == "pain" {
		if slices.ContainsFunc(theLexicon().find(words), func(o hit) bool { return bodyParts[o.senses[0].meaning] }) {
			return topic{}, false
		}
		t.label = "pain"
	}
	return t, true
}

// labelOf is the word as it was said where that is a noun, or else the name of
// its meaning. It is empty for phrases.
func labelOf(w word, h hit, s sense) string {
	if label, ok := spokenLabels[s.meaning]; ok {
		return label
	}
	lower := strings.ToLower(w.text)
	if h.n > 1 {
		return "" // the words as they were said
	}
	if strings.HasSuffix(lower, "ing") || (trimFinal(lower) == w.stem || trimFinal(strings.TrimSuffix(lower, "s")) == w.stem || strings.HasSuffix(lower, "ies")) {
		return lower
	}
	return s.meaning
}

// labels lists the labels of topics.
func labels(topics []topic) []string {
	out := make([]string, len(topics))
	for i, t := range topics {
		out[i] = t.label
	}
	return out
}
