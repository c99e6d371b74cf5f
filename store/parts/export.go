package parts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// exportPage is how many rows are read at a time.
const exportPage = 500

// ExportCatalogue writes a snapshot of the catalogue in the format of
// [Store.ImportCatalogue], ordered by model and number, and returns the number of parts.
func (s *Store) ExportCatalogue(ctx context.Context, to io.Writer) (int, error) {
	out := bufio.NewWriterSize(to, 64<<10)
	e := exporter{store: s, out: out}
	err := s.db.InSnapshot(ctx, func(tx pg.Tx) error {
		e.tx = tx
		return e.models(ctx)
	})
	if err == nil {
		err = out.Flush()
	}
	return e.parts, err
}

// exporter writes a catalogue. Write errors are returned by the last Flush.
type exporter struct {
	store *Store
	tx    pg.Tx
	out   *bufio.Writer
	parts int
}

func (e *exporter) models(ctx context.Context) error {
	e.write("{")
	for after := ""; ; {
		page, err := e.store.db.Q.CatalogueModelsAfter(ctx, e.tx, db.CatalogueModelsAfterParams{After: after, MaxRows: exportPage})
		if err != nil {
			return err
		}
		for _, m := range page {
			if after != "" {
				e.write(",")
			}
			after = m.ModelKey
			if err := e.model(ctx, m); err != nil {
				return err
			}
		}
		if len(page) < exportPage {
			e.write("\n}\n")
			return nil
		}
	}
}

func (e *exporter) model(ctx context.Context, m db.CatalogueModel) error {
	e.write("\n")
	if err := e.json(m.Model); err != nil {
		return err
	}
	e.write(`: {"parts": {`)
	for after := ""; ; {
		page, err := e.store.db.Q.CataloguePartsAfter(ctx, e.tx, db.CataloguePartsAfterParams{ModelKey: m.ModelKey, After: after, MaxRows: exportPage})
		if err != nil {
			return err
		}
		for _, c := range page {
			if after != "" {
				e.write(",")
			}
			after = c.NumberKey
			e.write("\n  ")
			if err := e.json(c.Number); err != nil {
				return err
			}
			e.write(": ")
			if err := e.json(recordOf(partOf(c))); err != nil {
				return err
			}
			e.parts++
		}
		if len(page) < exportPage {
			e.write("}}")
			return nil
		}
	}
}

func (e *exporter) write(text string) { _, _ = e.out.WriteString(text) }

// json writes a value on one line, without escaping <, > and &.
func (e *exporter) json(value any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	_, err := e.out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}
