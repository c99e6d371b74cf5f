package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/internal/r4"
	"github.com/naiber/naiber/personas/health/fhir"
	"github.com/naiber/naiber/personas/health/report"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
)

const (
	typeFHIR = "application/fhir+json"
	typeCSV  = "text/csv"
)

// exportPage is how many checks are read at a time.
const exportPage = 100

func (a *api) healthExports(h huma.API) {
	op := func(id, format, media, schema, summary string) huma.Operation {
		return exporting(operation("health checks", id, http.MethodGet, "/api/v1/people/{id}/health-checks/"+format, summary, http.StatusOK), media, schema)
	}
	route(a, h, op("export-fhir", "fhir", typeFHIR, huma.TypeObject,
		"A person's health checks as a FHIR R4 Bundle of QuestionnaireResponse and Observation"), about(a.find, a.exportFHIR))
	route(a, h, op("export-csv", "csv", typeCSV, huma.TypeString, "A person's health checks as CSV, one answer a line"), about(a.find, a.exportCSV))
}

// exporting returns o with the description of an answer that is a file of checks.
func exporting(o huma.Operation, media, schema string) huma.Operation {
	o.Responses = map[string]*huma.Response{"200": {
		Description: "The checks", Content: map[string]*huma.MediaType{media: {Schema: &huma.Schema{Type: schema}}},
		Headers: map[string]*huma.Param{"Content-Disposition": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	return o
}

type exportQuery struct {
	PersonPath

	Since time.Time `query:"since" doc:"Only checks that began then or later; all where nobody says"`
}

// file is an answer in a format other than JSON.
type file struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

func (a *api) exportFHIR(ctx context.Context, p people.Person, in *exportQuery) (*file, error) {
	checks, err := a.exported(ctx, p, in.Since)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(fhir.NewBundle(checks, time.Now().In(p.Location()), r4.Options{Base: a.PublicURL}))
	if err != nil {
		return nil, fmt.Errorf("write checks as FHIR: %w", err)
	}
	return &file{ContentType: typeFHIR, Disposition: filename("health-checks", p, "fhir.json"), Body: body}, nil
}

func (a *api) exportCSV(ctx context.Context, p people.Person, in *exportQuery) (*file, error) {
	checks, err := a.exported(ctx, p, in.Since)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := fhir.WriteCSV(&body, checks); err != nil {
		return nil, err
	}
	return &file{ContentType: typeCSV + "; charset=utf-8; header=present", Disposition: filename("health-checks", p, "csv"), Body: body.Bytes()}, nil
}

// filename returns the Content-Disposition of a file. It holds the person's id and not their
// name, since files end up in folders that others see.
func filename(what string, p people.Person, ending string) string {
	return fmt.Sprintf("attachment; filename=%s-%s.%s", what, p.ID, ending)
}

// exported returns a person's checks, newest first, reading them a page at a time.
func (a *api) exported(ctx context.Context, p people.Person, since time.Time) ([]fhir.Check, error) {
	var all []checks.Check
	q := checks.Query{Limit: exportPage, Since: since}
	for {
		kept, err := a.Store.HealthChecks(ctx, p.ID, q)
		if err != nil {
			return nil, err
		}
		all = append(all, kept...)
		if len(kept) < exportPage {
			return report.Exports(all, a.catalogue(p), p.Location()), nil
		}
		at := kept[len(kept)-1].Cursor()
		q.Before = &at
	}
}
