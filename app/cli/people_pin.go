package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/store/people"
)

func peoplePIN(p Program) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use: "pin NAME|ID|PHONE", Short: "Set what somebody keys to show who they are", Args: cobra.ExactArgs(1),
		Long: "Reads a PIN of 4 to 8 digits from the input. Who phones from the person's number is asked for it where calls.inbound_check is keyed\nand the carrier vouches for the number. It is kept as a hash, and locked for an hour after three wrong ones.",
	}
	cmd.RunE = about(p, func(ctx context.Context, cmd *cobra.Command, who people.Person, _ []string, t *Tools) error {
		pin, said := "", "%s: the PIN is removed.\n"
		if !remove {
			line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if pin = strings.TrimSpace(line); pin == "" {
				return people.ErrPIN
			}
			said = "%s: the PIN is set.\n"
		}
		if err := t.Store.SetPIN(ctx, who.ID, pin); err != nil {
			return err
		}
		cmd.Printf(said, who.Name)
		return nil
	})
	cmd.Flags().BoolVar(&remove, "remove", false, "remove it")
	return cmd
}
