package parts

import (
	"context"
	"errors"
	"io"

	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store/internal/pg"
)

// ImportOptions is how a file is taken in. All of it is optional.
type ImportOptions struct {
	// Invalid is told of each part or model that is not right, and so left out.
	Invalid func(RowError)
	// Progress is told now and then, after what was read so far has been kept.
	Progress func(Imported)
}

// Imported counts what was taken in.
type Imported struct {
	Models  int // that were read
	Parts   int // that were read and are right
	Added   int
	Changed int
	Invalid int
}

// Unchanged is how many of the parts were there, just so.
func (i Imported) Unchanged() int { return i.Parts - i.Added - i.Changed }

// A batch is kept in one transaction. Its bounds are what an import takes of memory.
const (
	batchRows  = 2000
	batchBytes = 4 << 20
)

// ImportCatalogue takes in models and their parts from a file of JSON, part by part.
// Parts that are there take what the file says of them, and others stay; of a part that
// the file has twice, the last counts. What is not right is left out and told of. Some
// thousand parts are kept at a time: what was kept before an error stays, and to import
// the file again goes on from there, for what is equal is not written again.
func (s *Store) ImportCatalogue(ctx context.Context, file io.Reader, o ImportOptions) (Imported, error) {
	var done Imported
	r := newReader(file, func(e RowError) {
		done.Invalid++
		if o.Invalid != nil {
			o.Invalid(e)
		}
	})
	for {
		batch, read := r.batch()
		for _, p := range batch {
			if p.Number == "" {
				done.Models++
			} else {
				done.Parts++
			}
		}
		added, changed, err := s.keep(ctx, batch)
		if err != nil {
			return done, err
		}
		done.Added, done.Changed = done.Added+added, done.Changed+changed
		if o.Progress != nil {
			o.Progress(done)
		}
		if errors.Is(read, io.EOF) {
			return done, nil
		}
		if read != nil {
			return done, read
		}
	}
}

// batch returns the next models and parts, and why there are no more.
func (r *reader) batch() (batch []Part, err error) {
	for size := 0; len(batch) < batchRows && size < batchBytes; {
		p, err := r.next()
		if err != nil {
			return batch, err
		}
		batch = append(batch, p)
		size += len(p.Name) + len(p.Description) + len(p.ImageURL) + len(p.VideoURL)
		for _, list := range [][]string{p.Symptoms, p.Steps} {
			for _, text := range list {
				size += len(text)
			}
		}
	}
	return batch, nil
}

// The statements of a batch. The table is of the transaction, which sqlc does not know.
const (
	makeIncoming = `create temporary table catalogue_incoming (n int, model_key text collate "C", model text, number_key text collate "C", number text,
		name text, price_cents bigint, description text, image_url text, video_url text, symptoms text[], steps text[]) on commit drop`

	mergeModels = `insert into catalogue_models as m (model_key, model)
		select distinct on (model_key) model_key, model from catalogue_incoming order by model_key, n desc
		on conflict (model_key) do update set model = excluded.model where m.model <> excluded.model`

	mergeGrams = `insert into catalogue_grams (gram, model_key)
		select distinct substr(model_key, i, 3), model_key
		from (select distinct model_key from catalogue_incoming) m cross join generate_series(1, length(model_key) - 2) i
		order by 1, 2 on conflict do nothing`

	mergeParts = `with merged as (
		insert into catalogue_parts as p (model_key, number_key, number, name, price_cents, description, image_url, video_url, symptoms, steps)
		select distinct on (model_key, number_key) model_key, number_key, number, name, price_cents, description, image_url, video_url, symptoms, steps
		from catalogue_incoming where number_key <> '' order by model_key, number_key, n desc
		on conflict (model_key, number_key) do update set number = excluded.number, name = excluded.name, price_cents = excluded.price_cents,
			description = excluded.description, image_url = excluded.image_url, video_url = excluded.video_url,
			symptoms = excluded.symptoms, steps = excluded.steps
		where (p.number, p.name, p.price_cents, p.description, p.image_url, p.video_url, p.symptoms, p.steps) is distinct from
			(excluded.number, excluded.name, excluded.price_cents, excluded.description, excluded.image_url, excluded.video_url, excluded.symptoms, excluded.steps)
		returning xmax = 0 as added)
		select count(*) filter (where added), count(*) filter (where not added) from merged`
)

var incoming = []string{
	"n", "model_key", "model", "number_key", "number", "name", "price_cents", "description", "image_url", "video_url", "symptoms", "steps",
}

// keep writes a batch in one transaction and returns how many parts are new, and how
// many are not as they were.
func (s *Store) keep(ctx context.Context, batch []Part) (added, changed int, err error) {
	if len(batch) == 0 {
		return 0, 0, nil
	}
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		if _, err := tx.Exec(ctx, makeIncoming); err != nil {
			return err
		}
		_, err := tx.Driver().CopyFrom(ctx, pgx.Identifier{"catalogue_incoming"}, incoming, pgx.CopyFromSlice(len(batch), func(i int) ([]any, error) {
			p := batch[i]
			return []any{
				i, Key(p.Model), p.Model, Key(p.Number), p.Number, p.Name, p.PriceCents, p.Description, p.ImageURL, p.VideoURL, p.Symptoms, p.Steps,
			}, nil
		}))
		if err != nil {
			return pg.WrapErr(err, "copy %d parts", len(batch))
		}
		for _, merge := range []string{mergeModels, mergeGrams} {
			if _, err := tx.Exec(ctx, merge); err != nil {
				return err
			}
		}
		return tx.QueryRow(ctx, mergeParts).Scan(&added, &changed)
	})
	return added, changed, err
}
