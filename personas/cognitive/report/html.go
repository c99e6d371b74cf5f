package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

//go:embed report.html
var page string

//go:embed report.css
var style string

// The most sessions and corrections on the page; it gives the number of the others.
const (
	maxSessions    = 6
	maxCorrections = 3
)

var tmpl = template.Must(template.New("report").Funcs(template.FuncMap{
	"style":  func() template.CSS { return template.CSS(style) }, //nolint:gosec // it is ours, from the binary
	"day":    func(t time.Time) string { return t.Format("2 January 2006") },
	"short":  func(t time.Time) string { return t.Format("2 Jan 2006") },
	"figure": figure,
	"index":  func(v *float64) string { return figure(*v) },
	"plain":  func(v any) string { return plain(fmt.Sprint(v)) },
	"join":   func(of []string) string { return strings.Join(of, ", ") },
	"born": func(s string) string {
		if t, err := time.Parse(time.DateOnly, s); err == nil {
			return t.Format("2 January 2006")
		}
		return "not known"
	},
}).Parse(page))

// HTML writes the report as one page, which loads nothing and runs no scripts.
func HTML(w io.Writer, r Report) error {
	data := struct {
		Report

		MoreSessions, MoreCorrections int
		Width, Height                 float64
	}{Report: r, Width: chartWidth, Height: chartHeight}
	if n := len(r.Sessions) - maxSessions; n > 0 {
		data.Sessions, data.MoreSessions = r.Sessions[:maxSessions], n
	}
	if n := len(r.Corrections) - maxCorrections; n > 0 {
		data.Corrections, data.MoreCorrections = r.Corrections[:maxCorrections], n
	}
	if err := tmpl.Execute(w, data); err != nil {
		return fmt.Errorf("write the report of cognitive checks: %w", err)
	}
	return nil
}

// Policy returns the Content-Security-Policy for the page: only its own style is allowed.
func Policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
}
