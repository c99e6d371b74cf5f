package change

import (
	"cmp"
	"math"
	"slices"
)

// Overall is the composite of all measures.
const Overall = "overall"

const (
	domainPrefix = "domain:"

	// The baseline is made of the first sessions: as many as it takes to have baselineSessions with
	// a weight, and a weight of baselineWeight in all. It then stays as it is, so sessions of a
	// slow decline do not move it.
	baselineSessions = 3
	baselineWeight   = 2.0
	// recentSessions is how many sessions make the latest state. A verdict needs at least
	// confirmSessions of them, because one bad day is no change.
	recentSessions  = 3
	confirmSessions = 2
	// priorDF is how many degrees of freedom a measure's prior SD counts for against the person's
	// own variation: that of people whose SDs differ by about a third.
	priorDF = 8
	// ownDF is the same for one measure, against what all measures say about the person.
	ownDF = 16
	// leastOwn is the smallest SD of a person, as a share of the prior one: scores are whole
	// numbers, and at the end of a scale they stay the same without being so exact.
	leastOwn = 0.7
	// shared is the correlation between measures of their variation from session to session: a good
	// or a bad day affects all of them.
	shared = 0.2
	// dayBound is the best or worst day, in SDs of the other measures, for which a domain is
	// adjusted: if the others lie further off, they have changed themselves.
	dayBound = 1.5
	// practiceCV is how much people differ in their gain from practice, as a share of the gain.
	practiceCV = 0.5
	// bandZ is the half-width, in standard errors, of the band in which 95 of 100 points lie
	// without a change.
	bandZ = 1.96
)

// The nominal one-sided chances of a false verdict over all looks there will ever be: of the
// overall composite, of all domains together, and of all single measures together. Looks share
// sessions and composites share measures, so far fewer false verdicts occur: BenchmarkCohort counts
// them, and these chances were chosen by it.
const (
	alphaOverall  = 0.115
	alphaDomains  = 0.19
	alphaMeasures = 0.008
	// evenLooks is about how many looks have nearly the same chance.
	evenLooks = 6
)

// reading is one score of a measure, with the gain that practice is expected to have added to it.
type reading struct {
	session int
	raw     float64
	gain    float64
	learnt  float64 // the gain from practice by which people differ; a composite has it too, though its gain is 0
	weight  float64
}

// series is a measure or a composite over time.
type series struct {
	id       string
	domain   string
	sd       float64
	max      float64
	alpha    float64
	readings []reading
}

// Trends returns the trend of each measure that has a score, and of composites, which come first.
// The order of sessions does not matter.
func Trends(measures []Measure, sessions []Session) []Trend {
	sessions = slices.SortedFunc(slices.Values(sessions), func(a, b Session) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	var all, able []series
	for _, m := range measures {
		s := measured(m, sessions)
		if len(s.readings) == 0 {
			continue
		}
		all = append(all, s)
		if s.sd > 0 {
			able = append(able, s)
		}
	}
	for i := range all {
		all[i].alpha = alphaMeasures / float64(len(all))
	}
	var composites []series
	if len(able) > 1 {
		composites = append(composites, composite(Overall, able, len(sessions)))
		composites[0].alpha = alphaOverall
	}
	var seen []string
	for _, s := range able {
		if s.domain == "" || slices.Contains(seen, s.domain) {
			continue
		}
		seen = append(seen, s.domain)
		var in, out []series
		for _, o := range able {
			if o.domain == s.domain {
				in = append(in, o)
			} else {
				out = append(out, o)
			}
		}
		if len(in) < 2 || len(out) == 0 {
			continue // the measure itself, or Overall, says the same
		}
		c := composite(domainPrefix+s.domain, in, len(sessions))
		c.allow(composite("", out, len(sessions)))
		c.alpha = alphaDomains * float64(len(in)) / float64(len(able))
		composites = append(composites, c)
	}
	steady := steadiness(all)
	trends := []Trend{}
	for _, s := range append(composites, all...) {
		trends = append(trends, s.trend(sessions, steady))
	}
	return trends
}

// measured returns the series of a measure's scores.
func measured(m Measure, sessions []Session) series {
	s := series{id: m.ID, domain: m.Domain, sd: finite(m.SD), max: finite(m.Max)}
	for i, session := range sessions {
		v, ok := session.Values[m.ID]
		if !ok || math.IsNaN(v.Raw) || math.IsInf(v.Raw, 0) {
			continue
		}
		gain := finite(m.Practice) * gained(len(s.readings))
		s.readings = append(s.readings, reading{session: i, raw: v.Raw, gain: gain, learnt: gain, weight: min(finite(v.Confidence), 1)})
	}
	return s
}

// gained returns what practice has added after a number of sessions, in units of the first gain:
// each gain is half of the one before.
func gained(sessions int) float64 { return 2 * (1 - math.Pow(0.5, float64(sessions))) }

// finite returns x if it is a positive finite number, else 0.
func finite(x float64) float64 {
	if x > 0 && !math.IsInf(x, 1) {
		return x
	}
	return 0
}

// composite returns the mean distance of measures from what is expected of each, in their prior
// SDs. Measures without a baseline are left out.
func composite(id string, of []series, sessions int) series {
	sum, learnt, weight := make([]float64, sessions), make([]float64, sessions), make([]float64, sessions)
	n := 0.0
	for _, s := range of {
		b, ok := s.baseline()
		if !ok {
			continue
		}
		n++
		for _, r := range s.readings {
			sum[r.session] += r.weight * (r.raw - s.expected(b, r)) / s.sd
			learnt[r.session] += r.weight * r.learnt / s.sd
			weight[r.session] += r.weight
		}
	}
	c := series{id: id, sd: math.Sqrt((1 + (n-1)*shared) / max(n, 1))}
	for i, w := range weight {
		if w > 0 {
			c.readings = append(c.readings, reading{session: i, raw: sum[i] / w, learnt: learnt[i] / w, weight: w / n})
		}
	}
	return c
}

// allow subtracts from a composite what the other measures tell about how good a day it was: the
// regression on their composite. The day is bounded, so that a change in the others does not become
// a change of this composite in the other direction.
func (s *series) allow(others series) {
	day := map[int]float64{}
	for _, r := range others.readings {
		day[r.session] = min(max(r.raw, -dayBound*others.sd), dayBound*others.sd)
	}
	slope := shared / (others.sd * others.sd)
	for i, r := range s.readings {
		s.readings[i].raw -= slope * day[r.session]
	}
	s.sd = math.Sqrt(s.sd*s.sd - slope*shared)
}

// baseline is a person's level over the first n readings.
type baseline struct {
	mean   float64 // of the scores as they are
	first  float64 // the score expected at the first session
	gain   float64 // what practice has added to the mean
	learnt float64
	weight float64
	n      int
}

// baseline returns the baseline of a series, and reports false if there are too few sessions yet or
// the measure has no SD.
func (s *series) baseline() (baseline, bool) {
	var b baseline
	used := 0
	for i, r := range s.readings {
		if r.weight > 0 {
			used++
		}
		b.n = i + 1
		b.weight += r.weight
		b.mean += r.weight * r.raw
		b.gain += r.weight * r.gain
		b.learnt += r.weight * r.learnt
		if used >= baselineSessions && b.weight >= baselineWeight-1e-9 {
			b.mean /= b.weight
			b.gain /= b.weight
			b.learnt /= b.weight
			b.first = b.mean - b.gain
			return b, s.sd > 0
		}
	}
	return baseline{}, false
}

// expected returns the score of a session without a change. Practice takes it no higher than the
// highest score.
func (s *series) expected(b baseline, r reading) float64 {
	e := b.first + r.gain
	if s.max > 0 {
		e = min(e, max(s.max, b.mean))
	}
	return e
}

// trend returns the trend of a series, with a verdict that tells change from noise.
func (s *series) trend(sessions []Session, steady float64) Trend {
	t := Trend{Measure: s.id, Change: TooEarly, Points: []Point{}}
	b, ok := s.baseline()
	recent := s.recent(b)
	sd := s.within(b, steady)
	if ok {
		t.Baseline.Mean, t.Baseline.SD = b.mean, sd
	}
	for i, r := range s.readings {
		p := Point{ID: sessions[r.session].ID, At: sessions[r.session].At, Raw: r.raw, Weight: r.weight}
		if ok && i >= b.n {
			p.Low, p.High = s.band(b, r, sd)
		}
		t.Points = append(t.Points, p)
	}
	if !ok || len(recent) < confirmSessions {
		return t
	}
	weight, difference, learnt := 0.0, 0.0, 0.0
	for _, r := range recent {
		weight += r.weight
		difference += r.weight * (r.raw - s.expected(b, r))
		learnt += r.weight * r.learnt
	}
	difference /= weight
	index := difference / s.standardError(b, sd, weight, learnt/weight)
	t.Index = &index
	t.Confidence = (b.weight + weight) / float64(b.n+len(recent))
	t.Change = None
	looks := 1 - confirmSessions
	for _, r := range s.readings[b.n:] {
		if r.weight > 0 {
			looks++
		}
	}
	df := float64(ownDF + b.n + len(recent) - 2)
	switch z := normal(index, df); {
	case z <= -limit(s.alpha, looks):
		t.Change = Decline
	case z >= limit(s.alpha, looks):
		t.Change = Improvement
	}
	return t
}

// recent returns the last readings after the baseline that have a weight, recentSessions at most.
func (s *series) recent(b baseline) []reading {
	var rs []reading
	for i := len(s.readings) - 1; i >= b.n && len(rs) < recentSessions; i-- {
		if r := s.readings[i]; r.weight > 0 {
			rs = append(rs, r)
		}
	}
	return rs
}

// squares returns the sum of squares of the readings within the baseline and within the recent
// ones, and its degrees of freedom. A change between the two does not count as variation.
func (s *series) squares(b baseline) (squares, df float64) {
	for _, rs := range [][]reading{s.readings[:b.n], s.recent(b)} {
		sum, weight, n := 0.0, 0.0, 0.0
		for _, r := range rs {
			if r.weight > 0 {
				sum += r.weight * (r.raw - r.gain)
				weight += r.weight
				n++
			}
		}
		if n < 2 {
			continue
		}
		for _, r := range rs {
			d := r.raw - r.gain - sum/weight
			squares += r.weight * d * d
		}
		df += n - 1
	}
	return squares, df
}

// steadiness returns the ratio of a person's variances to the prior ones, over all measures: a
// person who varies much in one varies much in the others.
func steadiness(all []series) float64 {
	squares, df := float64(priorDF), float64(priorDF)
	for _, s := range all {
		if b, ok := s.baseline(); ok {
			ss, d := s.squares(b)
			squares += ss / (s.sd * s.sd)
			df += d
		}
	}
	return squares / df
}

// within returns the SD within the person: between the prior one and the person's own.
func (s *series) within(b baseline, steadiness float64) float64 {
	ss, df := s.squares(b)
	return max(math.Sqrt((ownDF*steadiness*s.sd*s.sd+ss)/(ownDF+df)), leastOwn*s.sd)
}

// standardError returns the standard error of the difference between the baseline and readings of a
// weight, to which practice has added learnt.
func (s *series) standardError(b baseline, sd, weight, learnt float64) float64 {
	return math.Hypot(sd*math.Sqrt(1/weight+1/b.weight), practiceCV*(learnt-b.learnt))
}

func (s *series) band(b baseline, r reading, sd float64) (low, high float64) {
	width := bandZ * s.standardError(b, sd, max(r.weight, 0.1), r.learnt)
	e := s.expected(b, r)
	if s.max == 0 {
		return e - width, e + width
	}
	return max(e-width, min(e, 0)), min(e+width, max(e, s.max))
}

// limit returns how far from 0 a normal deviate must lie at a look. The chances of a false verdict
// at looks 1, 2, 3... are parts of alpha that fall slowly and add up to it in the end (alpha
// spending: Lan and DeMets, Biometrika 1983;70:659-663).
func limit(alpha float64, look int) float64 {
	k := float64(look + evenLooks)
	p := alpha * math.Sqrt(evenLooks) * (1/math.Sqrt(k-1) - 1/math.Sqrt(k))
	return math.Sqrt2 * math.Erfinv(1-2*p)
}

// normal returns the normal deviate that is as improbable as a t of df degrees of freedom
// (Wallace, Ann Math Stat 1959;30:1121-1130).
func normal(t, df float64) float64 {
	return math.Copysign((8*df+1)/(8*df+3)*math.Sqrt(df*math.Log1p(t*t/df)), t)
}
