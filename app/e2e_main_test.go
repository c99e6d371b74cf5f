package app_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/naiber/naiber/store/storetest"
)

// manyAtOnce is how many tests run side by side unless the command line says
// otherwise: telephone calls wait much more than they work.
const manyAtOnce = 8

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", strconv.Itoa(manyAtOnce)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := storetest.Run(m)
	if built.dir != "" {
		if err := os.RemoveAll(built.dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return code
}

// built is the binary that the tests run, made when the first one asks for it.
var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// binary is the path of the program as a user gets it; with the race detector
// where the test itself has it.
func binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() { built.err = build() })
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

func build() error {
	var err error
	if built.dir, err = os.MkdirTemp("", "naiber-e2e-bin-"); err != nil {
		return err
	}
	built.path = filepath.Join(built.dir, "naiber")
	args := []string{"build", "-o", built.path}
	if raceDetector {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		return errors.Join(fmt.Errorf("build naiber: %w", err), errors.New(string(out)))
	}
	return nil
}
