package telephony

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

func at(t *testing.T, zone, local string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	when, err := time.ParseInLocation("2006-01-02 15:04:05", local, loc)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func TestGate(t *testing.T) {
	t.Parallel()
	const zone = "Canada/Newfoundland"
	noon := at(t, zone, "2026-03-03 12:00:00")
	later := noon.Add(48 * time.Hour)
	for _, c := range []struct {
		name  string
		now   time.Time
		set   func(*Config, *calls.DialFacts)
		rule  string
		until time.Time
	}{
		{name: "nothing speaks against it", now: noon},
		{
			name: "no consent", now: noon, rule: RuleNoConsent,
			set: func(_ *Config, f *calls.DialFacts) { f.Consents = map[people.Scope]bool{people.ScopeMemory: true} },
		},
		{
			name: "no consent to cognitive checks", now: noon, rule: RuleNoConsent,
			set: func(_ *Config, f *calls.DialFacts) { f.Type = calls.CallCognitive },
		},
		{
			name: "consent to cognitive checks alone", now: noon, rule: RuleNoConsent,
			set: func(_ *Config, f *calls.DialFacts) {
				f.Type, f.Consents = calls.CallCognitive, map[people.Scope]bool{people.ScopeCognitive: true}
			},
		},
		{
			name: "consent to cognitive checks", now: noon,
			set: func(_ *Config, f *calls.DialFacts) {
				f.Type, f.Consents = calls.CallCognitive, map[people.Scope]bool{people.ScopeCalls: true, people.ScopeCognitive: true}
			},
		},
		{
			name: "opted out", now: noon, rule: RuleOptedOut,
			set: func(_ *Config, f *calls.DialFacts) { f.Person.OptedOutAt = &noon },
		},
		{
			name: "paused", now: noon, rule: RulePaused, until: later,
			set: func(_ *Config, f *calls.DialFacts) { f.Pause = &people.Pause{EndsAt: &later} },
		},
		{
			name: "paused without an end", now: noon, rule: RulePaused,
			set: func(_ *Config, f *calls.DialFacts) { f.Pause = &people.Pause{} },
		},
		{name: "too early", now: at(t, zone, "2026-03-03 08:59:59"), rule: RuleQuietHours, until: at(t, zone, "2026-03-03 09:00:00")},
		{name: "the first second", now: at(t, zone, "2026-03-03 09:00:00")},
		{name: "the last second", now: at(t, zone, "2026-03-03 19:59:59")},
		{name: "too late", now: at(t, zone, "2026-03-03 20:00:00"), rule: RuleQuietHours, until: at(t, zone, "2026-03-04 09:00:00")},
		{
			name: "elsewhere it is day", now: at(t, "Europe/Berlin", "2026-03-03 12:00:00"),
			rule: RuleQuietHours, until: at(t, zone, "2026-03-03 09:00:00"),
		},
		{
			name: "a person's own hours", now: noon, rule: RuleQuietHours, until: at(t, zone, "2026-03-03 14:30:00"),
			set: func(_ *Config, f *calls.DialFacts) {
				f.Person.QuietHours = &people.QuietHours{Start: "11:30", End: "14:30"}
			},
		},
		{
			name: "equal times mean no quiet hours", now: at(t, zone, "2026-03-03 03:00:00"),
			set: func(_ *Config, f *calls.DialFacts) {
				f.Person.QuietHours = &people.QuietHours{Start: "09:00", End: "09:00"}
			},
		},
		{
			name: "hours that cannot be read wake nobody", now: at(t, zone, "2026-03-03 22:00:00"),
			rule: RuleQuietHours, until: at(t, zone, "2026-03-04 09:00:00"),
			set: func(c *Config, _ *calls.DialFacts) { c.QuietHours = people.QuietHours{Start: "8pm", End: "9am"} },
		},
		{
			name: "on a call", now: noon, rule: RuleLiveCall,
			set: func(_ *Config, f *calls.DialFacts) { f.Live = &calls.Call{} },
		},
		{
			name: "one less than the cap", now: noon,
			set: func(_ *Config, f *calls.DialFacts) { f.DialsToday = 2 },
		},
		{
			name: "cap reached", now: noon, rule: RuleDailyCap, until: at(t, zone, "2026-03-04 09:00:00"),
			set: func(_ *Config, f *calls.DialFacts) { f.DialsToday = 3 },
		},
		{
			name: "cap reached, no quiet hours", now: noon, rule: RuleDailyCap, until: at(t, zone, "2026-03-04 00:00:00"),
			set: func(_ *Config, f *calls.DialFacts) {
				f.DialsToday = 3
				f.Person.QuietHours = &people.QuietHours{Start: "00:00", End: "00:00"}
			},
		},
		{
			name: "a cap of none", now: noon, rule: RuleDailyCap, until: at(t, zone, "2026-03-04 09:00:00"),
			set: func(c *Config, _ *calls.DialFacts) { c.DailyCap = 0 },
		},
		{
			name: "an opt-out is told of first", now: at(t, zone, "2026-03-03 03:00:00"), rule: RuleOptedOut,
			set: func(_ *Config, f *calls.DialFacts) {
				f.Consents, f.Person.OptedOutAt, f.Live, f.DialsToday = nil, &noon, &calls.Call{}, 9
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{QuietHours: people.QuietHours{Start: "20:00", End: "09:00"}, DailyCap: 3}
			facts := calls.DialFacts{
				Person:   people.Person{Name: "Ada Example", PreferredName: "Ada", Timezone: zone},
				Consents: map[people.Scope]bool{people.ScopeCalls: true},
			}
			if c.set != nil {
				c.set(&cfg, &facts)
			}
			got := Gate(cfg, facts, c.now)
			if got == nil {
				if c.rule != "" {
					t.Fatalf("let pass, want %s", c.rule)
				}
				return
			}
			if got.Rule != c.rule || !strings.Contains(got.Text, "Ada") || !strings.Contains(got.Error(), c.rule) {
				t.Errorf("refused by %q (%s), want %q", got.Rule, got, c.rule)
			}
			clocks := regexp.MustCompile(`\d\d:\d\d`).FindAllString(got.Text, -1)
			if got.Until == nil && len(clocks) != 0 || got.Until != nil && (len(clocks) != 1 || clocks[0] != got.Until.In(facts.Person.Location()).Format("15:04")) {
				t.Errorf("%q names the times %v, want only that until which it holds, where the person lives", got.Text, clocks)
			}
			if got.Rule == RuleOptedOut && !strings.Contains(got.Text, "naiber people opt-in") {
				t.Errorf("%q does not say how an opt-out is taken back", got.Text)
			}
			switch {
			case c.until.IsZero() != (got.Until == nil):
				t.Errorf("until = %v, want %v", got.Until, c.until)
			case got.Until != nil && !got.Until.Equal(c.until):
				t.Errorf("until = %v, want %v", got.Until, c.until)
			}
		})
	}
}

// A second number may be in another zone: nobody is woken there either.
func TestQuietHoursOfTheSecondNumber(t *testing.T) {
	t.Parallel()
	cfg := Config{QuietHours: people.QuietHours{Start: "20:00", End: "09:00"}, DailyCap: 3}
	noon := at(t, "Europe/London", "2026-03-03 12:00:00")
	for phone, rule := range map[string]string{"+442071838750": "", "+12125550123": RuleQuietHours, "+447911123456": ""} {
		no := Gate(cfg, calls.DialFacts{
			Person: people.Person{Name: "Ada", Timezone: "Europe/London", Phone: "+442071838751"}, Phone: phone,
			Consents: map[people.Scope]bool{people.ScopeCalls: true},
		}, noon)
		if (no == nil) != (rule == "") || no != nil && no.Rule != rule {
			t.Errorf("%s: %v, want %q", phone, no, rule)
		}
	}
}

// Clocks change, and some of them in strange ways.
func TestQuietHoursAcrossClockChanges(t *testing.T) {
	t.Parallel()
	utc := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, c := range []struct {
		name, zone, start, end string
		now                    time.Time
		until                  time.Time // zero: not quiet
	}{
		{
			name: "spring forward in the night", zone: "Canada/Newfoundland", start: "20:00", end: "09:00",
			now: utc("2026-03-08T03:30:00Z"), until: utc("2026-03-08T11:30:00Z"), // 00:00 NST to 09:00 NDT
		},
		{
			name: "fall back in the night", zone: "Canada/Newfoundland", start: "20:00", end: "09:00",
			now: utc("2026-11-01T02:30:00Z"), until: utc("2026-11-01T12:30:00Z"), // 00:00 NDT to 09:00 NST
		},
		{
			name: "the end is an hour that does not exist", zone: "Europe/Berlin", start: "22:00", end: "02:30",
			now: utc("2026-03-29T00:00:00Z"), until: utc("2026-03-29T01:00:00Z"), // 03:00 follows 01:59
		},
		{
			name: "the end comes twice: after the first it is over", zone: "Europe/Berlin", start: "22:00", end: "02:30",
			now: utc("2026-10-25T00:00:00Z"), until: utc("2026-10-25T00:30:00Z"),
		},
		{
			name: "and quiet again when the hour is repeated", zone: "Europe/Berlin", start: "22:00", end: "02:30",
			now: utc("2026-10-25T01:15:00Z"), until: utc("2026-10-25T01:30:00Z"),
		},
		{
			name: "half an hour forward on Lord Howe", zone: "Australia/Lord_Howe", start: "20:00", end: "09:00",
			now: utc("2026-10-03T14:00:00Z"), until: utc("2026-10-03T22:00:00Z"), // 00:30 +10:30 to 09:00 +11
		},
		{
			name: "half an hour back on Lord Howe", zone: "Australia/Lord_Howe", start: "20:00", end: "09:00",
			now: utc("2026-04-04T13:30:00Z"), until: utc("2026-04-04T22:30:00Z"), // 00:30 +11 to 09:00 +10:30
		},
		{
			name: "the end lies in the half hour that Lord Howe skips", zone: "Australia/Lord_Howe", start: "20:00", end: "02:15",
			now: utc("2026-10-03T15:00:00Z"), until: utc("2026-10-03T15:30:00Z"), // 02:30 follows 01:59
		},
		{
			name: "three quarters of an hour in Nepal", zone: "Asia/Kathmandu", start: "20:00", end: "09:00",
			now: utc("2026-06-01T00:00:00Z"), until: utc("2026-06-01T03:15:00Z"),
		},
		{
			name: "by day", zone: "Australia/Lord_Howe", start: "20:00", end: "09:00",
			now: utc("2026-10-03T23:00:00Z"),
		},
		{
			name: "within one day", zone: "UTC", start: "12:00", end: "14:00",
			now: utc("2026-06-01T13:00:00.5Z"), until: utc("2026-06-01T14:00:00Z"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := quietHours(Config{QuietHours: people.QuietHours{Start: c.start, End: c.end}}, people.Person{})
			until, is := q.until(c.now.In(at(t, c.zone, "2026-01-01 00:00:00").Location()))
			if is != !c.until.IsZero() || is && !until.Equal(c.until) {
				t.Errorf("quiet %v until %v, want %v", is, until.UTC(), c.until)
			}
		})
	}
}

func TestNextDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, zone, now, want string }{
		{"midnight", "Canada/Newfoundland", "2026-03-03 12:00:00", "2026-03-04 00:00:00"},
		{"a day of 23 hours", "Canada/Newfoundland", "2026-03-08 00:00:00", "2026-03-09 00:00:00"},
		{"a day of 25 hours", "Canada/Newfoundland", "2026-11-01 00:00:00", "2026-11-02 00:00:00"},
		{"a day that begins at one o'clock", "America/Santiago", "2026-09-05 12:00:00", "2026-09-06 01:00:00"},
		{"the last second of a year", "UTC", "2026-12-31 23:59:59", "2027-01-01 00:00:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, want := nextDay(at(t, c.zone, c.now)), at(t, c.zone, c.want); !got.Equal(want) {
				t.Errorf("next day after %s is %v, want %v", c.now, got, want)
			}
		})
	}
}

// Whatever the zone, hours and moment: what the gate says about "until" is true.
func FuzzQuietHours(f *testing.F) {
	zones := []string{"Canada/Newfoundland", "Australia/Lord_Howe", "America/Santiago", "Europe/Berlin", "Asia/Tehran", "Pacific/Apia", "UTC"}
	f.Add(int64(1772927999), uint8(0), uint16(1200), uint16(540))
	f.Add(int64(1325239200), uint8(5), uint16(1200), uint16(540)) // Samoa leaves out a day
	f.Fuzz(func(t *testing.T, unix int64, zone uint8, start, end uint16) {
		loc, err := time.LoadLocation(zones[int(zone)%len(zones)])
		if err != nil {
			t.Skip(err)
		}
		now := time.Unix(unix%4102444800, 0).In(loc)
		q := quiet{start: int(start) % 1440 * 60, end: int(end) % 1440 * 60}
		until, is := q.until(now)
		if !is {
			return
		}
		if !until.After(now) || until.Sub(now) > 50*time.Hour {
			t.Fatalf("quiet %+v at %v until %v", q, now, until)
		}
		if q.holds(until) {
			t.Errorf("quiet %+v at %v: %v is still quiet", q, now, until)
		}
		if before := until.Add(-time.Second); before.After(now) && !q.holds(before) {
			t.Errorf("quiet %+v at %v: %v is not quiet any more", q, now, before)
		}
	})
}
