package packs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxFollowUps is the greatest number of follow-ups of an item.
const maxFollowUps = 2

var (
	packID     = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	questionID = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
	loincCode  = regexp.MustCompile(`^[0-9]{3,6}-[0-9]$`)
	answerCode = regexp.MustCompile(`^LA[0-9]{2,6}-[0-9]$`)
)

// mistakes collects everything that is wrong, each with its place.
type mistakes []error

func (m *mistakes) add(format string, args ...any) { *m = append(*m, fmt.Errorf(format, args...)) }

func (m *mistakes) want(ok bool, format string, args ...any) {
	if !ok {
		m.add(format, args...)
	}
}

// check returns everything that is wrong with the pack by itself.
func (p Pack) check() []error {
	var m mistakes
	m.want(packID.MatchString(p.ID), "id %q: want lower-case letters and digits", p.ID)
	m.want(p.Version != "", "no version")
	m.want(p.Language != "", "no language")
	m.want(p.Title != "", "no title")
	m.want(p.Licence != "", "no licence")
	m.want(p.Source != "", "no source")
	m.want(len(p.Items) > 0, "no items")
	m.want(slices.Contains([]Kind{KindDaily, KindProfile, KindScreen, KindContinuation}, p.Kind), "unknown kind %q", p.Kind)
	m.want(p.LOINC.Panel == "" || loinc(p.LOINC.Panel), "LOINC code %q: not one", p.LOINC.Panel)
	m.want(p.LOINC.Total == "" || loinc(p.LOINC.Total), "LOINC code %q: not one", p.LOINC.Total)
	m.want(len(p.Leads) > 0, "no leads for repeated items and follow-ups")
	m.want(p.Intro+p.Stem+p.Options == "" || p.instrument(), "intro, stem and options are for instruments")
	p.checkInstrument(&m)
	for _, it := range p.Items {
		for _, err := range it.check(p) {
			m.add("item %s: %w", it.ID, err)
		}
	}
	p.checkScoring(&m)
	return m
}

func (p Pack) instrument() bool { return p.Kind == KindScreen || p.Kind == KindContinuation }

func (p Pack) checkInstrument(m *mistakes) {
	if !p.instrument() {
		m.want(!p.Verbatim && p.Scoring == nil && p.Cadence == nil, "verbatim, scoring and cadence are for instruments")
		return
	}
	m.want(p.Verbatim, "an instrument is verbatim")
	m.want(p.Scoring != nil, "an instrument needs scoring")
	if p.Kind == KindContinuation {
		m.want(p.Cadence == nil, "a continuation has no cadence of its own")
		return
	}
	m.want(p.Cadence != nil && p.Cadence.MinDays > 0, "a screen needs cadence.minDays")
	if p.Cadence != nil {
		m.want(p.Cadence.RetryDays >= 0 && p.Cadence.RetryDays <= p.Cadence.MinDays, "cadence.retryDays %d: want 0 to minDays", p.Cadence.RetryDays)
		m.want(p.Cadence.After == nil || p.Cadence.After.Event != "" && p.Cadence.After.MinDays > 0, "cadence.after needs event and minDays")
	}
}

// check returns everything that is wrong with one item of p.
func (it Item) check(p Pack) []error {
	var m mistakes
	m.want(questionID.MatchString(it.ID), "id %q: want words of a-z, 0-9 and _ joined by dots", it.ID)
	m.want(strings.TrimSpace(it.Text) != "", "no text")
	m.want(it.Short != "", "no short name")
	m.want(it.LOINC == "" || loinc(it.LOINC), "LOINC code %q: not one", it.LOINC)
	m.want(it.Type != TypeScale || it.Higher != "", "a scale says what higher means")
	m.want(it.Higher == "" || it.Higher == HigherBetter || it.Higher == HigherWorse, "higher %q: want better or worse", it.Higher)
	if p.Verbatim {
		m.want(len(it.Alternatives) == 0, "an instrument's item has no alternatives")
	} else {
		m.want(len(it.Alternatives) > 0, "no alternatives")
	}
	said := append([]string{it.Text}, it.Alternatives...)
	slices.Sort(said)
	m.want(len(slices.Compact(said)) == len(it.Alternatives)+1, "two wordings are the same")
	it.checkType(&m)
	it.checkPlace(&m, p.Kind)
	if it.Risky != nil {
		m.want(it.Risky.ReadBack != "", "risky without readBack")
		if err := it.Risky.When.check(it); err != nil {
			m.add("risky: %w", err)
		}
	}
	m.want(len(it.FollowUps) <= maxFollowUps, "%d follow-ups: at most %d", len(it.FollowUps), maxFollowUps)
	for _, f := range it.FollowUps {
		m.want(strings.HasPrefix(f.ID, it.ID+".") && questionID.MatchString(f.ID), "follow-up id %q: want %s.<word>", f.ID, it.ID)
		m.want(f.Text != "", "follow-up %s: no text", f.ID)
		m.want(slices.Contains([]Type{TypeText, TypeBoolean, TypeNumber}, f.Type), "follow-up %s: type %q: want text, boolean or number", f.ID, f.Type)
		m.want(f.Asks == "" || f.Type == TypeText && slices.Contains([]string{"where", "why", "how", "what"}, f.Asks), "follow-up %s: asks %q: want where, why, how or what, of a text", f.ID, f.Asks)
		m.want(f.Higher == "" || f.Higher == HigherBetter || f.Higher == HigherWorse, "follow-up %s: higher %q: want better or worse", f.ID, f.Higher)
		if err := f.When.check(it); err != nil {
			m.add("follow-up %s: %w", f.ID, err)
		}
	}
	return m
}

func (it Item) checkType(m *mistakes) {
	switch it.Type {
	case TypeScale:
		m.want(it.Min < it.Max, "a scale needs min below max")
		m.want(it.Min >= 0 && it.Max <= 10, "a scale lies within 0 and 10, so that keys can answer it")
	case TypeNumber:
		m.want(!it.bounded() || it.Min < it.Max, "min must be below max")
	case TypeChoice:
		m.want(len(it.Choices) >= 2, "a choice needs two choices")
	case TypeBoolean, TypeText, TypeTime:
	default:
		m.add("unknown type %q", it.Type)
	}
	m.want(it.Type == TypeScale || it.Type == TypeNumber || !it.bounded(), "min and max are for scales and numbers")
	m.want(it.Type == TypeNumber || it.ScoreAt == 0, "scoreAt is for numbers")
	m.want(it.Type == TypeNumber || it.Type == TypeChoice || it.Unit == "", "a unit is for numbers and choices")
	m.want(len(it.Units) == 0 || it.Type == TypeNumber && it.Unit == "", "units are for numbers without a unit")
	m.want(!slices.Contains(it.Units, ""), "an empty unit")
	m.want(it.Type == TypeBoolean || len(it.Yes)+len(it.No) == 0, "statements that mean yes and no are for booleans")
	m.want(it.Keypad == "" || it.Type == TypeScale || it.Type == TypeBoolean, "keys answer scales and booleans only")
	m.want(it.Keypad != "" || it.Type != TypeScale && it.Type != TypeBoolean, "no keypad offer")
	m.want(it.Type == TypeChoice || len(it.Choices) == 0, "choices are for choice items")
	m.want(it.Type == TypeScale || len(it.Anchors) == 0, "anchors are for scales")
	for _, a := range it.Anchors {
		m.want(a.Value >= it.Min && a.Value <= it.Max && a.Label != "", "anchor %d: out of range or without label", a.Value)
	}
	seen := map[string]bool{}
	for _, c := range it.Choices {
		m.want(questionID.MatchString(c.Value) && !seen[c.Value], "choice %q: not a word, or twice", c.Value)
		m.want(c.Label != "", "choice %s: no label", c.Value)
		m.want(c.From == 0 && c.To == 0 || c.From <= c.To && it.Unit != "", "choice %s: from %d to %d: want a range, and a unit", c.Value, c.From, c.To)
		m.want(c.LOINC == "" || answerCode.MatchString(c.LOINC), "choice %s: answer code %q: not one", c.Value, c.LOINC)
		m.want((c.Score == nil) == (it.Choices[0].Score == nil), "choice %s: all choices have a score, or none", c.Value)
		seen[c.Value] = true
	}
}

func (it Item) checkPlace(m *mistakes, kind Kind) {
	m.want(kind == KindProfile || len(it.When) == 0 && it.Each == "" && it.EveryDays == 0 && !it.Must,
		"when, each, everyDays and must are for profile questions")
	m.want(kind == KindDaily || !it.Optional && !it.Last, "optional and last are for daily questions")
	m.want(kind != KindProfile || len(it.When) > 0, "a profile question needs when")
	m.want(it.EveryDays >= 0, "everyDays is negative")
	m.want(it.Each == "" || it.Each == eachMedication, "each %q: want %s", it.Each, eachMedication)
	m.want(it.Each == "" || strings.Contains(it.Text, placeMedication), "asked about each medicine, but the text does not name it")
	for i, w := range it.When {
		m.want(len(w.Conditions)+len(w.Medications) > 0, "when %d: names nothing", i+1)
		m.want(w.WithinDays == 0 || w.WithinDays > 0 && len(w.Conditions) > 0, "when %d: withinDays %d: want more than 0, and conditions", i+1, w.WithinDays)
	}
}

func (p Pack) checkScoring(m *mistakes) {
	s := p.Scoring
	if s == nil {
		return
	}
	m.want(slices.Contains([]Method{MethodSum, MethodAny}, s.Method), "scoring: unknown method %q", s.Method)
	if s.Loss != nil {
		m.want(s.Loss.ID != "" && s.Loss.Above > 0, "scoring: loss needs id and above")
		for _, id := range []string{s.Loss.Before, s.Loss.Now} {
			it, ok := p.item(id)
			m.want(ok && it.Type == TypeNumber, "scoring: loss names no number %q", id)
		}
	}
	for _, it := range p.Items {
		if _, _, ok := p.points(it); !ok && !p.partOfLoss(it.ID) {
			m.add("scoring: item %s has no points", it.ID)
		}
	}
	m.want(len(s.Cutoffs) >= 2, "scoring: want two cut-offs or more")
	low, high := p.totals()
	positive := false
	for i, c := range s.Cutoffs {
		m.want(c.Label != "" && c.Meaning != "", "cut-off %d: no label or meaning", c.At)
		m.want(i > 0 || c.At == low, "cut-off %d: the first one starts at %d", c.At, low)
		m.want(i == 0 || c.At > s.Cutoffs[i-1].At, "cut-off %d: not above the one before", c.At)
		m.want(c.At <= high, "cut-off %d: the highest total is %d", c.At, high)
		m.want(!positive || c.Positive, "cut-off %d: a band above a positive one is positive", c.At)
		positive = positive || c.Positive
	}
	m.want(positive, "scoring: no positive cut-off")
}

func (p Pack) item(id string) (Item, bool) {
	if i := slices.IndexFunc(p.Items, func(it Item) bool { return it.ID == id }); i >= 0 {
		return p.Items[i], true
	}
	return Item{}, false
}

// loinc reports whether code looks like a LOINC code and its check digit is right (mod 10, LOINC
// Users' Guide, appendix C), so that a typing error is not exported as a different observation.
func loinc(code string) bool {
	if !loincCode.MatchString(code) {
		return false
	}
	digits, check, _ := strings.Cut(code, "-")
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return (10-sum%10)%10 == int(check[0]-'0')
}

// check returns what is wrong among the packs as a whole.
func (l *Library) check() []error {
	var m mistakes
	m.want(len(l.of(KindDaily, fallbackLanguage)) == 1, "no daily pack in English")
	seen := map[string]bool{}
	items := map[string]Item{}
	for _, p := range l.packs {
		key := p.Language + "/" + p.ID
		m.want(!seen[key], "pack %s is there twice", key)
		seen[key] = true
		for _, id := range p.Covers {
			_, ok := l.Pack(id, p.Language)
			m.want(ok, "pack %s covers no pack %q", key, id)
		}
		if p.Scoring != nil {
			for _, c := range p.Scoring.Cutoffs {
				next, ok := l.Pack(c.Next, p.Language)
				m.want(c.Next == "" || ok && next.Kind == KindContinuation, "pack %s leads to no continuation %q", key, c.Next)
			}
		}
		if p.Kind == KindDaily {
			l.checkLength(&m, p)
		}
		inPack := map[string]bool{}
		for _, it := range p.Items {
			m.want(!inPack[it.ID], "pack %s: item %s is there twice", key, it.ID)
			inPack[it.ID] = true
			id := p.Language + "/" + it.ID
			if other, ok := items[id]; ok {
				m.want(sameQuestion(other, it), "pack %s: item %s is another question elsewhere", key, it.ID)
			}
			items[id] = it
		}
	}
	return m
}

func (l *Library) checkLength(m *mistakes, p Pack) {
	fixed := 0
	for _, it := range p.Items {
		if !it.Optional {
			fixed++
		}
	}
	m.want(fixed >= minDaily, "pack %s: %d questions that are always asked: at least %d", p.ID, fixed, minDaily)
	m.want(len(p.Items) <= maxDaily, "pack %s: %d questions: at most %d", p.ID, len(p.Items), maxDaily)
}

// sameQuestion reports whether an answer to one item also answers the other.
func sameQuestion(a, b Item) bool {
	return a.Text == b.Text && a.Type == b.Type &&
		slices.EqualFunc(a.Choices, b.Choices, func(a, b Choice) bool { return a.Value == b.Value && points(a) == points(b) })
}

func points(c Choice) int {
	if c.Score == nil {
		return 0
	}
	return *c.Score
}
