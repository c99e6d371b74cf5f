package law

import (
	"testing"
	"time"
)

func TestHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, phone, region      string
		monday, saturday, sunday string // "" is the whole day
	}{
		{"no law", "+493012345678", "", "", "", ""},
		{"a country that is not listed", "+61291234567", "", "", "", ""},
		{"no number", "sip:ada", "", "", "", ""},
		{"the country's alone", "+13125551234", "OH", "08:00-21:00", "08:00-21:00", "08:00-21:00"},
		{"a state with other rules alone", "+12125551234", "NY", "08:00-21:00", "08:00-21:00", "08:00-21:00"},
		{"the stricter end is the state's", "+13055551234", "", "08:00-20:00", "08:00-20:00", "08:00-20:00"},
		{"the stricter beginning is the state's", "+14155550123", "", "09:00-21:00", "09:00-21:00", "09:00-21:00"},
		{"a later Sunday", "+12145551234", "", "09:00-21:00", "09:00-21:00", "12:00-21:00"},
		{"the person has moved away", "+12055551234", "OH", "08:00-21:00", "08:00-21:00", "08:00-21:00"},
		{"weekends of their own", "+14165551234", "", "09:00-21:30", "10:00-18:00", "10:00-18:00"},
		{"a number of no state: the strictest", "+18005551234", "", "10:00-20:00", "10:00-20:00", "12:00-20:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := Of(c.phone, c.region).Hours
			for day, want := range map[time.Weekday]string{
				time.Monday: c.monday, time.Wednesday: c.monday, time.Friday: c.monday, time.Saturday: c.saturday, time.Sunday: c.sunday,
			} {
				span := Span{To: 24 * 3600}
				if want != "" {
					if err := span.UnmarshalText([]byte(want)); err != nil {
						t.Fatal(err)
					}
				}
				if got := h.On(day); got != span {
					t.Errorf("%s: %+v, want %q", day, got, want)
				}
			}
		})
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	h := &Hours{Days: Span{8 * 3600, 21 * 3600}, Sunday: &Span{}}
	for at, want := range map[string]bool{
		"2026-11-23 07:59:59": false, "2026-11-23 08:00:00": true, "2026-11-23 20:59:59": true, "2026-11-23 21:00:00": false,
		"2026-11-22 12:00:00": false, "2026-11-22 00:00:00": false, "2026-11-21 08:00:00": true,
	} {
		when, err := time.Parse(time.DateTime, at)
		if err != nil {
			t.Fatal(err)
		}
		if h.Open(when) != want || !(*Hours)(nil).Open(when) {
			t.Errorf("open at %s: %v, want %v", at, !want, want)
		}
	}
}

func TestSpanRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "08:00", "08:00-", "21:00-08:00", "08:00-08:00", "8-21", "08:00-24:00", "None"} {
		if err := new(Span).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for a part of a day", text)
		}
	}
}
