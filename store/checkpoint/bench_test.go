package checkpoint_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

// conversations is how many are held at once.
const conversations = 50

// answers is the state of a check, as large as one of ten questions with quotes.
type answers struct {
	At      int
	Answers []string
}

// BenchmarkTurn measures what keeping its state adds to a turn: a load, a
// compare-and-set, and the graph between them. Paced, each conversation speaks
// every 200 ms, ten times as often as people do; flat out, it never waits.
func BenchmarkTurn(b *testing.B) {
	for _, tt := range []struct {
		name  string
		pause time.Duration
		open  func(b *testing.B) threads
	}{
		{"memory", 200 * time.Millisecond, func(*testing.B) threads { return checkpoint.NewMemory(0) }},
		{"postgres", 200 * time.Millisecond, func(b *testing.B) threads { b.Helper(); return open(b, storetest.New(b), "") }},
		{"postgres and redis", 200 * time.Millisecond, func(b *testing.B) threads {
			b.Helper()
			return open(b, storetest.New(b), redistest.New(b).URL())
		}},
		{"postgres and redis flat out", 0, func(b *testing.B) threads {
			b.Helper()
			return open(b, storetest.New(b), redistest.New(b).URL())
		}},
	} {
		b.Run(strings.ReplaceAll(tt.name, " ", "_"), func(b *testing.B) {
			m := interview(b)
			s := tt.open(b)
			const turns = 15
			for b.Loop() {
				report(b, play(b, m, s, turns, tt.pause))
			}
		})
	}
}

// interview is a graph that waits for one answer after the other.
func interview(tb testing.TB) *graph.Machine[answers, string] {
	tb.Helper()
	g := graph.New[answers, string]("interview", 1)
	g.Entry("ask")
	g.Wait("ask", func(_ context.Context, s *answers, r *graph.Run[string]) (graph.Signal, error) {
		if heard, ok := r.Answer(""); ok {
			s.At++
			s.Answers = append(s.Answers[max(0, len(s.Answers)-12):], heard)
		}
		return graph.Pause(""), r.Say("And then?")
	})
	g.Edge("ask", graph.End)
	m, err := g.Compile()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// play holds all conversations at once and returns how long each turn took, the
// first of each conversation, which nobody waits for, left out.
func play(tb testing.TB, m *graph.Machine[answers, string], s graph.Store, turns int, pause time.Duration) []time.Duration {
	tb.Helper()
	var mu sync.Mutex // guards took
	var took []time.Duration
	var all sync.WaitGroup
	for c := range conversations {
		th := m.Thread(s, newThread())
		all.Go(func() {
			var mine []time.Duration
			if pause > 0 {
				<-time.After(pause * time.Duration(c) / conversations)
			}
			for i := range turns {
				began := time.Now()
				_, err := th.Turn(context.Background(), graph.Call[answers, string]{
					Turn:  checkpoint.Turn{Conversation: "conv_1", Place: 1 + 2*i, Key: "k"},
					Input: strings.Repeat("well, my son came round and ", 20),
				})
				if err != nil {
					tb.Error(err)
					return
				}
				if i > 0 {
					mine = append(mine, time.Since(began))
				}
				if pause > 0 {
					<-time.After(pause - time.Since(began))
				}
			}
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		})
	}
	all.Wait()
	return took
}

func report(b *testing.B, took []time.Duration) {
	b.Helper()
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	b.ReportMetric(ms(p50), "p50-ms")
	b.ReportMetric(ms(p99), "p99-ms")
	b.Logf("%d turns of %d conversations: median %v, p99 %v", len(took), conversations, p50, p99)
}
