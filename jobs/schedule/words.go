package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Words describes a rule in English: "every Monday and Thursday". A rule that it cannot
// describe is quoted, since a wrong description is worse than none.
func Words(rule string, startsOn time.Time) string {
	o, err := rrule.StrToROption(rule)
	if err != nil {
		return rule
	}
	days, ok := dayWords(o, startsOn)
	if !ok || len(o.Bysetpos)+len(o.Byyearday)+len(o.Byweekno) > 0 {
		return "by the rule " + rule
	}
	switch {
	case o.Count > 0:
		days += fmt.Sprintf(", %d times in all", o.Count)
	case !o.Until.IsZero():
		days += o.Until.Format(", until 2 January 2006")
	}
	return days
}

// dayWords describes the days of a rule.
func dayWords(o *rrule.ROption, start time.Time) (string, bool) {
	months := make([]string, len(o.Bymonth))
	for i, m := range o.Bymonth {
		months[i] = time.Month(m).String()
	}
	in := ""
	if len(months) > 0 {
		in = " in " + listed(months)
	}
	weekly := len(o.Byweekday) > 0 && !slices.ContainsFunc(o.Byweekday, func(w rrule.Weekday) bool { return w.N() != 0 })
	names := weekdayNames(o.Byweekday)
	switch {
	case o.Freq == rrule.DAILY && o.Interval <= 1 && len(o.Byweekday) == 0 && len(o.Bymonthday) == 0:
		return "every day" + in, true
	case o.Freq == rrule.DAILY && len(o.Byweekday)+len(o.Bymonthday) == 0:
		return fmt.Sprintf("every %d days", o.Interval) + in, len(months) == 0
	case o.Freq == rrule.WEEKLY && len(o.Byweekday) == 0:
		names, weekly = start.Weekday().String(), true
		fallthrough
	case o.Freq == rrule.DAILY && o.Interval <= 1, o.Freq == rrule.WEEKLY:
		if !weekly || len(o.Bymonthday) > 0 {
			return "", false
		}
		if o.Interval > 1 {
			return fmt.Sprintf("every %d weeks on %s", o.Interval, names) + in, len(months) == 0
		}
		return "every " + names + in, true
	case o.Freq == rrule.MONTHLY, o.Freq == rrule.YEARLY && (len(months) > 0 || len(o.Byweekday)+len(o.Bymonthday) == 0):
		return monthWords(o, start, in)
	}
	return "", false
}

// monthWords describes the days of a monthly or yearly rule; in names its months.
func monthWords(o *rrule.ROption, start time.Time, in string) (string, bool) {
	unit := "month"
	if o.Freq == rrule.YEARLY {
		unit = "year"
		if in == "" {
			in = " in " + start.Month().String()
		}
	}
	every := "every " + unit
	if o.Interval > 1 {
		every = fmt.Sprintf("every %d %ss", o.Interval, unit)
	} else if in != "" {
		every = "every year"
	}
	var on []string
	switch {
	case len(o.Byweekday) > 0 && len(o.Bymonthday) > 0, in != "" && o.Interval > 1 && unit == "month":
		return "", false
	case len(o.Byweekday) > 0:
		for _, w := range o.Byweekday {
			name, which := weekdayName(w), "every"
			if w.N() != 0 {
				which = "the " + nth(w.N())
			}
			on = append(on, which+" "+name)
		}
	case len(o.Bymonthday) > 0:
		for _, d := range o.Bymonthday {
			if d < 0 {
				on = append(on, "the "+nth(d)+" day")
			} else {
				on = append(on, "the "+nth(d))
			}
		}
	default:
		on = []string{"the " + nth(start.Day())}
	}
	return every + in + " on " + listed(on), true
}

// weekdayName returns the name of a day; the library counts from Monday.
func weekdayName(w rrule.Weekday) string { return time.Weekday((w.Day() + 1) % 7).String() }

func weekdayNames(days []rrule.Weekday) string {
	var on [7]bool
	for _, d := range days {
		on[d.Day()] = true
	}
	switch on {
	case [7]bool{true, true, true, true, true, true, true}:
		return "day"
	case [7]bool{true, true, true, true, true}:
		return "weekday, Monday to Friday"
	}
	var names []string
	for i, is := range on {
		if is {
			names = append(names, time.Weekday((i+1)%7).String())
		}
	}
	return listed(names)
}

// nth returns an ordinal, counted from the end if n is negative.
func nth(n int) string {
	switch {
	case n == -1:
		return "last"
	case n < 0:
		return nth(-n) + " last"
	case n%100/10 == 1 || n%10 == 0 || n%10 > 3:
		return strconv.Itoa(n) + "th"
	}
	return strconv.Itoa(n) + []string{"", "st", "nd", "rd"}[n%10]
}

// listed joins words with commas and "and".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
