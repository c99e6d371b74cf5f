package appliance_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/storetest"
)

// benchSaid is a call; the numbers are spelled and misheard.
var benchSaid = []string{
	"My dishwasher won't drain, dear, and I have had it for ages", "it says kay dee double u four two eight ess ess", "yes that's right", "how do I put it in",
	"yes", "no thank you", "does it fit", "it also makes a grinding noise",
}

// BenchmarkTurn measures what a turn of a call takes of itself, without a model: loading,
// reading, looking up, deciding, saving, speaking.
func BenchmarkTurn(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) appliance.Checkpoints{
		"memory": func(*testing.B) appliance.Checkpoints { return checkpoint.NewMemory(0) },
		"postgres": func(b *testing.B) appliance.Checkpoints {
			b.Helper()
			s, err := checkpoint.New(storetest.New(b), checkpoint.Config{Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(s.Close)
			return s
		},
	} {
		b.Run(name, func(b *testing.B) {
			threads := open(b)
			var took []time.Duration
			for b.Loop() {
				s := newStage(b, "call")
				s.config.Checkpoints = threads
				s.open()
				for _, words := range benchSaid {
					t := s.turn(words, "")
					began := time.Now()
					got := s.reply(t)
					took = append(took, time.Since(began))
					s.messages = t.Messages
					s.hear(got.Text)
				}
			}
			slices.Sort(took)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
			b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
		})
	}
}

// BenchmarkWithin measures what the helper adds to a turn of a general call that is not
// about an appliance.
func BenchmarkWithin(b *testing.B) {
	s := newStage(b, "within")
	s.open()
	p := s.persona.Within(companion)
	for range 20 {
		t := s.turn("Well dear, I was in the garden this morning with the roses, and then my daughter came and we had tea", "")
		s.messages = t.Messages
		s.hear("How lovely. What did you talk about?")
	}
	t := s.turn("Oh, about the children, and the weather, and all sorts of things", "")
	for b.Loop() {
		if err := p.Reply(b.Context(), t, orchestration.NewSpeech()); err != nil {
			b.Fatal(err)
		}
	}
}
