package wishes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
)

// wish is what a person asks for about the times of calls. Only fields that were mentioned are set.
type wish struct {
	not, only []string // weekdays as in RFC 5545
	every     string   // "2days", "week", "2week"
	time      string   // "window:morning", "after:lunch", "time:10:30"
	pause     string   // "today", "tomorrow", "this_week", "next_week", "until:SU", "on:SU"
	once      string   // "tomorrow", "later"
	end       string   // a type of calls to end
	vague     bool     // another time, without saying which
	// called is set if calls were mentioned. Words that only say what would suit may be about
	// anything else.
	called bool
	in     *language
}

// kinds returns the names of what a wish asks for.
func (w wish) kinds() (all []string) {
	if w.pause != "" {
		all = append(all, "pause:"+w.pause)
	}
	switch w.once {
	case "":
	case "later":
		all = append(all, "later_today")
	default:
		all = append(all, "once:"+w.once)
	}
	if len(w.not) > 0 {
		all = append(all, "not:"+strings.Join(w.not, ","))
	}
	if len(w.only) > 0 {
		all = append(all, "only:"+strings.Join(w.only, ","))
	}
	if w.every != "" {
		all = append(all, "every:"+w.every)
	}
	if w.time != "" {
		all = append(all, w.time)
	}
	if w.end != "" {
		all = append(all, "end:"+w.end)
	}
	if w.vague {
		all = append(all, "vague")
	}
	return all
}

// week holds the weekdays in order.
var week = []string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}

// The labels of phrases in a language's index. What is asked for is named as in [wish.kinds].
const (
	isCall    = "call"    // a request about nAIber's calls
	isSuits   = "suits"   // says what would suit
	isNot     = "not"     // what is asked for must be left out
	isNotThis = "notthis" // just before what is not meant
	isOnly    = "only"
	isMend    = "mend"   // takes back what was said before
	isThanks  = "thanks" // for a call: asks for nothing
	isOther   = "other"  // about somebody else's calls, or things that are as they should be
	isClock   = "clock"
	isDay     = "day "
	isPeriod  = "period "
	isTime    = "time "
	isEvery   = "every "
	isEnd     = "end "
	isLater   = "later"
	isAnother = "another" // time
	isAM      = "am"
	isPM      = "pm"
	isInstead = "instead"
	isUntil   = "until" // just before the day until which there are to be no calls
	isThis    = "this"  // just before the next day of that name
	isYes     = "yes"
	isNo      = "no"
	isAgain   = "again" // the question was not heard or understood
	isOurs    = "calls" // words for calls in nAIber's own lines
)

// hearing holds the matches of an index in words.
type hearing struct {
	*language

	toks []phrases.Token
	all  []phrases.Match
}

// unthank leaves out mentions of calls that somebody only gives thanks for.
func (h *hearing) unthank() {
	thanks := h.of(isThanks)
	h.all = slices.DeleteFunc(h.all, func(c phrases.Match) bool {
		return c.Label == isCall && slices.ContainsFunc(thanks, func(t phrases.Match) bool { return t.From < c.To && c.From < t.To })
	})
}

// narrow keeps only the sentences that ask for something, if one of them says what.
func (h *hearing) narrow() {
	asks := map[int]bool{}
	for _, label := range []string{isCall, isSuits} {
		for _, m := range h.of(label) {
			asks[h.toks[m.From].Sentence()] = true
		}
	}
	left := slices.DeleteFunc(slices.Clone(h.all), func(m phrases.Match) bool { return !asks[h.toks[m.From].Sentence()] })
	if slices.ContainsFunc(left, func(m phrases.Match) bool {
		name, _, _ := strings.Cut(m.Label, " ")
		return slices.Contains([]string{"day", "period", "time", "every", "end", isClock, isLater, isAnother}, name)
	}) {
		h.all = left
	}
}

func (h *hearing) of(prefix string) (out []phrases.Match) {
	for _, m := range h.all {
		if strings.HasPrefix(m.Label, prefix) && (m.Label == prefix || strings.HasSuffix(prefix, " ")) {
			out = append(out, m)
		}
	}
	return out
}

func (h *hearing) has(label string) bool { return len(h.of(label)) > 0 }

// mended returns the matches after the last correction that is followed by any, or all of them: a
// correction takes back what was said before it.
func (h *hearing) mended(found []phrases.Match) []phrases.Match {
	for _, m := range slices.Backward(h.of(isMend)) {
		after := slices.DeleteFunc(slices.Clone(found), func(f phrases.Match) bool { return f.From < m.To })
		if len(after) > 0 {
			return after
		}
	}
	return found
}

// meant leaves out matches just after a word that says that they are not meant, unless none is
// left.
func (h *hearing) meant(found []phrases.Match) []phrases.Match {
	left := slices.DeleteFunc(slices.Clone(found), func(f phrases.Match) bool {
		return slices.ContainsFunc(h.of(isNotThis), func(m phrases.Match) bool { return m.To == f.From })
	})
	if len(left) == 0 {
		return found
	}
	return left
}

// nearest returns the match nearest to a request; of two that are equally near, the later one.
func (h *hearing) nearest(found []phrases.Match) phrases.Match {
	cues := append(h.of(isCall), h.of(isSuits)...)
	best, least := found[0], 1<<20
	for _, f := range found {
		for _, c := range cues {
			apart := max(f.From-c.To, c.From-f.To, 0)
			if apart <= least {
				best, least = f, apart
			}
		}
	}
	return best
}

// read returns what words ask for, and reports whether they ask for anything. If asked is set, they
// answer when it would suit, and need not mention calls.
func (l *language) read(text string, asked bool) (wish, bool) {
	toks := l.Tokens(english.Scan(text))
	h := hearing{l, toks, l.All(l.index, toks)}
	h.unthank()
	h.narrow()
	w := wish{in: l, called: h.has(isCall)}
	if !asked && !w.called && !h.has(isSuits) || h.others() {
		return w, false
	}
	not := h.has(isNot)
	h.days(&w, not)
	h.periods(&w, not)
	if m := h.of(isEvery); len(m) > 0 {
		w.every = strings.TrimPrefix(m[len(m)-1].Label, isEvery)
	}
	if w.pause == "" && w.once != "later" {
		w.time = h.time()
	}
	if m := h.of(isEnd); len(m) > 0 && (not || asked) {
		w.end = strings.TrimPrefix(m[0].Label, isEnd)
	}
	w.vague = len(w.kinds()) == 0 && h.has(isAnother)
	return w, len(w.kinds()) > 0
}

// others reports whether words are about somebody else's calls.
func (h *hearing) others() bool {
	return slices.ContainsFunc(h.of(isOther), func(o phrases.Match) bool {
		// A request outside of those words still counts.
		return !slices.ContainsFunc(h.of(isCall), func(c phrases.Match) bool { return c.To <= o.From || c.From >= o.To })
	})
}

// days reads weekdays: those to leave out, or the only ones to keep.
func (h *hearing) days(w *wish, not bool) {
	var days []string
	for _, m := range h.mended(h.of(isDay)) {
		before := func(label string) bool {
			return slices.ContainsFunc(h.of(label), func(b phrases.Match) bool { return b.To == m.From })
		}
		if one := strings.TrimPrefix(m.Label, isDay); not && len(one) == 2 {
			switch {
			case before(isUntil):
				w.pause = "until:" + one
			case before(isThis):
				w.pause = "on:" + one
			}
			if w.pause != "" {
				return
			}
		}
		days = append(days, strings.Split(strings.TrimPrefix(m.Label, isDay), ",")...)
	}
	if len(days) == 0 {
		return
	}
	days = slices.DeleteFunc(slices.Clone(week), func(d string) bool { return !slices.Contains(days, d) })
	switch {
	case not && !h.has(isOnly):
		w.not = days
	default:
		w.only = days
	}
}

// periods reads what is meant for once: today, tomorrow, a week.
func (h *hearing) periods(w *wish, not bool) {
	if h.has(isLater) && w.called && len(w.not)+len(w.only) == 0 {
		w.once = "later"
		return
	}
	found := h.mended(slices.DeleteFunc(h.of(isPeriod), func(p phrases.Match) bool { // "por la mañana no" is not "mañana no"
		return slices.ContainsFunc(h.of(isTime), func(t phrases.Match) bool { return t.From < p.From && p.From < t.To })
	}))
	if len(found) == 0 || len(w.only) > 0 || w.pause != "" {
		return
	}
	period := strings.TrimPrefix(h.nearest(found).Label, isPeriod)
	switch {
	case period == "tomorrow" && h.tomorrowOnce(found):
		w.once = period
	case not:
		w.pause = period
	case period == "tomorrow" && w.called:
		w.once = period
	}
}

// tomorrowOnce reports whether tomorrow replaces today: "not today but tomorrow".
func (h *hearing) tomorrowOnce(found []phrases.Match) bool {
	today := slices.ContainsFunc(found, func(m phrases.Match) bool { return m.Label == isPeriod+"today" })
	return today || h.has(isInstead)
}

// time returns a time of day, or "".
func (h *hearing) time() string {
	var clocks []phrases.Match
	for _, m := range h.of(isClock) { // "quarter to eleven" is not "eleven in the morning"
		over := func(o phrases.Match) bool { return o.From < m.To && m.From < o.To }
		if !slices.ContainsFunc(clocks, over) && !slices.ContainsFunc(h.of(isEvery), over) {
			clocks = append(clocks, m)
		}
	}
	if found := h.meant(h.mended(clocks)); len(found) > 0 {
		if at, ok := h.clock(h.nearest(found)); ok {
			return "time:" + at
		}
	}
	found := h.meant(h.mended(h.of(isTime)))
	if len(found) == 0 {
		return ""
	}
	return strings.TrimPrefix(h.nearest(found).Label, isTime)
}

// clock reads a time on the clock. Without am or pm, an hour before eight is after noon.
func (h *hearing) clock(m phrases.Match) (string, bool) {
	hour, minute, sign := -1, 0, 1
	for _, t := range h.toks[m.From:m.To] {
		word := t.Word
		if digits, rest, ok := cutDigits(word); ok {
			if hour < 0 {
				hour = digits
				if past, _, ok := cutDigits(strings.TrimLeft(rest, ":.")); ok {
					minute = past
				}
			} else {
				minute = digits
			}
			continue
		}
		if n, ok := h.Minutes[word]; ok && (hour >= 0 || n%15 == 0 && h.Hours[word] == 0) {
			minute = n
			continue
		}
		if n, ok := h.Hours[word]; ok && hour < 0 {
			hour = n
		}
		if h.Before[word] {
			sign = -1
		}
	}
	if hour < 0 || hour > 23 || minute > 59 {
		return "", false
	}
	switch {
	case hour > 12:
	case h.has(isPM) && hour < 12, !h.has(isPM) && !h.has(isAM) && hour < 8:
		hour += 12
	case h.has(isAM) && hour == 12:
		hour = 0
	}
	at := hour*60 + sign*minute
	return two(at/60%24) + ":" + two(at%60), at >= 0
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// cutDigits reads the number of one or two digits with which a word begins.
func cutDigits(word string) (n int, rest string, ok bool) {
	end := strings.IndexFunc(word, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(word)
	}
	if end == 0 || end > 2 {
		return 0, "", false
	}
	n, err := strconv.Atoi(word[:end])
	return n, word[end:], err == nil
}

// answer reads the answer to whether something is right. An answer that is both yes and no counts
// as neither; again says that the question was not heard.
func (l *language) answer(text string) (yes, no, again bool) {
	toks := l.Tokens(english.Scan(text))
	h := hearing{l, toks, l.All(l.index, toks)}
	// "No problem" is not a no.
	within := func(m phrases.Match, label string) bool {
		return slices.ContainsFunc(h.of(label), func(o phrases.Match) bool { return o.From <= m.From && m.To <= o.To && o.To-o.From > m.To-m.From })
	}
	counts := func(label string, in ...string) bool {
		return slices.ContainsFunc(h.of(label), func(m phrases.Match) bool {
			return !slices.ContainsFunc(in, func(other string) bool { return within(m, other) })
		})
	}
	yes, no, again = h.has(isYes), counts(isNo, isYes, isAgain), counts(isAgain, isYes)
	return yes && !no, no && !yes, again && !yes && !no
}
