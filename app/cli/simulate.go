package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// SimulateOptions says which elders answer, and how often.
type SimulateOptions struct {
	Elders   []string // names; empty: all
	Calls    int      // for each elder
	CallType string
	WPM      int // words a minute, of both sides
	Seed     int64
}

// Report is what came of simulated calls.
type Report struct {
	Calls    []SimulatedCall `json:"calls"`
	Outcomes map[string]int  `json:"outcomes"`
	// Latencies in milliseconds: median, 90th and 99th percentile, by what was measured.
	Latencies map[string]Quantiles `json:"latencies"`
	Seconds   float64              `json:"seconds"`
}

// Quantiles of a series, in milliseconds.
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
			"WebSockets, and prints what came of them as a table, or as JSON with --json.",
		Example: "  naiber simulate --elder margaret --calls 20",
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		rep, err := p.Simulate(cmd.Context(), opts, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), rep)
		}
		printReport(cmd, rep)
		return nil
	}
	f := cmd.Flags()
	f.StringSliceVar(&opts.Elders, "elder", nil, "who answers (default: all elders)")
	f.IntVar(&opts.Calls, "calls", 5, "calls to each elder")
	f.StringVar(&opts.CallType, "type", "general", "call type")
	f.IntVar(&opts.WPM, "wpm", 900, "words a minute; people speak about 150")
	f.Int64Var(&opts.Seed, "seed", 1, "the same seed lets the elders behave the same")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.Bool("sandbox", true, "")
	_ = f.MarkHidden("sandbox") // simulate is always a sandbox
	return cmd
}

func printReport(cmd *cobra.Command, rep Report) {
	rows := make([][]string, len(rep.Calls))
	for i, c := range rep.Calls {
		outcome := c.Outcome
		if c.Refused != "" {
			outcome = "refused: " + c.Refused
		}
		rows[i] = []string{
			strconv.Itoa(i + 1), c.Elder, outcome, c.Cause, strconv.Itoa(c.Turns), strconv.Itoa(c.FirstWordMS),
			fmt.Sprintf("%.1f", c.TTFTP50MS), fmt.Sprintf("%.1f", c.Seconds),
		}
	}
	out := cmd.OutOrStdout()
	table(out, []string{"#", "ELDER", "OUTCOME", "CAUSE", "TURNS", "FIRST WORD MS", "TTFT P50 MS", "SECONDS"}, rows)
	cmd.Println()
	rows = rows[:0]
	for _, name := range sortedKeys(rep.Outcomes) {
		rows = append(rows, []string{name, strconv.Itoa(rep.Outcomes[name])})
	}
	table(out, []string{"OUTCOME", "CALLS"}, rows)
	cmd.Println()
	rows = rows[:0]
	for _, name := range sortedKeys(rep.Latencies) {
		q := rep.Latencies[name]
		rows = append(rows, []string{name, strconv.Itoa(q.N), fmt.Sprintf("%.1f", q.P50), fmt.Sprintf("%.1f", q.P90), fmt.Sprintf("%.1f", q.P99)})
	}
	table(out, []string{"LATENCY", "N", "P50 MS", "P90 MS", "P99 MS"}, rows)
	cmd.Printf("\n%d calls in %s\n", len(rep.Calls), (time.Duration(rep.Seconds * float64(time.Second))).Round(100*time.Millisecond))
}
