package cli

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func simulated() Report {
	return Report{
		Calls: []SimulatedCall{
			{Elder: "margaret", CallID: "c1", Outcome: "reached", Cause: "goodbye", Turns: 12, FirstWordMS: 420, TTFTP50MS: 1.26, Seconds: 61.04},
			{Elder: "harold", CallID: "c2", Outcome: "voicemail", Cause: "machine", Seconds: 9},
			{Elder: "harold", Outcome: "not_placed", Refused: "Harold is on another call with nAIber."},
		},
		Outcomes:  map[string]int{"voicemail": 1, "reached": 1, "not_placed": 1},
		Latencies: map[string]Quantiles{"turn ttft": {N: 12, P50: 1.26, P90: 3, P99: 7.5}, "first word": {N: 1, P50: 420, P90: 420, P99: 420}},
		Seconds:   70.06,
	}
}

func TestSimulatePrintsAReport(t *testing.T) {
	t.Parallel()
	p := &program{report: simulated()}
	got := p.must(t, "simulate", "--elder", "margaret,harold", "--calls", "20", "--type", "health_check", "--wpm", "150", "--seed", "7", "--pace", "2.5")
	const golden = "testdata/simulate.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	asked := SimulateOptions{Elders: []string{"margaret", "harold"}, Calls: 20, CallType: "health_check", WPM: 150, Pace: 2.5, Seed: 7}
	if !reflect.DeepEqual(p.simulated, asked) {
		t.Errorf("asked for %+v", p.simulated)
	}
}

func TestSimulateAsJSON(t *testing.T) {
	t.Parallel()
	p := &program{report: simulated()}
	var got Report
	if err := json.Unmarshal([]byte(p.must(t, "simulate", "--json")), &got); err != nil || !reflect.DeepEqual(got, simulated()) {
		t.Errorf("report = %+v, %v", got, err)
	}
}
