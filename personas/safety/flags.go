package safety

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/phrases"
	"github.com/naiber/naiber/internal/weights"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/alerts"
)

// act is what nAIber does about a red flag besides raising an alert.
type act int

const (
	silent    act = iota // the persona goes on
	once                 // a fixed text, once per call; then the persona goes on
	emergency            // a fixed text, and nAIber stays with the person
	despair              // the same for a person who wishes to die
)

// A kind is a kind of red flag: how soon a human being must know, and what follows at once. despite
// names the excuses that do not count for it, see [language.excused].
type kind struct {
	tier    alerts.Tier
	act     act
	despite string
}

// kinds are the kinds of red flags that words tell of.
var kinds = map[string]kind{
	"chest_pain":      {4, emergency, ""},
	"breathing":       {4, emergency, "negated"},
	"stroke":          {4, emergency, "negated"},
	"collapse":        {4, emergency, "negated"},
	"bleeding":        {4, emergency, ""},
	"overdose":        {4, emergency, ""},
	"fire":            {4, emergency, ""},
	"gas":             {4, emergency, ""},
	"intruder":        {4, emergency, "others"},
	"help":            {4, emergency, ""}, // asks for help without saying what for
	"suicide_attempt": {4, despair, ""},
	"fall_stuck":      {3, emergency, ""},
	"fall_injury":     {3, emergency, "over"},
	"suicidal":        {3, despair, "over negated others"},
	"confusion":       {3, once, "others over unreal negated"},
	"abuse":           {3, once, "over negated others"},
	"no_food":         {3, once, "negated"},
	"no_heat":         {3, once, "negated"},
	"no_medicine":     {3, once, "negated others"},
	"fall":            {2, silent, "over"},
	"severe_pain":     {2, silent, ""},
	"scam":            {2, silent, "others unreal negated over"},
	"neglect":         {2, silent, "others over negated"},
}

// silence is the kind of falling silent after telling of danger, which no words express.
const silence = "silence_after_distress"

// within maps a kind to the kinds that imply it.
var within = map[string][]string{"fall": {"fall_stuck", "fall_injury"}, "help": {
	"chest_pain", "breathing", "stroke", "collapse", "bleeding", "overdose", "fire", "gas", "intruder", "suicide_attempt", "fall_stuck", "fall_injury",
}}

// redFlag is a red flag in what was said.
type redFlag struct {
	kind string
	why  string          // what was heard, and the version of the words
	said string          // the sentence or sentences
	told []phrases.Token // the words that were heard
	in   *language
	// doubt is set if the words are too likely to mean something else: the person is asked before
	// anybody is told.
	doubt bool
	// others is set if the words are of somebody else who is here: "my husband has collapsed".
	others bool
}

// echoes reports whether nAIber has said all of the flag's words before, as in a story that the
// person tells back.
func (f redFlag) echoes(t *orchestration.Turn) bool {
	ours := make(map[string]bool)
	for _, m := range t.Messages {
		if m.Role == llm.RoleAssistant {
			for _, tok := range f.in.Tokens(english.Scan(m.Content)) {
				ours[tok.Word] = true
			}
		}
	}
	return !slices.ContainsFunc(f.told, func(tok phrases.Token) bool { return !ours[tok.Word] })
}

func (f redFlag) act() act          { return kinds[f.kind].act }
func (f redFlag) tier() alerts.Tier { return kinds[f.kind].tier }
func (f redFlag) urgent() bool      { return f.tier() >= alerts.Urgent }

// flags returns the red flags in a turn as each language hears them, and the doubts that are likely
// enough to ask about; both are sorted by graver.
func (h heard) flags(text string) (all, doubts []redFlag) {
	for _, in := range h {
		for _, f := range in.flagsIn(in.toks, text, in.alone) {
			switch {
			case f.doubt:
				doubts = append(doubts, f)
			case !slices.ContainsFunc(all, func(g redFlag) bool { return g.kind == f.kind }):
				all = append(all, f)
			}
		}
	}
	all = slices.DeleteFunc(all, func(f redFlag) bool {
		return slices.ContainsFunc(all, func(g redFlag) bool { return slices.Contains(within[f.kind], g.kind) })
	})
	slices.SortStableFunc(all, graver)
	slices.SortStableFunc(doubts, graver)
	return all, doubts
}

// graver compares flags by the order in which they are answered: tier, act, then kind.
func graver(a, b redFlag) int {
	return cmp.Or(cmp.Compare(b.tier(), a.tier()), cmp.Compare(b.act(), a.act()), strings.Compare(a.kind, b.kind))
}

// Prefixes of the labels of tables in an index.
const (
	aDanger, aSign, aNot, aPlain, anAsked, anIdiom = "danger ", "sign ", "not ", "plain ", "asked ", "idiom "
)

// How likely a flag must be by the learned weights if a phrase tells of it: below likelyTold the
// person is asked about it, and below doubtTold it is dropped. Both were chosen by the results on
// files that had no part in the learning, see learn_test.go.
const (
	likelyTold = .50
	doubtTold  = .10
)

// A bar is how likely a flag, or a doubt, must be if no phrase tells of it, and how many words a
// turn must have: in a short reply each word weighs too much.
type bar struct {
	flag, doubt float64
	words       int
}

// inChecks is higher: in a check people answer questions, often in words that alone would mean
// something else.
var (
	inTalk   = bar{.65, .50, 6}
	inChecks = bar{.80, 1, 8}
)

// flagsIn returns the red flags in words, one of each kind. Those that no phrase tells of must
// reach the bar alone; if it is nil they are left out, because the words are not in the person's
// own language.
func (l *language) flagsIn(toks []phrases.Token, text string, alone *bar) []redFlag {
	e := l.evidence(toks, alone != nil)
	all := e.flags(text, alone)
	heard := func(k string, doubt bool) bool {
		return slices.ContainsFunc(all, func(f redFlag) bool { return f.kind == k && (doubt || !f.doubt) })
	}
	for _, k := range slices.Sorted(maps.Keys(e.plain)) {
		if f := e.first(k, e.plain[k], text); f != nil && !heard(k, false) {
			all = append(slices.DeleteFunc(all, func(f redFlag) bool { return f.kind == k }), *f)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(e.asked)) {
		if f := e.first(k, e.asked[k], text); f != nil && !heard(k, true) {
			f.doubt = true
			all = append(all, *f)
		}
	}
	return all
}

// first returns the flag by the first of some plain phrases that is not excused, or nil.
func (e *evidence) first(k string, found []phrases.Match, text string) *redFlag {
	for _, p := range found {
		if by := e.excused(k, []phrases.Match{p}); by == "" || by == "not_danger" {
			f := e.flag(k, []phrases.Match{p}, text)
			return &f
		}
	}
	return nil
}

// flags returns the red flags by phrases of danger and by weights, see [language.flagsIn].
func (e *evidence) flags(text string, alone *bar) (all []redFlag) {
	l, toks := e.language, e.toks
	for _, k := range slices.Sorted(maps.Keys(e.found)) {
		for _, parts := range e.found[k] {
			if e.excused(k, parts) == "" && !e.isIdiom(k, parts) {
				all = append(all, e.flag(k, parts, text))
				break
			}
		}
	}
	if l.weights == nil || len(toks) == 0 || len(all) == 0 && alone == nil {
		return all
	}
	of := e.features()
	likely := likelihoodOf(l.weights, of)
	kept := all[:0]
	for _, f := range all {
		f.doubt = likely.flag < likelyTold && f.kind != "help" // help was not learned: it does not say what for
		if !f.doubt || likely.flag >= doubtTold {
			kept = append(kept, f)
		}
	}
	k := l.weights.Kinds[likely.kind]
	if alone == nil || len(toks) < alone.words || len(e.idioms[k]) > 0 {
		return kept
	}
	graver := likely.named >= alone.flag && !slices.ContainsFunc(kept, func(f redFlag) bool { return f.tier() >= kinds[k].tier })
	if graver || len(kept) == 0 && likely.flag >= min(alone.flag, alone.doubt) {
		f := e.flag(k, l.weights.Parts(of, likely.kind), text)
		f.why += fmt.Sprintf(", likely by %.2f", likely.flag)
		f.doubt = likely.flag < alone.flag
		kept = append(kept, f)
	}
	return kept
}

// evidence holds the phrases of danger in a turn, by kind, each a phrase or two signs together, and
// the excuses.
type evidence struct {
	*language

	toks    []phrases.Token
	told    map[string]bool // the labels of what was found
	found   map[string][][]phrases.Match
	plain   map[string][]phrases.Match
	asked   map[string][]phrases.Match
	idioms  map[string][]phrases.Match
	excuses map[string][]phrases.Match
}

// apart is how many sentences two signs may be apart.
const apart = 2

// evidence finds the phrases in toks. Without any of danger, it looks for excuses only if weighed.
func (l *language) evidence(toks []phrases.Token, weighed bool) evidence {
	e := evidence{
		language: l, toks: toks, told: make(map[string]bool), found: make(map[string][][]phrases.Match),
		plain: make(map[string][]phrases.Match), asked: make(map[string][]phrases.Match), idioms: make(map[string][]phrases.Match), excuses: make(map[string][]phrases.Match),
	}
	signs := make(map[string][]phrases.Match)
	for _, m := range l.All(l.told, toks) {
		if e.unweighed(m) {
			continue
		}
		e.told[m.Label] = true
		if k, ok := strings.CutPrefix(m.Label, aDanger); ok {
			e.found[k] = append(e.found[k], []phrases.Match{m})
		} else {
			name := strings.TrimPrefix(m.Label, aSign)
			signs[name] = append(signs[name], m)
		}
	}
	for k, rules := range l.both {
		for _, names := range rules {
			for _, a := range signs[names[0]] {
				for _, b := range signs[names[1]] {
					if d := toks[a.From].Sentence() - toks[b.From].Sentence(); d >= -apart && d <= apart && (a.To <= b.From || b.To <= a.From) {
						e.found[k] = append(e.found[k], []phrases.Match{a, b})
					}
				}
			}
		}
	}
	if len(e.found)+len(e.plain)+len(e.asked) == 0 && !weighed {
		return e
	}
	for _, m := range l.All(l.excuses, toks) {
		e.excuses[m.Label] = append(e.excuses[m.Label], m)
	}
	return e
}

// unweighed keeps a match of the tables in which the weights have no part, and which are no features;
// it reports whether m is one.
func (e *evidence) unweighed(m phrases.Match) bool {
	for prefix, by := range map[string]map[string][]phrases.Match{aPlain: e.plain, anAsked: e.asked, anIdiom: e.idioms} {
		if k, ok := strings.CutPrefix(m.Label, prefix); ok {
			by[k] = append(by[k], m)
			return true
		}
	}
	return false
}

// isIdiom reports whether a kind's phrases are part of an idiom that means something else.
func (e *evidence) isIdiom(k string, parts []phrases.Match) bool {
	return slices.ContainsFunc(e.idioms[k], func(m phrases.Match) bool {
		return slices.ContainsFunc(parts, func(p phrases.Match) bool { return e.sameClause(m, p) })
	})
}

// features returns the features for the weights: the words, and what the phrases and excuses found.
func (e *evidence) features() []weights.Feature {
	f := featuresOf(e.code, e.toks)
	for k, found := range e.found {
		for _, parts := range found {
			if by := e.excused(k, parts); by == "" {
				f.Add('L', k)
				f.Add('L')
			} else {
				f.Add('X', k)
				f.Add('X', "", by)
				f.Add('X', k, by)
			}
		}
	}
	for label := range e.excuses {
		f.Add('E', label)
	}
	for label := range e.told {
		f.Add('T', label)
	}
	return f.All
}

// excused returns the excuse by which a kind's phrases do not mean danger here and now, or "".
func (e *evidence) excused(k string, parts []phrases.Match) string {
	deaf := kinds[k].despite
	now := slices.ContainsFunc(parts, func(p phrases.Match) bool {
		return e.any("now", func(m phrases.Match) bool { return e.sameClause(m, p) })
	})
	for _, p := range parts {
		first, clause := e.toks[p.From].Sentence(), e.toks[p.From].Clause()
		switch {
		case !strings.Contains(deaf, "negated") && !e.Subjects[e.toks[p.From].Word] && e.any("negated", func(m phrases.Match) bool {
			return m.To <= p.From && p.From-m.To <= 2 && e.toks[m.From].Clause() == clause
		}):
			return "negated"
		case e.any("not_danger", func(m phrases.Match) bool { return e.sameClause(m, p) }):
			return "not_danger"
		case e.has(aNot+k, p, -1, 1, true):
			return aNot + k
		case !now && e.has("past", p, 0, 0, false):
			return "past"
		case !now && e.has("story", p, -1, 1, false):
			return "story"
		case !strings.Contains(deaf, "over") && e.has("over", p, 0, 2, false) && !e.has("lasts", p, 0, 2, true):
			return "over"
		case !strings.Contains(deaf, "unreal") && e.any("unreal", func(m phrases.Match) bool {
			return m.To <= p.From+1 && m.From < p.From && p.From-m.To <= 10 && e.toks[m.From].Sentence() == first
		}):
			return "unreal"
		case !strings.Contains(deaf, "others") && e.anothers(p):
			return "others"
		}
	}
	return ""
}

func (e *evidence) any(label string, is func(phrases.Match) bool) bool {
	return slices.ContainsFunc(e.excuses[label], is)
}

// sameClause reports whether two phrases share a clause.
func (e *evidence) sameClause(a, b phrases.Match) bool {
	return e.toks[a.From].Clause() <= e.toks[b.To-1].Clause() && e.toks[a.To-1].Clause() >= e.toks[b.From].Clause()
}

// has reports whether a phrase of the table is in the sentences from that of p plus from to that of
// p plus to. Unless inside is set, a phrase within p does not count.
func (e *evidence) has(label string, p phrases.Match, from, to int, inside bool) bool {
	return e.any(label, func(m phrases.Match) bool {
		apart := e.toks[m.From].Sentence() - e.toks[p.From].Sentence()
		return apart >= from && apart <= to && (inside || m.From < p.From || m.To > p.To)
	})
}

// anothers reports whether the person last mentioned before p is somebody elsewhere.
func (e *evidence) anothers(p phrases.Match) bool {
	last := func(label string) int {
		at := -1
		for _, m := range e.excuses[label] {
			if m.From < p.To {
				at = max(at, m.From)
			}
		}
		return at
	}
	other := last("others")
	return other >= 0 && last("own") < other && !e.has("here", p, -1, 1, true)
}

// ofOthers reports whether a phrase of kind k is of somebody else, who is named before it in its
// clause. Fire, gas and intruders are everybody's danger.
func (e *evidence) ofOthers(k string, p phrases.Match) bool {
	if k == "fire" || k == "gas" || k == "intruder" {
		return false
	}
	from := p.From
	for from > 0 && phrases.SameClause(e.toks[from-1], e.toks[from]) {
		from--
	}
	return e.Holds(&e.SomebodyElse, e.toks[from:p.To])
}

// maxQuote is the most bytes in a quote: a turn without a stop is one sentence.
const maxQuote = 400

// flag builds a flag of kind k from its parts, and quotes the sentences around them.
func (e *evidence) flag(k string, parts []phrases.Match, text string) redFlag {
	why, from, to := make([]string, 0, len(parts)), len(e.toks), 0
	var told []phrases.Token
	others := false
	for _, p := range parts {
		told = append(told, e.toks[p.From:p.To]...)
		others = others || e.ofOthers(k, p)
		why = append(why, strconv.Quote(text[e.toks[p.From].Start:e.toks[p.To-1].End]))
		from, to = min(from, p.From), max(to, p.To)
	}
	for from > 0 && phrases.SameSentence(e.toks[from-1], e.toks[from]) && e.toks[to-1].End-e.toks[from-1].Start <= maxQuote {
		from--
	}
	for to < len(e.toks) && phrases.SameSentence(e.toks[to], e.toks[to-1]) && e.toks[to].End-e.toks[from].Start <= maxQuote {
		to++
	}
	return redFlag{
		kind: k, in: e.language, told: told, others: others, said: text[e.toks[from].Start:e.toks[to-1].End],
		why: "heard " + strings.Join(why, " and ") + " (words " + e.Version + ")",
	}
}
