package learn

import (
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/days"
	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store/calls"
)

// forgetRequest is a request to forget a topic, a day, everything, or certain lines.
type forgetRequest struct {
	line  int
	topic string
	day   string // as it was named: "yesterday"
	all   bool
	lines []int
}

// that reports whether the request only points at what was said before.
func (r forgetRequest) that() bool { return r.topic == "" && r.day == "" && !r.all }

// ForgetAllQuestion returns the question, in the language of a BCP 47 tag, whether
// everything should be forgotten. Learning takes only the yes to it as a request; see
// [ConfirmsForgetting].
func ForgetAllQuestion(language string) string { return wishesIn(language).forgetQuestion }

// AsksToForgetAll reports whether a person asks to have everything about them forgotten.
// Since nAIber asks back, it prefers a false positive.
func AsksToForgetAll(heard string) bool {
	return slices.ContainsFunc(asksIn(heard), func(w *wishes) bool {
		return slices.ContainsFunc(english.Sentences(heard), func(s string) bool {
			bare := noCommas(plain(s))
			return w.forgetAll.MatchString(bare) && !w.forgetThat.MatchString(bare)
		})
	})
}

// ConfirmsForgetting reports whether everything must be forgotten: nAIber's last words
// asked for confirmation, and the person says yes or asks for it again.
func ConfirmsForgetting(last, heard string) bool {
	last = plain(last)
	if !slices.ContainsFunc(ways, func(w *wishes) bool { return strings.Contains(last, w.forgetMark) }) {
		return false
	}
	text := noCommas(plain(strings.Join(english.Sentences(heard), " ")))
	return AsksToForgetAll(heard) ||
		slices.ContainsFunc(ways, func(w *wishes) bool { return w.yes.MatchString(text) }) &&
			!slices.ContainsFunc(ways, func(w *wishes) bool { return w.perhaps.MatchString(text) })
}

// forgetIn parses requests to forget something, one for each topic named. A request to
// forget everything is not one until it is confirmed.
func (w *wishes) forgetIn(sentence string) []forgetRequest {
	text := plain(sentence)
	bare := noCommas(text)
	if w.forgetThat.MatchString(bare) {
		return []forgetRequest{{}}
	}
	if w.forgetAll.MatchString(bare) {
		return nil
	}
	if m := w.forgetDay.FindStringSubmatch(bare); m != nil {
		return []forgetRequest{{day: m[1]}}
	}
	if m := w.forgetTopic.FindStringSubmatch(text); m != nil && !w.forgetIdiom.MatchString(m[1]) && w.aboutWhat.MatchString(strings.TrimSuffix(m[0], m[1])) {
		return w.forgetEach(m[1])
	}
	if m := w.forgetClause.FindStringSubmatch(text); m != nil && !w.thatOne.MatchString(m[1]) {
		return w.forgetSo(m[1])
	}
	m := w.forgetAbout.FindStringSubmatch(text)
	if m == nil || w.forgetIdiom.MatchString(m[1]) ||
		!w.kindly.MatchString(text) && !w.someonesOwn.MatchString(m[1]) && !w.somebody.MatchString(sentence) {
		return nil
	}
	return w.forgetEach(m[1])
}

// forgetEach returns a request to forget each of the topics named by words.
func (w *wishes) forgetEach(words string) []forgetRequest {
	topics, _ := w.topicsOf(words)
	out := make([]forgetRequest, len(topics))
	for i, topic := range topics {
		out[i].topic = topic
	}
	return out
}

// forgetSo returns a request to forget every turn with all the words of a clause. If fewer
// than two significant words are left, too much would match: then the request means what
// was just said.
func (w *wishes) forgetSo(clause string) []forgetRequest {
	clause, _, _ = strings.Cut(clause, ",")
	if at := w.clauseEnd.FindStringIndex(clause + " "); at != nil && at[0] <= len(clause) {
		clause = strings.TrimSpace(clause[:at[0]])
	}
	topic := w.topicHead.ReplaceAllString(clause, "")
	if len(strings.Fields(clause)) < 2 || len([]rune(topic)) > maxClauseRunes {
		return nil
	}
	if len(english.Content(topic)) < 2 {
		topic = ""
	}
	return []forgetRequest{{topic: topic}}
}

// maxClauseRunes limits what may be forgotten by its words, as [memory.CheckTopic] does.
const maxClauseRunes = 100

// saidBefore returns what nAIber said between line i and the person's line before it.
func saidBefore(lines []calls.Utterance, i int) string {
	var texts []string
	for i > 0 && lines[i-1].Role == calls.RoleAssistant {
		i--
		texts = slices.Insert(texts, 0, lines[i].Text)
	}
	return strings.Join(texts, " ")
}

// dayMeant returns the day that a request names, as YYYY-MM-DD where the person lives. A
// weekday means the most recent one that is over.
func dayMeant(named string, said time.Time) string {
	day, ok := english.Period(named, said) // english and spanish read all that the patterns name
	if !ok {
		day, _ = days.Period("spanish", named, said)
	}
	return day.From.Format(time.DateOnly)
}

func noCommas(text string) string { return strings.NewReplacer(",", "", ";", "").Replace(text) }
