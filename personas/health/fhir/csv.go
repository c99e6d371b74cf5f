package fhir

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/r4"
)

// csvHeader names the columns. A row is a question, or a score with the type "score" and the
// instrument as its question.
var csvHeader = []string{
	"check_id", "person_id", "call_id", "check_status", "started_at", "ended_at", "pack", "pack_version",
	"question_id", "question", "type", "status", "value", "unit", "label", "loinc", "confidence", "attempts", "answered_at", "quote",
}

// WriteCSV writes checks as CSV (RFC 4180: comma, CRLF, doubled quotes, UTF-8) with a header line.
// Cells that begin like a formula, as quotes of a person may, get an apostrophe in front, so that a
// spreadsheet shows them and does not run them.
func WriteCSV(w io.Writer, checks []Check) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	rows := [][]string{csvHeader}
	for _, c := range checks {
		for _, a := range c.latest() {
			rows = append(rows, c.row(a.row()))
		}
		for _, s := range c.Scores {
			rows = append(rows, c.row(s.row()))
		}
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write checks as CSV: %w", err)
	}
	return nil
}

// row returns the check's own columns followed by those of an answer or a score.
func (c Check) row(rest []string) []string {
	row := []string{c.CallID.String(), c.PersonID.String(), c.CallID.String(), c.status(), r4.Instant(c.StartedAt), r4.Instant(c.EndedAt)}
	return append(row, rest...)
}

func (a Answer) row() []string {
	var value, unit, label string
	if a.absent() == "" {
		value, unit, label = a.cell(), safe(a.Value.Unit), safe(a.Value.Label)
	}
	return []string{
		safe(a.Pack), safe(a.PackVersion), safe(a.QuestionID), safe(a.Question), safe(a.Type), safe(a.Status), value, unit, label,
		safe(a.LOINC), figure(a.Confidence), strconv.Itoa(a.Attempts), r4.Instant(a.At), safe(a.Quote),
	}
}

// cell returns the value. A number is not escaped, even if it has a sign.
func (a Answer) cell() string {
	switch a.Type {
	case "boolean":
		return strconv.FormatBool(a.Value.Bool)
	case "scale", "number":
		return figure(a.Value.Number)
	default:
		return safe(a.Value.Text)
	}
}

func (s Score) row() []string {
	status, total := "complete", ""
	if s.Total == nil {
		status = "partial"
	} else {
		total = strconv.Itoa(*s.Total)
	}
	return []string{
		safe(s.Pack), safe(s.Version), "total:" + safe(s.Pack), safe(s.Title), "score", status, total, "", safe(s.Band),
		safe(s.LOINC), "", "", "", fmt.Sprintf("%d of %d items answered", s.Answered, s.Of),
	}
}

func figure(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// safe returns text that no spreadsheet takes for a formula. OWASP lists = + - @, tab and carriage
// return as dangerous first characters; safe also guards | and %, and the full-width forms, and
// removes white space in front of them.
func safe(s string) string {
	s = r4.Text(s)
	if s != "" && strings.ContainsRune("=+-@|%＝＋－＠", []rune(s)[0]) {
		return "'" + s
	}
	return s
}
