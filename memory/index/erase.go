package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// eraseBatch is how many vectors are deleted at once.
const eraseBatch = 500

// EraseForgotten deletes the vectors of what was forgotten, and compares the vectors of
// people who asked to forget something with what is left in the database, until no strays
// remain. It returns how many it deleted. It needs no embedder, so it works while
// [Index.IndexPending] cannot. It may be interrupted at any time, run in several processes
// at once, and should be called again until it returns no error.
func (x *Index) EraseForgotten(ctx context.Context) (int, error) {
	if x.cfg.Vectors == nil {
		return 0, nil
	}
	erased, err := x.eraseQueued(ctx)
	if err != nil {
		return erased, fmt.Errorf("erase vectors: %w", err)
	}
	asked, err := x.cfg.Store.Erasures(ctx, eraseBatch)
	if err != nil {
		return erased, err
	}
	var errs []error
	for _, e := range asked {
		n, err := x.scour(ctx, e)
		erased += n
		if err != nil {
			errs = append(errs, fmt.Errorf("erase vectors of %s: %w", e.Person, err))
			errs = append(errs, x.cfg.Store.ErasureTried(context.WithoutCancel(ctx), e))
		}
	}
	return erased, errors.Join(errs...)
}

// eraseQueued deletes the queued vectors that no longer stand for anything.
func (x *Index) eraseQueued(ctx context.Context) (int, error) {
	erased := 0
	for {
		now := time.Now()
		rows, err := x.cfg.Store.ClaimGoneVectors(ctx, now, now.Add(indexLease), eraseBatch)
		if err != nil || len(rows) == 0 {
			return erased, err
		}
		gone := make(map[uuid.UUID]bool, len(rows))
		for _, r := range rows {
			gone[r.ID] = true
		}
		work, cancel := context.WithDeadline(ctx, now.Add(indexLease-indexMargin))
		err = x.erase(work, gone)
		cancel()
		if err != nil {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return erased, errors.Join(err, x.cfg.Store.PostponeVectors(end, rows, pause(ctx, now)))
		}
		if err := x.cfg.Store.FinishVectors(ctx, rows); err != nil {
			return erased, err
		}
		erased += len(rows)
	}
}

// scour deletes the vectors of a person that no longer stand for anything, and checks
// again. The vectors are read before the database, so whatever is added in the meantime
// counts as existing.
func (x *Index) scour(ctx context.Context, e memories.Erasure) (int, error) {
	stray, err := x.stray(ctx, e.Person)
	if err != nil {
		return 0, err
	}
	if len(stray) > 0 {
		if err := x.cfg.Vectors.Delete(ctx, stray...); err != nil {
			return 0, err
		}
		left, err := x.stray(ctx, e.Person)
		if err != nil {
			return 0, err
		}
		if len(left) > 0 {
			return 0, fmt.Errorf("%d vectors are still there", len(left))
		}
	}
	// Another process may be writing a vector of something deleted: it stays in the queue
	// until that has ended, so this erasure must wait as well.
	if n, err := x.cfg.Store.GoneVectors(ctx); err != nil || n > 0 {
		return len(stray), err
	}
	return len(stray), x.cfg.Store.ErasureDone(ctx, e)
}

// stray returns the vectors of a person that no longer stand for anything.
func (x *Index) stray(ctx context.Context, person store.PersonID) ([]uuid.UUID, error) {
	ids, err := x.cfg.Vectors.IDs(ctx, vectors.Scope{Person: person.UUID})
	if errors.Is(err, vectors.ErrNotReady) {
		return nil, nil // nothing was ever stored there
	}
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return x.cfg.Store.StrayVectors(ctx, person, ids)
}

// CountStray counts the vectors of a person that no longer stand for anything or, if all is
// set, all of the person's, after another call of [Index.EraseForgotten].
func (x *Index) CountStray(ctx context.Context, person store.PersonID, all bool) (int, error) {
	if x.cfg.Vectors == nil {
		return 0, nil
	}
	if _, err := x.EraseForgotten(ctx); err != nil {
		return 0, err
	}
	ids, err := x.stray(ctx, person)
	if err != nil || !all {
		return len(ids), err
	}
	n, err := x.cfg.Vectors.Count(ctx, vectors.Scope{Person: person.UUID}, "")
	return max(n, len(ids)), err
}
