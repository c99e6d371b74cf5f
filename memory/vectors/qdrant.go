package vectors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// idsPage is how many ids one call returns, and how many one call deletes.
const idsPage = 500

// Qdrant keeps vectors in one collection of a Qdrant server, over gRPC. It waits for every
// write to be applied, so that a search started afterwards sees it.
type Qdrant struct {
	cfg    QdrantConfig
	client *qdrant.Client
	dims   atomic.Int64
	closed atomic.Bool
	// inexact is set when the server's strict mode refuses exact searches.
	inexact atomic.Bool
}

var _ Store = (*Qdrant)(nil)

// NewQdrant returns a store on the server at cfg.URL. It sends no request; see
// [Qdrant.Ensure] and [Qdrant.Ping].
func NewQdrant(cfg QdrantConfig) (*Qdrant, error) {
	cfg.defaults()
	client, err := cfg.client()
	if err != nil {
		return nil, err
	}
	return &Qdrant{cfg: cfg, client: client}, nil
}

// Upsert implements [Store].
func (d *Qdrant) Upsert(ctx context.Context, points []Point) error {
	ready, err := prepare(points, int(d.dims.Load()))
	if err != nil {
		return fmt.Errorf("upsert vectors: %w", err)
	}
	for batch := range slices.Chunk(ready, d.cfg.Batch) {
		out := make([]*qdrant.PointStruct, len(batch))
		for i, p := range batch {
			out[i] = &qdrant.PointStruct{Id: qdrant.NewIDUUID(p.ID.String()), Vectors: qdrant.NewVectorsDense(p.Vector), Payload: payload(p)}
		}
		err := d.write(ctx, "upsert", func(ctx context.Context) error {
			_, err := d.client.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: d.cfg.Collection, Wait: new(true), Points: out})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Search implements [Store].
func (d *Qdrant) Search(ctx context.Context, q Query) ([]Hit, error) {
	q, err := prepareQuery(q, int(d.dims.Load()))
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	var found []*qdrant.ScoredPoint
	search := func(exact bool) error {
		return d.read(ctx, "search", func(ctx context.Context) (err error) {
			found, err = d.client.Query(ctx, &qdrant.QueryPoints{
				CollectionName: d.cfg.Collection, Query: qdrant.NewQueryDense(q.Vector), Filter: queryFilter(q),
				Limit: new(uint64(q.Limit)), WithPayload: qdrant.NewWithPayload(false), //nolint:gosec // prepareQuery bounds it
				Params: &qdrant.SearchParams{Exact: &exact},
			})
			return err
		})
	}
	// Search exactly: an approximate index over all owners misses some of one owner's
	// vectors.
	if err = search(!d.inexact.Load()); exactRefused(err) {
		d.inexact.Store(true)
		err = search(false)
	}
	hits := make([]Hit, 0, len(found))
	for _, p := range found {
		id, bad := pointID(p.GetId())
		if bad != nil {
			return nil, fmt.Errorf("search vectors: %w", bad)
		}
		hits = append(hits, Hit{ID: id, Score: min(max(p.GetScore(), -1), 1)})
	}
	slices.SortFunc(hits, better)
	return hits, err
}

// Delete implements [Store].
func (d *Qdrant) Delete(ctx context.Context, ids ...uuid.UUID) error {
	for page := range slices.Chunk(ids, idsPage) {
		out := make([]*qdrant.PointId, len(page))
		for i, id := range page {
			out[i] = qdrant.NewIDUUID(id.String())
		}
		if err := d.remove(ctx, "delete", qdrant.NewPointsSelectorIDs(out)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteScope implements [Store].
func (d *Qdrant) DeleteScope(ctx context.Context, s Scope) error {
	if s.Empty() {
		return fmt.Errorf("delete vectors: %w", ErrEmptyScope)
	}
	return d.remove(ctx, "delete scope", qdrant.NewPointsSelectorFilter(scopeFilter(s)))
}

func (d *Qdrant) remove(ctx context.Context, what string, which *qdrant.PointsSelector) error {
	return d.write(ctx, what, func(ctx context.Context) error {
		_, err := d.client.Delete(ctx, &qdrant.DeletePoints{CollectionName: d.cfg.Collection, Wait: new(true), Points: which})
		return err
	})
}

// Count implements [Store].
func (d *Qdrant) Count(ctx context.Context, s Scope, model string) (int, error) {
	if s.Empty() {
		return 0, fmt.Errorf("count vectors: %w", ErrEmptyScope)
	}
	filter := scopeFilter(s)
	if model != "" {
		filter.Must = append(filter.Must, qdrant.NewMatchKeyword(keyModel, model))
	}
	var n uint64
	err := d.read(ctx, "count", func(ctx context.Context) (err error) {
		n, err = d.client.Count(ctx, &qdrant.CountPoints{CollectionName: d.cfg.Collection, Filter: filter, Exact: new(true)})
		return err
	})
	if exactRefused(err) { // an approximate count is not enough: list them
		ids, err := d.list(ctx, filter)
		return len(ids), err
	}
	return int(n), err
}

// IDs implements [Store].
func (d *Qdrant) IDs(ctx context.Context, s Scope) ([]uuid.UUID, error) {
	if s.Empty() {
		return nil, fmt.Errorf("list vectors: %w", ErrEmptyScope)
	}
	return d.list(ctx, scopeFilter(s))
}

// list returns the ids of all points that a filter matches, page by page.
func (d *Qdrant) list(ctx context.Context, f *qdrant.Filter) ([]uuid.UUID, error) {
	ids, next := []uuid.UUID{}, (*qdrant.PointId)(nil)
	for {
		var page []*qdrant.RetrievedPoint
		err := d.read(ctx, "list", func(ctx context.Context) (err error) {
			page, next, err = d.client.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
				CollectionName: d.cfg.Collection, Filter: f, Offset: next, Limit: new(uint32(idsPage)),
				WithPayload: qdrant.NewWithPayload(false), WithVectors: qdrant.NewWithVectors(false),
			})
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			id, err := pointID(p.GetId())
			if err != nil {
				return nil, fmt.Errorf("list vectors: %w", err)
			}
			ids = append(ids, id)
		}
		if next == nil {
			return ids, nil
		}
	}
}

// Ping implements [Store]. It looks up the collection instead of the server's health, which
// is reported for any key.
func (d *Qdrant) Ping(ctx context.Context) error {
	return d.read(ctx, "ping", func(ctx context.Context) error {
		_, err := d.client.CollectionExists(ctx, d.cfg.Collection)
		return err
	})
}

// Close implements [Store].
func (d *Qdrant) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	if err := d.client.Close(); err != nil {
		return fmt.Errorf("close qdrant client: %w", err)
	}
	return nil
}

// exactRefused reports whether strict mode refused an exact request (search_allow_exact).
// There is no code of its own for that.
func exactRefused(err error) bool {
	return status.Code(err) == codes.InvalidArgument && strings.Contains(err.Error(), "Exact search disabled")
}

func (d *Qdrant) read(ctx context.Context, what string, do func(context.Context) error) error {
	return d.call(ctx, what, d.cfg.ReadTimeout, do)
}

func (d *Qdrant) write(ctx context.Context, what string, do func(context.Context) error) error {
	return d.call(ctx, what, d.cfg.WriteTimeout, do)
}

// call runs do with a deadline of limit, and wraps its error by its cause.
func (d *Qdrant) call(ctx context.Context, what string, limit time.Duration, do func(context.Context) error) error {
	if d.closed.Load() {
		return fmt.Errorf("%s vectors: closed: %w", what, ErrNotReady)
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := do(within)
	if err == nil {
		return nil
	}
	if limited, ok := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); ok {
		return fmt.Errorf("%s vectors: %w, again in %d s: %w", what, ErrUnreachable, limited.RetryAfterS, err)
	}
	switch status.Code(err) {
	case codes.Canceled:
		if ctx.Err() != nil {
			return fmt.Errorf("%s vectors: %w", what, ctx.Err())
		}
		return fmt.Errorf("%s vectors: %w: %w", what, ErrUnreachable, err)
	case codes.Unavailable, codes.ResourceExhausted, codes.Aborted:
		return fmt.Errorf("%s vectors: %w: %w", what, ErrUnreachable, err)
	case codes.DeadlineExceeded:
		return fmt.Errorf("%s vectors: %w within %s: %w: %w", what, ErrUnreachable, limit, context.DeadlineExceeded, err)
	case codes.NotFound:
		return fmt.Errorf("%s vectors: collection %q: %w: %w", what, d.cfg.Collection, ErrNotReady, err)
	default:
		return fmt.Errorf("%s vectors: %w", what, err)
	}
}
