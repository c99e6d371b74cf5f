package vectors

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
)

// The keys of a point's payload.
const (
	keyPerson  = "person"
	keySession = "session"
	keyProject = "project"
	keyKind    = "kind"
	keyModel   = "model"
	keyAt      = "at"
)

// payload returns the payload of a point, for filters. A kind of owner that the point lacks
// has no key.
func payload(p prepared) map[string]*qdrant.Value {
	out := map[string]*qdrant.Value{
		keyKind:  qdrant.NewValueString(p.Kind),
		keyModel: qdrant.NewValueString(p.Model),
		keyAt:    qdrant.NewValueString(p.At.UTC().Format(time.RFC3339Nano)),
	}
	for key, id := range owners(p.Scope) {
		out[key] = qdrant.NewValueString(id.String())
	}
	return out
}

func owners(s Scope) map[string]uuid.UUID {
	out := make(map[string]uuid.UUID, 3)
	for key, id := range map[string]uuid.UUID{keyPerson: s.Person, keySession: s.Session, keyProject: s.Project} {
		if id != uuid.Nil {
			out[key] = id
		}
	}
	return out
}

// scopeFilter returns a filter for the points of any of the owners. A single owner, as in
// most searches, becomes a must condition, by which the server arranges its index.
func scopeFilter(s Scope) *qdrant.Filter {
	conditions := make([]*qdrant.Condition, 0, 3)
	for key, id := range owners(s) {
		conditions = append(conditions, qdrant.NewMatchKeyword(key, id.String()))
	}
	if len(conditions) == 1 {
		return &qdrant.Filter{Must: conditions}
	}
	return &qdrant.Filter{Should: conditions}
}

// queryFilter returns a filter for the scope, restricted to the query's model and kinds.
func queryFilter(q Query) *qdrant.Filter {
	f := scopeFilter(q.Scope)
	f.Must = append(f.Must, qdrant.NewMatchKeyword(keyModel, q.Model))
	if len(q.Kinds) > 0 {
		f.Must = append(f.Must, qdrant.NewMatchKeywords(keyKind, q.Kinds...))
	}
	return f
}

func pointID(id *qdrant.PointId) (uuid.UUID, error) {
	out, err := uuid.Parse(id.GetUuid())
	if err != nil {
		return uuid.Nil, fmt.Errorf("the collection holds a point that is not ours: id %v: %w", id, err)
	}
	return out, nil
}
