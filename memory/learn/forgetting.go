package learn

import (
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
)

// forgetRequest asks to forget a topic, a day, all, or certain lines.
type forgetRequest struct {
	line  int
	topic string
	day   string // as it was named: "yesterday"
	all   bool
	lines []int
}

// that reports whether it only points at what was said before.
func (r forgetRequest) that() bool { return r.topic == "" && r.day == "" && !r.all }

// ForgetAllQuestion asks back whether all is to be forgotten. The yes to it is
// what is learned; see [ConfirmsForgetting].
const ForgetAllQuestion = "I can forget everything you have ever told me, if you would like that. Shall I forget all of it?"

// forgetAllMark is what is left of the question, even when it was cut short.
const forgetAllMark = "i can forget everything you"

// AsksToForgetAll reports whether a person asks that all be forgotten that is
// remembered of them. As that is asked back, it leans towards hearing it.
func AsksToForgetAll(heard string) bool {
	if !mayAsk(heard) {
		return false
	}
	for _, s := range english.Sentences(heard) {
		if bare := noCommas(plain(s)); forgetAll.MatchString(bare) && !forgetThat.MatchString(bare) {
			return true
		}
	}
	return false
}

// ConfirmsForgetting reports whether all is to be forgotten: nAIber's last words
// asked that back, and the person's are a yes, or ask for it again.
func ConfirmsForgetting(last, heard string) bool {
	if !strings.Contains(plain(last), forgetAllMark) {
		return false
	}
	text := noCommas(plain(strings.Join(english.Sentences(heard), " ")))
	return AsksToForgetAll(heard) || yes.MatchString(text) && !perhaps.MatchString(text)
}

var (
	yes, perhaps = pattern("yes"), pattern("perhaps")

	forgetTopic, forgetThat, forgetAll = pattern("forget_topic"), pattern("forget_that"), pattern("forget_all")
	forgetDay, forgetClause            = pattern("forget_day"), pattern("forget_clause")
	forgetAbout, forgetIdiom           = pattern("forget_about"), pattern("forget_idiom")
	kindly, someonesOwn, somebody      = pattern("kindly"), pattern("someones_own"), pattern("somebody")
	thatOne, aboutWhat                 = pattern("that_one"), pattern("about_what")
)

// forgetIn reads a request to forget something: one for each topic that it names.
// A request to forget all is none before it is confirmed.
func forgetIn(sentence string) []forgetRequest {
	text := plain(sentence)
	bare := noCommas(text)
	if forgetThat.MatchString(bare) {
		return []forgetRequest{{}}
	}
	if forgetAll.MatchString(bare) {
		return nil
	}
	if m := forgetDay.FindStringSubmatch(bare); m != nil {
		return []forgetRequest{{day: m[1]}}
	}
	if m := forgetTopic.FindStringSubmatch(text); m != nil && !forgetIdiom.MatchString(m[1]) && aboutWhat.MatchString(strings.TrimSuffix(m[0], m[1])) {
		return forgetEach(m[1])
	}
	if m := forgetClause.FindStringSubmatch(text); m != nil && !thatOne.MatchString(m[1]) {
		return forgetSo(m[1])
	}
	m := forgetAbout.FindStringSubmatch(text)
	if m == nil || forgetIdiom.MatchString(m[1]) ||
		!kindly.MatchString(text) && !someonesOwn.MatchString(m[1]) && !somebody.MatchString(sentence) {
		return nil
	}
	return forgetEach(m[1])
}

// forgetEach is a request to forget each of the topics in the words for them.
func forgetEach(words string) []forgetRequest {
	topics, _ := topicsOf(words)
	out := make([]forgetRequest, len(topics))
	for i, topic := range topics {
		out[i].topic = topic
	}
	return out
}

// forgetSo is a request to forget that something is so: whatever has all of its
// words. Where one word is left that says anything, too much has that: what was
// just said is meant.
func forgetSo(clause string) []forgetRequest {
	clause, _, _ = strings.Cut(clause, ",")
	if at := clauseEnd.FindStringIndex(clause + " "); at != nil && at[0] <= len(clause) {
		clause = strings.TrimSpace(clause[:at[0]])
	}
	topic := topicHead.ReplaceAllString(clause, "")
	if len(strings.Fields(clause)) < 2 || len([]rune(topic)) > maxClauseRunes {
		return nil
	}
	if len(english.Content(topic)) < 2 {
		topic = ""
	}
	return []forgetRequest{{topic: topic}}
}

// maxClauseRunes bounds what may be forgotten by its words, as [memory.CheckTopic] does.
const maxClauseRunes = 100

// saidBefore is what nAIber said between two lines of the person.
func saidBefore(lines []calls.Utterance, i int) string {
	var texts []string
	for i > 0 && lines[i-1].Role == calls.RoleAssistant {
		i--
		texts = slices.Insert(texts, 0, lines[i].Text)
	}
	return strings.Join(texts, " ")
}

// dayMeant returns the day that a request names, as YYYY-MM-DD where the person
// lives. A weekday is the latest that is over.
func dayMeant(named string, said time.Time) string {
	day, _ := english.Period(named, said) // it reads all that namedDay does
	return day.From.Format(time.DateOnly)
}

func noCommas(text string) string { return strings.NewReplacer(",", "", ";", "").Replace(text) }
