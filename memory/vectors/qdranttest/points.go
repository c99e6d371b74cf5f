package qdranttest

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	errNothing = status.Error(codes.InvalidArgument, "Bad request: Empty update request")
	errExact   = status.Error(codes.InvalidArgument, "Bad request: Exact search disabled!. Help: Set exact=false.")
)

type points struct {
	qdrant.UnimplementedPointsServer
	*Server
}

var done = &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{Status: qdrant.UpdateStatus_Completed}}

// Upsert implements [qdrant.PointsServer]. A batch is written completely or not at all.
func (s *points) Upsert(_ context.Context, r *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	col, err := s.writable(r.GetCollectionName(), r.GetWait())
	if err != nil {
		return nil, err
	}
	if len(r.GetPoints()) == 0 {
		return nil, errNothing
	}
	if len(r.GetPoints()) > s.opts.MaxBatch {
		return nil, status.Errorf(codes.InvalidArgument, "Bad request: Limit exceeded %d > %d for \"upsert limit\"", len(r.GetPoints()), s.opts.MaxBatch)
	}
	fresh := make(map[uuid.UUID]*point, len(r.GetPoints()))
	for _, p := range r.GetPoints() {
		id, err := parseID(p.GetId())
		if err != nil {
			return nil, err
		}
		unit, err := col.unit(p.GetVectors().GetVector().GetDense().GetData())
		if err != nil {
			return nil, err
		}
		fresh[id] = &point{vector: unit, payload: p.GetPayload()}
	}
	maps.Copy(col.points, fresh)
	return done, nil
}

// Delete implements [qdrant.PointsServer].
func (s *points) Delete(_ context.Context, r *qdrant.DeletePoints) (*qdrant.PointsOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	col, err := s.writable(r.GetCollectionName(), r.GetWait())
	if err != nil {
		return nil, err
	}
	switch which := r.GetPoints().GetPointsSelectorOneOf().(type) {
	case *qdrant.PointsSelector_Points:
		if len(which.Points.GetIds()) == 0 {
			return nil, errNothing
		}
		for _, id := range which.Points.GetIds() {
			parsed, err := parseID(id)
			if err != nil {
				return nil, err
			}
			delete(col.points, parsed)
		}
	case *qdrant.PointsSelector_Filter:
		if err := col.check(which.Filter); err != nil {
			return nil, err
		}
		for id, p := range col.points {
			if matches(which.Filter, id, p) {
				delete(col.points, id)
			}
		}
	default:
		return nil, wrong("delete what?")
	}
	return done, nil
}

// CreateFieldIndex implements [qdrant.PointsServer].
func (s *points) CreateFieldIndex(_ context.Context, r *qdrant.CreateFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	col, err := s.writable(r.GetCollectionName(), r.GetWait())
	if err != nil {
		return nil, err
	}
	if r.GetFieldType() != qdrant.FieldType_FieldTypeKeyword || r.GetFieldIndexParams().GetKeywordIndexParams() == nil {
		return nil, status.Errorf(codes.Unimplemented, "index of type %s is not part of this server", r.GetFieldType())
	}
	col.indexes[r.GetFieldName()] = &qdrant.PayloadSchemaInfo{DataType: qdrant.PayloadSchemaType_Keyword, Params: r.GetFieldIndexParams()}
	return done, nil
}

// Query implements [qdrant.PointsServer]. It returns the nearest points to a vector,
// exactly.
func (s *points) Query(_ context.Context, r *qdrant.QueryPoints) (*qdrant.QueryResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	col, err := s.readable(r.GetCollectionName(), r.GetFilter(), r.GetLimit())
	if err != nil {
		return nil, err
	}
	if s.opts.NoExact && r.GetParams().GetExact() {
		return nil, errExact
	}
	q, err := col.unit(r.GetQuery().GetNearest().GetDense().GetData())
	if err != nil {
		return nil, err
	}
	var found []*qdrant.ScoredPoint
	for id, p := range col.points {
		if matches(r.GetFilter(), id, p) {
			found = append(found, &qdrant.ScoredPoint{Id: qdrant.NewIDUUID(id.String()), Score: dot(q, p.vector)})
		}
	}
	slices.SortFunc(found, func(a, b *qdrant.ScoredPoint) int {
		return cmp.Or(cmp.Compare(b.GetScore(), a.GetScore()), cmp.Compare(a.GetId().GetUuid(), b.GetId().GetUuid()))
	})
	return &qdrant.QueryResponse{Result: found[:min(len(found), int(r.GetLimit()))]}, nil //nolint:gosec // readable bounds it
}

// Count implements [qdrant.PointsServer].
func (s *points) Count(_ context.Context, r *qdrant.CountPoints) (*qdrant.CountResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	col, err := s.readable(r.GetCollectionName(), r.GetFilter(), 1)
	if err != nil {
		return nil, err
	}
	if s.opts.NoExact && r.GetExact() {
		return nil, errExact
	}
	return &qdrant.CountResponse{Result: &qdrant.CountResult{Count: uint64(len(col.ids(r.GetFilter())))}}, nil
}

// Scroll implements [qdrant.PointsServer]. It returns pages in the order of ids, each
// starting at its offset.
func (s *points) Scroll(_ context.Context, r *qdrant.ScrollPoints) (*qdrant.ScrollResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	col, err := s.readable(r.GetCollectionName(), r.GetFilter(), uint64(r.GetLimit()))
	if err != nil {
		return nil, err
	}
	out := &qdrant.ScrollResponse{}
	for _, id := range col.ids(r.GetFilter()) {
		if id.String() < r.GetOffset().GetUuid() {
			continue
		}
		if len(out.Result) == int(r.GetLimit()) {
			out.NextPageOffset = qdrant.NewIDUUID(id.String())
			break
		}
		out.Result = append(out.Result, &qdrant.RetrievedPoint{Id: qdrant.NewIDUUID(id.String())})
	}
	return out, nil
}

// ids returns the ids of the points that a filter matches, in order.
func (c *collection) ids(f *qdrant.Filter) []uuid.UUID {
	var ids []uuid.UUID
	for id, p := range c.points {
		if matches(f, id, p) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return ids
}

func (s *points) writable(name string, wait bool) (*collection, error) {
	if !wait {
		return nil, wrong("this server takes no write that nobody waits for")
	}
	return s.find(name)
}

func (s *points) readable(name string, f *qdrant.Filter, limit uint64) (*collection, error) {
	col, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > uint64(s.opts.MaxLimit) { //nolint:gosec // a test's own number
		return nil, status.Errorf(codes.InvalidArgument, "Bad request: Limit exceeded %d > %d for \"limit\"", limit, s.opts.MaxLimit)
	}
	return col, col.check(f)
}

func (c *collection) unit(v []float32) ([]float32, error) {
	if c.params == nil {
		return nil, wrong("Not existing vector name error: ")
	}
	if uint64(len(v)) != c.params.GetSize() {
		return nil, wrong("Vector dimension error: expected dim: %d, got %d", c.params.GetSize(), len(v))
	}
	length := float32(math.Sqrt(float64(dot(v, v))))
	if length == 0 {
		return v, nil
	}
	out := make([]float32, len(v))
	for i := range v {
		out[i] = v[i] / length
	}
	return out, nil
}

func dot(a, b []float32) float32 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return float32(sum)
}

func parseID(id *qdrant.PointId) (uuid.UUID, error) {
	parsed, err := uuid.Parse(id.GetUuid())
	if err != nil {
		return uuid.Nil, wrong("Unable to parse UUID: %v", id)
	}
	return parsed, nil
}
