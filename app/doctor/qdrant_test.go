package doctor

import (
	"testing"

	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/memory/vectors/qdranttest"
)

func TestQdrant(t *testing.T) {
	t.Parallel()
	open := qdranttest.New(t, qdranttest.Options{}).URL()
	keyed := qdranttest.New(t, qdranttest.Options{APIKey: "hunter2"}).URL()
	used := qdranttest.New(t, qdranttest.Options{}).URL()
	q, err := vectors.NewQdrant(vectors.QdrantConfig{URL: used, Collection: "memories"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	if err := q.Ensure(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, url, key string
		want           want
	}{
		{"none", "", "", want{Skip, "PostgreSQL"}},
		{"empty", open, "", want{OK, "healthy|with the first memory"}},
		{"used", used, "", want{OK, "healthy|memories is there"}},
		{"with its key", keyed, "hunter2", want{OK, "healthy"}},
		{"with another key", keyed, "hunter3", want{Fail, "refused|QDRANT_API_KEY"}},
		{"another service", serve(t, nil).URL, "", want{Fail, "QDRANT_URL|6334"}},
		{"nobody listens", closed(), "hunter2", want{Fail, "QDRANT_URL"}},
		{"not an address", "http://u:hunter2@%", "", want{Fail, "not an address"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := vectors.QdrantConfig{URL: tt.url, APIKey: tt.key, Collection: "memories"}
			tt.want.check(t, find(t, Qdrant(cfg)), "hunter2", "hunter3")
		})
	}
}
