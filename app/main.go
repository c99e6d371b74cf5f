package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones, for machines without a database of them

	"github.com/naiber/naiber/app/cli"
)

// Main runs the command line and returns the process's exit code: 0 for
// success, 1 for a failure, 2 for a wrong command line. Main has reported 1 and
// 2 on standard error.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the process

	root := cli.Root(&program{out: os.Stdout, errOut: os.Stderr})
	root.SetArgs(args)
	root.SetOut(os.Stdout)
	root.SetErr(os.Stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, cli.ErrUnwell): // the reason was printed
	default:
		fmt.Fprintln(os.Stderr, "naiber:", err)
	}
	if _, wrong := errors.AsType[*cli.UsageError](err); wrong {
		return 2
	}
	return 1
}
