package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// requests are what a person said in a call about being remembered. They are
// read by rules: what somebody does not want raised must not hang on a model.
type requests struct {
	limits []limitRequest
	forget []forgetRequest
}

// limitRequest asks not to keep or not to raise something, or to lift that.
type limitRequest struct {
	line  int // in the transcript
	topic string
	// that says that the topic is what was spoken of just before: "don't bring
	// that up again".
	that  bool
	rule  memories.LimitRule
	today bool // only for now
	lift  bool
}

// listen finds the requests in a transcript.
func listen(lines []calls.Utterance) requests {
	var r requests
	for i, u := range lines {
		if u.Role != calls.RoleUser {
			continue
		}
		if ConfirmsForgetting(saidBefore(lines, i), u.Text) {
			r.forget = append(r.forget, forgetRequest{line: i, all: true})
			continue
		}
		if !mayAsk(u.Text) {
			continue
		}
		for j, sentence := range english.Sentences(u.Text) {
			asked := forgetIn(sentence)
			if len(asked) == 0 {
				for _, l := range limitIn(sentence) {
					l.line = i
					r.limits = append(r.limits, l)
					if l.rule == memories.NeverStore {
						asked = append(asked, forgetRequest{topic: l.topic})
					}
				}
			}
			for _, f := range asked {
				f.line = i
				if f.that() {
					f.lines = before(lines, i, j > 0)
				}
				r.forget = append(r.forget, f)
			}
		}
	}
	return r
}

// before are the lines that "that" means: the rest of the same line, or else what
// the person said before and what nAIber said to it.
func before(lines []calls.Utterance, i int, within bool) []int {
	out := []int{i}
	if within {
		return out
	}
	for k := i - 1; k >= 0; k-- {
		out = append(out, k)
		if lines[k].Role == calls.RoleUser && len(strings.Fields(said(lines[k]))) > 2 {
			break
		}
	}
	slices.Sort(out)
	return out
}

var (
	limitPatterns = map[memories.LimitRule][]*regexp.Regexp{
		memories.NeverStore: patterns("never_store"), memories.NeverRaise: patterns("never_raise"),
	}
	lift, again, forNow = pattern("lift"), pattern("again"), pattern("for_now")

	asking = strings.Fields(entries["asking"][0])
)

// mayAsk reports whether text holds a word that a request has: most of what is said
// holds none, and every turn is looked through.
func mayAsk(text string) bool {
	return slices.ContainsFunc(english.Scan(text), func(w english.Word) bool {
		return slices.ContainsFunc(asking, func(start string) bool { return strings.HasPrefix(w.Text, start) })
	})
}

// limitIn reads a request to keep or raise something no more: one for each topic
// that it names.
func limitIn(sentence string) []limitRequest {
	text := plain(sentence)
	if m := lift.FindStringSubmatch(text); m != nil && again.MatchString(m[1]) {
		topics, _ := topicsOf(m[1])
		return each(topics, limitRequest{lift: true})
	}
	for _, rule := range []memories.LimitRule{memories.NeverStore, memories.NeverRaise} {
		for _, re := range limitPatterns[rule] {
			m := re.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			topics, that := topicsOf(m[1])
			rest := strings.Join(m[1:], " ")
			once := rule == memories.NeverRaise && !again.MatchString(rest)
			if once && strings.TrimSpace(m[1]) == "it" {
				return nil // "don't mention it": you are welcome
			}
			l := limitRequest{rule: rule, that: that}
			if once && forNow.MatchString(rest) {
				l.rule, l.today = memories.CoolDown, true
			}
			if that {
				return []limitRequest{l}
			}
			if len(topics) > 0 {
				return each(topics, l)
			}
		}
	}
	return nil
}

// each is a request about each of the topics.
func each(topics []string, l limitRequest) []limitRequest {
	var out []limitRequest
	for _, topic := range topics {
		l.topic = topic
		out = append(out, l)
	}
	return out
}

var (
	clauseEnd, topicHead = pattern("clause_end"), pattern("topic_head")
	joint, oneMore       = pattern("joint"), pattern("one_more")

	pronoun, someone, noTopic = pattern("pronoun"), pattern("someone"), pattern("no_topic")
)

// maxTopicWords bounds a topic: what is longer is a story, not a topic.
const maxTopicWords = 5

// topicsOf takes the topics out of what follows the verb. that says that there is
// none, since it is only pointed at.
func topicsOf(rest string) (topics []string, that bool) {
	var parts []string
	begin := 0
	if at := clauseEnd.FindStringIndex(rest + " "); at != nil { // and no further
		rest = rest[:min(at[0], len(rest))]
	}
	for _, at := range joint.FindAllStringIndex(rest, -1) {
		parts = append(parts, rest[begin:at[0]])
		begin = at[1]
		if rest[at[0]:at[1]] == ", " && !oneMore.MatchString(rest[begin:]) {
			begin = -1 // a clause of its own, not one more of the same
			break
		}
	}
	if begin >= 0 {
		parts = append(parts, rest[begin:])
	}
	for _, part := range parts {
		topic, pointed := topicOf(part)
		that = that || pointed
		if topic != "" && !slices.Contains(topics, topic) {
			topics = append(topics, topic)
		}
	}
	return topics, that && len(topics) == 0
}

// topicOf takes the topic out of the words for it. that says that it is only
// pointed at.
func topicOf(rest string) (topic string, that bool) {
	rest = strings.TrimSpace(rest)
	if pronoun.MatchString(rest) {
		return "", true
	}
	topic = strings.TrimSpace(topicHead.ReplaceAllString(rest, ""))
	if noTopic.MatchString(topic) || len(strings.Fields(topic)) > maxTopicWords {
		return "", someone.MatchString(topic)
	}
	return topic, false
}

// plain returns a sentence in lower case without its end mark, apostrophes straight.
func plain(s string) string {
	return strings.Trim(strings.ReplaceAll(english.OneLine(english.Lower(s)), "do not", "don't"), ".…!? ")
}
