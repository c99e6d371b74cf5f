package law

import (
	"net/url"
	"testing"
	"time"

	"github.com/nyaruka/phonenumbers"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, phone, region string
		place               string
		full, ask, key      bool
		repeat              time.Duration
	}{
		{name: "Germany", phone: "+493012345678", place: "DE", ask: true},
		{name: "a state of Germany changes nothing", phone: "+493012345678", region: "BE", place: "DE", ask: true},
		{name: "Spain", phone: "+34911234567", place: "ES", ask: true},
		{name: "Canada, of which hours alone are known", phone: "+14165551234", region: "ON", place: "CA", full: true, ask: true, key: true, repeat: 3 * time.Hour},
		{name: "United Kingdom", phone: "+442079460958", place: "GB", ask: true},
		{name: "California by the number", phone: "+14155550123", place: "US-CA", full: true, ask: true, key: true},
		{name: "Maine by the name of the state", phone: "+12075551234", place: "US-ME", full: true, key: true},
		{name: "New York by the name, which is a city as well", phone: "+16465551234", place: "US-NY", full: true, key: true, repeat: 3 * time.Hour},
		{name: "a state with no rules of its own", phone: "+13125551234", region: "OH", place: "US-OH", key: true},
		{name: "the person has moved", phone: "+14155550123", region: "OH", place: "US-OH", key: true},
		{name: "a number of no state", phone: "+18005551234", place: "US", full: true, ask: true, key: true, repeat: 3 * time.Hour},
		{name: "a country without rules here", phone: "+61291234567", full: true, ask: true, key: true, repeat: 3 * time.Hour},
		{name: "a number of nowhere", phone: "+15550100123", full: true, ask: true, key: true, repeat: 3 * time.Hour},
		{name: "no number", phone: "sip:ada", full: true, ask: true, key: true, repeat: 3 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := Of(c.phone, c.region)
			if r.Place != c.place || r.Full != c.full || r.Ask != c.ask || r.OptOutKey != c.key || r.Repeat() != c.repeat {
				t.Errorf("Of(%q, %q) = %+v; want %+v", c.phone, c.region, r, c)
			}
		})
	}
}

// Every rule says why, and where that is found; the day on which it was compared is a day.
func TestRulesHaveSources(t *testing.T) {
	t.Parallel()
	var check func(place string, r Rule)
	check = func(place string, r Rule) {
		t.Helper()
		if h := r.Hours; h != nil {
			hours := Rule{Why: []string{h.Why}, Source: []string{h.Source}, Verified: h.Verified}
			if h.Why == "" || h.On(time.Monday) == (Span{}) {
				t.Errorf("%s has hours without a reason, or none on working days", place)
			}
			check(place+", hours", hours)
		}
		if (len(r.Why) == 0 && r.Hours == nil) || len(r.Why) != len(r.Source) {
			t.Errorf("%s has %d reasons and %d sources", place, len(r.Why), len(r.Source))
		}
		for _, s := range r.Source {
			if u, err := url.Parse(s); err != nil || u.Scheme != "https" {
				t.Errorf("%s: source %q is no address", place, s)
			}
		}
		if _, err := time.Parse(time.DateOnly, r.Verified); r.Verified != "" && err != nil {
			t.Errorf("%s: verified %q is no day", place, r.Verified)
		}
	}
	for name, g := range book.Groups {
		check(name, g)
	}
	regions := phonenumbers.GetSupportedRegions()
	eu := 0
	for code, c := range book.Countries {
		check(code, c.Rule)
		if !regions[code] {
			t.Errorf("%s is no country with telephones", code)
		}
		if c.Group == "EU" {
			eu++
		}
		for state, s := range c.States {
			check(code+"-"+state, s.Rule)
			if s.Name == "" {
				t.Errorf("%s-%s has no name", code, state)
			}
		}
	}
	if eu != 27 {
		t.Errorf("%d members of the EU; want 27", eu)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("+14155550123", "CA")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, phone, region string) {
		if r := Of(phone, region); r.Place == "" && (!r.Full || !r.Ask || !r.OptOutKey) {
			t.Errorf("Of(%q, %q) knows no place, and is not strict: %+v", phone, region, r)
		}
	})
}
