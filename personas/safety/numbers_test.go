package safety

import (
	"testing"
	"time"

	"github.com/nyaruka/phonenumbers"
)

// Each number is one of its country's emergency numbers, by data that others keep.
func TestNumbersAreThoseOfEmergencies(t *testing.T) {
	t.Parallel()
	for country, number := range Numbers {
		if !phonenumbers.ConnectsToEmergencyNumber(number, country) {
			t.Errorf("%s: %s is no emergency number", country, number)
		}
	}
	days := map[string]string{"emergency numbers": NumbersVerified}
	for country, line := range CrisisLines {
		days[country] = line.Verified
	}
	for of, day := range days {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			t.Errorf("%s: verified on %q", of, day)
		}
	}
}
