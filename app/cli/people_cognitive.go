package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/internal/r4"
	"github.com/naiber/naiber/personas/cognitive/change"
	"github.com/naiber/naiber/personas/cognitive/fhir"
	"github.com/naiber/naiber/personas/cognitive/report"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

// cognitiveForms selects how cognitive checks are printed; without one set, they are printed as a
// table.
type cognitiveForms struct {
	json, fhir bool
	base       string // root of the URLs by which FHIR identifies things
}

func peopleCognitive(p Program) *cobra.Command {
	var as cognitiveForms
	var file string
	cmd := &cobra.Command{
		Use: "cognitive NAME|ID|PHONE", Short: "Show somebody's cognitive checks, and how they change", Args: cobra.ExactArgs(1),
		Long: "Shows what each cognitive check came to, and how each measure has gone against the person's own first checks.\n" +
			"Nothing of it is a diagnosis.",
		Example: "  naiber people cognitive 'Ada King'\n  naiber people cognitive ada --report ada.html",
	}
	cmd.RunE = about(p, func(ctx context.Context, cmd *cobra.Command, person people.Person, _ []string, t *Tools) error {
		list, err := t.Store.CognitiveChecks(ctx, person.ID, cognition.Query{Limit: cognition.Lifetime})
		if err != nil {
			return err
		}
		library, err := tasks.Load()
		if err != nil {
			return err
		}
		as.base = t.PublicURL
		if file != "" {
			return writeReport(file, person, list, library)
		}
		return printCognitive(cmd.OutOrStdout(), person, list, library, as)
	})
	f := cmd.Flags()
	f.BoolVar(&as.json, "json", false, "print JSON")
	f.BoolVar(&as.fhir, "fhir", false, "print a FHIR R4 Bundle")
	f.StringVar(&file, "report", "", "write a report for a clinician to this `FILE`: a page that prints well")
	cmd.MarkFlagsMutuallyExclusive("json", "fhir", "report")
	return cmd
}

// writeReport writes the report to a file that only its owner may read, also in place of an
// earlier one.
func writeReport(name string, person people.Person, list []cognition.Check, library *tasks.Library) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := f.Chmod(0o600); err != nil {
		return errors.Join(err, f.Close())
	}
	r := report.Build(report.Person{Name: person.Name, BirthDate: person.BirthDate}, list, library.Tasks(person.Language), time.Now().In(person.Location()))
	return errors.Join(report.HTML(f, r), f.Close())
}

func printCognitive(out io.Writer, person people.Person, list []cognition.Check, library *tasks.Library, as cognitiveForms) error {
	trends := api.CognitiveTrends(list, library.Tasks(person.Language))
	switch {
	case as.json:
		return printJSON(out, map[string]any{"checks": api.CognitiveShapes(list), "trends": trends})
	case as.fhir:
		for i, c := range list {
			list[i] = c.In(person.Location())
		}
		return printJSON(out, fhir.NewBundle(list, time.Now().In(person.Location()), r4.Options{Base: as.base}))
	case len(list) == 0:
		_, err := fmt.Fprintf(out, "%s has had no cognitive check yet.\n", person.Name)
		return err
	}
	rows := make([][]string, len(list))
	for i, c := range list {
		rows[i] = []string{clockIn(c.StartedAt, person.Location()), string(c.Status), tasksInShort(c.Tasks), c.CallID.String()}
	}
	table(out, []string{"BEGAN (" + person.Timezone + ")", "STATUS", "TASKS", "CALL ID"}, rows)
	var measures [][]string
	for _, t := range trends {
		last, index := "", ""
		if t.N > 0 {
			last = strconv.FormatFloat(t.Last, 'f', -1, 64)
		}
		if t.Index != nil {
			index = strconv.FormatFloat(*t.Index, 'f', 1, 64)
		}
		measures = append(measures, []string{t.Title, strconv.Itoa(t.N), last, changeInWords(t.Change), index})
	}
	if len(measures) > 0 {
		table(out, []string{"MEASURE", "CHECKS", "LAST", "CHANGE", "INDEX"}, measures)
	}
	return nil
}

// changeInWords returns the only words that may be used for a change.
func changeInWords(verdict string) string { return report.Phrase(change.Verdict(verdict)) }

// tasksInShort returns what was scored, then what was not, grouped by status.
func tasksInShort(list []cognition.Task) string {
	var scored []string
	without := map[string][]string{}
	for _, t := range list {
		score := t.Score()
		if score == nil {
			status := strings.ReplaceAll(string(t.Status), "_", " ")
			without[status] = append(without[status], t.TaskID)
			continue
		}
		text := t.TaskID + " " + strconv.Itoa(*score)
		if t.Max > 0 {
			text += "/" + strconv.Itoa(t.Max)
		}
		if t.Correction != nil {
			text += " (corrected)"
		}
		scored = append(scored, text)
	}
	var parts []string
	if len(scored) > 0 {
		parts = append(parts, strings.Join(scored, ", "))
	}
	for _, why := range sortedKeys(without) {
		parts = append(parts, why+": "+strings.Join(without[why], ", "))
	}
	return strings.Join(parts, "; ")
}
