package discussions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/pg"
)

// appending is what one caller wants to be appended.
type appending struct {
	ID     uuid.UUID `json:"id"`
	Known  int64     `json:"known"`
	At     time.Time `json:"at"`
	Kinds  []string  `json:"kinds"`
	Datas  []string  `json:"datas"`
	Status string    `json:"status"`
	Rounds int       `json:"rounds"`

	done chan struct{} // closed when err is known
	err  error
}

// group commits in groups: what is to be appended while others are being written
// shares the next transaction. Each commit that notifies waits for those before it.
type group struct {
	db   *pg.DB
	turn chan struct{} // holds a value while somebody writes

	mu    sync.Mutex // guards queue
	queue []*appending
}

func newGroup(db *pg.DB) *group { return &group{db: db, turn: make(chan struct{}, 1)} }

// writeWithin bounds the writing of a group.
const writeWithin = 10 * time.Second

// append appends, together with what others wait for. Where ctx ends first it may be
// written all the same.
func (g *group) append(ctx context.Context, a *appending) error {
	g.mu.Lock()
	g.queue = append(g.queue, a)
	g.mu.Unlock()
	select {
	case g.turn <- struct{}{}:
		g.write(ctx)
		<-g.turn
	case <-a.done:
	case <-ctx.Done():
	}
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write writes what is in the queue. Its writer's own end is not the others'.
func (g *group) write(ctx context.Context) {
	g.mu.Lock()
	batch := g.queue
	g.queue = nil
	g.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	// In one order everywhere, so that no two processes wait for each other's rows.
	slices.SortStableFunc(batch, func(a, b *appending) int {
		return cmp.Or(bytes.Compare(a.ID[:], b.ID[:]), cmp.Compare(a.Known, b.Known))
	})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeWithin)
	defer cancel()
	var added []bool
	raw, err := json.Marshal(batch)
	if err == nil {
		added, err = g.db.Q.DiscussionsAppend(ctx, g.db.Conn, raw)
	}
	for i, a := range batch {
		switch {
		case err != nil:
			a.err = err
		case !added[i]:
			a.err = ErrMoved
		}
		close(a.done)
	}
}
