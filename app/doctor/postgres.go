package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/naiber/naiber/store"
)

// oldestPostgres is the oldest major version that PostgreSQL's makers mended
// when this was written, and that the job queue supports.
const oldestPostgres = 13

// Postgres checks the database at url: that it answers, is not too old, and has
// the tables that this program wants. An empty url is skipped: the private
// database is only up while it is used.
func Postgres(url string) Check {
	return Check{Name: "database", Run: func(ctx context.Context) Finding {
		if url == "" {
			return skip("DATABASE_URL is not set: naiber keeps a private one in its data folder")
		}
		st, err := store.Open(ctx, url, slog.New(slog.DiscardHandler))
		if err != nil {
			return fail(reason(err), "Check DATABASE_URL (postgres://user:password@host/name), and that PostgreSQL runs and lets this machine in.")
		}
		defer st.Close()
		return database(ctx, st)
	}}
}

// PostgresOn is [Postgres] for a database that is open already.
func PostgresOn(st *store.Store) Check {
	return Check{Name: "database", Run: func(ctx context.Context) Finding { return database(ctx, st) }}
}

func database(ctx context.Context, st *store.Store) Finding {
	var (
		number  int // 160004 is 16.4
		version string
	)
	const query = "select current_setting('server_version_num')::int, split_part(current_setting('server_version'), ' ', 1)"
	if err := st.Pool().QueryRow(ctx, query).Scan(&number, &version); err != nil {
		return fail("the version cannot be asked: "+reason(err), "Check that PostgreSQL runs and lets this machine in.")
	}
	if f, old := tooOld(number, version); old {
		return f
	}
	const migrate = "Run: naiber migrate"
	steps, err := st.Migrations(ctx)
	if err != nil {
		return fail(reason(err), "The database's user must be allowed to create tables in the schema.")
	}
	var pending []string
	for _, step := range steps {
		if !step.Applied {
			pending = append(pending, step.Name)
		}
	}
	if len(pending) > 0 {
		return warn(fmt.Sprintf("PostgreSQL %s, but %d of %d steps of the schema are missing: %s",
			version, len(pending), len(steps), strings.Join(pending, ", ")), "naiber serve takes them when it starts. To take them now: naiber migrate")
	}
	missing, err := jobTables(ctx, st)
	if err != nil {
		return fail("the job queue's tables cannot be looked at: "+reason(err), migrate)
	}
	if missing != "" {
		return fail("PostgreSQL "+version+", but the job queue's tables are not up to date: "+missing, migrate)
	}
	return ok("PostgreSQL " + version + ", schema up to date")
}

func tooOld(number int, version string) (Finding, bool) {
	if number/10000 >= oldestPostgres {
		return Finding{}, false
	}
	return fail("PostgreSQL "+version+" is too old", fmt.Sprintf("Upgrade to PostgreSQL %d or later.", oldestPostgres)), true
}

// jobTables says what the job queue's tables lack, if anything.
func jobTables(ctx context.Context, st *store.Store) (string, error) {
	m, err := rivermigrate.New(riverpgxv5.New(st.Pool()), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", fmt.Errorf("read job migrations: %w", err)
	}
	res, err := m.Validate(ctx, nil)
	if err != nil {
		return "", fmt.Errorf("validate job migrations: %w", err)
	}
	if res.OK {
		return "", nil
	}
	return strings.Join(res.Messages, ", "), nil
}
