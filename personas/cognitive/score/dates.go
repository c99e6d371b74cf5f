package score

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/personas/cognitive/tasks"
)

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

// named finds words by their values. A variant has a negative value in names.
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

// months finds months. "May" counts unless it is a verb, as in "it may be".
func months(list []token) []option {
	return slices.DeleteFunc(named(list, monthNames), func(o option) bool {
		return o.value == 5 && o.to < len(list) && list[o.to].Break == english.Space && mayBe.MatchString(between(list, o.to, o.to+1))
	})
}

// southern matches the zones below the equator where English is spoken.
var southern = regexp.MustCompile(`^(?:Australia/|Pacific/Auckland|NZ|Africa/(?:Johannesburg|Harare|Lusaka|Gaborone|Windhoek|Maseru|Mbabane|Blantyre))`)

// seasonsOf returns the season by calendar months, and the one by the sun if it has not yet turned:
// both are in use.
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
	// ofAges matches words that belong to an answer about one's own age.
	ofAges = regexp.MustCompile(nearly.String() + `|\b(?:i've (?:just )?had|since|was|on) my (?:last )?birthday\b|\bmy birthday(?: was| has been|'s been|'s gone)\b|\b(?:yesterday|tomorrow|(?:last|next|on|this) \w+)\b|\bborn in\b`)
	// ofOthers matches words before the age of somebody else.
	ofOthers = regexp.MustCompile(`\b(?:he|she|husband|wife|sister|brother|mother|mum|mam|mom|father|dad|daughter|son|friend|neighbour)(?:'s|'ll| is| was| will| be| would| died)+\b`)
	toCome   = regexp.MustCompile(`^(?:tomorrow|next (?:week|month|year|birthday|time)|soon)\b`)
)

// ages finds ages. One that is still to come is lowered by a year.
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

// age returns the whole years from a birth to a day.
func age(born, now time.Time) int {
	years := now.Year() - born.Year()
	if now.Month() < born.Month() || now.Month() == born.Month() && now.Day() < born.Day() {
		years--
	}
	return years
}

// birthDate scores an answer that must give the day, month and year. If one of them is missing and
// the rest is right, it is unclear, so that it may be asked for.
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

// dateParts returns the parts of a date, each as it was said last, or 0 if it was not said.
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
	if year = take(full); year != 0 { // what is said after the year is about something else
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
