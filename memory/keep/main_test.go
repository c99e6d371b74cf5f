package keep_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) {
	code := storetest.Run(m)
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
