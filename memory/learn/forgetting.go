package learn

import (
	"regexp"
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
	yes     = regexp.MustCompile(`^(?:(?:oh|well|um|uh|hm|so|and) )*(?:yes|yeah|yep|yup|please do|sure|of course|go ahead|do that|do it|do so|that's right|absolutely|definitely|i do|i would|forget (?:it|everything|all))\b`)
	perhaps = regexp.MustCompile(`\b(?:no|not|nope|never|don't|wait|but|only|just|maybe|perhaps|except)\b`)
)

const (
	// asking is what may stand before "forget" when it is asked for.
	asking = `(?:` + begins + `|(?:can|could|will|would) you (?:please )?|(?:want|like|need) you to |you (?:can|should|must|may|had better) )(?:just |please |better )*`
	// bidding is the same without what is said of anybody: "you can forget that he comes".
	bidding  = `(?:` + begins + `|(?:can|could|will|would) you (?:please )?|(?:want|like|need) you to )(?:just |please )*`
	begins   = `^|(?:please|so|and|but|oh|well|look|now|just|actually|dear|no|listen|ok|okay|,|;) ?`
	erasing  = `(?:forget|delete|erase|strike|scrap|wipe)`
	toldYou  = `(?:i(?:'ve| have)? (?:just |ever |only )?(?:said|told you|mentioned))`
	talkedOf = `(?:` + toldYou + `(?: to you)?|we(?:'ve| have)? (?:ever )?(?:said|discussed|talked about|spoke about|spoken about)|you (?:heard|learned))`
	politely = `(?: (?:again|please|now|would you|will you|dear|then))*$`
	// namedDay is how somebody names a day that is over, or today.
	namedDay = `(?:today|(?:the )?day before yesterday|yesterday|(?:on )?(?:last |past )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)`
)

var (
	forgetTopic = regexp.MustCompile(asking + erasing + ` (?:about )?(?:all |everything |anything |whatever |what |all that |the things )?(?:` + toldYou + ` )?(?:to you )?about (.+)`)
	forgetThat  = regexp.MustCompile(asking + erasing + ` (?:that|this|what ` + toldYou + `|(?:everything|all) i(?:'ve| have)? just (?:said|told you)|that ` + toldYou + `|i said that)(?: (?:again|please|now|would you|will you|will you please|just now|dear|then|last bit|bit))*$`)
	forgetAll   = regexp.MustCompile(asking + erasing + ` (?:me|everything|(?:all|everything|anything|whatever)(?: that)? (?:` + talkedOf +
		`|you (?:know|remember|have|keep|kept|noted|stored|wrote down)(?: (?:about|of|on) me)?|(?:about|on) me)|(?:all )?(?:of )?my (?:memories|memory|data))` + politely)
	forgetDay = regexp.MustCompile(asking + erasing + ` (?:all|everything|anything|whatever|what|the things)(?: that)?(?: ` + talkedOf + `)? (?:from )?(` + namedDay + `)` + politely)
	// forgetClause asks to forget what is so: "that Tom is in hospital".
	forgetClause = regexp.MustCompile(bidding + erasing + ` (?:the fact )?that (.+)`)
	// forgetAbout is a request only where it is clear that it is meant, and no
	// "never mind": "forget about the shopping".
	forgetAbout = regexp.MustCompile(bidding + erasing + ` (?:all )?about (.+)`)
	kindly      = regexp.MustCompile(`\b(?:please|you)\b`)
	someonesOwn = regexp.MustCompile(`^(?:my|his|her|our|their) `)
	somebody    = regexp.MustCompile(`(?i:` + erasing + ` (?:all )?about) \p{Lu}`)
	// forgetIdiom is "forget about it": never mind.
	forgetIdiom = regexp.MustCompile(`^(?:it|that|this)\b`)
	// thatOne is no clause: "forget that nonsense".
	thatOne = regexp.MustCompile(`^(?:last |old |silly )*(?:bit|thing|one|business|idea|nonsense|rubbish|stuff|part)\b`)
	// aboutWhat must stand in a request that names a topic: "forget about the
	// shopping" is none.
	aboutWhat = regexp.MustCompile(`\b(?:all|everything|anything|whatever|what|things|said|told)\b`)
)

// forgetIn reads a request to forget something: one for each topic that it names.
// It knows English. A request to forget all is none before it is confirmed.
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
	k := i
	for k > 0 && lines[k-1].Role == calls.RoleAssistant {
		k--
	}
	texts := make([]string, 0, i-k)
	for _, u := range lines[k:i] {
		texts = append(texts, u.Text)
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
