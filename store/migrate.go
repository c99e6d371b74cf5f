package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/naiber/naiber/sql/migrations"
)

// Migration is one step of the schema's history.
type Migration struct {
	Version int64
	Name    string
	Applied bool
}

// Migrate brings the schema up to date and returns the steps it took. Processes that start
// at the same time are serialized.
func (s *Store) Migrate(ctx context.Context) ([]Migration, error) {
	p, done, err := s.migrator()
	if err != nil {
		return nil, err
	}
	defer done()
	results, err := p.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	steps := make([]Migration, 0, len(results))
	for _, r := range results {
		steps = append(steps, Migration{Version: r.Source.Version, Name: r.Source.Path, Applied: true})
	}
	return steps, nil
}

// MigrateDown reverts the newest step.
func (s *Store) MigrateDown(ctx context.Context) (Migration, error) {
	p, done, err := s.migrator()
	if err != nil {
		return Migration{}, err
	}
	defer done()
	r, err := p.Down(ctx)
	if err != nil {
		return Migration{}, fmt.Errorf("migrate down: %w", err)
	}
	return Migration{Version: r.Source.Version, Name: r.Source.Path}, nil
}

// Migrations lists every step known to this binary, oldest first.
func (s *Store) Migrations(ctx context.Context) ([]Migration, error) {
	p, done, err := s.migrator()
	if err != nil {
		return nil, err
	}
	defer done()
	status, err := p.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("migration status: %w", err)
	}
	steps := make([]Migration, 0, len(status))
	for _, st := range status {
		steps = append(steps, Migration{Version: st.Source.Version, Name: st.Source.Path, Applied: st.State == goose.StateApplied})
	}
	return steps, nil
}

func (s *Store) migrator() (*goose.Provider, func(), error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, fmt.Errorf("migration lock: %w", err)
	}
	conn := stdlib.OpenDBFromPool(s.db.Pool)
	p, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.FS,
		goose.WithSessionLocker(locker), goose.WithTableName("schema_migrations"))
	if err != nil {
		_ = conn.Close() // the pool stays open; nothing is lost
		return nil, nil, fmt.Errorf("read migrations: %w", err)
	}
	return p, func() { _ = conn.Close() }, nil
}
