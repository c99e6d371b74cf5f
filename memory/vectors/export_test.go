package vectors

import (
	"context"
	"strings"
	"testing"
	"time"
)

// DropCollection takes a test's collection away again.
func DropCollection(tb testing.TB, d *Qdrant) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = d.client.DeleteCollection(ctx, d.cfg.Collection) // a test may not have made it
}

// Target is where a store's calls go.
func Target(d *Qdrant) string {
	return strings.TrimPrefix(d.client.GetConnection().Target(), "dns:///")
}
