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
			if asked := forgetIn(sentence); len(asked) > 0 {
				for _, f := range asked {
					f.line = i
					if f.that() {
						f.lines = before(lines, i, j > 0)
					}
					r.forget = append(r.forget, f)
				}
				continue
			}
			for _, l := range limitIn(sentence) {
				l.line = i
				r.limits = append(r.limits, l)
				if l.rule == memories.NeverStore && !l.that {
					r.forget = append(r.forget, forgetRequest{line: i, topic: l.topic})
				}
				if l.rule == memories.NeverStore && l.that {
					r.forget = append(r.forget, forgetRequest{line: i, lines: before(lines, i, j > 0)})
				}
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

const (
	// raise is how somebody says what nAIber should not do; the group is the topic.
	raise = `(?:mention(?:ing)?|bring(?:ing)? up|talk(?:ing)? (?:to me )?about|speak(?:ing)? (?:to me )?(?:about|of)|ask(?:ing)? (?:me )?(?:about|after)|rais(?:e|ing)|discuss(?:ing)?) (.+)`
	// bring is the same, with the topic in the middle.
	bring = `bring(?:ing)? (.+?) up\b(.*)`
	// keepUp is how somebody says that something is not to be kept.
	keepUp = `(?:remember(?:ing)?|keep(?:ing)?|stor(?:e|ing)|sav(?:e|ing)|writ(?:e|ing) down|not(?:e|ing) down|record(?:ing)?|mak(?:e|ing) a note of) (.+)`
	// writeDown is the same, with the topic in the middle.
	writeDown = `(?:write|note|jot) (.+?) down\b(.*)`

	// order asks not to; a bare "don't" only where nobody stands before it who does not.
	order = `(?:^|(?:please|so|and|but|oh|well|look|now|just|dear|listen|ok|okay|no|then|again|,|;) ?)(?:just |please |ever )*(?:don't|do not|never|stop|no more|let's not|let us not)(?: please| ever| you)* `
	// wish asks not to in the first person, or as a question.
	wish = `(?:i don't (?:want|wish|like) (?:you |us |anyone )?(?:to |you )?(?:ever )?|i don't want any|i'd rather (?:you |we )?(?:didn't|not|don't) |i would rather (?:you |we )?(?:didn't|not|don't) |i'd prefer (?:you |we )?not to |i can't bear (?:to )?|(?:can|could|would) (?:you|we) (?:please )?(?:not|stop) |you (?:mustn't|shouldn't|needn't|must not|should not) |i want you to stop )`
	// hear is how somebody says what they would rather not listen to. Only a wish
	// goes with it: "never hear of him" is a complaint.
	hear = `hear(?:ing)? (?:any ?more |anything |another word |a word )?(?:about|of) (.+)`
	// asks is how somebody asks outright, or by a question.
	asks  = `(?:^|(?:please|so|and|but|oh|well|look|now|just|dear|listen|ok|okay|no|then|,|;) ?|let's |let us |(?:can|could|would|will) (?:you|we) |i(?:'d| would) like (?:you|us) to |i want (?:you|us) to |i(?:'d| would) rather (?:you|we) )(?:please |just )*`
	outOf = `(?:leave|keep|left|kept) (.+?) out of (?:it|this|that|all this|our (?:talks?|chats?|calls?|conversations?)|the (?:talk|conversation))\b(.*)`
	// matter is what is to be left alone, told by its name.
	matter = `(?:drop|avoid|skip|leave|stay off|keep off|stay away from|steer clear of) (?:the (?:subject|topic|matter) of|talking about|talk of) (.+)`
	// allow takes it back.
	allow = `(?:you (?:can|may|could)|we can|it's (?:all right|alright|fine|ok|okay) to|i don't mind if you) (?:now )?`
)

var (
	noRaise  = regexp.MustCompile(`(?:` + order + `|` + wish + `)` + raise)
	noBring  = regexp.MustCompile(`(?:` + order + `|` + wish + `)` + bring)
	noKeep   = regexp.MustCompile(`(?:` + order + `|` + wish + `)` + keepUp)
	noWrite  = regexp.MustCompile(`(?:` + order + `|` + wish + `)` + writeDown)
	noHear   = regexp.MustCompile(wish + hear)
	leaveOut = regexp.MustCompile(asks + outOf)
	// offSubject is told by the word.
	offSubject = regexp.MustCompile(asks + matter)

	yesRaise = regexp.MustCompile(allow + raise)
	again    = regexp.MustCompile(`\b(?:again|once more)\b`)
	forNow   = regexp.MustCompile(`\b(?:today|right now|just now|tonight|this morning|at the moment|for now|now)\b`)
)

// askWords begin a word that any request holds, to forget included.
var askWords = strings.Fields("forget delete erase strike scrap wipe mention bring talk speak ask rais discuss remember keep kept stor sav " +
	"writ note noti record mak jot hear leave left drop avoid skip stay steer")

// mayAsk reports whether text holds a word that a request has: most of what is said
// holds none, and every turn is looked through.
func mayAsk(text string) bool {
	for _, w := range english.Scan(text) {
		if slices.ContainsFunc(askWords, func(begin string) bool { return strings.HasPrefix(w.Text, begin) }) {
			return true
		}
	}
	return false
}

// limitIn reads a request to keep or raise something no more: one for each topic
// that it names. It knows English.
func limitIn(sentence string) []limitRequest {
	text := plain(sentence)
	if m := yesRaise.FindStringSubmatch(text); m != nil && again.MatchString(m[1]) {
		topics, _ := topicsOf(m[1])
		return each(topics, limitRequest{lift: true})
	}
	for _, w := range []struct {
		re   *regexp.Regexp
		rule memories.LimitRule
	}{
		{noKeep, memories.NeverStore},
		{noWrite, memories.NeverStore},
		{noBring, memories.NeverRaise},
		{noRaise, memories.NeverRaise},
		{noHear, memories.NeverRaise},
		{leaveOut, memories.NeverRaise},
		{offSubject, memories.NeverRaise},
	} {
		m := w.re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		topics, that := topicsOf(m[1])
		rest := strings.Join(m[1:], " ")
		if strings.TrimSpace(m[1]) == "it" && !again.MatchString(rest) && w.rule == memories.NeverRaise {
			return nil // "don't mention it": you are welcome
		}
		l := limitRequest{rule: w.rule}
		if w.rule == memories.NeverRaise && forNow.MatchString(rest) && !again.MatchString(rest) {
			l.rule, l.today = memories.CoolDown, true
		}
		if len(topics) > 0 {
			return each(topics, l)
		}
		if that {
			l.that = true
			return []limitRequest{l}
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
	clauseEnd = regexp.MustCompile(`[;:()]|,? (?:because|since|if|when|but|(?:and|or|so) (?:i|you|we|it|he|she|they)|please|again|any ?more|anymore|ever|to (?:me|anyone|anybody|her|him|them)|with me|today|right now|just now|tonight|this morning|at the moment|for now|now|all right|will you|would you|dear)\b`)
	topicHead = regexp.MustCompile(`^(?:(?:anything|everything|something|things|all that|what happened|the fact|the subject|the topic|stuff) (?:about|of|with|to do with|like|that|to) |(?:my|the|our|his|her|their|that|this|those|these|your|a|an|any|all) )+`)
	pronoun   = regexp.MustCompile(`^(?:that|this|it|these things|those things|such things|any of that|any of this|all that)$`)
)

// maxTopicWords bounds a topic: what is longer is a story, not a topic.
const maxTopicWords = 5

// joint is what stands between two topics: "my brother or my sister", "my
// brother, my sister and the war".
var joint = regexp.MustCompile(`,? (?:or|and|nor) (?:(?:about|of) )?|, `)

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

// oneMore begins one more topic of a list.
var oneMore = regexp.MustCompile(`^(?:my|our|the|his|her|their) `)

// topicOf takes the topic out of the words for it. that says that it is only
// pointed at.
func topicOf(rest string) (topic string, that bool) {
	rest = strings.TrimSpace(rest)
	if pronoun.MatchString(rest) {
		return "", true
	}
	topic = strings.TrimSpace(topicHead.ReplaceAllString(rest, ""))
	switch topic {
	case "him", "her", "them", "me", "you", "us", "anything", "everything", "things", "nothing", "to",
		"my", "the", "our", "his", "their", "that", "this", "those", "these", "your", "a", "an", "any", "all": // they were cut short
		return "", topic == "him" || topic == "her" || topic == "them"
	}
	if len(strings.Fields(topic)) > maxTopicWords {
		return "", false
	}
	return topic, false
}

// plain is a sentence in lower case without its end mark, apostrophes straight.
func plain(s string) string {
	s = strings.ReplaceAll(english.OneLine(english.Lower(s)), "do not", "don't")
	return strings.TrimSpace(strings.Trim(s, ".…!? "))
}
