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
		for _, of := range asksIn(u.Text) {
			r.hear(of, lines, i)
		}
	}
	return r
}

// hear finds the requests in a line as one language has them.
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

// wishes are the ways in which a language asks for something to be forgotten, kept no
// more or left alone. The file says what each is, under the name of the field.
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

	// forgetQuestion asks back whether all is to be forgotten, and forgetMark is what is
	// left of it even when it was cut short.
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

// inEnglish and inSpanish are heard from everybody, for people fall back to another
// language.
var (
	inEnglish = wishesOf(englishFile)
	inSpanish = wishesOf(spanishFile)
	ways      = []*wishes{inEnglish, inSpanish}
)

// wishesIn returns the ways of a language, of English where there is no file for it.
func wishesIn(language string) *wishes {
	if code, _, _ := strings.Cut(strings.ToLower(language), "-"); code == "es" {
		return inSpanish
	}
	return inEnglish
}

// asksIn returns the languages in which text holds a word that a request has: most of
// what is said holds none, and every turn is looked through.
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

// limitIn reads a request to keep or raise something no more: one for each topic
// that it names.
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

// each is a request about each of the topics.
func each(topics []string, l limitRequest) []limitRequest {
	var out []limitRequest
	for _, topic := range topics {
		l.topic = topic
		out = append(out, l)
	}
	return out
}

// maxTopicWords bounds a topic: what is longer is a story, not a topic.
const maxTopicWords = 5

// topicsOf takes the topics out of what follows the verb. that says that there is
// none, since it is only pointed at.
func (w *wishes) topicsOf(rest string) (topics []string, that bool) {
	var parts []string
	begin := 0
	if at := w.clauseEnd.FindStringIndex(rest + " "); at != nil { // and no further
		rest = rest[:min(at[0], len(rest))]
	}
	for _, at := range w.joint.FindAllStringIndex(rest, -1) {
		parts = append(parts, rest[begin:at[0]])
		begin = at[1]
		if rest[at[0]:at[1]] == ", " && !w.oneMore.MatchString(rest[begin:]) {
			begin = -1 // a clause of its own, not one more of the same
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

// topicOf takes the topic out of the words for it. that says that it is only
// pointed at.
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

// plain returns a sentence in lower case without its end mark, apostrophes straight.
func plain(s string) string {
	return strings.Trim(strings.ReplaceAll(english.OneLine(english.Lower(s)), "do not", "don't"), ".…!? ")
}
