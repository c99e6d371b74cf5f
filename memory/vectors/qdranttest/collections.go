package qdranttest

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// collection is the server's state under one name, guarded by the server's mu.
type collection struct {
	params  *qdrant.VectorParams // nil for named vectors
	indexes map[string]*qdrant.PayloadSchemaInfo
	points  map[uuid.UUID]*point
}

type point struct {
	vector  []float32 // of length one, as a cosine collection keeps it
	payload map[string]*qdrant.Value
}

type collections struct {
	qdrant.UnimplementedCollectionsServer
	*Server
}

// Create implements [qdrant.CollectionsServer].
func (c *collections) Create(_ context.Context, r *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.collections[r.GetCollectionName()]; there {
		return nil, status.Errorf(codes.AlreadyExists, "Wrong input: Collection `%s` already exists!", r.GetCollectionName())
	}
	if r.GetCollectionName() == "" {
		return nil, invalid("collection_name: value \"\" invalid, must be from 1 to 255 characters")
	}
	if len(r.GetCollectionName()) > 255 || strings.ContainsAny(r.GetCollectionName(), "<>:\"/\\|?*\x00\x1f") {
		return nil, invalid("collection_name: %q", r.GetCollectionName())
	}
	params := r.GetVectorsConfig().GetParams()
	if params != nil && (params.GetSize() < 1 || params.GetSize() > 65536 || params.GetDistance() == qdrant.Distance_UnknownDistance) {
		return nil, wrong("vectors of size %d by %s", params.GetSize(), params.GetDistance())
	}
	c.collections[r.GetCollectionName()] = &collection{
		params: params, indexes: map[string]*qdrant.PayloadSchemaInfo{}, points: map[uuid.UUID]*point{},
	}
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

// Delete implements [qdrant.CollectionsServer].
func (c *collections) Delete(_ context.Context, r *qdrant.DeleteCollection) (*qdrant.CollectionOperationResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, there := c.collections[r.GetCollectionName()]
	delete(c.collections, r.GetCollectionName())
	return &qdrant.CollectionOperationResponse{Result: there}, nil
}

// CollectionExists implements [qdrant.CollectionsServer].
func (c *collections) CollectionExists(_ context.Context, r *qdrant.CollectionExistsRequest) (*qdrant.CollectionExistsResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, there := c.collections[r.GetCollectionName()]
	return &qdrant.CollectionExistsResponse{Result: &qdrant.CollectionExists{Exists: there}}, nil
}

// Get implements [qdrant.CollectionsServer].
func (c *collections) Get(_ context.Context, r *qdrant.GetCollectionInfoRequest) (*qdrant.GetCollectionInfoResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	col, err := c.find(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	config := &qdrant.VectorsConfig{}
	if col.params != nil {
		config = qdrant.NewVectorsConfig(col.params)
	}
	schema := make(map[string]*qdrant.PayloadSchemaInfo, len(col.indexes))
	for key, info := range col.indexes {
		schema[key] = &qdrant.PayloadSchemaInfo{DataType: info.GetDataType(), Params: info.GetParams()}
	}
	return &qdrant.GetCollectionInfoResponse{Result: &qdrant.CollectionInfo{
		Status: qdrant.CollectionStatus_Green, PointsCount: new(uint64(len(col.points))), PayloadSchema: schema,
		Config: &qdrant.CollectionConfig{Params: &qdrant.CollectionParams{VectorsConfig: config}},
	}}, nil
}

// find returns a collection. The caller must hold mu.
func (s *Server) find(name string) (*collection, error) {
	col, there := s.collections[name]
	if !there {
		return nil, status.Errorf(codes.NotFound, "Not found: Collection `%s` doesn't exist!", name)
	}
	return col, nil
}

// Index describes a payload index, for tests: "keyword", or "keyword, tenant". It returns
// "" if there is none.
func (s *Server) Index(collection, key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	col, err := s.find(collection)
	if err != nil || col.indexes[key] == nil {
		return ""
	}
	name := fmt.Sprint(col.indexes[key].GetDataType())
	if col.indexes[key].GetParams().GetKeywordIndexParams().GetIsTenant() {
		name += ", tenant"
	}
	return name
}
