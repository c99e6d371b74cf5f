package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// UsageError is a command line that is wrong whatever the state of the system;
// the process exits with code 2. Its text ends with the usage of the command.
type UsageError struct {
	Err error
	cmd *cobra.Command // nil until the command is known
}

// Error returns the problem and, if the command is known, its usage.
func (e *UsageError) Error() string {
	if e.cmd == nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v\nusage: %s\nsee `%s --help`", e.Err, e.cmd.UseLine(), e.cmd.CommandPath())
}

// Unwrap returns the problem without the usage.
func (e *UsageError) Unwrap() error { return e.Err }

// misuse returns a [UsageError]; checkUsage adds the command that returned it.
func misuse(format string, args ...any) error { return &UsageError{Err: fmt.Errorf(format, args...)} }

// ofUsage returns err as a [UsageError] of cmd. It returns nil and a UsageError
// as they are.
func ofUsage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*UsageError](err); ok {
		return err
	}
	return &UsageError{err, cmd}
}

// checkUsage makes cmd and every command below it return wrong arguments as a
// [UsageError].
func checkUsage(cmd *cobra.Command) {
	if args := cmd.Args; args != nil {
		cmd.Args = func(cmd *cobra.Command, given []string) error { return ofUsage(cmd, args(cmd, given)) }
	}
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, given []string) error {
			err := run(cmd, given)
			if u, ok := errors.AsType[*UsageError](err); ok {
				u.cmd = cmd
			}
			return err
		}
	}
	for _, c := range cmd.Commands() {
		checkUsage(c)
	}
}

// noSuchCommand checks the arguments of a command that only has subcommands:
// any argument is an unknown command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), hint)
}
