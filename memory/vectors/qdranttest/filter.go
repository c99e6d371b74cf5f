package qdranttest

import (
	"slices"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// check returns an error for a filter that strict mode refuses, or that is not implemented.
func (c *collection) check(f *qdrant.Filter) error {
	if f.GetMinShould() != nil {
		return status.Error(codes.Unimplemented, "min_should is not part of this server")
	}
	for _, cond := range slices.Concat(f.GetMust(), f.GetShould(), f.GetMustNot()) {
		if err := c.checkOne(cond); err != nil {
			return err
		}
	}
	return nil
}

func (c *collection) checkOne(cond *qdrant.Condition) error {
	switch is := cond.GetConditionOneOf().(type) {
	case *qdrant.Condition_Filter:
		return c.check(is.Filter)
	case *qdrant.Condition_HasId:
		return nil
	case *qdrant.Condition_Field:
		key := is.Field.GetKey()
		if c.indexes[key].GetDataType() != qdrant.PayloadSchemaType_Keyword {
			return status.Errorf(codes.InvalidArgument, "Bad request: Index required but not found for %s of one of the "+
				"following types: [keyword, uuid]. Help: Create an index for this key or use a different filter.", quoted(key))
		}
		switch is.Field.GetMatch().GetMatchValue().(type) {
		case *qdrant.Match_Keyword, *qdrant.Match_Keywords:
			return nil
		}
	}
	return status.Errorf(codes.Unimplemented, "condition %v is not part of this server", cond)
}

// matches reports whether a point meets a filter: all of must, none of must_not, and one of
// should if there are any. The filter must have passed check.
func matches(f *qdrant.Filter, id uuid.UUID, p *point) bool {
	for _, cond := range f.GetMust() {
		if !matchesOne(cond, id, p) {
			return false
		}
	}
	for _, cond := range f.GetMustNot() {
		if matchesOne(cond, id, p) {
			return false
		}
	}
	return len(f.GetShould()) == 0 || slices.ContainsFunc(f.GetShould(), func(cond *qdrant.Condition) bool {
		return matchesOne(cond, id, p)
	})
}

func matchesOne(cond *qdrant.Condition, id uuid.UUID, p *point) bool {
	switch is := cond.GetConditionOneOf().(type) {
	case *qdrant.Condition_Filter:
		return matches(is.Filter, id, p)
	case *qdrant.Condition_HasId:
		return slices.ContainsFunc(is.HasId.GetHasId(), func(have *qdrant.PointId) bool { return have.GetUuid() == id.String() })
	case *qdrant.Condition_Field:
		value, there := p.payload[is.Field.GetKey()].GetKind().(*qdrant.Value_StringValue)
		if !there {
			return false
		}
		if set := is.Field.GetMatch().GetKeywords(); set != nil {
			return slices.Contains(set.GetStrings(), value.StringValue)
		}
		return is.Field.GetMatch().GetKeyword() == value.StringValue
	default:
		return false
	}
}
