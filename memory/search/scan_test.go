package search_test

import (
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store/storetest"
)

// TestSearchReadsNoWholeTable searches, lists and asks PostgreSQL afterwards
// whether it read a table from one end to the other.
func TestSearchReadsNoWholeTable(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	st := storetest.Open(t, url)
	people := fill(t, st, 20, 400)
	st.Close()
	before := wholeReads(t, url)
	searched := storetest.Open(t, url)
	s, err := service.New(service.Config{Store: searched, VectorWait: time.Minute, Log: slog.New(slog.DiscardHandler)}) // names are waited for as vectors are
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	hits := map[string]int{} // the memories are random: one question may find none
	for i := range 40 {      // more than five times each: a plan for all questions comes after that
		for _, kind := range benchKinds {
			found, err := s.Search(t.Context(), search.Query{Scope: memory.Scope{Person: people[i%20]}, Text: benchQuestion(r, kind), Now: benchNow})
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			hits[kind] += len(found.Hits)
		}
		if _, err := s.List(t.Context(), memory.Scope{Person: people[i%20]}, memory.Turn{}, 20); err != nil {
			t.Fatal(err)
		}
	}
	searched.Close()
	for _, kind := range benchKinds {
		if hits[kind] == 0 {
			t.Errorf("no %s found anything", kind)
		}
	}
	if after := wholeReads(t, url); after != before {
		t.Errorf("whole tables were read: %s before, %s after", before, after)
	}
}

// wholeReads tells how often each of the tables that grow with what was said was
// read from one end to the other. A backend reports what it counted when it exits, which
// is some time after its connection was closed: close the store before.
func wholeReads(tb testing.TB, url string) string {
	tb.Helper()
	st := storetest.Open(tb, url)
	defer st.Close()
	var n string
	for others := 1; others > 0; {
		if err := st.Pool().QueryRow(tb.Context(), `select count(*) from pg_stat_activity
			where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`).Scan(&others); err != nil {
			tb.Fatal(err)
		}
	}
	if err := st.Pool().QueryRow(tb.Context(), `select string_agg(relname || ' ' || seq_scan, ', ' order by relname)
		from pg_stat_user_tables where relname = any(string_to_array($1, ', '))`, benchTables).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	if !strings.Contains(n, "memory_windows") {
		tb.Fatalf("nothing is counted: %q", n)
	}
	return n
}
