package checkpoint_test

import (
	"log/slog"
	"testing"

	"github.com/naiber/naiber/orchestration/graph/graphtest"
	"github.com/naiber/naiber/store"
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
	graphtest.TestCheckpoints(t, func(t *testing.T) graphtest.Checkpoints {
		t.Helper()
		return openRedis(t, srv.URL())
	})
}

func TestPostgresContract(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	graphtest.TestCheckpoints(t, func(*testing.T) graphtest.Checkpoints { return checkpoint.NewPostgres(st, graphtest.Keep) })
}

func openRedis(tb testing.TB, url string) *checkpoint.Redis {
	tb.Helper()
	r, err := checkpoint.NewRedis(checkpoint.RedisConfig{URL: url, Keep: graphtest.Keep})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = r.Close() })
	return r
}

func TestFailoverContract(t *testing.T) {
	t.Parallel()
	srv, st := redistest.New(t), storetest.New(t)
	graphtest.TestCheckpoints(t, func(t *testing.T) graphtest.Checkpoints {
		t.Helper()
		return openFailover(t, srv, st, checkpoint.FailoverConfig{})
	})
}

// TestFailoverWithoutRedisContract holds the contract to a failover whose Redis
// is lost before it begins.
func TestFailoverWithoutRedisContract(t *testing.T) {
	t.Parallel()
	srv, st := redistest.New(t), storetest.New(t)
	srv.Stop()
	graphtest.TestCheckpoints(t, func(t *testing.T) graphtest.Checkpoints {
		t.Helper()
		return openFailover(t, srv, st, checkpoint.FailoverConfig{})
	})
}

func openFailover(tb testing.TB, srv *redistest.Server, st *store.Store, cfg checkpoint.FailoverConfig) *checkpoint.Failover {
	tb.Helper()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	f := checkpoint.NewFailover(openRedis(tb, srv.URL()), checkpoint.NewPostgres(st, graphtest.Keep), cfg)
	tb.Cleanup(func() { _ = f.Close() })
	return f
}
