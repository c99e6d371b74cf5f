package general

import (
	"context"
	"log/slog"
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
)

// instant is a model that answers at once and keeps nothing.
type instant struct{ Model }

func (instant) Stream(_ context.Context, _ llm.Request, yield func(llm.Delta) error) (llm.Result, error) {
	return llm.Result{Model: "instant"}, yield(llm.Delta{Text: "I see."})
}

// BenchmarkReply is what the companion itself costs a turn: a model that answers at
// once, nothing to recall.
func BenchmarkReply(b *testing.B) {
	p, err := New(Config{
		Model: instant{}, Calls: nobody{}, Keeper: nobody{}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	turn := turnOf(known(), "Hello.", "My garden is full of roses, and the neighbour came along to see them.")
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Reply(b.Context(), turn, orchestration.NewSpeech()); err != nil {
			b.Fatal(err)
		}
	}
}
