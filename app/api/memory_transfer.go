package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/memory/transfer"
	"github.com/naiber/naiber/store/people"
)

const (
	typeLines = "application/x-ndjson"
	// maxImportBytes bounds one import over HTTP; the command line accepts more.
	maxImportBytes = 32 << 20
	// importWithin bounds the time of one import.
	importWithin = 90 * time.Second
)

func (a *api) transfer(h huma.API, op describe) {
	export := op("export-memory", http.MethodGet, "/memory/export", "All that is remembered of a person, as a file of lines of JSON", http.StatusOK)
	export.Description = "It needs no consent: it is the person's right. The file can be imported again, unchanged."
	export.Responses = map[string]*huma.Response{"200": {
		Description: "The file", Content: map[string]*huma.MediaType{typeLines: {Schema: &huma.Schema{Type: huma.TypeString}}},
		Headers: map[string]*huma.Param{"Content-Disposition": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	route(a, h, export, about(a.find, a.exportMemory))
	load := op("import-memory", http.MethodPost, "/memory/import", "Take in an export, or turns, one JSON object with text and at a line", http.StatusOK, http.StatusForbidden)
	load.Description = "All of it or, at the first bad line, nothing, unless skipBad is set. To do it again changes nothing. At most 32 MB; `naiber memory import` takes more."
	load.MaxBodyBytes = maxImportBytes
	load.BodyReadTimeout = importWithin
	load.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{typeLines: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}
	handle(a, h, load, about(a.find, a.importMemory))
}

func (a *api) exportMemory(ctx context.Context, p people.Person, _ *PersonPath) (*huma.StreamResponse, error) {
	a.audit(ctx, "memory.export", p.ID)
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader("Content-Type", typeLines)
		c.SetHeader("Content-Disposition", fmt.Sprintf("attachment; filename=memory-%s.jsonl", p.ID))
		if _, err := a.Memory.Export(ctx, p.ID, c.BodyWriter(), time.Now()); err != nil {
			a.Log.ErrorContext(ctx, "export broke off", "person_id", p.ID, "err", err)
			panic(http.ErrAbortHandler) // a file that ends early must not pass for a whole one
		}
	}}, nil
}

type importIn struct {
	PersonPath

	SkipBad bool   `query:"skipBad" doc:"Leave bad lines out"`
	Another bool   `query:"ofAnother" doc:"Take in the export of another person who is known here; refused otherwise"`
	RawBody []byte `contentType:"application/x-ndjson"`
}

type importedOut struct {
	Lines     int       `json:"lines"`
	Added     int       `json:"added" doc:"Turns that are new"`
	Replaced  int       `json:"replaced"`
	Unchanged int       `json:"unchanged"`
	LeftOut   int       `json:"leftOut" doc:"What the person does not want stored"`
	Forgotten int       `json:"forgotten" doc:"Skipped: forgotten here, or resting on what was"`
	Learned   int       `json:"learned" doc:"Facts, entities, relations, summaries, promises, limits"`
	BadLines  int       `json:"badLines"`
	Bad       []badLine `json:"bad,omitempty" doc:"The first hundred"`
}

type badLine struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func (a *api) importMemory(ctx context.Context, p people.Person, in *importIn) (importedOut, error) {
	ctx, cancel := context.WithTimeout(ctx, importWithin)
	defer cancel()
	im, err := a.Memory.Import(ctx, p.ID, bytes.NewReader(in.RawBody), transfer.Options{SkipBad: in.SkipBad, OfAnother: in.Another})
	if err != nil {
		return importedOut{}, err
	}
	a.audit(ctx, "memory.import", p.ID)
	out := importedOut{
		Lines: im.Lines, Added: im.Added, Replaced: im.Replaced, Unchanged: im.Unchanged, LeftOut: im.Left, Forgotten: im.Forgotten, Learned: im.Learned, BadLines: im.BadLines,
	}
	for _, b := range im.Bad {
		out.Bad = append(out.Bad, badLine{b.Line, b.Err.Error()})
	}
	return out, nil
}
