package schedule

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func date(text string) time.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err) // a test is wrong
	}
	return t
}

func TestParseRule(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, rule, want, problem string }{
		{"as it is kept", "FREQ=DAILY", "FREQ=DAILY", ""},
		{"with its name, in small letters", " rrule:freq=weekly;byday=mo,th ", "FREQ=WEEKLY;BYDAY=MO,TH", ""},
		{"the second Monday", "FREQ=MONTHLY;BYDAY=2MO", "FREQ=MONTHLY;BYDAY=2MO", ""},
		{"until a day", "FREQ=DAILY;UNTIL=20271231", "FREQ=DAILY;UNTIL=20271231", ""},
		{"nothing", "", "", "such as FREQ=WEEKLY"},
		{"words", "every Monday", "", "such as FREQ=WEEKLY"},
		{"hours", "FREQ=HOURLY", "", "finer than daily"},
		{"minutes", "FREQ=MINUTELY;INTERVAL=5", "", "finer than daily"},
		{"an hour of the day", "FREQ=DAILY;BYHOUR=9,15", "", "the window says"},
		{"its own start", "FREQ=DAILY;DTSTART=20260101", "", "startsOn"},
		{"no frequency", "BYDAY=MO", "", "must have FREQ"},
		{"another frequency", "FREQ=OFTEN", "", "must have a FREQ"},
		{"two frequencies", "FREQ=DAILY;FREQ=WEEKLY", "", "FREQ twice"},
		{"never moves on", "FREQ=DAILY;INTERVAL=0", "", "INTERVAL"},
		{"goes back", "FREQ=DAILY;INTERVAL=-1", "", "INTERVAL"},
		{"a number too large", "FREQ=DAILY;INTERVAL=99999999999999999999", "", "INTERVAL"},
		{"no times at all", "FREQ=DAILY;COUNT=0", "", "COUNT"},
		{"a month that is none", "FREQ=YEARLY;BYMONTH=13", "", "BYMONTH"},
		{"no such weekday", "FREQ=WEEKLY;BYDAY=XX", "", "cannot be read"},
		{"until an hour", "FREQ=DAILY;UNTIL=20271231T120000Z", "", "a day as UNTIL"},
		{"two ends", "FREQ=DAILY;UNTIL=20271231;COUNT=3", "", "both COUNT and UNTIL"},
		{"Easter", "FREQ=YEARLY;BYEASTER=0", "", "unknown part"},
		{"two lines", "DTSTART:20260101\nFREQ=DAILY", "", "unknown part"},
		{"very long", "FREQ=DAILY;BYMONTHDAY=" + strings.Repeat("1,", 300) + "1", "", "longer than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseRule(tt.rule)
			if tt.problem == "" {
				if err != nil || got != tt.want {
					t.Errorf("ParseRule(%q) = %q, %v", tt.rule, got, err)
				}
				return
			}
			if _, ok := errors.AsType[*RuleError](err); !ok || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("ParseRule(%q) = %q, %v, want a problem with %q", tt.rule, got, err, tt.problem)
			}
		})
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, rule, start, from, to, want string }{
		{"every day", "FREQ=DAILY", "2027-01-01", "2027-02-27", "2027-03-02", "2027-02-27 2027-02-28 2027-03-01 2027-03-02"},
		{"leap day", "FREQ=DAILY", "2027-01-01", "2028-02-28", "2028-03-01", "2028-02-28 2028-02-29 2028-03-01"},
		{"only the leap day", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2027-01-01", "2027-01-01", "2036-12-31", "2028-02-29 2032-02-29 2036-02-29"},
		{"the 31st, where there is one", "FREQ=MONTHLY;BYMONTHDAY=31", "2027-01-01", "2027-01-01", "2027-06-30", "2027-01-31 2027-03-31 2027-05-31"},
		{"every other week counts from the start", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2027-01-04", "2027-01-10", "2027-02-08", "2027-01-18 2027-02-01"},
		{"the start's weekday", "FREQ=WEEKLY", "2027-01-06", "2027-01-01", "2027-01-20", "2027-01-06 2027-01-13 2027-01-20"},
		{"three times in all", "FREQ=DAILY;COUNT=3", "2027-01-01", "2027-01-02", "2027-01-09", "2027-01-02 2027-01-03"},
		{"until a day", "FREQ=DAILY;UNTIL=20270103", "2027-01-01", "2027-01-02", "2027-01-09", "2027-01-02 2027-01-03"},
		{"nothing before the start", "FREQ=DAILY", "2027-01-08", "2027-01-01", "2027-01-09", "2027-01-08 2027-01-09"},
		{"the last weekday of a month", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2027-01-01", "2027-01-01", "2027-03-31", "2027-01-29 2027-02-26 2027-03-31"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, err := days(tt.rule, date(tt.start), date(tt.from), date(tt.to))
			var got []string
			for _, d := range list {
				got = append(got, d.Format(time.DateOnly))
			}
			if strings.Join(got, " ") != tt.want || err != nil {
				t.Errorf("days = %v, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestRuleWithoutAnyDayIsFoundOut(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;INTERVAL=7;BYDAY=TU", "FREQ=DAILY;UNTIL=20200101"} {
		began := time.Now()
		if d, err := first(rule, date("2027-01-04"), nil); !errors.Is(err, errNever) {
			t.Errorf("first(%s) = %v, %v, want none", rule, d, err)
		}
		if took := time.Since(began); took > time.Minute { // each day until the year 9999 takes longer
			t.Errorf("%s took %s", rule, took)
		} else {
			t.Log(rule, took)
		}
	}
	end := date("2027-01-05")
	if d, err := first("FREQ=WEEKLY;BYDAY=FR", date("2027-01-04"), &end); !errors.Is(err, errNever) {
		t.Errorf("a rule that ends before its first day: %v, %v", d, err)
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,-1TH;WKST=SU", "FREQ=YEARLY;BYWEEKNO=-53,1;BYYEARDAY=-366,366", "FREQ=MONTHLY;BYSETPOS=-1;BYDAY=FR", "RRULE:FREQ=DAILY;COUNT=3", "FREQ=DAILY;UNTIL=20270101", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;WKST=TU;INTERVAL=3"} {
		f.Add(s)
	}
	start := date("2027-03-01")
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := ParseRule(text)
		if err != nil {
			if _, ok := errors.AsType[*RuleError](err); !ok {
				t.Errorf("%q: %v is not said for people", text, err)
			}
			return
		}
		if again, err := ParseRule(rule); err != nil || again != rule {
			t.Errorf("%q is kept as %q, which reads as %q, %v", text, rule, again, err)
		}
		if _, err := first(rule, start, nil); err != nil {
			return
		}
		list, err := days(rule, start, start, start.AddDate(2, 0, 0))
		if err != nil {
			t.Errorf("%q: %v", rule, err)
		}
		for i, d := range list {
			if !d.Equal(d.Truncate(24*time.Hour)) || i > 0 && !d.After(list[i-1]) {
				t.Errorf("%q: day %v after %v", rule, d, list[max(i-1, 0)])
			}
		}
	})
}
