package telephony

import (
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// The law's hours are those of where the telephone is, whatever hours the operator keeps.
func TestCallingHours(t *testing.T) {
	t.Parallel()
	const eastern, pacific, toronto = "America/New_York", "America/Los_Angeles", "America/Toronto"
	person := func(phone, zone, region string) people.Person {
		return people.Person{Name: "Ada", Phone: phone, Timezone: zone, Region: region}
	}
	florida, ohio := person("+13055551234", eastern, ""), person("+13125551234", eastern, "OH")
	canada, berlin := person("+14165551234", toronto, "ON"), person("+493012345678", "Europe/Berlin", "")
	for _, c := range []struct {
		name   string
		person people.Person
		second string // dialled instead
		zone   string // of the times
		now    string
		until  string // empty: it may be placed
		place  string
		later  bool // by the hours of the other place
		set    func(*Config, *calls.DialFacts)
	}{
		{name: "too early", person: florida, zone: eastern, now: "2026-11-23 07:30:00", until: "2026-11-23 08:00:00", place: "US-FL"},
		{name: "the first second", person: florida, zone: eastern, now: "2026-11-23 08:00:00"},
		{name: "the last second", person: florida, zone: eastern, now: "2026-11-23 19:59:59"},
		{name: "too late", person: florida, zone: eastern, now: "2026-11-23 20:00:00", until: "2026-11-24 08:00:00", place: "US-FL"},
		{name: "not too late by the country's law", person: ohio, zone: eastern, now: "2026-11-23 20:59:59"},
		{name: "too late by the country's law", person: ohio, zone: eastern, now: "2026-11-23 21:00:00", until: "2026-11-24 08:00:00", place: "US-OH"},
		{
			name: "the clock is that of where they live, not of the number", person: person("+13055551234", pacific, "OR"), zone: pacific,
			now: "2026-11-23 07:30:00", until: "2026-11-23 08:00:00", place: "US-OR",
		},
		{
			name: "and the law is", person: person("+12125551234", pacific, "CA"), zone: pacific,
			now: "2026-11-23 08:30:00", until: "2026-11-23 09:00:00", place: "US-CA",
		},
		{name: "later on Saturdays", person: canada, zone: toronto, now: "2026-11-21 09:30:00", until: "2026-11-21 10:00:00", place: "CA"},
		{name: "early on Fridays", person: canada, zone: toronto, now: "2026-11-20 21:29:59"},
		{name: "the clocks go forward in the night", person: florida, zone: eastern, now: "2026-03-07 23:00:00", until: "2026-03-08 08:00:00", place: "US-FL"},
		{name: "and back", person: florida, zone: eastern, now: "2026-10-31 23:00:00", until: "2026-11-01 08:00:00", place: "US-FL"},
		{name: "no law that is known", person: berlin, zone: "Europe/Berlin", now: "2026-11-23 03:00:00"},
		{name: "a second telephone where it is night", person: berlin, second: "+12125551234", zone: eastern, now: "2026-11-23 06:00:00", until: "2026-11-23 08:00:00", place: "US-NY"},
		{name: "and where it is day", person: berlin, second: "+12125551234", zone: eastern, now: "2026-11-23 14:00:00"},
		{name: "abroad, the hours of home are no matter", person: florida, second: "+493012345678", zone: eastern, now: "2026-11-23 05:00:00"},
		{
			name: "in another zone of the country, where they are is not known: here it is too early", person: person("+14155551234", pacific, "CA"), second: "+12125551234",
			zone: pacific, now: "2026-11-23 08:30:00", until: "2026-11-23 09:00:00", place: "US-CA",
		},
		{
			name: "there it is too late", person: person("+14155551234", pacific, "CA"), second: "+12125551234",
			zone: eastern, now: "2026-11-23 21:30:00", until: "2026-11-24 08:00:00", place: "US-NY", later: true,
		},
		{name: "essential checks wait as well", person: florida, zone: eastern, now: "2026-11-23 07:30:00", until: "2026-11-23 08:00:00", place: "US-FL", set: func(_ *Config, f *calls.DialFacts) {
			f.Safety = true
		}},
		{name: "what they have just asked for does not", person: florida, zone: eastern, now: "2026-11-23 03:00:00", set: func(_ *Config, f *calls.DialFacts) {
			f.Wanted = true
		}},
		{
			name: "a second telephone where it is earlier: at home it is too late", person: florida, second: "+14155551234",
			zone: eastern, now: "2026-11-23 20:30:00", until: "2026-11-24 08:00:00", place: "US-FL", later: true,
		},
		{name: "switched off", person: florida, zone: eastern, now: "2026-11-23 03:00:00", set: func(c *Config, _ *calls.DialFacts) { c.LegalHours = false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{QuietHours: people.QuietHours{Start: "00:00", End: "00:00"}, DailyCap: 3, LegalHours: true}
			facts := calls.DialFacts{Person: c.person, Phone: c.person.Phone, Consents: map[people.Scope]bool{people.ScopeCalls: true}}
			if c.second != "" {
				facts.Phone, facts.Person.SecondPhone = c.second, c.second
			}
			if c.set != nil {
				c.set(&cfg, &facts)
			}
			now := at(t, c.zone, c.now)
			no := Gate(cfg, facts, now)
			if (no == nil) != (c.until == "") {
				t.Fatalf("refused by %v, want until %q", no, c.until)
			}
			if no == nil {
				return
			}
			until := at(t, c.zone, c.until)
			if no.Rule != RuleCallingHours || !no.Until.Equal(until) {
				t.Errorf("%s until %v, want %v", no, no.Until, until)
			}
			for _, said := range []string{c.place, until.Format("15:04"), until.Weekday().String()} {
				if !strings.Contains(no.Text, said) {
					t.Errorf("%q does not say %s", no.Text, said)
				}
			}
			again := Gate(cfg, facts, until)
			if again != nil && c.later {
				again = Gate(cfg, facts, *again.Until)
			}
			if again != nil {
				t.Errorf("refused at %v as well: %v", until, again)
			}
			if cfg.QuietHours.End = "23:59"; Gate(cfg, facts, now).Rule != RuleQuietHours {
				t.Error("quiet hours are not told of first")
			}
		})
	}
}

// The next call after the day's last one is within the hours of the law.
func TestDailyCapEndsWithinCallingHours(t *testing.T) {
	t.Parallel()
	const zone = "America/Chicago"
	no := Gate(Config{QuietHours: people.QuietHours{Start: "22:00", End: "07:00"}, DailyCap: 3, LegalHours: true}, calls.DialFacts{
		Person: people.Person{Name: "Ada", Phone: "+12055551234", Timezone: zone}, Phone: "+12055551234", DialsToday: 3,
		Consents: map[people.Scope]bool{people.ScopeCalls: true},
	}, at(t, zone, "2026-11-21 12:00:00"))
	if want := at(t, zone, "2026-11-22 08:00:00"); no == nil || no.Rule != RuleDailyCap || !no.Until.Equal(want) || !strings.Contains(no.Text, "22 November 2026, 08:00") {
		t.Errorf("%v, want until %v", no, want)
	}
}

// Whatever the place and moment: where there are hours, some begin within a day.
func FuzzCallingHours(f *testing.F) {
	phones := []string{"+13055551234", "+12055551234", "+16055551234", "+14165551234", "+18005551234", "+12145551234", "+493012345678"}
	f.Add(int64(1772927999), uint8(0), uint8(6))
	f.Fuzz(func(t *testing.T, unix int64, own, second uint8) {
		p := people.Person{Name: "Ada", Phone: phones[int(own)%len(phones)], Timezone: "America/Denver"}
		for _, l := range callingHours(Config{LegalHours: true}, calls.DialFacts{Person: p, Phone: phones[int(second)%len(phones)]}) {
			now := time.Unix(unix%4102444800, 0)
			until, is := l.until(now)
			if is != !l.hours.Open(now.In(l.zone)) || is && (!until.After(now) || until.Sub(now) > 96*time.Hour || !l.hours.Open(until)) {
				t.Fatalf("%s at %v: %v until %v", l.place, now, is, until)
			}
		}
	})
}
