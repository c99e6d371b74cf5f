package recall

import (
	"math"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store"
)

const (
	// keptCalls is how many calls' topics are kept; one process does not have more calls at once.
	keptCalls = 1024
	// topicMemory is how many turns a topic's centre follows: the last words weigh at least one
	// part in topicMemory.
	topicMemory = 6
)

// topic is what a call is about at the moment, and what was recalled for it.
type topic struct {
	// centre is the mean of the vectors of the topic's words; nil if there are none yet.
	centre []float32
	turns  int
	// highlights is what was recalled last; it fits this topic until fresh.
	highlights []string
	fresh      time.Time
	who        store.PersonID // the person they are about
	// asked counts the searches of the call, and found is the latest whose result is kept.
	asked, found int
	used         time.Time
	late         bool // the last recall was late
}

// meet adds the meaning of the latest words, and reports whether they are about something else than
// those before.
func (t *topic) meet(meaning []float32, threshold float64) (changed bool) {
	if len(t.centre) != len(meaning) || likeness(t.centre, meaning) < threshold {
		t.centre = append([]float32(nil), meaning...)
		t.turns, t.fresh = 1, time.Time{}
		return true
	}
	t.turns = min(t.turns+1, topicMemory)
	share := 1 / float32(t.turns)
	for i, x := range meaning {
		t.centre[i] += (x - t.centre[i]) * share
	}
	return false
}

// likeness returns the cosine of two vectors of the same length, or 0 if either is zero.
func likeness(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// asksMemory reports whether words ask for what was said before, or ask anything: what was recalled
// for the topic may then not hold the answer.
func asksMemory(heard string) bool {
	if strings.Contains(heard, "?") {
		return true
	}
	return english.Holds(english.Plain(heard), "remember", "told you", "did i tell", "did i say", "last time", "what was", "who was", "when was", "where was")
}

// topicOf returns a call's topic, and creates it if there is none. The caller holds mu.
func (r *Recall) topicOf(id store.CallID) *topic {
	now := time.Now()
	if t := r.topics[id]; t != nil {
		t.used = now
		return t
	}
	if len(r.topics) >= keptCalls {
		var oldest store.CallID
		var when time.Time
		for id, t := range r.topics {
			if when.IsZero() || t.used.Before(when) {
				oldest, when = id, t.used
			}
		}
		delete(r.topics, oldest)
	}
	t := &topic{used: now}
	r.topics[id] = t
	return t
}

// Before returns what was recalled last in a call.
func (r *Recall) Before(id store.CallID) []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.topics[id]; t != nil {
		return t.highlights
	}
	return nil
}

// lateAgain records whether a call's recall was late, and reports whether this one and the one
// before were.
func (r *Recall) lateAgain(id store.CallID, late bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.topicOf(id)
	again := t.late && late
	t.late = late
	return again
}

// fits returns the highlights of a call and 0 if they still fit words of this meaning, and
// otherwise the number of the search that is needed.
func (r *Recall) fits(id store.CallID, heard string, meaning []float32) (highlights []string, number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.topicOf(id)
	if t.meet(meaning, r.cfg.TopicThreshold) || asksMemory(heard) || !time.Now().Before(t.fresh) {
		t.asked++
		return nil, t.asked
	}
	return t.highlights, 0
}

// ask returns the number of a new search of a call.
func (r *Recall) ask(id store.CallID) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.topicOf(id)
	t.asked++
	return t.asked
}

// remember stores the result of a search, unless a later one has stored its own. What was found by
// words alone is used only until there is better.
func (r *Recall) remember(id store.CallID, who store.PersonID, search int, memories []string, whole bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.topicOf(id)
	if search < t.found {
		return
	}
	t.found, t.highlights, t.who, t.fresh = search, memories, who, time.Time{}
	if whole && search == t.asked {
		t.fresh = time.Now().Add(r.cfg.HighlightsFor)
	}
}

// Forgotten drops what was recalled about a person in calls that may still go on, or with the zero
// id in all calls, because some of it must be forgotten or not be raised.
func (r *Recall) Forgotten(who store.PersonID) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.topics {
		// A topic's person is known once a search has ended.
		if t.who == who || !who.Known() || !t.who.Known() {
			t.highlights, t.fresh, t.found = nil, time.Time{}, t.asked+1
		}
	}
}

// Forget drops what was recalled in a call that has ended.
func (r *Recall) Forget(id store.CallID) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.topics, id)
}
