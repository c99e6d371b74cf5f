package fhir

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/naiber/naiber/internal/r4"
)

// csvHeader names the columns. One row is one question, or one score with the
// type "score" and the instrument as its question.
var csvHeader = []string{
	"check_id", "person_id", "call_id", "check_status", "started_at", "ended_at", "pack", "pack_version",
	"question_id", "question", "type", "status", "value", "unit", "label", "loinc", "confidence", "attempts", "answered_at", "quote",
}

// WriteCSV writes checks as CSV (RFC 4180: comma, CRLF, doubled quotes, UTF-8)
// with a header line. What people said may begin like a formula; such cells get an
// apostrophe in front, so that a spreadsheet shows them and runs nothing.
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

// row puts the check's own columns in front of an answer's or a score's.
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

// cell is the value; a number stays one, whatever sign it begins with.
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

// safe is text that no spreadsheet takes for a formula: OWASP names = + - @, tab
// and carriage return as first characters; their full-width forms and white space
// in front of them are taken for them as well.
func safe(s string) string {
	s = r4.Text(s)
	if s != "" && strings.ContainsRune("=+-@|%＝＋－＠", []rune(s)[0]) {
		return "'" + s
	}
	return s
}
