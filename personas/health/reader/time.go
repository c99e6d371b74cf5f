package reader

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// dayMinutes is the number of minutes in a day.
const dayMinutes = 24 * 60

// moment is a time of day in the reply.
type moment struct {
	candidate      // value is in minutes after midnight
	definite  bool // it is known which half of the day is meant
}

// readTime reads a time of day. If neither "morning" nor "pm" was said, it chooses the half of the
// day nearer to the question's Near; without Near the answer is only a guess.
func (r timing) readTime(now time.Time) Reading {
	if got, ok := r.ago(now); ok {
		return got
	}
	near, hasNear := clockOf(r.q.Near)
	var cs []candidate
	open := false
	for i := 0; i < len(r.toks); {
		m, ok := r.moment(i)
		if !ok {
			i++
			continue
		}
		i = m.to
		future := r.futureBefore(m.from)
		if r.ofEvent(m.from) {
			continue
		}
		near, hasNear := near, hasNear
		if at, ok := r.hourOf(m); ok {
			near, hasNear = at, true
		}
		if !m.definite && hasNear && !future {
			m.value = nearest(m.value, near)
			if _, told := r.hourOf(m); !told {
				m.value = smallHours(m.value, near)
			}
		}
		open = open || !m.definite && !hasNear
		m.now = r.clauseAbout(m.from)
		if future || !m.definite && r.ofAnotherDay(m.from) || r.ofOthers(m.from) {
			m.doubt(m.why) // "I'm going to eat at twelve"
		}
		cs = append(cs, m.candidate)
	}
	if len(cs) == 0 {
		if got, ok := r.same(); ok {
			return got
		}
		return unclear("no time")
	}
	c, ok := r.numeric().settle(cs, meanTime)
	if !ok {
		return unclear("several times")
	}
	if open {
		c.confidence, c.why = guess, "morning or evening"
	}
	return Reading{
		Status: Answered, Value: Value{Kind: Time, Time: clock(c.value)}, Confidence: c.confidence,
		Quote: r.quote(c.from, c.to), Why: c.why, Risky: c.others,
	}
}

// hourOf returns the usual time, in minutes after midnight, of the activity that m is the time of:
// "in bed by ten" is in the evening. If the words around m do not say, the question's topic
// decides.
func (r timing) hourOf(m moment) (minutes float64, ok bool) {
	from, to := r.clause(m.from)
	first, end := r.around(m.from, m.to, hard)
	for _, within := range [][2]int{{from, to}, {first, end}} {
		nearest := dayMinutes
		for k := within[0]; k < within[1]; k++ { // "no breakfast yet, so last night's chops at seven"
			if n, v := r.match(k, cue.AroundHour); n > 0 && max(m.from-k-n, k-m.to) < nearest {
				nearest, minutes, ok = max(m.from-k-n, k-m.to), valueOf(v), true
			}
		}
		if ok {
			return minutes, true
		}
	}
	for _, t := range r.q.Topic {
		if words := strings.Fields(t); len(words) > 0 {
			if p, found := r.lx.node(words[0], words[1:]...).as(cue.AroundHour); found {
				return valueOf(p.value), true
			}
		}
	}
	return 0, false
}

// ofEvent reports whether the clause around i is about an event that the person had no part in: "at
// six the milk came".
func (r timing) ofEvent(i int) bool {
	from, to := r.clause(i)
	for k := from + 1; k < to; k++ {
		if r.in(k, cue.Events) && !r.tellsOfMe(from, k) && !r.clauseAbout(i) &&
			(r.any(from, k, cue.TheMy) || r.any(from, k, cue.A) || r.namesOthers(from, k)) {
			return true
		}
	}
	return false
}

// meanTime replaces two times up to an hour apart with their mean, across midnight too.
func meanTime(a, b candidate) (candidate, bool) {
	gap := math.Mod(b.value-a.value+dayMinutes, dayMinutes)
	if gap > 60 {
		return candidate{}, false
	}
	return candidate{
		value: math.Mod(a.value+gap/2, dayMinutes), from: a.from, to: b.to, strong: true, now: a.now || b.now, confidence: likely, why: "range",
	}, true
}

// clauseAbout reports whether the clause around i is about the question's topic: "I woke at four
// but I got up at seven".
func (r asked) clauseAbout(i int) bool {
	from, to := r.clause(i)
	for k := from; k < to; k++ {
		if r.q.about(r.at(k)) || slices.ContainsFunc(r.q.Topic, func(t string) bool { return r.spelt(t, k) > 1 }) {
			return true
		}
	}
	return false
}

// moment reads the time of day at token i.
func (r timing) moment(i int) (moment, bool) {
	t := r.clockAt(i)
	if t.n == 0 || t.minutes < 0 {
		return moment{}, false
	}
	m := moment{candidate: candidate{from: i, to: i + t.n, why: "time"}, definite: t.definite}
	if n, _ := r.match(m.to, cue.OnTheHour); n > 0 {
		m.to, t.exact = m.to+n, true
	}
	if n, half := r.match(m.to, cue.Halves); n > 0 {
		m.to, t.exact, m.definite = m.to+n, true, true
		if !t.definite {
			t.minutes = halved(t.minutes, half)
		}
	}
	m.value = float64(t.minutes)
	r.markTime(&m, t.exact)
	return m, m.confidence > 0
}

// markTime sets the confidence of a time. A bare hour counts only where the words around it allow a
// time, so that "two cups" is none and keeps a confidence of 0.
func (r timing) markTime(m *moment, exact bool) {
	the := r.in(m.from-1, cue.The)
	counted := m.to < len(r.toks) && r.follows(m.to) && !r.in(m.to, cue.AfterHour) && !r.toks[m.to].plain && !r.starts(m.to, cue.Fix)
	switch {
	case the && r.in(m.to, cue.News), counted && (!exact || the):
		return // "four hours", "the ten o'clock news"
	case !exact && r.follows(m.from) && r.in(m.from-1, cue.NotTime):
		return // "number ten", "I had two"
	case r.bare(m.from, m.to):
		m.confidence, m.strong = certain, true
	case exact:
		m.confidence = sure
	case !r.follows(m.from) || r.in(m.from-1, cue.BeforeHour) || r.plainBefore(m.from):
		m.confidence = stated
	}
}

// clockTime is a time of day as the person said it.
type clockTime struct {
	minutes  int // after midnight
	n        int // tokens; 0 if there is no time
	definite bool
	exact    bool // it can only be a time
}

// noon reports whether a word for noon stands at token i.
func (r *text) noon(i int) bool {
	v, _ := r.value(i, cue.FixedTimes)
	return v > 0
}

// clockAt reads a time of day at token i, without the part of the day after it.
func (r timing) clockAt(i int) clockTime {
	if v, ok := r.value(i, cue.FixedTimes); ok {
		return clockTime{v, 1, true, true}
	}
	w := r.at(i)
	if v, ok := clockOf(w); ok {
		h := int(v) / 60
		return clockTime{int(v), 1, h > 12 || h == 0 || len(w) == 5 && w[0] == '0', true}
	}
	if n, minutes := r.match(i, cue.PartHours); n > 0 {
		t := r.relative(i+n-1, int(valueOf(minutes)))
		if t.n > 0 {
			t.n += n - 1
			return t
		}
	}
	if t := r.ofHour(i); t.n > 0 || r.starts(i, cue.PartHours) {
		return t
	}
	if t := r.behindHour(i); t.n > 0 {
		return t
	}
	v, k := r.number(i, false)
	if k == 0 || v != math.Trunc(v) || v < 0 {
		return clockTime{}
	}
	m, at := int(v), i+k
	if r.in(at, cue.Minutes) {
		at++
	}
	if t := r.relative(at-1, m); t.n > 0 {
		t.n += at - 1 - i
		return t
	}
	at = i + k
	if h, ok := r.value(at, cue.FixedTimes); ok && m == 12 {
		return clockTime{h, k + 1, true, true} // "twelve noon"
	}
	return r.hourAt(i, k, m)
}

// ofHour reads "half ten", which is half past ten, and "halb zehn", which is half past nine.
func (r timing) ofHour(i int) clockTime {
	n, minutes := r.match(i, cue.OfHour)
	v, k := r.number(i+n, false)
	if n == 0 || k == 0 || v < 1 || v > 12 || v != math.Trunc(v) || !r.follows(i+n) {
		return clockTime{}
	}
	return clockTime{clockwise(int(v)*60 + int(valueOf(minutes))), n + k, false, true}
}

// behindHour reads minutes that follow the hour they are counted from: "las diez y cuarto", "las
// once menos diez", "zehn Uhr dreißig".
func (r timing) behindHour(i int) clockTime {
	v, k := r.tens(i)
	if w := r.at(i); k == 0 && w != "" && isDigit(rune(w[0])) {
		n, err := strconv.Atoi(w)
		v, k = float64(n), map[bool]int{true: 1}[err == nil]
	}
	at := i + k
	if k == 0 || v > 23 || !r.follows(at) || r.any(i-3, i, cue.Between) {
		return clockTime{}
	}
	h, definite := int(v), v > 12 || v == 0
	if n, part := r.match(at, cue.HourParts); n > 0 {
		return clockTime{clockwise(h*60 + int(valueOf(part))), k + n, definite, true}
	}
	sign, n := 1, 1
	switch {
	case r.in(at, cue.LessMinutes):
		sign = -1
	case r.in(at, cue.AndMinutes):
	default:
		return clockTime{}
	}
	m, j := r.number(at+n, false)
	if j == 0 || m < 1 || m >= 60 || m != math.Trunc(m) || !r.follows(at+n) {
		return clockTime{}
	}
	if n += j; r.in(at+n, cue.Minutes) {
		n++
	}
	return clockTime{clockwise(h*60 + sign*int(m)), k + n, definite, true}
}

// clockwise adds twelve hours to a sum below 60 minutes. A time in the hour after midnight would be
// taken to name a half of the day, which was not said.
func clockwise(minutes int) int {
	if minutes < 60 {
		return minutes + 12*60
	}
	return minutes
}

// hourAt reads "ten", "ten thirty", "eight oh five", "2230": a time that begins with the number v
// of k tokens at token i.
func (r timing) hourAt(i, k, v int) clockTime {
	w := r.at(i)
	if v >= 100 && len(w) >= 3 && isDigit(rune(w[0])) && k == 1 {
		h, m := v/100, v%100
		if h > 23 || m > 59 || len(w) == 3 && m%5 != 0 {
			return clockTime{}
		}
		return clockTime{h*60 + m, 1, h > 12 || h == 0 || w[0] == '0', false}
	}
	if v > 23 {
		return clockTime{}
	}
	t := clockTime{v * 60, k, v > 12 || v == 0, false}
	if at := i + k; r.follows(at) {
		if m, _ := r.value(at+1, cue.Ones); r.in(at, cue.Oh) && m > 0 {
			return clockTime{v*60 + m, k + 2, t.definite, true}
		}
		if m, j := r.tens(at); j > 0 && m >= 10 && m < 60 && v > 0 {
			return clockTime{v*60 + int(m), k + j, t.definite, true}
		}
	}
	if v == 0 && w != "0" {
		return clockTime{}
	}
	return t
}

// relative reads "past ten" or "to ten" after the token at i, counted in the given minutes. The
// length that it returns includes that token.
func (r timing) relative(i, minutes int) clockTime {
	sign := 1
	if r.in(i+1, cue.ToHour) {
		sign = -1
	} else if !r.in(i+1, cue.PastHour) {
		return clockTime{}
	}
	hour := i + 2
	if r.in(hour, cue.TheHour) {
		hour++ // "un cuarto para las diez"
	}
	if !r.follows(i+1) || !r.follows(hour) {
		return clockTime{}
	}
	if v, ok := r.value(hour, cue.FixedTimes); ok {
		return clockTime{(v + sign*minutes + dayMinutes) % dayMinutes, hour + 1 - i, true, true}
	}
	v, k := r.number(hour, false)
	if v < 1 || v > 12 || v != math.Trunc(v) || minutes >= 60 {
		return clockTime{}
	}
	return clockTime{clockwise(int(v)*60 + sign*minutes), hour + k - i, false, true}
}

// ago reads "two hours ago" and "hace dos horas" as a time of day, counted back from now.
func (r timing) ago(now time.Time) (Reading, bool) {
	for from := range r.toks {
		c, ok := r.ask(&Question{Kind: Number, Unit: minutesUnit}).numeric().amount(from, false)
		if now.IsZero() || !ok || c.value <= 0 || c.value > dayMinutes {
			continue
		}
		switch {
		case r.in(c.to, cue.Ago):
			c.to++
		case r.in(from-1, cue.AgoAhead):
			c.from--
		default:
			continue
		}
		t := now.Add(-time.Duration(c.value) * time.Minute)
		return Reading{
			Status: Answered, Value: Value{Kind: Time, Time: t.Format("15:04")}, Confidence: fair,
			Quote: r.quote(c.from, c.to), Why: "ago",
		}, true
	}
	return Reading{}, false
}

// minutesUnit is the name of the unit of minutes in the cues.
const minutesUnit = "minutes"

// halved moves a time on a twelve-hour clock to the given half of the day.
func halved(minutes int, half string) int {
	hour := minutes / 60
	base := minutes % (12 * 60)
	switch {
	case hour > 12, hour == 0:
		return minutes
	case half == pm, half == night && hour >= 5 && hour < 12:
		return base + 12*60
	}
	return base
}

// nearest returns the time or the same time twelve hours later, whichever is nearer to near.
func nearest(minutes, near float64) float64 {
	a := math.Mod(minutes, dayMinutes)
	b := math.Mod(minutes+dayMinutes/2, dayMinutes)
	if around(b, near) < around(a, near) {
		return b
	}
	return a
}

// smallHours moves a time between one and five in the morning to the afternoon, unless it is within
// an hour of near. It is for times whose half of the day was not said.
func smallHours(minutes, near float64) float64 {
	const from, to = 60, 5 * 60
	if minutes < from || minutes >= to || around(minutes, near) < 60 {
		return minutes
	}
	return minutes + dayMinutes/2
}

// around returns the distance in minutes between two times of day, at most half a day.
func around(a, b float64) float64 {
	d := math.Abs(a - b)
	return math.Min(d, dayMinutes-d)
}

// clock writes minutes after midnight as "15:04".
func clock(minutes float64) string {
	m := int(math.Round(minutes)) % dayMinutes
	return fmt.Sprintf("%02d:%02d", m/60, m%60)
}

// clockOf parses a time written as "15:04" and returns its minutes after midnight.
func clockOf(s string) (float64, bool) {
	t, err := time.Parse("15:04", s)
	return float64(t.Hour()*60 + t.Minute()), err == nil
}
