package checkpoint_test

import (
	"net/url"
	"testing"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

// gatedStore returns a store on a database of its own behind a gate.
func gatedStore(tb testing.TB) (*store.Store, *storetest.Gate) {
	tb.Helper()
	raw := storetest.URL(tb)
	u, err := url.Parse(raw)
	if err != nil {
		tb.Fatal(err)
	}
	g := storetest.NewGate(tb, u.Host)
	return storetest.Open(tb, g.URL(tb, raw)), g
}
