package wishes

import (
	"testing"

	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// A window that the gate would refuse every day is not promised.
func TestQuietHoursHaveThoseOfTheLaw(t *testing.T) {
	t.Parallel()
	const florida, berlin = "+13055551234", "+493012345678"
	for _, c := range []struct {
		name, phone, region string
		legal               bool
		own                 *people.QuietHours
		want                people.QuietHours
		early               bool // "half past seven" may be had
	}{
		{"the law's are wider", florida, "", true, &people.QuietHours{Start: "22:00", End: "07:00"}, people.QuietHours{Start: "20:00", End: "08:00"}, false},
		{"the person's are wider", florida, "", true, &people.QuietHours{Start: "19:00", End: "09:30"}, people.QuietHours{Start: "19:00", End: "09:30"}, false},
		{"none of their own", florida, "", true, &people.QuietHours{Start: "00:00", End: "00:00"}, people.QuietHours{Start: "20:00", End: "08:00"}, false},
		{"where they have moved to", florida, "OH", true, &people.QuietHours{Start: "22:00", End: "07:00"}, people.QuietHours{Start: "21:00", End: "08:00"}, false},
		{"in the day", florida, "", true, &people.QuietHours{Start: "12:00", End: "14:00"}, people.QuietHours{Start: "12:00", End: "14:00"}, false},
		{"a night that begins at midnight", florida, "", true, &people.QuietHours{Start: "00:30", End: "07:00"}, people.QuietHours{Start: "00:30", End: "07:00"}, false},
		{"the default", florida, "", true, nil, people.QuietHours{Start: "20:00", End: "09:00"}, false},
		{"no law that is known", berlin, "", true, &people.QuietHours{Start: "22:00", End: "07:00"}, people.QuietHours{Start: "22:00", End: "07:00"}, true},
		{"switched off", florida, "", false, &people.QuietHours{Start: "22:00", End: "07:00"}, people.QuietHours{Start: "22:00", End: "07:00"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := asking{
				cfg:    &Config{Quiet: people.QuietHours{Start: "20:30", End: "09:00"}, LegalHours: c.legal},
				person: people.Person{Phone: c.phone, Region: c.region, QuietHours: c.own},
			}
			if got := a.quiet(); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if err := a.allowed(schedules.Window{From: "07:30", To: "08:30"}); (err == nil) != c.early {
				t.Errorf("at half past seven: %v", err)
			}
		})
	}
}
