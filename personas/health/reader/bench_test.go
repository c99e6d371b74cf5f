package reader_test

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/health/reader"
)

// BenchmarkRead reads all labelled replies; it reports the figures with the cost
// of one.
func BenchmarkRead(b *testing.B) {
	for _, set := range sets {
		b.Run(set.file, func(b *testing.B) {
			ls := labels(b, set.file)
			var n tally
			for _, l := range ls {
				n.add(l, reader.Read(l.q, l.said, l.in))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				l := ls[i%len(ls)]
				reader.Read(l.q, l.said, l.in)
				i++
			}
			settled, right := n.shares()
			b.ReportMetric(100*settled, "%settled")
			b.ReportMetric(100*right, "%right")
		})
	}
}

// BenchmarkTurn is what a turn asks for in the worst case: the reading, the intent,
// corrections and ten other open questions.
func BenchmarkTurn(b *testing.B) {
	var open []reader.Question
	for _, id := range []string{"energy", "pain", "mood", "sleepc", "pills", "fall", "breath", "dizzy", "glasses", "plans"} {
		q, _ := question(id)
		open = append(open, q)
	}
	said := "Well, my son who is fifty-two came yesterday and we sat up late, so I'd say a six, but I slept well and I've taken my pills."
	b.ReportAllocs()
	for b.Loop() {
		reader.Read(open[0], said, now)
		reader.IntentOf(said)
		reader.Corrections(open, said, now)
		reader.ReadMany(open, said, now)
	}
}

// BenchmarkStory reads an answer at the end of a long story.
func BenchmarkStory(b *testing.B) {
	said := strings.Repeat("And then my sister came with her two boys, and we had tea at four. ", 60) + "So I'd say a six."
	energy, _ := question("energy")
	b.ReportAllocs()
	for b.Loop() {
		reader.Read(energy, said, now)
	}
}
