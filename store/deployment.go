package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/naiber/naiber/store/internal/pg"
)

// Deployment is the kind of deployment that owns a database.
type Deployment string

// The deployments.
const (
	Production Deployment = "production"
	Sandbox    Deployment = "sandbox"
)

// ErrForeign says that a database belongs to the other deployment.
var ErrForeign = errors.New("database belongs to another deployment")

// CheckDeployment returns [ErrForeign] if the database does not belong to d. It changes
// nothing and must be called before [Store.Migrate]. A database without a mark, from an
// older version, but with data belongs to production; with adopt, d may use it.
func (s *Store) CheckDeployment(ctx context.Context, d Deployment, adopt bool) error {
	there := func(table string) (found bool, err error) {
		if err = s.db.Conn.QueryRow(ctx, "select to_regclass($1) is not null", table).Scan(&found); err != nil || !found {
			return false, pg.WrapErr(err, "look for table %s", table)
		}
		err = s.db.Conn.QueryRow(ctx, "select exists (select from "+table+")").Scan(&found)
		return found, pg.WrapErr(err, "look into table %s", table)
	}
	marked, err := there("deployment")
	if err != nil {
		return err
	}
	if marked {
		return s.isOf(ctx, d)
	}
	if adopt || d == Production {
		return nil
	}
	for _, table := range []string{"people", "calls", "chat_sessions"} {
		if full, err := there(table); err != nil || full {
			return foreign(err, Production)
		}
	}
	return nil
}

// MarkDeployment marks an unmarked database as d's, or returns [ErrForeign] if another
// process marked it first.
func (s *Store) MarkDeployment(ctx context.Context, d Deployment) error {
	if err := s.db.Q.DeploymentMark(ctx, s.db.Conn, string(d)); err != nil {
		return pg.WrapErr(err, "mark the database")
	}
	return s.isOf(ctx, d)
}

func (s *Store) isOf(ctx context.Context, d Deployment) error {
	kind, err := s.db.Q.DeploymentKind(ctx, s.db.Conn)
	if err == nil && Deployment(kind) == d {
		return nil
	}
	return foreign(pg.WrapErr(err, "whose database this is"), Deployment(kind))
}

func foreign(err error, kind Deployment) error {
	switch {
	case err != nil:
		return err
	case kind == Sandbox:
		return fmt.Errorf("%w: it is a sandbox's, full of made-up people; give production one of its own by DATABASE_URL, or another folder by NAIBER_DATA_DIR", ErrForeign)
	default:
		return fmt.Errorf("%w: it is production's, and a sandbox would put made-up people among real ones and end their calls; "+
			"start the sandbox without DATABASE_URL, or with another NAIBER_DATA_DIR", ErrForeign)
	}
}
