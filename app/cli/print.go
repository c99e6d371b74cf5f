package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// table prints rows in aligned columns. On a terminal it is at most as wide as the terminal, and
// coloured unless NO_COLOR is set; elsewhere each row is one line.
func table(out io.Writer, head []string, rows [][]string) {
	w := pretty.NewWriter()
	w.SuppressTrailingSpaces()
	style := pretty.Style{Box: pretty.BoxStyle{PaddingRight: "  "}, Options: pretty.OptionsNoBordersAndSeparators}
	width, isTerminal := size(out)
	if isTerminal {
		style.Color.Header = text.Colors{text.Bold}
	}
	w.SetStyle(style)
	w.AppendHeader(cells(head))
	for _, r := range rows {
		w.AppendRow(cells(r))
	}
	var columns []pretty.ColumnConfig
	for i, most := range fitting(head, rows, width) {
		c := pretty.ColumnConfig{Number: i + 1, WidthMax: most, WidthMaxEnforcer: text.WrapSoft}
		if isTerminal {
			c.Transformer = func(v any) string { return wordColours[fmt.Sprint(v)].Sprint(v) }
		}
		columns = append(columns, c)
	}
	w.SetColumnConfigs(columns)
	_, _ = fmt.Fprintln(out, w.Render()) // a closed pipe ends the program
}

// list prints shape as JSON if asJSON is set, else a table with a row for each item.
func list[T any](cmd *cobra.Command, asJSON bool, shape any, head []string, items []T, row func(T) []string) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), shape)
	}
	rows := make([][]string, len(items))
	for i, item := range items {
		rows[i] = row(item)
	}
	table(cmd.OutOrStdout(), head, rows)
	return nil
}

// wordColours are the colours of words for states.
var wordColours = map[string]text.Colors{
	"reached": {text.FgGreen}, "completed": {text.FgGreen}, "complete": {text.FgGreen}, "applied": {text.FgGreen},
	"retryable": {text.FgYellow}, "pending": {text.FgYellow}, "partial": {text.FgYellow},
	"discarded": {text.FgRed}, "cancelled": {text.FgRed}, "lost": {text.FgRed}, "failed": {text.FgRed}, "not_placed": {text.FgRed},
}

func cells(row []string) pretty.Row {
	out := make(pretty.Row, len(row))
	for i, cell := range row {
		out[i] = harmless(cell)
	}
	return out
}

// harmless removes control characters other than newlines, which could steer a terminal.
func harmless(words string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, words)
}

// narrowest is the least width to which a column is shrunk to make the table fit.
const narrowest = 10

// fitting returns how wide each column may be in a table of the given width, or of any width if
// it is 0. The widest columns shrink first; ids never do, since they are copied.
func fitting(head []string, rows [][]string, width int) []int {
	most := make([]int, len(head))
	total := 2 * len(head)
	for i, h := range head {
		most[i] = text.StringWidth(h)
		for _, r := range rows {
			most[i] = max(most[i], text.StringWidth(harmless(r[i])))
		}
		total += most[i]
	}
	for ; width > 0 && total > width; total-- {
		widest := -1
		for i, h := range head {
			if !strings.HasSuffix(h, "ID") && most[i] > max(narrowest, text.StringWidth(h)) && (widest < 0 || most[i] > most[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		most[widest]--
	}
	return most
}

// size returns the number of columns of a terminal; ok is false if out is none.
func size(out io.Writer) (columns int, ok bool) {
	f, is := out.(*os.File)
	if !is {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	return columns, err == nil
}

// terminal reports whether in is a terminal, at which somebody can answer a question.
func terminal(in io.Reader) bool {
	f, is := in.(*os.File)
	return is && term.IsTerminal(int(f.Fd()))
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ask asks a yes-or-no question and reports whether the answer is yes. No answer means no.
func ask(cmd *cobra.Command, question string) bool {
	cmd.PrintErr(question + " [y/N] ")
	line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

func clock(t time.Time) string { return clockIn(t, time.Local) }

func clockIn(t time.Time, in *time.Location) string { return t.In(in).Format("2006-01-02 15:04:05") }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
