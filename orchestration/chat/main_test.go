package chat

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) {
	code := storetest.Run(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "goroutines are left:", err)
			code = 1
		}
	}
	os.Exit(code)
}
