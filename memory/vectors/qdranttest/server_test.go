package qdranttest_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/naiber/naiber/memory/vectors/qdranttest"
)

// TestStrict asks, with the vendor's own client, what a strict server refuses.
func TestStrict(t *testing.T) {
	t.Parallel()
	srv := qdranttest.New(t, qdranttest.Options{MaxBatch: 2, MaxLimit: 10, NoExact: true})
	host, port := srv.HostPort()
	c, err := qdrant.NewClient(&qdrant.Config{Host: host, Port: port, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	create := &qdrant.CreateCollection{
		CollectionName: "m", VectorsConfig: qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: 2, Distance: qdrant.Distance_Cosine}),
	}
	if err := c.CreateCollection(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateFieldIndex(t.Context(), &qdrant.CreateFieldIndexCollection{
		CollectionName: "m", FieldName: "person", FieldType: qdrant.FieldType_FieldTypeKeyword.Enum(), Wait: new(true),
		FieldIndexParams: qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{}),
	}); err != nil {
		t.Fatal(err)
	}
	point := func(v ...float32) *qdrant.PointStruct {
		return &qdrant.PointStruct{Id: qdrant.NewIDUUID(uuid.NewString()), Vectors: qdrant.NewVectorsDense(v)}
	}
	upsert := func(in string, wait bool, points ...*qdrant.PointStruct) error {
		_, err := c.Upsert(t.Context(), &qdrant.UpsertPoints{CollectionName: in, Points: points, Wait: &wait})
		return err
	}
	query := func(in string, limit uint64, exact bool, key string, v ...float32) error {
		q := &qdrant.QueryPoints{
			CollectionName: in, Query: qdrant.NewQueryDense(v), Limit: &limit, Params: &qdrant.SearchParams{Exact: &exact},
		}
		if key != "" {
			q.Filter = &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchKeyword(key, "x")}}
		}
		_, err := c.Query(t.Context(), q)
		return err
	}
	for name, row := range map[string]struct {
		err  error
		code codes.Code
		says string
	}{
		"what is right":             {upsert("m", true, point(1, 0), point(0, 1)), codes.OK, ""},
		"a search that is right":    {query("m", 10, false, "person", 1, 0), codes.OK, ""},
		"unknown collection, write": {upsert("n", true, point(1, 0)), codes.NotFound, "n"},
		"unknown collection, read":  {query("n", 1, false, "", 1, 0), codes.NotFound, "n"},
		"the same collection again": {c.CreateCollection(t.Context(), create), codes.AlreadyExists, "already exists"},
		"wrong dimension, write":    {upsert("m", true, point(1, 0, 0)), codes.InvalidArgument, "expected dim: 2, got 3"},
		"wrong dimension, read":     {query("m", 1, false, "", 1), codes.InvalidArgument, "expected dim: 2, got 1"},
		"filter without an index":   {query("m", 1, false, "session", 1, 0), codes.InvalidArgument, "Index required but not found"},
		"a page too large":          {query("m", 11, false, "", 1, 0), codes.InvalidArgument, "Limit exceeded 11 > 10"},
		"a batch too large":         {upsert("m", true, point(1, 0), point(1, 0), point(1, 0)), codes.InvalidArgument, "Limit exceeded 3 > 2"},
		"an empty batch":            {upsert("m", true), codes.InvalidArgument, "Empty update request"},
		"an exact search":           {query("m", 1, true, "", 1, 0), codes.InvalidArgument, "Exact search disabled"},
		"a write nobody waits for":  {upsert("m", false, point(1, 0)), codes.InvalidArgument, "nobody waits"},
	} {
		if got := status.Convert(row.err); got.Code() != row.code || !strings.Contains(got.Message(), row.says) {
			t.Errorf("%s: %v, want %s %q", name, row.err, row.code, row.says)
		}
	}
}
