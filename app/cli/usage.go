package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// UsageError is a command line that cannot be obeyed, whatever the state of the
// system; the process ends with code 2. Its text ends with how the command is used.
type UsageError struct {
	Err error
	cmd *cobra.Command // nil until it is known
}

// Error is for people.
func (e *UsageError) Error() string {
	if e.cmd == nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v\nusage: %s\nsee `%s --help`", e.Err, e.cmd.UseLine(), e.cmd.CommandPath())
}

// Unwrap returns what is wrong.
func (e *UsageError) Unwrap() error { return e.Err }

// misuse is a [UsageError] of the command that returns it.
func misuse(format string, args ...any) error { return &UsageError{Err: fmt.Errorf(format, args...)} }

// ofUsage makes err a [UsageError] of cmd.
func ofUsage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*UsageError](err); ok {
		return err
	}
	return &UsageError{err, cmd}
}

// checkUsage has every command below cmd return wrong arguments as a [UsageError].
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

// noSuchCommand is the arguments of a command that only has commands.
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
