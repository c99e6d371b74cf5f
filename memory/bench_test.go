package memory

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

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

// benchPeople is how many people have benchMemories each; a million memories take
// some minutes to make.
var (
	benchPeople   = flag.Int("memory.people", 100, "people in the memory benchmark")
	benchMemories = flag.Int("memory.each", 10_000, "memories of each person in the memory benchmark")
)

// BenchmarkSearch measures a search by words and dates over PostgreSQL alone,
// without the embedding call:
//
//	go test ./memory -run '^$' -bench Search -benchtime 2000x -timeout 30m
func BenchmarkSearch(b *testing.B) {
	st := storetest.New(b)
	people := fill(b, st, *benchPeople, *benchMemories)
	s, err := New(ServiceConfig{Store: st, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range benchKinds {
		b.Run(kind, func(b *testing.B) {
			var took []time.Duration
			hits := 0
			for range b.N {
				q := Query{Scope: Scope{Person: people[r.IntN(len(people))]}, Text: benchQuestion(r, kind), Now: benchNow}
				begun := time.Now()
				found, err := s.Search(b.Context(), q)
				took = append(took, time.Since(begun))
				if err != nil {
					b.Fatal(err)
				}
				hits += len(found.Hits)
			}
			slices.Sort(took)
			at := func(share float64) float64 {
				return float64(took[int(share*float64(len(took)-1))]) / float64(time.Millisecond)
			}
			b.ReportMetric(at(.5), "p50-ms")
			b.ReportMetric(at(.99), "p99-ms")
			b.ReportMetric(float64(hits)/float64(b.N), "hits/op")
		})
	}
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
var benchKinds = []string{"sentence", "frequent words", "date", "monologue"}

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
	case "monologue":
		return words(80, 0, benchWords)
	default: // as people ask: some common words and some that matter
		return "Do you remember what I told you about the " + words(4, 0, 200) + " and " + words(3, 100, benchWords)
	}
}

// fill makes memories in bulk: the rows as Keep would write them, one window a
// minute, with the indexes built after them.
func fill(tb testing.TB, st *store.Store, people, each int) []store.PersonID {
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
	ids := make([]store.PersonID, people)
	for i := range ids {
		p, err := st.CreatePerson(tb.Context(), store.Person{
			Name: "Margaret Ellis", Phone: fmt.Sprintf("+1555%07d", i), Timezone: "America/New_York", Language: "en",
		}, nil, []store.Consent{{Scope: store.ScopeMemory, GivenBy: "Margaret", How: "on paper"}})
		if err != nil {
			tb.Fatal(err)
		}
		ids[i] = p.ID
		do(benchFill, p.ID.UUID, each, words, benchNow)
	}
	do("set maintenance_work_mem = '512MB'")
	do(`create index memory_windows_keys_idx on memory_windows
		using gin (memory_keys(person_id, session_id, project_id, tsv)) with (fastupdate = off)`)
	do(`insert into memory_terms select person_id, l, count(*) from memory_windows, unnest(tsvector_to_array(tsv) || ''::text) l group by 1, 2`)
	do("alter table memory_windows enable trigger user")
	do("vacuum analyze memory_windows, memory_turns, memory_terms")
	tb.Logf("made %d memories in %s", people*each, time.Since(begun).Round(time.Second))
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
    from t window w as (order by i rows between current row and 2 following)
) x`
