// Package parts stores the catalogue of the appliance helper: which parts a model has, what
// they cost and which symptoms they solve.
//
// A number is identified by its key, which makes case, spaces and punctuation irrelevant.
// Queries by a number, or for one model, use an index whatever the size of the catalogue;
// the symptoms of one model are compared in the process, by exact wording first, then by
// stems of words and trigrams. No extension of PostgreSQL is needed.
package parts

import (
	"context"
	"strings"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Store stores the catalogue in PostgreSQL. It may be used concurrently.
type Store struct {
	db    *pg.DB
	known known
}

// New returns a store over an open database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Part is one part of one model. Model and Number are in the catalogue's spelling, in upper
// case.
type Part struct {
	Model, Number, Name string
	PriceCents          int64 // 0 if unknown
	Description         string
	ImageURL, VideoURL  string   // empty if none
	Symptoms            []string // that it solves
	Steps               []string // of its installation; may be empty
}

func partOf(c db.Catalogue) Part {
	return Part{
		Model: c.Model, Number: c.Number, Name: c.Name, PriceCents: c.PriceCents, Description: c.Description,
		ImageURL: c.ImageUrl, VideoURL: c.VideoUrl, Symptoms: c.Symptoms, Steps: c.Steps,
	}
}

func partsOf(rows []db.Catalogue, err error) ([]Part, error) { return pg.Each(rows, partOf), err }

// Key returns the letters and digits of a model's or a part's number, in upper case, by
// which it is identified. It may be empty.
func Key(number string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			return r
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		default:
			return -1
		}
	}, number)
}

// CatalogueModel returns a model's number in the catalogue's spelling, or [pg.ErrNotFound].
func (s *Store) CatalogueModel(ctx context.Context, number string) (string, error) {
	return s.db.Q.CatalogueModel(ctx, s.db.Conn, Key(number))
}

// CataloguePart returns a part of a model, or [pg.ErrNotFound] if the model does not have
// it.
func (s *Store) CataloguePart(ctx context.Context, model, number string) (Part, error) {
	c, err := s.db.Q.CataloguePart(ctx, s.db.Conn, db.CataloguePartParams{ModelKey: Key(model), NumberKey: Key(number)})
	return partOf(c), err
}

// CatalogueParts returns a part for each of at most limit models that have it; none if it
// is unknown.
func (s *Store) CatalogueParts(ctx context.Context, number string, limit int) ([]Part, error) {
	return partsOf(s.db.Q.CatalogueParts(ctx, s.db.Conn, db.CataloguePartsParams{NumberKey: Key(number), MaxRows: limit}))
}

// CatalogueHost reports whether a picture or a video of the catalogue is on a host; only
// such hosts may be linked to.
func (s *Store) CatalogueHost(ctx context.Context, host string) (bool, error) {
	return s.db.Q.CatalogueHost(ctx, s.db.Conn, strings.ToLower(pg.Storable(host)))
}

// CatalogueEmpty reports whether the catalogue is empty.
func (s *Store) CatalogueEmpty(ctx context.Context) (bool, error) {
	return s.db.Q.CatalogueEmpty(ctx, s.db.Conn)
}

// SearchCatalogue returns parts whose names, symptoms and descriptions have all the words,
// best first or, if there are none, those that have any of the words. An empty model means
// any.
func (s *Store) SearchCatalogue(ctx context.Context, words, model string, limit int) ([]Part, error) {
	p := db.CatalogueSearchParams{Words: pg.Storable(words), ModelKey: Key(model), MaxRows: limit}
	found, err := partsOf(s.db.Q.CatalogueSearch(ctx, s.db.Conn, p))
	if err == nil && len(found) == 0 {
		p.AnyWord = true
		found, err = partsOf(s.db.Q.CatalogueSearch(ctx, s.db.Conn, p))
	}
	return found, err
}
