package score

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/personas/health/reader"
)

// mostWords limits the work for a short answer. The last words are read, because they count.
const mostWords = 400

// parted returns the words of an answer, splitting those that a recogniser has written as one:
// "29.3.1941".
func parted(said []Said) (out []token) {
	for _, t := range tokens(said) {
		if !dotted.MatchString(t.Text) {
			out = append(out, t)
			continue
		}
		for k, at := range digitGroup.FindAllStringIndex(t.Text, -1) {
			part := token{english.Word{Text: t.Text[at[0]:at[1]], Start: t.Start + at[0], End: t.Start + at[1]}, t.piece}
			if k == 0 {
				part.Break = t.Break
			}
			out = append(out, part)
		}
	}
	return out[max(0, len(out)-mostWords):]
}

// between returns the words from one index to another as plain text.
func between(list []token, from, to int) string {
	from = max(from, 0)
	return strings.Join(texts(list[from:max(from, min(to, len(list)))]), " ")
}

// option is a possible value of an answer.
type option struct {
	from, to int
	value    int
	variant  bool
	aside    int // how certainly it is not the answer
}

// Degrees of certainty that an option is not the answer.
const (
	told  = iota + 1 // about the past: "it was Thursday", which counts for want of another
	other            // about another day, the future, or denied
)

var (
	unknown = regexp.MustCompile(`\b(?:do ?n't (?:really )?(?:know|remember|recall)|dunno|no idea|not sure|(?:can't|cannot|couldn't) (?:\w+ )?(?:remember|recall|think|say|tell|do)|(?:clue|foggiest|faintest)|forgot|forgotten|gone|give up|pass|no good|not the least idea|too (?:many|long|hard|fast|quick)|lost (?:it|them|track))\b`)
	// corrects matches words before a correction of what came before.
	corrects = regexp.MustCompile(`\b(?:no|nope|sorry|wait|i mean|rather|actually|scratch that|i tell a lie|tell a lie|correction|start again|make that|or rather|other way)\b`)
	// elsewhere matches words before what is true of another day.
	elsewhere = regexp.MustCompile(`\b(?:yesterday|yesterday's|tomorrow|tomorrow's|last|next|every|comes?|came|goes|went|on an?|on the|on|always|usually|will be|'ll be|\w+'ll be|going to be|gonna be|turn|turning|born|birthday|birthdays|before|after|till|until|used to be|nearly|almost|soon|not|not the|isn't|wasn't|never|ain't)\b`)
	past      = regexp.MustCompile(`\b(?:was|were|been|had|used to)\b`)
	trailing  = regexp.MustCompile(`^(?:yesterday|tomorrow|(?:last|next) (?:week|month|year|time)|was|comes|is (?:yesterday|tomorrow|when|the day)|when|something|o'clock|in the (?:spring|summer|autumn|winter))\b`)
	// Words that belong to the answers of certain questions.
	ofTomorrow = regexp.MustCompile(`\b(?:tomorrow(?:'s)?|(?:will|'ll|\w+'ll) be)\b`)
	todays     = regexp.MustCompile(`\btoday(?:'s| is)?$`)
	ofDates    = regexp.MustCompile(`\bon the\b`)
	joiner     = english.Set(`so because cos cause but and as since when therefore which well then no`)
)

// aside returns how certainly the words around an option, back to the one before it, make it
// something else than the answer. Text that matches skip belongs to the answer.
func aside(list []token, o option, after int, skip *regexp.Regexp) int {
	from := o.from
	for from > after && list[from].Break == english.Space && !joiner[list[from-1].Text] {
		from--
	}
	before := between(list, from, o.from)
	tail := ""
	if o.to < len(list) && list[o.to].Break == english.Space {
		tail = between(list, o.to, o.to+4)
	}
	if skip != nil {
		before, tail = skip.ReplaceAllString(before, ""), strings.TrimSpace(skip.ReplaceAllString(tail, ""))
	}
	switch {
	case elsewhere.MatchString(before) || trailing.MatchString(tail):
		return other
	case past.MatchString(before):
		return told
	}
	return 0
}

// settle scores the last option that is an answer. Other answers before it were taken back.
func settle(it tasks.Item, said []Said, list []token, options []option, right func(int) bool) Score {
	s := Score{Max: it.Max}
	final := -1
	for _, least := range []int{0, told} {
		for i, o := range options {
			if final < 0 && o.aside <= least || final >= 0 && options[i].aside <= options[final].aside {
				final = i
			}
		}
		if final >= 0 {
			break
		}
	}
	if final < 0 {
		s.Unclear = len(options) > 0 || !unknown.MatchString(between(list, 0, len(list)))
		for _, o := range options {
			s.Evidence = append(s.Evidence, Evidence{Quote: cut(said, list, o.from, o.to), Why: WhyTalk})
		}
		return s
	}
	o := options[final]
	for i, p := range options {
		why := WhyCorrected
		switch {
		case i == final || p.aside == o.aside && p.value == o.value:
			continue
		case p.aside > o.aside:
			why = WhyTalk
		case i == final-1 && between(list, p.to, o.from) == "or" && right(p.value) != right(o.value):
			s.Unclear = true // one of two, without saying which
			why = ""
		}
		s.Evidence = append(s.Evidence, Evidence{Quote: cut(said, list, p.from, p.to), Why: why})
	}
	e := Evidence{Quote: cut(said, list, o.from, o.to), Counts: right(o.value) && !s.Unclear}
	switch {
	case e.Counts && o.variant:
		e.Why = WhyVariant
	case !e.Counts && !s.Unclear:
		e.Why = WhyWrong
	}
	if e.Counts {
		s.Points = it.Max
	}
	s.Evidence = append(s.Evidence, e)
	return s
}

// cut returns what was said from one word to another, limited to the piece of the last word.
func cut(said []Said, list []token, from, to int) string {
	for list[from].piece != list[to-1].piece {
		from++
	}
	return quote(said, list[from], list[to-1])
}

func question(_ tasks.Task, it tasks.Item, said []Said, facts Facts) Score {
	list := parted(said)
	if len(list) == 0 {
		return Score{Max: it.Max}
	}
	pick := func(options []option, skip *regexp.Regexp, right func(int) bool) Score {
		after := 0
		for i := range options {
			options[i].aside = max(options[i].aside, aside(list, options[i], after, skip))
			after = options[i].to
		}
		return settle(it, said, list, options, right)
	}
	is := func(want int) func(int) bool { return func(v int) bool { return v == want } }
	now := facts.Now
	switch it.Ask {
	case tasks.AskWeekday:
		return pick(named(list, weekdays), nil, is(int(now.Weekday())))
	case tasks.AskTomorrow:
		options := named(list, weekdays)
		for i, o := range options {
			if list[o.from].Break == english.Space && todays.MatchString(between(list, o.from-2, o.from)) || between(list, o.to, o.to+1) == "today" {
				options[i].aside = other
			}
		}
		return pick(options, ofTomorrow, is(int(now.AddDate(0, 0, 1).Weekday())))
	case tasks.AskMonth:
		return pick(months(list), nil, is(int(now.Month())))
	case tasks.AskSeason:
		return pick(named(list, seasons), nil, func(v int) bool { return slices.Contains(seasonsOf(now), v) })
	case tasks.AskDay:
		return pick(daysOfMonth(list), ofDates, is(now.Day()))
	case tasks.AskYear:
		return pick(yearsNamed(list, now.Year()/100), nil, is(now.Year()))
	case tasks.AskAge:
		born, err := time.Parse(time.DateOnly, facts.Born)
		if err != nil {
			return Score{Max: it.Max, Unclear: true}
		}
		return pick(ages(list, now.Month()), ofAges, is(age(born, now)))
	case tasks.AskBirthDate:
		return birthDate(it, said, list, facts.Born)
	case tasks.AskPlace:
		return place(it, said, list, facts.Address)
	case tasks.AskTime:
		return clock(it, said, list, now)
	}
	return Score{Max: it.Max, Unclear: true}
}

var (
	atHome      = regexp.MustCompile(`\b(?:at|in my(?: own)?|in our(?: own)?) home\b|^(?:i'm |i am |just |well |oh )*home\b|\b(?:my|our)(?: \w+)? (?:house|flat|bungalow|cottage|apartment|place|kitchen|lounge|living room|sitting room|front room|bedroom|parlour|conservatory|armchair|chair|bed|home)\b|\bindoors\b`)
	notIn       = regexp.MustCompile(`\b(?:not|isn't|aren't|never|used to|wish|want to go|from|near|was|were|lived)\b`)
	whereabouts = regexp.MustCompile(`\b(?:in|at|on)\b`)
	// noPlace holds words of an address that name no place.
	noPlace = english.Set(`the road street avenue lane drive close way court place terrace house flat apartment apt crescent gardens park
		square hill row mews north south east west upper lower great little new old saint and united kingdom uk england scotland wales ireland
		northern usa america states canada australia zealand county city town`)
)

// place scores an answer that must hold a word of the address, or home.
func place(it tasks.Item, said []Said, list []token, address string) Score {
	var options []option
	known := english.Words(address)
	for i, w := range list {
		for _, k := range known {
			if noPlace[k] || len(k) < 3 || strings.ContainsAny(k, "0123456789") {
				continue
			}
			if same := w.Text == k || strings.TrimSuffix(w.Text, "'s") == k; same || len(k) >= 5 && oneEdit(w.Text, k) {
				options = append(options, option{from: i, to: i + 1, value: 1, variant: !same})
			}
		}
	}
	for from := 0; from < len(list); { // look for home in each sentence
		to := from + 1
		for to < len(list) && list[to].Break != english.Stop {
			to++
		}
		text := between(list, from, to)
		if m := atHome.FindStringIndex(text); m != nil {
			at := from + strings.Count(text[:m[0]], " ")
			options = append(options, option{from: at, to: at + strings.Count(text[m[0]:m[1]], " ") + 1, value: 1})
		}
		from = to
	}
	options = slices.DeleteFunc(options, func(o option) bool {
		from := max(o.from-4, 0)
		for k := o.from; k > from; k-- {
			if list[k].Break == english.Stop || list[k-1].Text == "so" || list[k-1].Text == "but" || list[k-1].Text == "and" {
				from = k
			}
		}
		return notIn.MatchString(between(list, from, o.from))
	})
	if len(options) > 0 {
		return settle(it, said, list, options[:1], func(int) bool { return true })
	}
	s := Score{Max: it.Max}
	all := between(list, 0, len(list))
	if unknown.MatchString(all) {
		return s
	}
	if len(known) == 0 || !whereabouts.MatchString(all) && len(list) > 3 {
		s.Unclear = true // the address is unknown, or the answer names no place
		return s
	}
	s.Evidence = []Evidence{{Quote: cut(said, list, 0, len(list)), Why: WhyWrong}}
	return s
}

// hourAway is the most minutes by which an answer may differ from the true time.
const hourAway = 60

// clockFace matches words for what shows the time.
var clockFace = regexp.MustCompile(`(?i)\b(?:clock|watch|time|hands?)\b`)

// ofTimes matches what happens at another time: "my programme comes on at eleven".
var ofTimes = regexp.MustCompile(`(?i)\b(?:my|our|the|his|her|a|an|i|we|she|he|they|it)(?:'ll|'ve)?(?: (?:[a-z]+)){0,3}? (?:comes?|coming|starts?|begins?|is|are|goes|opens?|closes?|shuts?|leaves?|arrives?|have|has|had|get|got|take|took|eat)(?: [a-z]+){0,3}? (?:at|till|until|before|after) (?:[a-z0-9:'-]+ ?)+`)

// clock scores an answer that must give the time of day to within an hour.
func clock(it tasks.Item, said []Said, list []token, now time.Time) Score {
	var all []string
	for _, s := range said {
		all = append(all, ofTimes.ReplaceAllStringFunc(s.Text, func(m string) string {
			if _, rest, ok := strings.Cut(m, " so "); ok {
				return rest
			} else if clockFace.MatchString(m) {
				return m
			}
			return ""
		}))
	}
	r := reader.Read(reader.Question{ID: "time", Kind: reader.Time, Near: now.Format("15:04")}, strings.Join(all, ". "), reader.Context{Now: now})
	at, err := time.Parse("15:04", r.Value.Time)
	if err != nil {
		return Score{Max: it.Max, Unclear: !unknown.MatchString(between(list, 0, len(list)))}
	}
	away := (at.Hour()*60 + at.Minute() - now.Hour()*60 - now.Minute() + 3*720) % 1440
	e := Evidence{Quote: r.Quote, Counts: away >= 720-hourAway && away <= 720+hourAway}
	if !e.Counts {
		e.Why = WhyWrong
		return Score{Max: it.Max, Evidence: []Evidence{e}}
	}
	return Score{Points: it.Max, Max: it.Max, Evidence: []Evidence{e}}
}
