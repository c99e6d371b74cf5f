package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
)

// oldestPostgres is the oldest major version that the PostgreSQL project maintained when this was
// written, and that the job queue supports.
const oldestPostgres = 13

// Postgres returns a check that the database at url answers, is not too old, and has the tables
// that this program needs. With an empty url it is skipped: the private database runs only while
// it is used.
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

// PostgresOn is like [Postgres], for an open database.
func PostgresOn(st *store.Store) Check {
	return Check{Name: "database", Run: func(ctx context.Context) Finding { return database(ctx, st) }}
}

func database(ctx context.Context, st *store.Store) Finding {
	number, version, err := st.ServerVersion(ctx)
	if err != nil {
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
	missing, err := jobs.Lacking(ctx, st)
	if err != nil {
		return fail("the job queue's tables cannot be looked at: "+reason(err), migrate)
	}
	if len(missing) > 0 {
		return fail("PostgreSQL "+version+", but the job queue's tables are not up to date: "+strings.Join(missing, ", "), migrate)
	}
	return ok("PostgreSQL " + version + ", schema up to date")
}

func tooOld(number int, version string) (Finding, bool) {
	if number/10000 >= oldestPostgres {
		return Finding{}, false
	}
	return fail("PostgreSQL "+version+" is too old", fmt.Sprintf("Upgrade to PostgreSQL %d or later.", oldestPostgres)), true
}
