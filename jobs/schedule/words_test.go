package schedule

import "testing"

func TestWords(t *testing.T) {
	t.Parallel()
	start := date("2026-11-25") // a Wednesday
	for rule, want := range map[string]string{
		"FREQ=DAILY":                                     "every day",
		"FREQ=DAILY;INTERVAL=3":                          "every 3 days",
		"FREQ=DAILY;BYMONTH=12,1":                        "every day in December and January",
		"FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR":                "every weekday, Monday to Friday",
		"FREQ=WEEKLY":                                    "every Wednesday",
		"FREQ=WEEKLY;BYDAY=TH,MO":                        "every Monday and Thursday",
		"FREQ=WEEKLY;BYDAY=SU":                           "every Sunday",
		"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU":         "every day",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR":          "every 2 weeks on Monday, Wednesday and Friday",
		"FREQ=WEEKLY;BYDAY=MO;COUNT=10":                  "every Monday, 10 times in all",
		"FREQ=WEEKLY;BYDAY=MO;UNTIL=20271231":            "every Monday, until 31 December 2027",
		"FREQ=MONTHLY":                                   "every month on the 25th",
		"FREQ=MONTHLY;BYDAY=2TU":                         "every month on the 2nd Tuesday",
		"FREQ=MONTHLY;BYDAY=-1FR":                        "every month on the last Friday",
		"FREQ=MONTHLY;BYMONTHDAY=1,11,22,-2":             "every month on the 1st, the 11th, the 22nd and the 2nd last day",
		"FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=3":           "every 3 months on the 3rd",
		"FREQ=MONTHLY;BYMONTH=3,9;BYMONTHDAY=1":          "every year in March and September on the 1st",
		"FREQ=YEARLY":                                    "every year in November on the 25th",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29":            "every year in February on the 29th",
		"FREQ=YEARLY;INTERVAL=2;BYMONTH=5;BYDAY=2SU":     "every 2 years in May on the 2nd Sunday",
		"FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13":            "by the rule FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
		"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1":  "by the rule FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
		"FREQ=DAILY;INTERVAL=2;BYDAY=MO":                 "by the rule FREQ=DAILY;INTERVAL=2;BYDAY=MO",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYMONTH=1":      "by the rule FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYMONTH=1",
		"FREQ=YEARLY;BYDAY=20MO":                         "by the rule FREQ=YEARLY;BYDAY=20MO",
		"FREQ=YEARLY;BYMONTHDAY=1":                       "by the rule FREQ=YEARLY;BYMONTHDAY=1",
		"FREQ=YEARLY;BYYEARDAY=100":                      "by the rule FREQ=YEARLY;BYYEARDAY=100",
		"FREQ=MONTHLY;INTERVAL=5;BYMONTH=1;BYMONTHDAY=1": "by the rule FREQ=MONTHLY;INTERVAL=5;BYMONTH=1;BYMONTHDAY=1",
		"FREQ=WEEKLY;BYDAY=MO;BYMONTHDAY=1,2,3,4,5,6,7":  "by the rule FREQ=WEEKLY;BYDAY=MO;BYMONTHDAY=1,2,3,4,5,6,7",
	} {
		kept, err := ParseRule(rule)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
		}
		if got := Words(kept, start); got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}
