package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/patterns"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

// requests are what a person asked in a call about being remembered. They are read by
// rules: keeping to what a person does not want raised must not depend on a model.
type requests struct {
	limits []limitRequest
	forget []forgetRequest
}

// limitRequest is a request not to keep or not to raise a topic, or to lift such a limit.
type limitRequest struct {
	line  int // in the transcript
	topic string
	// that says that the topic is what was just spoken of: "don't bring that up again".
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
		for _, of := range asksIn(u.Text) {
			r.hear(of, lines, i)
		}
	}
	return r
}

// hear adds the requests in line i that the patterns of one language match.
func (r *requests) hear(of *wishes, lines []calls.Utterance, i int) {
	for j, sentence := range english.Sentences(lines[i].Text) {
		asked := of.forgetIn(sentence)
		if len(asked) == 0 {
			for _, l := range of.limitIn(sentence) {
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

// before returns the indices of the lines that "that" in line i refers to: the rest of the
// same line, or else what the person said before and nAIber's answer to it.
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

// wishes are the ways in which a language asks to forget something, or not to keep or raise
// it. The file describes each pattern under the name of the field.
type wishes struct {
	asking []string
	limits map[memories.LimitRule][]*regexp.Regexp

	lift, again, forNow, idiom *regexp.Regexp

	clauseEnd, topicHead, joint, oneMore *regexp.Regexp
	pronoun, someone, noTopic            *regexp.Regexp

	yes, perhaps                       *regexp.Regexp
	forgetTopic, forgetThat, forgetAll *regexp.Regexp
	forgetDay, forgetClause            *regexp.Regexp
	forgetAbout, forgetIdiom           *regexp.Regexp
	kindly, someonesOwn, somebody      *regexp.Regexp
	thatOne, aboutWhat                 *regexp.Regexp

	// forgetQuestion asks back whether everything should be forgotten. forgetMark is the
	// part of it that is left even if it was cut short.
	forgetQuestion, forgetMark string
}

func wishesOf(f patterns.File) *wishes {
	return &wishes{
		asking: strings.Fields(f["asking"][0]),
		limits: map[memories.LimitRule][]*regexp.Regexp{
			memories.NeverStore: f.All("never_store"), memories.NeverRaise: f.All("never_raise"),
		},
		lift: f.Pattern("lift"), again: f.Pattern("again"), forNow: f.Pattern("for_now"), idiom: f.Pattern("raise_idiom"),
		clauseEnd: f.Pattern("clause_end"), topicHead: f.Pattern("topic_head"), joint: f.Pattern("joint"), oneMore: f.Pattern("one_more"),
		pronoun: f.Pattern("pronoun"), someone: f.Pattern("someone"), noTopic: f.Pattern("no_topic"),
		yes: f.Pattern("yes"), perhaps: f.Pattern("perhaps"),
		forgetTopic: f.Pattern("forget_topic"), forgetThat: f.Pattern("forget_that"), forgetAll: f.Pattern("forget_all"),
		forgetDay: f.Pattern("forget_day"), forgetClause: f.Pattern("forget_clause"),
		forgetAbout: f.Pattern("forget_about"), forgetIdiom: f.Pattern("forget_idiom"),
		kindly: f.Pattern("kindly"), someonesOwn: f.Pattern("someones_own"), somebody: f.Pattern("somebody"),
		thatOne: f.Pattern("that_one"), aboutWhat: f.Pattern("about_what"),
		forgetQuestion: f["forget_question"][0], forgetMark: f["forget_mark"][0],
	}
}

// Both languages are tried for everyone, since people fall back to another language.
var (
	inEnglish = wishesOf(englishFile)
	inSpanish = wishesOf(spanishFile)
	ways      = []*wishes{inEnglish, inSpanish}
)

// wishesIn returns the patterns for a language tag, or those for English if there is no
// file for it.
func wishesIn(language string) *wishes {
	if code, _, _ := strings.Cut(strings.ToLower(language), "-"); code == "es" {
		return inSpanish
	}
	return inEnglish
}

// asksIn returns the languages in which text holds a word that starts a request. It is a
// cheap filter: most turns hold none, and every turn is checked.
func asksIn(text string) (in []*wishes) {
	words := english.Scan(text)
	for _, w := range ways {
		if slices.ContainsFunc(words, w.asks) {
			in = append(in, w)
		}
	}
	return in
}

func (w *wishes) asks(said english.Word) bool {
	text := english.Unmarked(said.Text)
	return slices.ContainsFunc(w.asking, func(start string) bool { return strings.HasPrefix(text, start) })
}

// limitIn parses a request not to keep or raise something, or to lift that: one for each
// topic named.
func (w *wishes) limitIn(sentence string) []limitRequest {
	text := plain(sentence)
	if m := w.lift.FindStringSubmatch(text); m != nil && w.again.MatchString(m[0]) {
		topics, _ := w.topicsOf(m[1])
		return each(topics, limitRequest{lift: true})
	}
	for _, rule := range []memories.LimitRule{memories.NeverStore, memories.NeverRaise} {
		for _, re := range w.limits[rule] {
			m := re.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			topics, that := w.topicsOf(m[1])
			rest := strings.Join(m[1:], " ")
			once := rule == memories.NeverRaise && !w.again.MatchString(rest)
			if once && w.idiom.MatchString(strings.TrimSpace(m[1])) {
				return nil // "don't mention it": you are welcome
			}
			l := limitRequest{rule: rule, that: that}
			if once && w.forNow.MatchString(rest) {
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

// each returns a copy of l for each of the topics.
func each(topics []string, l limitRequest) []limitRequest {
	var out []limitRequest
	for _, topic := range topics {
		l.topic = topic
		out = append(out, l)
	}
	return out
}

// maxTopicWords is the maximum number of words in a topic.
const maxTopicWords = 5

// topicsOf extracts the topics from what follows the verb. that reports that there is none,
// since it is only pointed at.
func (w *wishes) topicsOf(rest string) (topics []string, that bool) {
	var parts []string
	begin := 0
	if at := w.clauseEnd.FindStringIndex(rest + " "); at != nil { // cut at the end of the clause
		rest = rest[:min(at[0], len(rest))]
	}
	for _, at := range w.joint.FindAllStringIndex(rest, -1) {
		parts = append(parts, rest[begin:at[0]])
		begin = at[1]
		if rest[at[0]:at[1]] == ", " && !w.oneMore.MatchString(rest[begin:]) {
			begin = -1 // a separate clause, not one more topic
			break
		}
	}
	if begin >= 0 {
		parts = append(parts, rest[begin:])
	}
	for _, part := range parts {
		topic, pointed := w.topicOf(part)
		that = that || pointed
		if topic != "" && !slices.Contains(topics, topic) {
			topics = append(topics, topic)
		}
	}
	return topics, that && len(topics) == 0
}

// topicOf extracts a topic from the words for it. that reports that it is only pointed at.
func (w *wishes) topicOf(rest string) (topic string, that bool) {
	rest = strings.TrimSpace(rest)
	if w.pronoun.MatchString(rest) {
		return "", true
	}
	topic = strings.TrimSpace(w.topicHead.ReplaceAllString(rest, ""))
	if w.noTopic.MatchString(topic) || len(strings.Fields(topic)) > maxTopicWords {
		return "", w.someone.MatchString(topic)
	}
	return topic, false
}

// plain returns a sentence in lower case, without its end mark, with straight apostrophes
// and "do not" as "don't".
func plain(s string) string {
	return strings.Trim(strings.ReplaceAll(english.OneLine(english.Lower(s)), "do not", "don't"), ".…!? ")
}
