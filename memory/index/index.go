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
	// indexBatch is the maximum number of texts per embedder request.
	indexBatch = 64
	// indexLease is the lease of a batch; work on it ends indexMargin before, which keeps a
	// slow owner from overwriting the vectors of the next one.
	indexLease  = time.Minute
	indexMargin = 10 * time.Second
	// indexPause is the pause before failed rows are tried again.
	indexPause = 30 * time.Second
	// maxEmbedRunes limits the length of a text for the embedder: models take 8,000 tokens
	// or less.
	maxEmbedRunes = 8000
)

// IndexPending makes the missing vectors, and deletes those of what was forgotten, until
// the queue is empty. It returns how many rows it processed. It may run in several
// processes at once and be interrupted at any time: what is not marked as done is done
// again.
//
// If the embedding model has changed, all vectors are rebuilt.
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

// Reembed rebuilds every vector. It returns how many were queued; if it is interrupted,
// [Index.IndexPending] makes the rest.
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

// Soon makes the vectors of a few windows immediately, which lets the next search find
// them. What fails or takes too long stays in the queue.
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

// indexSome processes a batch from the queue or, if windows are given, those of them that
// no one has claimed. more reports whether there may be further rows.
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
		// Return them even if ctx has ended: otherwise they would wait for the end of the
		// lease.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, x.cfg.Store.PostponeVectors(end, failed, pause(ctx, now)))
	}
	return len(rows) - len(failed), len(rows) == size && len(windows) == 0, err
}

// pause returns the time until which failed rows must wait: now, if only the caller's own
// time was up.
func pause(ctx context.Context, now time.Time) time.Time {
	if ctx.Err() != nil {
		return now
	}
	return time.Now().Add(indexPause)
}

// index updates the vectors of rows, in batches that the embedder manages in its time: a
// batch that took too long is halved, and after each success the next may be a little
// larger. It returns the rows that failed.
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

// indexSingly updates the vectors of rows one by one until two in a row fail: one text that
// the embedder refuses must not hold up the others. It returns the rows that failed.
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
