package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/memory/transfer"
	"github.com/naiber/naiber/store/people"
)

func memoryExport(p Program) *cobra.Command {
	var out string
	cmd := &cobra.Command{Use: "export NAME|ID|PHONE", Short: "Write all that is remembered of somebody to a file of lines of JSON", Args: cobra.ExactArgs(1)}
	cmd.RunE = remembering(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, _ []string, t *Tools) error {
		if out == "" || out == "-" {
			if _, err := t.Memory.Export(ctx, who.ID, cmd.OutOrStdout(), time.Time{}); err != nil {
				return err
			}
		} else {
			lines, err := newFile(out, func(f io.Writer) (int, error) { return t.Memory.Export(ctx, who.ID, f, time.Time{}) })
			if err != nil {
				return err
			}
			cmd.Printf("%d lines in %s\n", lines, out)
		}
		return t.audit(ctx, "memory.export", who)
	})
	cmd.Flags().StringVarP(&out, "out", "o", "", "the file (default: standard output)")
	return cmd
}

// newFile creates a file with mode 0600 and calls write with it. If writing fails, it removes the
// file.
func newFile(path string, write func(io.Writer) (int, error)) (n int, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err = write(f)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return n, err
}

func memoryImport(p Program) *cobra.Command {
	var o transfer.Options
	cmd := &cobra.Command{
		Use: "import NAME|ID|PHONE FILE", Short: "Take in an export, or turns, one JSON object with text and at a line; - is standard input", Args: cobra.ExactArgs(2),
		Long: "Takes in what `naiber memory export` wrote, or turns: one JSON object a line with text and at, and where it is\n" +
			"known speaker (user or assistant), name, conversation and id. Either all of it is kept or, at the first bad line,\n" +
			"nothing; with --skip-bad the bad lines are left out. To import a file again changes nothing, and what was\n" +
			"forgotten since is skipped.",
	}
	cmd.RunE = remembering(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, args []string, t *Tools) error {
		in := cmd.InOrStdin()
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			in = f
		}
		return importFrom(ctx, cmd, who, in, o, t)
	})
	cmd.Flags().BoolVar(&o.OfAnother, "of-another", false, "take in the export of another person who is known here")
	cmd.Flags().BoolVar(&o.SkipBad, "skip-bad", false, "leave bad lines out instead of refusing the file")
	return cmd
}

func importFrom(ctx context.Context, cmd *cobra.Command, who people.Person, in io.Reader, o transfer.Options, t *Tools) error {
	began := time.Now()
	o.Progress = func(lines int) { cmd.PrintErrf("%d lines\n", lines) }
	im, err := t.Memory.Import(ctx, who.ID, in, o)
	if err != nil {
		return err
	}
	for _, b := range im.Bad {
		cmd.PrintErrln("left out:", b.Error())
	}
	cmd.Printf("%d lines in %s: %d turns are new, %d have changed, %d were there; %d other lines kept, %d left out, %d skipped because forgotten, %d bad.\n",
		im.Lines, time.Since(began).Round(time.Millisecond), im.Added, im.Replaced, im.Unchanged, im.Learned, im.Left, im.Forgotten, im.BadLines)
	if n, err := t.Memory.Pending(ctx); err == nil && n > 0 {
		cmd.Printf("%d vectors are still to be made; the server does that, or `naiber memory reembed --pending`.\n", n)
	}
	return t.audit(ctx, "memory.import", who)
}
