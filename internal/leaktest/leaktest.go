// Package leaktest finds goroutines that tests leave running.
package leaktest

import (
	"testing"

	"go.uber.org/goleak"
)

// An HTTP server waits half a second before it closes a connection whose request it did not read to
// the end, which is longer than goleak waits.
var closing = goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait")

// Main runs a package's tests, and fails if goroutines are left running. Call it from TestMain.
func Main(m *testing.M) { goleak.VerifyTestMain(m, closing) }

// Find returns an error that names the goroutines that are left running, if any.
func Find() error { return goleak.Find(closing) }
