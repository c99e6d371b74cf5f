package reader

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// dayMinutes is a day.
const dayMinutes = 24 * 60

// moment is a time of day in the reply.
type moment struct {
	candidate      // value is in minutes after midnight
	definite  bool // the half of the day is known
}

// readTime reads a time of day. Without "morning" or "pm", the half of the day
// is the one nearer to the question's Near; without that it stays open.
func (r *reply) readTime(q Question, now time.Time) Reading {
	if got, ok := r.ago(now); ok {
		return got
	}
	near, hasNear := clockOf(q.Near)
	var cs []candidate
	open := false
	for i := 0; i < len(r.toks); {
		m, ok := r.moment(i)
		if !ok {
			i++
			continue
		}
		i = m.to
		if !m.definite && hasNear {
			m.value = nearest(m.value, near)
		}
		open = open || !m.definite && !hasNear
		for k := m.from; k < m.to; k++ {
			m.strong = m.strong || q.about(r.at(k))
		}
		m.now = r.clauseAbout(q, m.from)
		if r.futureBefore(m.from) || !m.definite && r.ofAnotherDay(m.from) {
			m.confidence, m.strong = math.Min(m.confidence, 0.5), false // "I'm going to eat at twelve"
		}
		if r.ofOthers(m.from) {
			m.confidence, m.strong = math.Min(m.confidence, 0.5), false
		}
		cs = append(cs, m.candidate)
	}
	if len(cs) == 0 {
		if got, ok := r.same(q); ok {
			return got
		}
		return Reading{Status: Unclear, Why: "no time"}
	}
	for i := range cs {
		cs[i].past = false // "I got up at seven yesterday" is not asked back
	}
	c, ok := r.settle(cs, meanTime)
	if !ok {
		return Reading{Status: Unclear, Why: "several times"}
	}
	if open {
		c.confidence, c.why = 0.55, "morning or evening"
	}
	return Reading{
		Status: Answered, Value: Value{Kind: Time, Time: clock(c.value)}, Confidence: c.confidence,
		Quote: r.quote(c.from, c.to), Why: c.why,
	}
}

// meanTime joins two times up to an hour apart, also over midnight.
func meanTime(a, b candidate) (candidate, bool) {
	gap := math.Mod(b.value-a.value+dayMinutes, dayMinutes)
	if gap > 60 {
		return candidate{}, false
	}
	return candidate{
		value: math.Mod(a.value+gap/2, dayMinutes), from: a.from, to: b.to, strong: true, now: a.now || b.now, confidence: 0.76, why: "range",
	}, true
}

// clauseAbout reports whether the clause around i speaks of the question's topic:
// "I woke at four but I got up at seven".
func (r *reply) clauseAbout(q Question, i int) bool {
	from, to := r.clause(i)
	for _, t := range q.Topic {
		if strings.Contains(t, " ") {
			if at, n := r.find(t); at >= from && at+n <= to {
				return true
			}
		}
	}
	for k := from; k < to; k++ {
		if q.about(r.at(k)) {
			return true
		}
	}
	return false
}

// moment reads the time of day at token i.
func (r *reply) moment(i int) (moment, bool) {
	value, n, definite, exact := r.clockAt(i)
	if n == 0 || value < 0 {
		return moment{}, false
	}
	m := moment{candidate: candidate{value: float64(value), from: i, to: i + n, why: "time"}, definite: definite}
	if n == 1 && r.at(m.to) == "ish" {
		m.to++
	}
	if r.at(m.to) == "o'clock" || r.at(m.to) == "oclock" {
		m.to++
		exact = true
	}
	if k, h := r.match(m.to, cue.Halves); k > 0 {
		m.value, m.to, exact = float64(halved(value, h)), m.to+k, true
		if !definite {
			m.definite = true
		} else {
			m.value = float64(value)
		}
	}
	r.markTime(&m, exact)
	return m, m.confidence > 0
}

// markTime gives a time its confidence. A bare hour needs a place where a time
// stands, so that "two cups" is none.
func (r *reply) markTime(m *moment, exact bool) {
	next := r.at(m.to)
	counted := next != "" && r.before(m.to) == run && !r.lx.is(next, cue.AfterHour) && !r.toks[m.to].plain && !r.fixAt(m.to)
	switch {
	case !exact && r.before(m.from) == run && r.in(m.from-1, cue.NotTime):
		return // "number ten", "I had two"
	case counted && (!exact || r.at(m.from-1) == "the"):
		return // "four hours", "the ten o'clock news"
	case r.bare(m.from, m.to):
		m.confidence, m.strong = 0.93, true
	case exact:
		m.confidence = 0.88
	case r.before(m.from) != run || r.in(m.from-1, cue.BeforeHour) || r.plainBefore(m.from):
		m.confidence = 0.82
	}
	if r.at(m.from-1) == "the" && next == "news" {
		m.confidence = 0
	}
}

// noon reports whether a word for noon stands at token i.
func (r *reply) noon(i int) bool {
	v, _ := r.value(i, cue.FixedTimes)
	return v > 0
}

// clockAt reads the time itself: minutes after midnight, tokens, whether the
// half of the day is known, and whether it can be nothing but a time.
func (r *reply) clockAt(i int) (minutes, n int, definite, exact bool) {
	t := r.at(i)
	if v, ok := r.lx.value(t, cue.FixedTimes); ok {
		return v, 1, true, true
	}
	if h, m, ok := colon(t); ok {
		return h*60 + m, 1, h > 12 || h == 0 || len(t) == 5 && t[0] == '0', true
	}
	if t == "a" && r.at(i+1) == "quarter" {
		v, k, d := r.relative(i+1, 15)
		return v, addIf(k), d, true
	}
	switch t {
	case "quarter":
		v, k, d := r.relative(i, 15)
		return v, k, d, true
	case "half":
		return r.halfPast(i)
	}
	v, k := r.number(i, false)
	if k == 0 || v != math.Trunc(v) || v < 0 {
		return 0, 0, false, false
	}
	m := int(v)
	if at := i + k; r.at(at) == "minutes" || r.at(at) == "minute" {
		if got, n, d := r.relative(at, m); n > 0 {
			return got, k + n, d, true
		}
	} else if m < 60 {
		if got, n, d := r.relative(at-1, m); n > 1 {
			return got, k + n - 1, d, true
		}
	}
	if h, ok := r.value(i+k, cue.FixedTimes); ok && m == 12 {
		return h, k + 1, true, true // "twelve noon"
	}
	return r.hourAt(i, k, m)
}

func addIf(n int) int {
	if n == 0 {
		return 0
	}
	return n + 1
}

// hourAt reads "ten", "ten thirty", "eight oh five", "2230".
func (r *reply) hourAt(i, k, v int) (minutes, n int, definite, exact bool) {
	if v >= 100 && len(r.at(i)) >= 3 && isDigit(rune(r.at(i)[0])) && k == 1 {
		h, m := v/100, v%100
		if h > 23 || m > 59 || len(r.at(i)) == 3 && m%5 != 0 {
			return 0, 0, false, false
		}
		return h*60 + m, 1, h > 12 || h == 0 || r.at(i)[0] == '0', false
	}
	if v > 23 {
		return 0, 0, false, false
	}
	definite = v > 12 || v == 0
	at := i + k
	if r.before(at) == run {
		if (r.at(at) == "oh" || r.at(at) == "o") && r.joined(at) {
			if m, ok := r.value(at+1, cue.Ones); ok && m > 0 {
				return v*60 + m, k + 2, definite, true
			}
		}
		if m, j := r.tens(at); j > 0 && m >= 10 && m < 60 && v > 0 {
			return v*60 + int(m), k + j, definite, true
		}
	}
	if v == 0 && r.at(i) != "0" {
		return 0, 0, false, false
	}
	return v * 60, k, definite, false
}

// halfPast reads "half past ten", and "half ten", which is the same.
func (r *reply) halfPast(i int) (minutes, n int, definite, exact bool) {
	if v, k, d := r.relative(i, 30); k > 0 {
		return v, k, d, true
	}
	if v, k := r.tens(i + 1); k > 0 && v >= 1 && v <= 12 && r.before(i+1) == run {
		return int(v)*60 + 30, 1 + k, false, true
	}
	return 0, 0, false, false
}

// relative reads "past ten" or "to ten" behind the token at i, for so many
// minutes.
func (r *reply) relative(i, minutes int) (value, n int, definite bool) {
	var sign int
	switch {
	case r.in(i+1, cue.PastHour):
		sign = 1
	case r.in(i+1, cue.ToHour):
		sign = -1
	default:
		return 0, 0, false
	}
	if r.before(i+1) != run || r.before(i+2) != run {
		return 0, 0, false
	}
	if v, ok := r.value(i+2, cue.FixedTimes); ok {
		return (v + sign*minutes + dayMinutes) % dayMinutes, 3, true
	}
	v, k := r.tens(i + 2)
	if d, j := r.digits(i + 2); k == 0 && j > 0 {
		v, k = d, j
	}
	if k == 0 || v < 1 || v > 12 || minutes >= 60 {
		return 0, 0, false
	}
	// A sum that wraps would be read as a half of the day that nobody named.
	value = int(v)*60 + sign*minutes
	if value < 60 {
		value += 12 * 60
	}
	return value, 2 + k, false
}

// ago reads "two hours ago".
func (r *reply) ago(now time.Time) (Reading, bool) {
	if now.IsZero() {
		return Reading{}, false
	}
	for i := range r.toks {
		if r.at(i) != "ago" {
			continue
		}
		for from := max(0, i-6); from < i; from++ {
			c, ok := r.amount(Question{Kind: Number, Unit: "minutes"}, from, false)
			if !ok || c.to != i || c.value <= 0 || c.value > dayMinutes {
				continue
			}
			t := now.Add(-time.Duration(c.value) * time.Minute)
			return Reading{
				Status: Answered, Value: Value{Kind: Time, Time: t.Format("15:04")}, Confidence: 0.8,
				Quote: r.quote(from, i+1), Why: "ago",
			}, true
		}
	}
	return Reading{}, false
}

// halved applies the half of the day to a time on a twelve-hour clock.
func halved(minutes int, half string) int {
	hour := minutes / 60
	if hour > 12 || hour == 0 {
		return minutes
	}
	base := minutes % (12 * 60)
	switch half {
	case pm:
		return base + 12*60
	case night:
		if hour >= 5 && hour < 12 {
			return base + 12*60
		}
	case am:
	}
	return base
}

// nearest is whichever of a time and the same twelve hours later is nearer.
func nearest(minutes, near float64) float64 {
	a := math.Mod(minutes, dayMinutes)
	b := math.Mod(minutes+dayMinutes/2, dayMinutes)
	if around(b, near) < around(a, near) {
		return b
	}
	return a
}

// around is the distance between two times of day.
func around(a, b float64) float64 {
	d := math.Abs(a - b)
	return math.Min(d, dayMinutes-d)
}

// clock writes minutes after midnight as "15:04".
func clock(minutes float64) string {
	m := int(math.Round(minutes)) % dayMinutes
	return fmt.Sprintf("%02d:%02d", m/60, m%60)
}

func clockOf(s string) (float64, bool) {
	h, m, ok := colon(s)
	return float64(h*60 + m), ok
}

func colon(s string) (h, m int, ok bool) {
	hours, minutes, ok := strings.Cut(s, ":")
	if !ok || len(minutes) != 2 {
		return 0, 0, false
	}
	h, err := strconv.Atoi(hours)
	if err != nil || h < 0 || h > 23 {
		return 0, 0, false
	}
	m, err = strconv.Atoi(minutes)
	if err != nil || m < 0 || m > 59 {
		return 0, 0, false
	}
	return h, m, true
}
