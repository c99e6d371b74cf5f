package score

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/personas/health/reader"
)

// mostWords bounds the work for a short answer. The last words are read, as they count.
const mostWords = 400

// parted returns the words of an answer, with those parted that a recogniser has written
// in one: "29.3.1941".
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

// between returns the words from one place to another as plain text.
func between(list []token, from, to int) string {
	from = max(from, 0)
	return strings.Join(texts(list[from:max(from, min(to, len(list)))]), " ")
}

// option is a value that an answer may mean.
type option struct {
	from, to int
	value    int
	variant  bool
	aside    int // how surely it is said of something else
}

// How surely an option is no answer.
const (
	told  = iota + 1 // of what was: "it was Thursday", which may be one for want of another
	other            // of another day, of what comes, or denied
)

var (
	unknown = regexp.MustCompile(`\b(?:do ?n't (?:really )?(?:know|remember|recall)|dunno|no idea|not sure|(?:can't|cannot|couldn't) (?:\w+ )?(?:remember|recall|think|say|tell|do)|(?:clue|foggiest|faintest)|forgot|forgotten|gone|give up|pass|no good|not the least idea|too (?:many|long|hard|fast|quick)|lost (?:it|them|track))\b`)
	// corrects is said before what takes the place of what came before it.
	corrects = regexp.MustCompile(`\b(?:no|nope|sorry|wait|i mean|rather|actually|scratch that|i tell a lie|tell a lie|correction|start again|make that|or rather|other way)\b`)
	// elsewhere is said before or after what is true of another day.
	elsewhere = regexp.MustCompile(`\b(?:yesterday|yesterday's|tomorrow|tomorrow's|last|next|every|comes?|came|goes|went|on an?|on the|on|always|usually|will be|'ll be|\w+'ll be|going to be|gonna be|turn|turning|born|birthday|birthdays|before|after|till|until|used to be|nearly|almost|soon|not|not the|isn't|wasn't|never|ain't)\b`)
	past      = regexp.MustCompile(`\b(?:was|were|been|had|used to)\b`)
	trailing  = regexp.MustCompile(`^(?:yesterday|tomorrow|(?:last|next) (?:week|month|year|time)|was|comes|is (?:yesterday|tomorrow|when|the day)|when|something|o'clock|in the (?:spring|summer|autumn|winter))\b`)
	// What is part of an answer to one question or another.
	ofTomorrow = regexp.MustCompile(`\b(?:tomorrow(?:'s)?|(?:will|'ll|\w+'ll) be)\b`)
	todays     = regexp.MustCompile(`\btoday(?:'s| is)?$`)
	ofDates    = regexp.MustCompile(`\bon the\b`)
	joiner     = english.Set(`so because cos cause but and as since when therefore which well then no`)
)

// aside reports whether what stands around an option, after the one before it, makes it
// something else than an answer. What matches skip is part of the answer.
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

// settle takes the last of the options that is an answer. What was said before it and is
// another one was taken back.
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
			s.Unclear = true // one of two, and which is not said
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

// cut returns what was said from one word to another, of the piece of the last one.
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
	//nolint:misspell // as recognisers write them
	weekdays = map[string]int{
		"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
		"tues": -2, "weds": -3, "thurs": -4, "wensday": -3, "wednsday": -3, "wendsday": -3, "choose day": -2, "chewsday": -2, "toosday": -2, "thirsty": -4,
		"fry day": -5, "sun day": 0, "mon day": -1, "wednes day": -3, "thurs day": -4, "satur day": -6, "when's day": -3, "saterday": -6,
		"wends day": -3, "wens day": -3, "weds day": -3, "wed nesday": -3, "whens day": -3, "wedens day": -3, "wenesday": -3, "tues day": -2, "twos day": -2, "toos day": -2,
		"thirst day": -4, "thirs day": -4, "thersday": -4, "furs day": -4, "fri day": -5, "fried day": -5, "satter day": -6, "sat day": -6, "sat a day": -6, "saturn day": -6, "some day": 0, "son day": 0, "mun day": -1, "monde": -1,
	}
	//nolint:misspell // as recognisers write them
	monthNames = map[string]int{
		"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
		"jan": -1, "feb": -2, "febuary": -2, "apr": -4, "aug": -8, "sept": -9, "sep": -9, "oct": -10, "nov": -11, "dec": -12, "novembre": -11,
		"janu ary": -1, "jan you ary": -1, "feb you ary": -2, "febuary's": -2, "febry": -2, "a pril": -4, "au gust": -8, "all gust": -8, "or gust": -8, "sep tember": -9, "septem ber": -9, "octo ber": -10, "oct ober": -10,
		"novem ber": -11, "no vember": -11, "decem ber": -12, "de cember": -12,
	}
	seasons = map[string]int{
		"winter": 1, "spring": 2, "summer": 3, "autumn": 4, "fall": 4, "wintertime": 1, "springtime": 2, "summertime": 3, "ortum": -4, "autum": -4, "or tum": -4, "au tumn": -4, "all tum": -4, "sum mer": -3, "some are": -3, "win ter": -1, "wind her": -1,
	}
	mayBe = regexp.MustCompile(`^(?:be|have|as|not|well|i|we|it)\b`)
)

// named finds words by their values. The value of a variant is below zero.
func named(list []token, names map[string]int) (out []option) {
	for i := 0; i < len(list); i++ {
		for n := 3; n > 0; n-- {
			if i+n > len(list) {
				continue
			}
			w := strings.TrimSuffix(between(list, i, i+n), "'s")
			v, ok := names[w]
			if !ok {
				continue
			}
			out = append(out, option{from: i, to: i + n, value: max(v, -v), variant: v < 0 || n > 1})
			i += n - 1
			break
		}
	}
	return out
}

// months finds months. "May" is one where it is not "it may be".
func months(list []token) []option {
	return slices.DeleteFunc(named(list, monthNames), func(o option) bool {
		return o.value == 5 && o.to < len(list) && list[o.to].Break == english.Space && mayBe.MatchString(between(list, o.to, o.to+1))
	})
}

// southern are the zones below the equator where English is spoken.
var southern = regexp.MustCompile(`^(?:Australia/|Pacific/Auckland|NZ|Africa/(?:Johannesburg|Harare|Lusaka|Gaborone|Windhoek|Maseru|Mbabane|Blantyre))`)

// seasonsOf returns the season by calendar months, and that by the sun where it has not yet
// turned: both are in use.
func seasonsOf(now time.Time) []int {
	of := func(t time.Time) int {
		s := int(t.Month())%12/3 + 1
		if southern.MatchString(now.Location().String()) {
			s = (s+1)%4 + 1
		}
		return s
	}
	return []int{of(now), of(now.AddDate(0, 0, -20))}
}

// numeral is a number in an answer.
type numeral struct {
	option
	ordinal, year bool // a year is one of four digits
}

var (
	ordinals = strings.Fields(`zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
		fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`)
	decades       = strings.Fields(`twenty thirty forty fifty sixty seventy eighty ninety`)
	ordinalDigits = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)$`)
	dotted        = regexp.MustCompile(`^\d+(?:[.,]\d+){2,}$`)
	digitGroup    = regexp.MustCompile(`\d+`)
	prepositions  = strings.Fields(`to too for free`) // slips among digits alone
	// slips are what a recogniser writes for a digit.
	slips = map[string]int{
		"to": 2, "too": 2, "for": 4, "fore": 4, "ate": 8, "won": 1, "wan": 1, "tree": 3, "free": 3, "sex": 6, "sicks": 6, "nein": 9, "fife": 5,
	}
)

// numerals finds the numbers of an answer, in digits and words.
func numerals(list []token) (out []numeral) {
	for i := 0; i < len(list); {
		n, k := numeralAt(list, i)
		if k == 0 {
			i++
			continue
		}
		n.from, n.to = i, i+k
		out = append(out, n)
		i += k
	}
	return out
}

// numeralAt reads the number at a word; n is how many words it takes.
func numeralAt(list []token, i int) (m numeral, n int) {
	texts := make([]string, 0, 6)
	for k := i; k < min(i+6, len(list)); k++ {
		if k > i && list[k].Break == english.Stop {
			break
		}
		texts = append(texts, list[k].Text)
	}
	at := func(k int) string {
		if k < len(texts) {
			return texts[k]
		}
		return ""
	}
	if y, n := yearAt(texts); n > 0 {
		return numeral{option: option{value: y}, year: true}, n
	}
	if d := ordinalDigits.FindStringSubmatch(at(0)); d != nil {
		v, _ := strconv.Atoi(d[1])
		return numeral{option: option{value: v}, ordinal: true}, 1
	}
	if v := slices.Index(ordinals, at(0)); v > 0 {
		return numeral{option: option{value: v}, ordinal: true}, 1
	}
	if at(0) == "thirtieth" {
		return numeral{option: option{value: 30}, ordinal: true}, 1
	}
	v, n := english.NumberAt(texts...)
	if slip := slips[at(0)]; at(1) == "tea" && max(v, slip) > 5 && max(v, slip) < 10 && at(2) != "time" { // "ate tea two"
		m.value, m.variant = 10*max(v, slip), true
		if one, ok := english.Number(at(2)); ok && one > 0 && one < 10 {
			m.value += one
			return m, 3
		}
		return m, 2
	}
	if n == 0 {
		return numeral{}, 0
	}
	m.value = v
	if n == 1 && v >= 20 && v%10 == 0 {
		if one := slices.Index(ordinals[:10], at(1)); one > 0 {
			return numeral{option: option{value: v + one}, ordinal: true}, 2
		}
		if one := slips[at(1)]; one > 0 && !slices.Contains(prepositions, at(1)) {
			return numeral{option: option{value: v + one, variant: true}}, 2
		}
		if one, err := strconv.Atoi(at(1)); err == nil && one > 0 && one < 10 && slices.Contains(decades, at(0)) {
			return numeral{option: option{value: v + one}}, 2
		}
		if at(1) == "th" {
			return numeral{option: option{value: v}, ordinal: true}, 2
		}
	}
	return m, n
}

// yearAt reads a year of four digits: "2026", "twenty twenty-six", "two thousand and six".
func yearAt(texts []string) (year, n int) {
	at := func(k int) string {
		if k < len(texts) {
			return texts[k]
		}
		return ""
	}
	rest := func(base, k int) (int, int) {
		joined := k
		if at(k) == "and" {
			joined++
		}
		if v, n := english.NumberAt(texts[min(joined, len(texts)):]...); n > 0 && v > 0 && v < 100 {
			return base + v, joined + n
		}
		return base, k
	}
	first := strings.ReplaceAll(at(0), ":", "")
	if v, err := strconv.Atoi(first); err == nil && len(first) == 4 && v >= 1800 && v < 2200 {
		if v == 2000 {
			return rest(v, 1)
		}
		return v, 1
	}
	if (at(0) == "two" || at(0) == "2") && at(1) == "thousand" {
		return rest(2000, 2)
	}
	if a, b, c, d := digit(at(0)), digit(at(1)), digit(at(2)), digit(at(3)); b >= 0 && c >= 0 && d >= 0 && (a == 1 && b > 7 || a == 2 && b == 0) { // "one nine four oh"
		return 1000*a + 100*b + 10*c + d, 4
	}
	century := slices.Index([]string{"eighteen", "nineteen", "twenty"}, at(0)) + 18
	if v, err := strconv.Atoi(at(0)); err == nil && v >= 18 && v <= 20 {
		century = v
	} else if century < 18 {
		return 0, 0
	}
	if at(1) == "hundred" && century < 20 {
		return rest(100*century, 2)
	}
	if a, b := digit(at(1)), digit(at(2)); a >= 0 && b >= 0 && (a > 0 && century < 20 || a == 0 && b > 0) { // "nineteen four oh"
		return 100*century + 10*a + b, 3
	}
	if v, n := english.NumberAt(texts[min(1, len(texts)):]...); n > 0 && v >= 10 && v < 100 {
		return 100*century + v, 1 + n
	}
	return 0, 0
}

// digit returns the one digit that a word is; -1: it is none.
func digit(w string) int {
	if v, ok := english.Number(w); ok && v < 10 {
		return v
	} else if zeros[w] {
		return 0
	}
	return -1
}

// amended reports whether the words before an option take back what was said before.
func amended(list []token, after, from int) bool {
	return corrects.MatchString(between(list, after, from))
}

func daysOfMonth(list []token) (out []option) {
	all := numerals(list)
	ordinal := slices.ContainsFunc(all, func(n numeral) bool { return n.ordinal })
	for i, n := range all {
		after := 0
		if i > 0 {
			after = all[i-1].to
		}
		before := between(list, n.from-2, n.from)
		month := strings.HasSuffix(before, "of the") && i > 0 && all[i-1].ordinal // "the thirtieth of the first"
		vague := n.ordinal && n.value <= 2 && n.to-n.from == 1 && !strings.HasSuffix(before, "the") && !strings.HasPrefix(between(list, n.to, n.to+1), "of") && len(list) > 1 &&
			list[n.from].Text == ordinals[n.value] && i == 0
		switch {
		case n.year, n.value < 1, n.value > 31, month, vague, ordinal && !n.ordinal && !amended(list, after, n.from):
			continue
		}
		out = append(out, n.option)
	}
	return out
}

func yearsNamed(list []token, century int) (out []option) {
	for _, n := range numerals(list) {
		after := 0
		if len(out) > 0 {
			after = out[len(out)-1].to
		}
		switch {
		case n.year:
		case n.ordinal || len(out) > 0 && !amended(list, after, n.from):
			continue
		case n.value >= 10 && n.value < 100:
			n.value += 100 * century
		case n.value < 10 && len(out) > 0: // "twenty twenty-five, no, six"
			n.value += out[len(out)-1].value / 10 * 10
		default:
			continue
		}
		out = append(out, n.option)
	}
	return out
}

var (
	nearly = regexp.MustCompile(`\b(?:nearly|almost|going on|coming up|coming up to|coming on|coming on for|not quite|just under|getting on for|i'll be|i will be|i shall be|i'm going to be|i turn|i'm turning|i'll turn)$`)
	// ofAges is part of an answer about one's own age.
	ofAges = regexp.MustCompile(nearly.String() + `|\b(?:i've (?:just )?had|since|was|on) my (?:last )?birthday\b|\bmy birthday(?: was| has been|'s been|'s gone)\b|\b(?:yesterday|tomorrow|(?:last|next|on|this) \w+)\b|\bborn in\b`)
	// ofOthers is said before the age of somebody else.
	ofOthers = regexp.MustCompile(`\b(?:he|she|husband|wife|sister|brother|mother|mum|mam|mom|father|dad|daughter|son|friend|neighbour)(?:'s|'ll| is| was| will| be| would| died)+\b`)
	toCome   = regexp.MustCompile(`^(?:tomorrow|next (?:week|month|year|birthday|time)|soon)\b`)
)

// ages finds ages. One that is to come is a year more than that of today.
func ages(list []token, now time.Month) (out []option) {
	for _, n := range numerals(list) {
		after := 0
		if len(out) > 0 {
			after = out[len(out)-1].to
		}
		switch {
		case n.year, n.ordinal, n.value > 120, n.value < 1:
			continue
		case n.value < 10 && len(out) > 0 && amended(list, after, n.from): // "eighty-four, no, five"
			n.value += out[len(out)-1].value / 10 * 10
		case n.value < 10:
			continue
		}
		before, tail := between(list, max(after, n.from-4), n.from), between(list, n.to, n.to+3)
		month := time.Month(0)
		if len(tail) > 3 && tail[:3] == "in " && !past.MatchString(before) {
			month = time.Month(monthNames[between(list, n.to+1, n.to+2)])
		}
		if nearly.MatchString(before) || toCome.MatchString(tail) || month > 0 && (month-now+12)%12 < 6 {
			n.value--
			n.variant = true
		}
		if ofOthers.MatchString(before) {
			n.aside = other
		}
		out = append(out, n.option)
	}
	return out
}

// age returns the years from a birth to a day.
func age(born, now time.Time) int {
	years := now.Year() - born.Year()
	if now.Month() < born.Month() || now.Month() == born.Month() && now.Day() < born.Day() {
		years--
	}
	return years
}

// birthDate wants the day, the month and the year. Where one of them is missing and the
// rest is right, it may be asked for.
func birthDate(it tasks.Item, said []Said, list []token, born string) Score {
	want, err := time.Parse(time.DateOnly, born)
	if err != nil {
		return Score{Max: it.Max, Unclear: true}
	}
	day, month, year, used := dateParts(list)
	s := Score{Max: it.Max}
	if len(used) == 0 {
		s.Unclear = !unknown.MatchString(between(list, 0, len(list)))
		return s
	}
	same := func(v, want int) bool { return v == 0 || v == want }
	ok := same(day, want.Day()) && same(month, int(want.Month())) && (year == 0 || year == want.Year() || year < 100 && year == want.Year()%100)
	full := day != 0 && month != 0 && year != 0
	if !ok && full && !slices.ContainsFunc(list, func(w token) bool { return monthNames[w.Text] != 0 }) {
		ok = day == int(want.Month()) && month == want.Day() && (year == want.Year() || year == want.Year()%100) // the other order
	}
	s.Unclear = ok && !full
	why := ""
	if !ok {
		why = WhyWrong
	}
	if ok && full {
		s.Points = it.Max
	}
	for i := range said {
		from, to := -1, 0
		for _, o := range used {
			if list[o.from].piece != i {
				continue
			}
			if from < 0 || o.from < from {
				from = o.from
			}
			to = max(to, o.to)
		}
		if from >= 0 {
			s.Evidence = append(s.Evidence, Evidence{Quote: cut(said, list, from, to), Counts: ok && full, Why: why})
		}
	}
	return s
}

// dateParts finds the parts of a date, each the last one said; 0: it was not said.
func dateParts(list []token) (day, month, year int, used []option) {
	names := months(list)
	var first, cardinal, full []option
	for _, n := range numerals(list) {
		switch {
		case n.year:
			full = append(full, n.option)
		case n.ordinal:
			first = append(first, n.option)
		case n.value > 0 && n.value < 100:
			cardinal = append(cardinal, n.option)
		}
	}
	take := func(options []option) int {
		if len(options) == 0 {
			return 0
		}
		used = append(used, options[len(options)-1])
		return options[len(options)-1].value
	}
	upTo := func(options []option, most int) []option {
		return slices.DeleteFunc(slices.Clone(options), func(o option) bool { return o.value > most })
	}
	if year = take(full); year != 0 { // what is said after it is another matter
		cardinal = slices.DeleteFunc(cardinal, func(o option) bool {
			return o.from > full[len(full)-1].from && len(first)+len(names) > 0
		})
	}
	if len(names) == 0 && len(first) >= 2 { // "the thirtieth of the first"
		names, first = first[len(first)-1:], first[:len(first)-1]
	}
	switch {
	case len(names) > 0 && len(first) > 0:
		if year == 0 {
			year = take(cardinal)
		}
		return take(first), take(names), year, used
	case len(names) > 0:
		if year == 0 && len(cardinal) > 1 {
			year = take(cardinal)
			cardinal = cardinal[:len(cardinal)-1]
		}
		day = take(upTo(cardinal, 31))
		if day == 0 && year == 0 {
			year = take(cardinal)
		}
		return day, take(names), year, used
	case len(first) > 0:
		day = take(first)
		month = take(upTo(cardinal, 12))
		return day, month, year, used
	}
	if year == 0 && len(cardinal) > 2 {
		year = take(cardinal)
		cardinal = cardinal[:len(cardinal)-1]
	}
	if len(cardinal) >= 2 {
		month = take(cardinal)
		day = take(cardinal[:len(cardinal)-1])
	}
	return day, month, year, used
}

var (
	atHome      = regexp.MustCompile(`\b(?:at|in my(?: own)?|in our(?: own)?) home\b|^(?:i'm |i am |just |well |oh )*home\b|\b(?:my|our)(?: \w+)? (?:house|flat|bungalow|cottage|apartment|place|kitchen|lounge|living room|sitting room|front room|bedroom|parlour|conservatory|armchair|chair|bed|home)\b|\bindoors\b`)
	notIn       = regexp.MustCompile(`\b(?:not|isn't|aren't|never|used to|wish|want to go|from|near|was|were|lived)\b`)
	whereabouts = regexp.MustCompile(`\b(?:in|at|on)\b`)
	// noPlace are words of an address that tell no place.
	noPlace = english.Set(`the road street avenue lane drive close way court place terrace house flat apartment apt crescent gardens park
		square hill row mews north south east west upper lower great little new old saint and united kingdom uk england scotland wales ireland
		northern usa america states canada australia zealand county city town`)
)

// place wants a word of the address, or home.
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
	for from := 0; from < len(list); { // home, in each sentence
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
		s.Unclear = true // there is nothing to compare it with, or it names no place
		return s
	}
	s.Evidence = []Evidence{{Quote: cut(said, list, 0, len(list)), Why: WhyWrong}}
	return s
}

// hourAway is how far from the true time an answer may be.
const hourAway = 60

// clockFace is what tells the time.
var clockFace = regexp.MustCompile(`(?i)\b(?:clock|watch|time|hands?)\b`)

// ofTimes is said of what is at another time: "my programme comes on at eleven".
var ofTimes = regexp.MustCompile(`(?i)\b(?:my|our|the|his|her|a|an|i|we|she|he|they|it)(?:'ll|'ve)?(?: (?:[a-z]+)){0,3}? (?:comes?|coming|starts?|begins?|is|are|goes|opens?|closes?|shuts?|leaves?|arrives?|have|has|had|get|got|take|took|eat)(?: [a-z]+){0,3}? (?:at|till|until|before|after) (?:[a-z0-9:'-]+ ?)+`)

// clock wants the time of day to within an hour.
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
