package index

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store/memories"
)

// syncVectors embeds the texts of rows, and deletes the vectors of those whose text is
// gone. Only then are the rows marked as done: after a crash in between they are processed
// again, under the same ids.
func (x *Index) syncVectors(ctx context.Context, rows []memories.QueuedVector) error {
	found, err := x.cfg.Store.Indexables(ctx, rows)
	if err != nil {
		return err
	}
	gone := map[uuid.UUID]bool{}
	for _, r := range rows {
		gone[r.ID] = true
	}
	texts := make([]string, len(found))
	for i, f := range found {
		delete(gone, f.ID)
		texts[i] = english.Shorten(memory.Clean(f.Text), maxEmbedRunes)
	}
	if err := x.upsert(ctx, found, texts); err != nil {
		return err
	}
	if err := x.erase(ctx, gone); err != nil {
		return err
	}
	x.cfg.Metrics.Indexed.Add(float64(len(rows)))
	return x.cfg.Store.FinishVectors(ctx, rows)
}

func (x *Index) upsert(ctx context.Context, found []memories.Indexable, texts []string) error {
	if len(found) == 0 {
		return nil
	}
	made, err := x.embed(ctx, texts)
	if err != nil {
		return err
	}
	points := make([]vectors.Point, len(found))
	for i, f := range found {
		points[i] = vectors.Point{ID: f.ID, Vector: made[i], Scope: Scope(f.Scope), Kind: f.Kind, Model: x.cfg.Model, At: f.At}
	}
	return x.cfg.Vectors.Upsert(ctx, points)
}

func (x *Index) erase(ctx context.Context, gone map[uuid.UUID]bool) error {
	if len(gone) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, 0, len(gone))
	for id := range gone {
		ids = append(ids, id)
	}
	err := x.cfg.Vectors.Delete(ctx, ids...)
	if errors.Is(err, vectors.ErrNotReady) && x.dims.Load() == 0 {
		// The vectors were not yet set up in this process: embed does so, since it learns
		// the size.
		if _, err = x.embed(ctx, []string{memory.AssistantName}); err == nil {
			err = x.cfg.Vectors.Delete(ctx, ids...)
		}
	}
	return err
}

// embed returns the vectors of texts, and sets the store up for their size.
func (x *Index) embed(ctx context.Context, texts []string) ([][]float32, error) {
	made, err := x.vectorsOf(ctx, texts)
	if err != nil {
		return nil, err
	}
	return made, x.ready(ctx, len(made[0]))
}

func (x *Index) vectorsOf(ctx context.Context, texts []string) ([][]float32, error) {
	made, err := x.cfg.Embedder.Embed(ctx, texts)
	if err == nil && len(made) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts: %w", len(made), len(texts), memory.ErrInvalid)
	}
	return made, err
}

// ready sets the store up for vectors of dims dimensions, unless it already is.
func (x *Index) ready(ctx context.Context, dims int) error {
	if x.dims.Load() == int64(dims) {
		return nil
	}
	if err := x.cfg.Vectors.Ensure(ctx, dims); err != nil {
		return fmt.Errorf("set up vectors: %w", err)
	}
	x.dims.Store(int64(dims))
	return nil
}

// Scope converts a scope to one of the vector store.
func Scope(in memories.Scope) vectors.Scope {
	return vectors.Scope{Person: in.Person.UUID, Session: in.Session, Project: in.Project}
}
