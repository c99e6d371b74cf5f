package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
)

func migrate(p Program) *cobra.Command {
	var status bool
	cmd := &cobra.Command{Use: "migrate", Short: "Bring the database schema up to date", Args: cobra.NoArgs}
	cmd.RunE = opened(p, func(ctx context.Context, cmd *cobra.Command, _ []string, t *Tools) error {
		if status {
			return printMigrations(ctx, cmd, t.Store)
		}
		taken, err := t.Store.Migrate(ctx)
		if err != nil {
			return err
		}
		if err := jobs.Migrate(ctx, t.Store, nil); err != nil {
			return err
		}
		if len(taken) == 0 {
			cmd.Println("The schema is up to date.")
		}
		for _, m := range taken {
			cmd.Println("applied", m.Name)
		}
		return nil
	})
	cmd.Flags().BoolVar(&status, "status", false, "only show which steps are applied")
	return cmd
}

func printMigrations(ctx context.Context, cmd *cobra.Command, s *store.Store) error {
	steps, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	return list(cmd, false, nil, []string{"MIGRATION", "STATE"}, steps, func(m store.Migration) []string {
		return []string{m.Name, map[bool]string{true: "applied", false: "pending"}[m.Applied]}
	})
}
