package reading_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/appliance/reading"
)

var (
	strangers = flag.String("strangers", "testdata/strangers/*.tsv", "files that the Strangers benchmark reads; the name begins with danger or trouble")
	show      = flag.Bool("show", false, "print what is missed and what is taken falsely")
)

// tally counts what of a file is heard.
type tally struct{ told, found, right, others, alarms int }

// strangersIn reads a file: what is told of, a tab, and what was said.
func strangersIn(tb testing.TB, file string) (n tally) {
	tb.Helper()
	lines, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	danger := strings.HasPrefix(filepath.Base(file), "danger")
	for line := range strings.Lines(string(lines)) {
		means, said, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		got := ""
		if danger {
			got, _ = reading.Danger(said, "en")
		} else if reading.Begins(said, "en") {
			got = "trouble"
		}
		none := means == "none" || means == "other"
		switch {
		case none && got != "":
			n.alarms++
		case !none && got != "":
			n.found++
			if strings.TrimSuffix(got, "_electricity") == strings.Replace(means, "hot", "burning", 1) {
				n.right++
			}
		}
		if none {
			n.others++
		} else {
			n.told++
		}
		if *show && none != (got == "") {
			tb.Logf("%s, heard %q: %s", means, got, said)
		}
	}
	return n
}

// What strangers tell of is found as often as it was when their sets were last read; see
// testdata/strangers/README.md.
func TestStrangers(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct{ found, alarms int }{
		"danger_open": {25, 0}, "danger_read": {24, 1}, "danger_open2": {30, 4}, "trouble_open": {27, 0}, "trouble_read": {26, 0}, "trouble_open2": {33, 3},
	} {
		if n := strangersIn(t, "testdata/strangers/"+file+".tsv"); n.found < want.found || n.alarms > want.alarms {
			t.Errorf("%s: %d found and %d false alarms, want %d and %d", file, n.found, n.alarms, want.found, want.alarms)
		}
	}
}

// BenchmarkStrangers prints how what strangers tell of is heard: see the task
// eval:appliance.
func BenchmarkStrangers(b *testing.B) {
	files, err := filepath.Glob(*strangers)
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".tsv"), func(b *testing.B) {
			var n tally
			for b.Loop() {
				n = strangersIn(b, file)
			}
			lines := float64(max(n.told+n.others, 1))
			b.ReportMetric(float64(n.told), "told")
			b.ReportMetric(100*float64(n.found)/float64(max(n.told, 1)), "%_found")
			b.ReportMetric(float64(n.others), "others")
			b.ReportMetric(100*float64(n.alarms)/float64(max(n.others, 1)), "%_false_alarms")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/lines, "µs/line")
		})
	}
}
