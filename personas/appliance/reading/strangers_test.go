package reading_test

import (
	"os"
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/appliance/reading"
)

// What strangers tell of is found as often as it was when their sets were last read; see
// testdata/strangers/README.md.
func TestStrangers(t *testing.T) {
	t.Parallel()
	danger := func(said string) string {
		kind, _ := reading.Danger(said, "en")
		return strings.TrimSuffix(kind, "_electricity")
	}
	trouble := func(said string) string {
		if rd := reading.Read(said, "en"); reading.Mentions(said) && rd.Begins() {
			return "trouble"
		}
		return ""
	}
	for file, want := range map[string]struct {
		read          func(said string) string
		found, alarms int
	}{
		"danger_open": {danger, 22, 0}, "danger_sealed": {danger, 9, 3}, "trouble_open": {trouble, 18, 1}, "trouble_sealed": {trouble, 5, 1},
	} {
		lines, err := os.ReadFile("testdata/strangers/" + file + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		found, alarms := 0, 0
		for line := range strings.Lines(string(lines)) {
			means, said, _ := strings.Cut(strings.TrimSpace(line), "\t")
			switch got := want.read(said); {
			case means == "none" || means == "other":
				if got != "" {
					alarms++
				}
			case got != "":
				found++
			}
		}
		if t.Logf("%s: %d found, %d false alarms", file, found, alarms); found < want.found || alarms > want.alarms {
			t.Errorf("%s: %d found and %d false alarms, want %d and %d", file, found, alarms, want.found, want.alarms)
		}
	}
}
