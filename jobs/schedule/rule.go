package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

const (
	maxRule = 300 // characters
	// maxNumber limits INTERVAL and COUNT.
	maxNumber = 1000
	// horizon is how far ahead a rule must have a day: the next 29 February may be eight
	// years away, and every third of them further.
	horizon = 30 // years
)

// RuleError says what is wrong with a recurrence rule, for people.
type RuleError struct{ Problem string }

func (e *RuleError) Error() string { return e.Problem }

// parts holds the parts of RFC 5545 that a rule may have, with a check of each value.
var parts = map[string]func(value string) bool{
	"FREQ": nil, "UNTIL": nil, "WKST": nil, "BYDAY": nil,
	"INTERVAL": number, "COUNT": number,
	"BYMONTH": numbers(1, 12), "BYMONTHDAY": numbers(-31, 31), "BYYEARDAY": numbers(-366, 366), "BYWEEKNO": numbers(-53, 53), "BYSETPOS": numbers(-366, 366),
}

func number(value string) bool {
	n, err := strconv.Atoi(value)
	return err == nil && n >= 1 && n <= maxNumber
}

func numbers(low, high int) func(string) bool {
	return func(value string) bool {
		for text := range strings.SplitSeq(value, ",") {
			if n, err := strconv.Atoi(text); err != nil || n == 0 || n < low || n > high {
				return false
			}
		}
		return true
	}
}

// ParseRule parses an RFC 5545 recurrence rule for whole days, with or without "RRULE:",
// and returns it in the form in which it is stored. The error is a [*RuleError].
func ParseRule(text string) (string, error) {
	text = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "RRULE:")
	if len(text) > maxRule {
		return "", &RuleError{fmt.Sprintf("must not be longer than %d characters", maxRule)}
	}
	seen := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		name, value, ok := strings.Cut(part, "=")
		check, known := parts[name]
		switch {
		case !ok || value == "":
			return "", &RuleError{"must be a recurrence rule of RFC 5545 such as FREQ=WEEKLY;BYDAY=MO,TH"}
		case name == "BYHOUR" || name == "BYMINUTE" || name == "BYSECOND":
			return "", &RuleError{"must not have " + name + ": the window says when on the day"}
		case name == "DTSTART":
			return "", &RuleError{"must not have DTSTART: startsOn says from which day on"}
		case !known:
			return "", &RuleError{fmt.Sprintf("has an unknown part %q", name)}
		case seen[name] != "":
			return "", &RuleError{"has " + name + " twice"}
		case check != nil && !check(value):
			return "", &RuleError{"has a value of " + name + " that cannot be"}
		}
		seen[name] = value
	}
	switch freq := seen["FREQ"]; freq {
	case "DAILY", "WEEKLY", "MONTHLY", "YEARLY":
	case "HOURLY", "MINUTELY", "SECONDLY":
		return "", &RuleError{"must not be finer than daily: a schedule has one call a day; make a second one for a second call"}
	case "":
		return "", &RuleError{"must have FREQ: DAILY, WEEKLY, MONTHLY or YEARLY"}
	default:
		return "", &RuleError{"must have a FREQ of DAILY, WEEKLY, MONTHLY or YEARLY"}
	}
	if until := seen["UNTIL"]; until != "" {
		if _, err := time.Parse(rrule.DateFormat, until); err != nil {
			return "", &RuleError{"must have a day as UNTIL, such as 20271231"}
		}
		if seen["COUNT"] != "" {
			return "", &RuleError{"must not have both COUNT and UNTIL"}
		}
	}
	opts, err := rrule.StrToROption(text)
	if err == nil {
		_, err = rrule.NewRRule(*opts)
	}
	if err != nil {
		return "", &RuleError{"cannot be read: " + err.Error()}
	}
	return text, nil
}

// days returns the days of a rule with the given start that are between from and to,
// inclusive, as midnights in UTC.
func days(rule string, start, from, to time.Time) ([]time.Time, error) {
	opts, err := rrule.StrToROption(rule)
	if err != nil {
		return nil, fmt.Errorf("read rule: %w", err)
	}
	opts.Dtstart = start
	// Without a limit, the library searches for the next day until the year 9999.
	if opts.Until.IsZero() || opts.Until.After(to) {
		opts.Until = to
	}
	r, err := rrule.NewRRule(*opts)
	if err != nil {
		return nil, fmt.Errorf("read rule: %w", err)
	}
	var out []time.Time
	next := r.Iterator()
	for day, more := next(); more && !day.After(to); day, more = next() {
		if !day.Before(from) {
			out = append(out, day)
		}
	}
	return out, nil
}

// errNever says that a rule has no day.
var errNever = errors.New("has no day between startsOn and endsOn, or in the next 30 years")

// first returns the first day of a rule with the given start.
func first(rule string, start time.Time, end *time.Time) (time.Time, error) {
	last := start.AddDate(horizon, 0, 0)
	if end != nil && end.Before(last) {
		last = *end
	}
	opts, err := rrule.StrToROption(rule)
	if err != nil {
		return time.Time{}, fmt.Errorf("read rule: %w", err)
	}
	opts.Dtstart = start
	r, err := rrule.NewRRule(*opts)
	if err != nil {
		return time.Time{}, fmt.Errorf("read rule: %w", err)
	}
	if day, ok := r.Iterator()(); ok && !day.After(last) {
		return day, nil
	}
	return time.Time{}, errNever
}
