package search_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// benchPeople is how many people have benchMemories each; a million memories take
// some minutes to make.
var (
	benchPeople   = flag.Int("memory.people", 100, "people in the memory benchmark")
	benchMemories = flag.Int("memory.each", 10_000, "memories of each person in the memory benchmark")
)

// BenchmarkSearch measures a search by words and dates over PostgreSQL alone,
// without the embedding call, and fails where any of them read a whole table:
//
//	go test ./memory/search -run '^$' -bench Search -benchtime 2000x -timeout 30m
func BenchmarkSearch(b *testing.B) {
	url := storetest.URL(b)
	st := storetest.Open(b, url)
	people := fill(b, st, *benchPeople, *benchMemories)
	st.Close()
	before := wholeReads(b, url)
	st = storetest.Open(b, url)
	s, err := service.New(service.Config{Store: st, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	b.Run("floor", func(b *testing.B) { benchFloor(b, st, people, r) })
	for _, kind := range benchKinds {
		b.Run(kind, func(b *testing.B) {
			var took []time.Duration
			hits := 0
			for range b.N {
				q := search.Query{Scope: memory.Scope{Person: people[r.IntN(len(people))]}, Text: benchQuestion(r, kind), Now: benchNow}
				begun := time.Now()
				found, err := s.Search(b.Context(), q)
				took = append(took, time.Since(begun))
				if err != nil {
					b.Fatal(err)
				}
				hits += len(found.Hits)
			}
			reportMs(b, took)
			b.ReportMetric(float64(hits)/float64(b.N), "hits/op")
		})
	}
	st.Close()
	if after := wholeReads(b, url); after != before {
		b.Errorf("whole tables were read: %s before, %s after", before, after)
	}
}

// benchFloor reads a person's newest turns, by the index and in one query: what
// any search costs at least.
func benchFloor(b *testing.B, st *store.Store, people []store.PersonID, r *rand.Rand) {
	b.Helper()
	var took []time.Duration
	for range b.N {
		in := memories.Scope{Person: people[r.IntN(len(people))]}
		begun := time.Now()
		turns, err := st.MemoryTurnsOf(b.Context(), in, benchNow.AddDate(1, 0, 0), uuid.Max, 15)
		took = append(took, time.Since(begun))
		if err != nil || len(turns) != 15 {
			b.Fatalf("%d turns, %v", len(turns), err)
		}
	}
	reportMs(b, took)
}

func reportMs(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))]) / float64(time.Millisecond)
	}
	b.ReportMetric(at(.5), "p50-ms")
	b.ReportMetric(at(.99), "p99-ms")
}

var benchNow = time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)

// benchWord returns a word of an invented language, by Zipf's law: the first
// ones stand in most windows, the last ones in few.
func benchWord(i int) string {
	syllables := []string{"ba", "ko", "mu", "ri", "ta", "ne", "lo", "vi", "so", "da", "ge", "pu", "ha", "zi", "fe", "wo"}
	var b strings.Builder
	for i += 16; i > 0; i /= 16 {
		b.WriteString(syllables[i%16])
	}
	return b.String() + "k"
}

// benchKinds are the kinds of questions that are asked.
var benchKinds = []string{"sentence", "frequent words", "date", "relation", "monologue"}

const benchWords = 4000

func benchQuestion(r *rand.Rand, kind string) string {
	word := func(from, to int) string { return benchWord(from + r.IntN(to-from)) }
	words := func(n, from, to int) string {
		var w []string
		for range n {
			w = append(w, word(from, to))
		}
		return strings.Join(w, " ")
	}
	switch kind {
	case "frequent words":
		return "What did Margaret say about the " + words(4, 0, 12)
	case "date":
		return "What did we say about the " + words(3, 5, benchWords) + " last Tuesday?"
	case "relation": // leads to a name
		return "How are my granddaughter and her " + words(3, 5, benchWords)
	case "monologue":
		return words(80, 0, benchWords)
	default: // as people ask: some common words and some that matter
		return "Do you remember what I told you about the " + words(4, 0, 200) + " and " + words(3, 100, benchWords)
	}
}

// benchTables are what a search reads.
const benchTables = "memory_windows, memory_turns, memory_terms, memory_facts, memory_fact_sources, memory_entities, memory_aliases, memory_relations"

// fill makes memories in bulk: the rows as Keep would write them, one window a
// minute, with the indexes built after them.
func fill(tb testing.TB, st *store.Store, persons, each int) []store.PersonID {
	tb.Helper()
	begun := time.Now()
	do := func(sql string, args ...any) {
		tb.Helper()
		if _, err := st.Pool().Exec(context.Background(), sql, args...); err != nil {
			tb.Fatalf("%.60s…: %v", sql, err)
		}
	}
	words := make([]string, benchWords)
	for i := range words {
		words[i] = benchWord(i)
	}
	do("alter table memory_windows disable trigger user")
	do("drop index memory_windows_keys_idx")
	ids := make([]store.PersonID, persons)
	for i := range ids {
		p, err := st.CreatePerson(tb.Context(), people.Person{
			Name: "Margaret Ellis", Phone: fmt.Sprintf("+1555%07d", i), Timezone: "America/New_York", Language: "en",
		}, nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: "Margaret", How: "on paper"}})
		if err != nil {
			tb.Fatal(err)
		}
		ids[i] = p.ID
		do(benchFill, p.ID.UUID, each, words, benchNow)
		do(benchFacts, p.ID.UUID, words, benchNow)
		do(benchEntities, p.ID.UUID, words, benchNow)
	}
	do("set maintenance_work_mem = '512MB'")
	do(`create index memory_windows_keys_idx on memory_windows
		using gin (memory_keys(person_id, session_id, project_id, tsv)) with (fastupdate = off)`)
	do(`insert into memory_terms select person_id, l, count(*) from memory_windows, unnest(tsvector_to_array(tsv) || ''::text) l group by 1, 2`)
	do("alter table memory_windows enable trigger user")
	do("vacuum analyze " + benchTables)
	tb.Logf("made %d memories in %s", persons*each, time.Since(begun).Round(time.Second))
	return ids
}

// benchFill gives each turn 12 words, of which the n-th commonest of a person
// comes about as often as 1/n, and each window the words of three turns.
const benchFill = `
with t as (
    select gen_random_uuid() as id, i, $4::timestamptz - make_interval(mins => 50 * ($2::int - i)) as at,
        case when i % 2 = 0 then 'user' else 'assistant' end as speaker,
        (select string_agg(($3::text[])[1 + floor(power(4000, random()) - 1)::int], ' ') from generate_series(1, 12 + i * 0)) as body
    from generate_series(1, $2::int) i
), kept as (
    insert into memory_turns (id, person_id, conversation, seq, speaker, name, text, at, source)
    select id, $1, 'call ' || i / 40, i, speaker, case when speaker = 'user' then 'Margaret' else 'nAIber' end, body, at, 'import' from t
    returning 1
)
insert into memory_windows (id, person_id, conversation, turn_ids, text, config, tsv, at)
select id, $1, 'call ' || i / 40, ids, body, 'english', to_tsvector('english', body), at from (
    select id, i, at, array_agg(id) over w as ids,
        to_char(at, 'FMDay, FMDD FMMonth YYYY') || E'\n' || string_agg(case when speaker = 'user' then 'Margaret: ' else 'nAIber: ' end || body, E'\n') over w as body
    from t window w as (order by i rows between 2 preceding and current row)
) x`

// benchFacts gives each person 300 facts, learned from two turns each; one in ten
// has ended.
const benchFacts = `
with f as (
    select gen_random_uuid() as id, i from generate_series(0, 299) i
), t as (
    select id, row_number() over () % 300 as i from (select id from memory_turns where person_id = $1 order by random() limit 600) x
), kept as (
    insert into memory_facts (id, person_id, text, kind, learned_at, closed_at, valid_to)
    select id, $1, 'Margaret likes ' || ($2::text[])[1 + i], 'like', $3::timestamptz - interval '2 days', ended, ended
    from f cross join lateral (select case when i % 10 = 0 then $3::timestamptz - interval '1 day' end as ended) e
    returning 1
)
insert into memory_fact_sources (fact_id, turn_id) select f.id, t.id from f join t using (i)`

// benchEntities gives each person 60 people whom they know, one a granddaughter.
const benchEntities = `
with e as (
    select gen_random_uuid() as id, i, case i when 0 then 'Margaret Ellis' else ($2::text[])[100 + i] end as name from generate_series(0, 60) i
), kept as (
    insert into memory_entities (id, person_id, kind, name, first_seen, last_seen) select id, $1, 'person', name, $3::timestamptz, $3::timestamptz from e
    returning 1
), called as (
    insert into memory_aliases (entity_id, alias) select id, lower(name) from e returning 1
)
insert into memory_relations (id, from_id, to_id, label)
select gen_random_uuid(), self.id, e.id, case e.i when 1 then 'granddaughter' else 'friend' end from e join e self on self.i = 0 where e.i > 0`
