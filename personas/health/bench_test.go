package health_test

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

// benchConversations is how many checks are held at once.
const benchConversations = 50

// benchAnswers is what everybody says after the first turn, which nobody waits for.
var benchAnswers = []string{
	"About a seven I'd say, dear", "Eight, I slept like a log and I've taken my pills", "Well, my knee, but not bad, a two", "Six. No, say seven",
	"Oh, good, thank you", "No, no falls at all", "No, it's fine, no worse than usual", "No", "No, not at all", "Not really, no", "I'll be in the garden",
}

// BenchmarkTurn measures whole turns of checks without a model: loading, reading,
// deciding, saving, speaking. Each conversation speaks every 400 ms, five times as
// often as people do.
func BenchmarkTurn(b *testing.B) {
	for _, tt := range []struct {
		name string
		open func(b *testing.B, st *store.Store) health.Checkpoints
	}{
		{"memory", func(*testing.B, *store.Store) health.Checkpoints { return checkpoint.NewMemory(0) }},
		{"postgres", func(b *testing.B, st *store.Store) health.Checkpoints { b.Helper(); return openThreads(b, st, "") }},
		{"postgres_and_redis", func(b *testing.B, st *store.Store) health.Checkpoints {
			b.Helper()
			return openThreads(b, st, redistest.New(b).URL())
		}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			st := storetest.New(b)
			threads := tt.open(b, st)
			for b.Loop() {
				reportTurns(b, holdChecks(b, st, threads))
			}
		})
	}
}

func openThreads(b *testing.B, st *store.Store, redisURL string) *checkpoint.Store {
	b.Helper()
	s, err := checkpoint.New(st, checkpoint.Config{RedisURL: redisURL, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	return s
}

// holdChecks holds all checks at once and returns how long each turn took.
func holdChecks(b *testing.B, st *store.Store, threads health.Checkpoints) []time.Duration {
	b.Helper()
	const pause = 400 * time.Millisecond
	stages := make([]*stage, benchConversations)
	for i := range stages {
		stages[i] = newStage(b, st, threads)
		stages[i].call()
	}
	var mu sync.Mutex // guards took
	var took []time.Duration
	var all sync.WaitGroup
	for i, s := range stages {
		all.Go(func() {
			<-time.After(pause * time.Duration(i) / benchConversations)
			s.answered(benchTurn(s, "Yes, go ahead"))
			var mine []time.Duration
			for _, words := range benchAnswers {
				began := time.Now()
				t, got := benchTurn(s, words)
				mine = append(mine, time.Since(began))
				if strings.TrimSpace(got.Text) == "" {
					b.Error("nothing was said")
					return
				}
				s.answered(t, got)
				<-time.After(pause - time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
		})
	}
	all.Wait()
	return took
}

func benchTurn(s *stage, words string) (*orchestration.Turn, orchestration.Spoken) {
	t := s.turnOf(words, "")
	return t, s.reply(t)
}

func reportTurns(b *testing.B, took []time.Duration) {
	b.Helper()
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	b.ReportMetric(ms(p50), "p50-ms")
	b.ReportMetric(ms(p99), "p99-ms")
	b.Logf("%d turns of %d checks: median %v, p99 %v, longest %v", len(took), benchConversations, p50, p99, took[len(took)-1])
}

// BenchmarkOneTurn is what a turn without a model costs the processor: the same
// place of a check is answered anew again and again, with threads in memory.
func BenchmarkOneTurn(b *testing.B) {
	s := newStage(b, storetest.New(b), nil)
	s.call()
	for _, words := range []string{"Yes, go ahead", "About a seven I'd say, dear", "Eight, I slept like a log and I've taken my pills", "A two"} {
		s.answered(benchTurn(s, words))
	}
	turns := []*orchestration.Turn{s.turnOf("Well, six. No, say seven", ""), s.turnOf("Oh, I'd say an eight today", "")}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		t := *turns[i%len(turns)]
		t.ID, t.Attempt, t.Replaces = store.NewTurnID(), i+1, i > 0
		if s.reply(&t).Text == "" {
			b.Fatal("nothing was said")
		}
		i++
	}
}
