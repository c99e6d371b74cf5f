package change

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A cohort is people whose truth is known. Unit of a decline is the SD of a measure's
// scores between people at one session. Ability differs between people and is shared by
// measures in part; a person's own variation differs from the prior one by up to 40 %, and
// every measure's prior is wrong by some; forms differ in difficulty; a session is good or
// bad for all measures in part; some sessions are disturbed, of which most are noticed;
// scores are whole numbers with a floor and, mostly, a ceiling.
const (
	cohortPeople   = 400
	cohortSessions = 8
	declineSDs     = 1.5
	// foundWithin is how many sessions a decline may take to be found, its first included.
	foundWithin = 4

	abilityShared   = 0.5  // correlation of abilities between measures
	sessionShared   = 0.2  // the same of the variation between sessions; so much, on average:
	sessionSharedBy = 0.75 // a cohort's lies so far from it at most, as a share
	ownVariation    = 0.4  // people's SDs lie so far from the measure's at most
	priorWrong      = 0.15 // the priors that the code is given, at most
	formSD          = 0.25 // of the difficulty of forms, in within-person SDs
	forms           = 5
	disturbedShare  = 0.12 // of sessions
	noticedShare    = 0.75 // of disturbed sessions: they have less confidence
	disturbance     = 0.8  // what a disturbed session costs on average, in within-person SDs
)

// instrument is a measure of the simulation: mean and SDs of telephone scores of people of
// about 75 to 85, in the range of published norms and retest studies (retest correlations
// of 0.45 to 0.75, the lower ones where most people reach the highest score).
type instrument struct {
	id, domain                      string
	mean, between, within, practice float64
	max                             float64
}

// instruments are the simulation's; retest is 1 - within²/between².
var instruments = []instrument{
	{"six_item", "memory", 5.3, 0.90, 0.65, 0.15, 6},
	{"story", "memory", 8.5, 3.0, 1.7, 0.7, 16},
	{"story_later", "memory", 7.0, 3.2, 1.8, 0.8, 16},
	{"digits_forward", "attention", 5.9, 1.1, 0.65, 0.1, 9},
	{"digits_back", "attention", 4.3, 1.1, 0.68, 0.1, 8},
	{"category", "language", 16.5, 4.8, 2.8, 0.6, 0},
	{"letter", "language", 12.5, 4.4, 2.3, 0.7, 0},
	{"reasoning", "reasoning", 4.9, 1.0, 0.7, 0.1, 6},
	{"orientation", "orientation", 4.7, 0.55, 0.4, 0.02, 5},
	{"amt4", "orientation", 3.85, 0.4, 0.3, 0, 4},
}

// course is what becomes of people.
type course struct {
	name    string
	domain  string // empty: all
	onset   int    // the first session with a decline; 0: none
	gradual int    // over so many sessions
}

var courses = []course{
	{name: "all, at once, session 4", onset: 4, gradual: 1},
	{name: "all, at once, session 5", onset: 5, gradual: 1},
	{name: "all, over three, from 4", onset: 4, gradual: 3},
	{name: "all, over three, from 5", onset: 5, gradual: 3},
	{name: "memory, at once, session 4", domain: "memory", onset: 4, gradual: 1},
	{name: "memory, at once, session 5", domain: "memory", onset: 5, gradual: 1},
	{name: "memory, over three, from 4", domain: "memory", onset: 4, gradual: 3},
	{name: "memory, over three, from 5", domain: "memory", onset: 5, gradual: 3},
}

// found counts people, by course; stable people are under "".
type found struct{ people, any, intended map[string]int }

func (f found) share(n map[string]int, names ...string) float64 {
	sum, of := 0, 0
	for _, name := range names {
		sum, of = sum+n[name], of+f.people[name]
	}
	return float64(sum) / float64(of)
}

func names(domain string, gradual int) []string {
	var out []string
	for _, c := range courses {
		if c.domain == domain && (gradual == 0 || c.gradual == gradual) {
			out = append(out, c.name)
		}
	}
	return out
}

// cohort follows people session by session, as they are followed in life. Half of them
// decline.
func cohort(seed uint64) found {
	rnd := rand.New(rand.NewPCG(seed, 13))
	around := func(by float64) float64 { return 1 + by*(2*rnd.Float64()-1) }
	measures := make([]Measure, len(instruments))
	difficulty := make([][forms]float64, len(instruments))
	for i, in := range instruments {
		measures[i] = Measure{
			ID: in.id, Domain: in.domain, Max: in.max, SD: in.within * around(priorWrong), Practice: in.practice * around(3*priorWrong),
		}
		for f := range forms {
			difficulty[i][f] = formSD * in.within * rnd.NormFloat64()
		}
	}
	daily := sessionShared * around(sessionSharedBy)
	out := found{map[string]int{}, map[string]int{}, map[string]int{}}
	for p := range cohortPeople {
		var c course
		if p%2 == 1 {
			c = courses[p/2%len(courses)]
		}
		out.people[c.name]++
		var some, intended bool
		sessions := person(rnd, daily, c, difficulty)
		for n := 1; n <= len(sessions); n++ {
			if c.onset > 0 && (n < c.onset || n >= c.onset+foundWithin) {
				continue
			}
			for _, t := range Trends(measures, sessions[:n]) {
				if t.Change == Decline {
					some = true
					intended = intended || touches(t.Measure, c.domain)
				}
			}
		}
		if some {
			out.any[c.name]++
		}
		if intended {
			out.intended[c.name]++
		}
	}
	return out
}

// touches reports whether a trend is one that a decline of a domain changes.
func touches(measure, domain string) bool {
	if domain == "" || measure == Overall || measure == domainPrefix+domain {
		return true
	}
	for _, in := range instruments {
		if in.id == measure {
			return in.domain == domain
		}
	}
	return false
}

func person(rnd *rand.Rand, daily float64, c course, difficulty [][forms]float64) []Session {
	mix := func(common, share float64) float64 {
		return math.Sqrt(share)*common + math.Sqrt(1-share)*rnd.NormFloat64()
	}
	general, own := rnd.NormFloat64(), 1+ownVariation*(2*rnd.Float64()-1)
	ability, learns := make([]float64, len(instruments)), 2*rnd.Float64()
	for i, in := range instruments {
		ability[i] = in.mean + math.Sqrt(in.between*in.between-in.within*in.within)*mix(general, abilityShared)
	}
	first := rnd.IntN(forms)
	at := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	var sessions []Session
	for s := 1; s <= cohortSessions; s++ {
		session := Session{ID: strconv.Itoa(s), At: at.AddDate(0, s, 0), Values: map[string]Value{}}
		day, confidence, cost := rnd.NormFloat64(), 0.85+0.15*rnd.Float64(), 0.0
		if rnd.Float64() < disturbedShare {
			cost = 2 * disturbance * rnd.Float64()
			if rnd.Float64() < noticedShare {
				confidence = 0.3 + 0.4*rnd.Float64()
			}
		}
		for i, in := range instruments {
			if in.id == "amt4" && s%3 != 1 || in.id == "orientation" && s%3 == 1 || rnd.Float64() < 0.03 {
				continue // one of the two a session; and tasks that are void
			}
			x := ability[i] + learns*in.practice*2*(1-math.Pow(0.5, float64(s-1))) + difficulty[i][(first+s)%forms]
			x += own * in.within * (mix(day, daily) - cost)
			if c.onset > 0 && (c.domain == "" || c.domain == in.domain) {
				part := min(max(float64(s-c.onset+1)/float64(c.gradual), 0), 1)
				x -= part * declineSDs * in.between
			}
			x = max(math.Round(x), 0)
			if in.max > 0 {
				x = min(x, in.max)
			}
			session.Values[in.id] = Value{Raw: x, Confidence: confidence}
		}
		sessions = append(sessions, session)
	}
	return sessions
}

func add(a, b found) found {
	for _, m := range [][2]map[string]int{{a.people, b.people}, {a.any, b.any}, {a.intended, b.intended}} {
		for k, n := range m[1] {
			m[0][k] += n
		}
	}
	return a
}

func cohorts(from, n uint64) found {
	all := found{map[string]int{}, map[string]int{}, map[string]int{}}
	for seed := range n {
		all = add(all, cohort(from+seed))
	}
	return all
}

// BenchmarkCohort prints how often stable people are said to decline, at any session and in
// any measure, and how many declines are found by the fourth session of the decline, in a
// trend that it touches. Constants were chosen with the seeds from 1 to 50.
func BenchmarkCohort(b *testing.B) {
	for b.Loop() {
		one, more := cohort(5001), cohorts(5001, 50)
		for _, f := range []struct {
			title string
			found
		}{{"one cohort", one}, {"fifty cohorts", more}} {
			var out strings.Builder
			fmt.Fprintf(&out, "%s of %d people, %d sessions:\n", f.title, cohortPeople, cohortSessions)
			fmt.Fprintf(&out, "  false decline of stable people    %5.1f %%\n", 100*f.share(f.any, ""))
			fmt.Fprintf(&out, "  found, all declines               %5.1f %%\n", 100*f.share(f.intended, append(names("", 0), names("memory", 0)...)...))
			fmt.Fprintf(&out, "  found, decline in all domains     %5.1f %%\n", 100*f.share(f.intended, names("", 0)...))
			fmt.Fprintf(&out, "  found, decline of memory alone    %5.1f %%\n", 100*f.share(f.intended, names("memory", 0)...))
			for _, c := range courses {
				fmt.Fprintf(&out, "    %-31s %5.1f %%\n", c.name, 100*f.share(f.intended, c.name))
			}
			fmt.Print(out.String()) // Log would cut it short
		}
		b.ReportMetric(100*more.share(more.any, ""), "%false")
		b.ReportMetric(100*more.share(more.intended, names("", 0)...), "%found")
		b.ReportMetric(100*more.share(more.intended, names("memory", 0)...), "%found-memory")
	}
}
