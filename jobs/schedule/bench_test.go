package schedule_test

import (
	"context"
	"flag"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/schedules"
	"github.com/naiber/naiber/store/storetest"
)

var benchPersons = flag.Int("schedule.persons", 2000, "of how many people BenchmarkDispatch begins a call each")

// BenchmarkDispatch begins a due call of each person, with the job that places it, by one
// process and by two on one database, and prints how many that are a minute: alongside its
// floor, which inserts the same rows in as many transactions and decides nothing.
func BenchmarkDispatch(b *testing.B) {
	for name, processes := range map[string]int{"one": 1, "two": 2} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				dispatched := dispatchRate(b, processes)
				floor := insertRate(b, processes)
				b.ReportMetric(dispatched, "calls/min")
				b.ReportMetric(floor, "floor-calls/min")
				b.ReportMetric(floor/dispatched, "x-floor")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchWorlds are processes on one database, in which everybody is due.
func benchWorlds(b *testing.B, processes int) []*world {
	b.Helper()
	url := storetest.URL(b)
	var worlds []*world
	for range processes {
		w := newWorld(b, storetest.Open(b, url))
		if err := jobs.Migrate(b.Context(), w.st, nil); err != nil {
			b.Fatal(err)
		}
		j, err := jobs.New(jobs.Config{Dial: func(context.Context, uuid.UUID, int) error { return nil }}, w.st, nil, slog.New(slog.DiscardHandler), nil)
		if err != nil {
			b.Fatal(err)
		}
		w.queued = j // it inserts jobs, and works none
		w.sched = w.scheduler(schedules.Limits{AtOnce: *benchPersons})
		worlds = append(worlds, w)
	}
	first := worlds[0]
	first.person("UTC", nil)
	for _, w := range worlds {
		w.now = monday.Add(9*time.Hour + 30*time.Minute)
	}
	for _, statement := range []string{
		`delete from occurrences where local_date <> '2044-01-04'`,
		`insert into people select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).* from people p, generate_series(2, ` + strconv.Itoa(*benchPersons) + `)`,
		`insert into schedules select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'person_id', p.id))).* from schedules s, people p where p.id <> s.person_id`,
		`insert into occurrences select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'schedule_id', s.id, 'person_id', s.person_id))).* from occurrences o, schedules s where s.id <> o.schedule_id`,
	} {
		if _, err := first.st.Pool().Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := first.st.Pool().Exec(b.Context(), "analyze"); err != nil {
		b.Fatal(err)
	}
	return worlds
}

// dispatchRate has everybody's call begun.
func dispatchRate(b *testing.B, processes int) float64 {
	b.Helper()
	worlds := benchWorlds(b, processes)
	all := make(chan struct{})
	began := time.Now()
	var running sync.WaitGroup
	for _, w := range worlds {
		running.Go(func() {
			for {
				again, err := w.sched.Dispatch(b.Context())
				if err != nil {
					b.Error(err)
				}
				select { // as a process does
				case <-all:
					return
				case <-time.After(again):
				}
			}
		})
	}
	var took time.Duration
	for n := 0; n < *benchPersons && !b.Failed(); <-time.After(20 * time.Millisecond) {
		// Calls end, so that not all of them are under way at a time.
		ended, err := worlds[0].st.Pool().Exec(b.Context(), "update occurrences set status = 'done', settled_at = now() where status = 'calling'")
		if err != nil {
			b.Fatal(err)
		}
		n += int(ended.RowsAffected())
		took = time.Since(began)
	}
	close(all)
	running.Wait()
	var queued int
	if err := worlds[0].st.Pool().QueryRow(b.Context(), "select count(distinct args) from river_job where kind = 'dial'").Scan(&queued); err != nil || queued != *benchPersons {
		b.Errorf("%d jobs, %v; want %d", queued, err, *benchPersons)
	}
	return float64(*benchPersons) / took.Minutes()
}

// insertRate is the floor: each process writes its share of the same rows.
func insertRate(b *testing.B, processes int) float64 {
	b.Helper()
	worlds := benchWorlds(b, processes)
	var ids []uuid.UUID
	for _, id := range storetest.Column(b, worlds[0].st, "select id::text from occurrences") {
		ids = append(ids, uuid.MustParse(id))
	}
	began := time.Now()
	var running sync.WaitGroup
	for i, w := range worlds {
		running.Go(func() {
			for k := i; k < len(ids); k += processes {
				err := w.st.InTx(b.Context(), func(tx store.Tx) error {
					for _, statement := range []string{
						`insert into occurrence_attempts (occurrence_id, n, started_at) values ($1, 1, now())`,
						`update occurrences set status = 'calling', attempts = 1 where id = $1`,
						`insert into river_job (kind, args, queue, state, max_attempts) values ('dial', jsonb_build_object('occurrence', $1::uuid, 'try', 1), 'dial', 'available', 25)`,
					} {
						if _, err := tx.Exec(b.Context(), statement, ids[k]); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	return float64(len(ids)) / time.Since(began).Minutes()
}
