package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
)

// SimulateOptions are the elders who answer and how often.
type SimulateOptions struct {
	Elders   []string // names; empty: all
	Calls    int      // for each elder
	CallType string
	WPM      int     // words a minute, of both parties
	Pace     float64 // how many times faster than real time the simulated world runs
	Seed     int64
}

// Report is the result of a simulation.
type Report struct {
	Calls    []SimulatedCall `json:"calls"`
	Outcomes map[string]int  `json:"outcomes"`
	// Latencies holds the median, 90th and 99th percentile in milliseconds, by what was measured.
	Latencies map[string]Quantiles `json:"latencies"`
	Seconds   float64              `json:"seconds"`
	// Trends are the trends of the measures of cognitive checks, which lie a month apart.
	Trends []SimulatedTrend `json:"trends,omitempty"`
}

// SimulatedTrend is the trend of a measure of an elder over the simulated checks.
type SimulatedTrend struct {
	Elder string `json:"elder"`
	api.CognitiveTrend
}

// Quantiles are the quantiles of a series, in milliseconds.
type Quantiles struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
}

// SimulatedCall is one call of a simulation.
type SimulatedCall struct {
	Elder       string  `json:"elder"`
	CallID      string  `json:"callId,omitempty"`
	Outcome     string  `json:"outcome"`
	Cause       string  `json:"cause,omitempty"`
	Turns       int     `json:"turns"`
	FirstWordMS int     `json:"firstWordMs,omitempty"`
	TTFTP50MS   float64 `json:"ttftP50Ms,omitempty"`
	Seconds     float64 `json:"seconds"`
	Refused     string  `json:"refused,omitempty"`
}

func simulate(p Program) *cobra.Command {
	var opts SimulateOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use: "simulate", Short: "Let scripted elders answer calls, and print outcomes and latencies", Args: cobra.NoArgs,
		Long: "Runs a sandbox of its own with an empty database, places calls to scripted elders over real HTTP and\n" +
			"WebSockets, and prints what came of them as a table, or as JSON with --json. Cognitive checks of a\n" +
			"simulation are kept as if they lay a month apart, and how each measure went is printed too.",
		Example: "  naiber simulate --elder margaret --calls 20",
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := opts.possible(); err != nil {
			return err
		}
		rep, err := p.Simulate(cmd.Context(), opts, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		if asJSON {
			err = printJSON(cmd.OutOrStdout(), rep)
		} else {
			printReport(cmd, rep)
		}
		if err == nil && len(rep.Calls) > 0 && rep.Outcomes["not_placed"] == len(rep.Calls) {
			return errors.New("no call could be placed")
		}
		return err
	}
	f := cmd.Flags()
	f.StringSliceVar(&opts.Elders, "elder", nil, "who answers (default: all elders)")
	f.IntVar(&opts.Calls, "calls", 5, "calls to each elder")
	f.StringVar(&opts.CallType, "type", callTypes[0], "call type: "+strings.Join(callTypes, " or "))
	f.IntVar(&opts.WPM, "wpm", 400, "words a minute; people speak about 150")
	f.Float64Var(&opts.Pace, "pace", 5, "how many times faster than real the time of the simulated world runs")
	f.Int64Var(&opts.Seed, "seed", 1, "the same seed lets the elders behave the same")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.Bool("sandbox", true, "a simulation always runs in a sandbox")
	_ = f.MarkHidden("sandbox") // there is no choice
	return cmd
}

// possible returns an error for options with which no simulation is possible.
func (o SimulateOptions) possible() error {
	switch {
	case o.Calls < 1:
		return misuse("--calls must be at least 1")
	case o.WPM < 1:
		return misuse("--wpm must be at least 1")
	case !slices.Contains(callTypes, o.CallType):
		return misuse("--type is %s", strings.Join(callTypes, " or "))
	case !(o.Pace > 0): // nor NaN
		return misuse("--pace must be above 0")
	default:
		return nil
	}
}

func printReport(cmd *cobra.Command, rep Report) {
	out := cmd.OutOrStdout()
	calls := make([][]string, len(rep.Calls))
	for i, c := range rep.Calls {
		outcome := c.Outcome
		if c.Refused != "" {
			outcome = "refused: " + c.Refused
		}
		calls[i] = []string{strconv.Itoa(i + 1), c.Elder, outcome, c.Cause, strconv.Itoa(c.Turns), strconv.Itoa(c.FirstWordMS), tenths(c.TTFTP50MS), tenths(c.Seconds)}
	}
	table(out, []string{"#", "ELDER", "OUTCOME", "CAUSE", "TURNS", "FIRST WORD MS", "TTFT P50 MS", "SECONDS"}, calls)
	cmd.Println()
	var outcomes [][]string
	for _, name := range sortedKeys(rep.Outcomes) {
		outcomes = append(outcomes, []string{name, strconv.Itoa(rep.Outcomes[name])})
	}
	table(out, []string{"OUTCOME", "CALLS"}, outcomes)
	cmd.Println()
	var latencies [][]string
	for _, name := range sortedKeys(rep.Latencies) {
		q := rep.Latencies[name]
		latencies = append(latencies, []string{name, strconv.Itoa(q.N), tenths(q.P50), tenths(q.P90), tenths(q.P99)})
	}
	table(out, []string{"LATENCY", "N", "P50 MS", "P90 MS", "P99 MS"}, latencies)
	if len(rep.Trends) > 0 {
		cmd.Println()
		var trends [][]string
		for _, t := range rep.Trends {
			trends = append(trends, []string{t.Elder, t.Title, strconv.Itoa(t.N), tenths(t.Baseline.Mean), tenths(t.Last), changeInWords(t.Change)})
		}
		table(out, []string{"ELDER", "MEASURE", "CHECKS", "BASELINE", "LAST", "CHANGE"}, trends)
	}
	cmd.Printf("\n%d calls in %s\n", len(rep.Calls), time.Duration(rep.Seconds*float64(time.Second)).Round(100*time.Millisecond))
}

func tenths(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
