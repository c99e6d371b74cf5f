package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/internal/r4"
	"github.com/naiber/naiber/personas/health/fhir"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/report"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
)

// healthForms selects how health checks are printed; without one set, they are
// printed as a table.
type healthForms struct {
	json, csv, fhir bool
	base            string // root of the URLs by which FHIR identifies things: this nAIber's public URL
}

func peopleHealth(p Program) *cobra.Command {
	var as healthForms
	var last int
	cmd := &cobra.Command{
		Use: "health NAME|ID|PHONE", Short: "Show somebody's last health checks, or export them", Args: cobra.ExactArgs(1),
		Example: "  naiber people health 'Ada King'\n  naiber people health ada --last 100 --csv > ada.csv",
	}
	show := about(p, func(ctx context.Context, cmd *cobra.Command, person people.Person, _ []string, t *Tools) error {
		checks, err := t.Store.HealthChecks(ctx, person.ID, checks.Query{Limit: last})
		if err != nil {
			return err
		}
		as.base = t.PublicURL
		return printHealth(cmd.OutOrStdout(), person, checks, as)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if last < 1 || last > maxHealthChecks {
			return misuse("--last is a number from 1 to %d", maxHealthChecks)
		}
		return show(cmd, args)
	}
	f := cmd.Flags()
	f.IntVar(&last, "last", 10, "how many checks, the newest first")
	f.BoolVar(&as.json, "json", false, "print JSON")
	f.BoolVar(&as.csv, "csv", false, "print CSV, one answer a line")
	f.BoolVar(&as.fhir, "fhir", false, "print a FHIR R4 Bundle")
	cmd.MarkFlagsMutuallyExclusive("json", "csv", "fhir")
	return cmd
}

// maxHealthChecks is more than anybody's daily checks with nAIber so far, and
// few enough to hold in memory.
const maxHealthChecks = 10000

func printHealth(out io.Writer, person people.Person, checks []checks.Check, as healthForms) error {
	library, err := packs.Load()
	if err != nil {
		return err
	}
	c := report.Catalogue{Packs: library, Language: person.Language}
	switch {
	case as.json:
		list := make([]report.HealthCheck, len(checks))
		for i, hc := range checks {
			list[i] = report.Check(hc, c)
		}
		return printJSON(out, list)
	case as.csv:
		return fhir.WriteCSV(out, report.Exports(checks, c, person.Location()))
	case as.fhir:
		return printJSON(out, fhir.NewBundle(report.Exports(checks, c, person.Location()), time.Now().In(person.Location()), r4.Options{Base: as.base}))
	case len(checks) == 0:
		_, err := fmt.Fprintf(out, "%s has had no health check yet.\n", person.Name)
		return err
	}
	rows := make([][]string, len(checks))
	for i, hc := range checks {
		rows[i] = []string{clockIn(hc.StartedAt, person.Location()), statusInShort(hc), answersInShort(report.Check(hc, c)), hc.CallID.String()}
	}
	table(out, []string{"BEGAN (" + person.Timezone + ")", "STATUS", "ANSWERS", "CALL ID"}, rows)
	return nil
}

// statusInShort returns the status or, for a check that a later call continued,
// "went on later".
func statusInShort(hc checks.Check) string {
	if hc.Status == checks.InProgress && hc.ContinuedBy != (store.CallID{}) {
		return "went on later"
	}
	return string(hc.Status)
}

// answersInShort returns what was answered, then what was not, grouped by
// reason.
func answersInShort(hc report.HealthCheck) string {
	var given []string
	without := map[string][]string{}
	for _, a := range hc.Answers {
		name := a.Short
		if name == "" {
			name = a.QuestionID
		}
		switch {
		case a.FollowUpOf != "": // its text is long; the other forms have it
		case a.Value == nil:
			why := strings.ReplaceAll(a.Status, "_", " ")
			without[why] = append(without[why], name)
		default:
			given = append(given, name+" "+valueInShort(a))
		}
	}
	answered, of := hc.Count()
	parts := []string{fmt.Sprintf("%d of %d", answered, of)}
	if len(given) > 0 {
		parts[0] += ": " + strings.Join(given, ", ")
	}
	for _, why := range sortedKeys(without) {
		parts = append(parts, why+": "+strings.Join(without[why], ", "))
	}
	return strings.Join(parts, "; ")
}

func valueInShort(a report.HealthAnswer) string {
	switch v := a.Value.(type) {
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if a.Label != "" {
			return a.Label
		}
		return english.Shorten(english.OneLine(v), 30)
	default:
		return strings.TrimSpace(fmt.Sprint(v, " ", a.Unit))
	}
}
