package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store/memories"
)

const (
	// indexBatch is how many texts go to the embedder together at most.
	indexBatch = 64
	// indexLease is how long a batch belongs to who took it; work on it ends
	// indexMargin before, so that a later owner's vectors are the later ones.
	indexLease  = time.Minute
	indexMargin = 10 * time.Second
	// indexPause is how long what failed is left alone.
	indexPause = 30 * time.Second
	// maxEmbedRunes bounds a text for the embedder: models take 8,000 tokens or less.
	maxEmbedRunes = 8000
)

// IndexPending makes the vectors that are missing, and deletes those of what was
// forgotten, until nothing is left to do. It returns how many it brought in line.
// It may run in several processes at once and stop at any moment: what is not
// marked as done is done again.
//
// Where the embedding model is another one than before, all vectors are made anew.
func (x *Index) IndexPending(ctx context.Context) (int, error) {
	if x.cfg.Vectors == nil {
		return 0, nil
	}
	if err := x.checkModel(ctx); err != nil {
		return 0, fmt.Errorf("index memory: %w", err)
	}
	all := 0
	for {
		n, more, err := x.indexSome(ctx)
		all += n
		if err != nil {
			return all, fmt.Errorf("index memory: %w", err)
		}
		if !more {
			return all, nil
		}
	}
}

// Reembed makes every vector anew. It returns how many there are to make; when
// it is interrupted, [Index.IndexPending] makes the rest.
func (x *Index) Reembed(ctx context.Context) (int, error) {
	if x.cfg.Vectors == nil {
		return 0, nil
	}
	n, err := x.cfg.Store.QueueAllVectors(ctx, x.cfg.Model)
	if err != nil {
		return 0, err
	}
	_, err = x.IndexPending(ctx)
	return n, err
}

// Pending counts the vectors that are still to be made or deleted.
func (x *Index) Pending(ctx context.Context) (int, error) { return x.cfg.Store.PendingVectors(ctx) }

func (x *Index) checkModel(ctx context.Context) error {
	model, err := x.cfg.Store.VectorModel(ctx)
	switch {
	case err != nil || model == x.cfg.Model:
		return err
	case model == "":
		return x.cfg.Store.NoteVectorModel(ctx, x.cfg.Model)
	default:
		_, err := x.cfg.Store.QueueAllVectors(ctx, x.cfg.Model)
		return err
	}
}

// Soon makes vectors of a few windows at once, so that the next search
// finds them. What fails or takes too long stays in the queue.
func (x *Index) Soon(ctx context.Context, windows []uuid.UUID) {
	if x.cfg.Vectors == nil || len(windows) == 0 || len(windows) > indexBatch {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, x.cfg.Wait)
	defer cancel()
	if _, _, err := x.indexSome(ctx, windows...); err != nil {
		x.cfg.Metrics.Degraded(ctx, "index", err)
	}
}

// indexSome takes a batch from the queue, or what is free of certain windows. It
// reports whether there may be more.
func (x *Index) indexSome(ctx context.Context, windows ...uuid.UUID) (n int, more bool, err error) {
	now := time.Now()
	size := int(x.batch.Load())
	rows, err := x.cfg.Store.ClaimVectors(ctx, now, now.Add(indexLease), size, windows...)
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	work, cancel := context.WithDeadline(ctx, now.Add(indexLease-indexMargin))
	defer cancel()
	failed, err := x.index(work, rows)
	if len(failed) > 0 {
		// Given back even when ctx has ended: else they would wait for the lease.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, x.cfg.Store.PostponeVectors(end, failed, pause(ctx, now)))
	}
	return len(rows) - len(failed), len(rows) == size && len(windows) == 0, err
}

// pause is until when failed rows are left alone: not at all when only the
// caller's own time was up.
func pause(ctx context.Context, now time.Time) time.Time {
	if ctx.Err() != nil {
		return now
	}
	return time.Now().Add(indexPause)
}

// index brings the vectors of rows in line, in batches that the embedder manages
// in its time: one that took too long is halved, and after each that went well the
// next may be a little larger. It returns the rows that failed.
func (x *Index) index(ctx context.Context, rows []memories.QueuedVector) ([]memories.QueuedVector, error) {
	var failed []memories.QueuedVector
	var cause error
	for len(rows) > 0 {
		size := x.batch.Load()
		batch := rows[:min(len(rows), int(size))]
		err := x.syncVectors(ctx, batch)
		switch {
		case err == nil:
			if len(batch) == int(size) {
				x.batch.Store(min(size+max(1, size/8), indexBatch))
			}
		case ctx.Err() != nil || errors.Is(err, vectors.ErrUnreachable):
			return append(failed, rows...), err
		case len(batch) > 1 && errors.Is(err, context.DeadlineExceeded):
			x.cfg.Metrics.Degraded(ctx, "index_slow", err)
			x.batch.Store(int64(len(batch) / 2))
			continue
		default:
			bad := x.indexSingly(ctx, batch)
			failed, cause = append(failed, bad...), err
			if len(bad) == len(batch) {
				return append(failed, rows[len(batch):]...), err
			}
		}
		rows = rows[len(batch):]
	}
	return failed, cause
}

// indexSingly brings the vectors of rows in line one by one until two in a row
// fail: one text that the embedder refuses must not hold up the others. It returns
// the rows that failed.
func (x *Index) indexSingly(ctx context.Context, rows []memories.QueuedVector) []memories.QueuedVector {
	if len(rows) == 1 {
		return rows
	}
	var failed []memories.QueuedVector
	inRow := 0
	for i := range rows {
		one := rows[i : i+1]
		if err := x.syncVectors(ctx, one); err == nil {
			inRow = 0
			continue
		}
		failed = append(failed, one...)
		if inRow++; inRow == 2 {
			return append(failed, rows[i+1:]...)
		}
	}
	return failed
}
