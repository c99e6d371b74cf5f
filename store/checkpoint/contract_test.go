package checkpoint_test

import (
	"testing"

	"github.com/naiber/naiber/orchestration/graph/graphtest"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

func TestMemoryContract(t *testing.T) {
	t.Parallel()
	graphtest.TestCheckpoints(t, func(*testing.T) graphtest.Checkpoints { return checkpoint.NewMemory(graphtest.Keep) })
}

func TestRedisContract(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	graphtest.TestCheckpoints(t, func(t *testing.T) graphtest.Checkpoints { return openRedis(t, srv.URL()) })
}

func TestPostgresContract(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	graphtest.TestCheckpoints(t, func(*testing.T) graphtest.Checkpoints { return checkpoint.NewPostgres(st, graphtest.Keep) })
}

func openRedis(t testing.TB, url string) *checkpoint.Redis {
	t.Helper()
	r, err := checkpoint.NewRedis(checkpoint.RedisConfig{URL: url, Keep: graphtest.Keep})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}
