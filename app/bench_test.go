package app_test

import (
	"flag"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/relaytest"
)

const benchConversations = 32

var (
	turnBlocks  = flag.Int("turn.blocks", 5, "how often BenchmarkTurn plays its conversations")
	turnRounds  = flag.Int("turn.rounds", 6, "how many turns BenchmarkTurn plays in each conversation each time")
	mixedCalls  = flag.Int("mixed.calls", 100, "how many calls of BenchmarkMixed carry audio")
	mixedBlocks = flag.Int("mixed.blocks", 3, "how often BenchmarkMixed plays its parts")
	mixedFor    = flag.Duration("mixed.for", 1400*time.Millisecond, "how long each part of BenchmarkMixed lasts")
)

// BenchmarkTurn plays 32 conversations at the pace of speech against a whole
// nAIber: the same turns go to the model server directly, through a bare reverse
// proxy, and through nAIber with its general persona, memory and PostgreSQL. It
// reports what nAIber adds to the time to the first token, and what it uses of
// the processors for a turn beside what the proxy does; what the open calls cost
// without any turn is taken off both. Then the same several times as fast, when
// the process hardly ever sleeps. Of what is played several times the median
// counts, since other work disturbs the machine.
func BenchmarkTurn(b *testing.B) {
	h := openBenchHouse(b, benchConversations, calls.CallGeneral)
	proxy := bareProxy(b, h.far.url)
	h.turns(b, proxy, turnPlay{rounds: 1, faster: 1}) // opens connections
	h.turns(b, h.url, turnPlay{rounds: 1, faster: 1}) // and loads profiles
	idle := h.idle(b)
	round := 1
	for _, pace := range []struct {
		name   string
		faster int
	}{{"speech", 1}, {"busy", busier}} {
		b.Run(pace.name, func(b *testing.B) {
			for b.Loop() {
				h.measure(b, proxy, idle, turnPlay{first: round, rounds: *turnRounds, faster: pace.faster})
				round += *turnBlocks * *turnRounds
			}
		})
	}
}

// measure plays blocks of turns three ways and reports what they took.
func (h *benchHouse) measure(b *testing.B, proxy string, idle time.Duration, play turnPlay) {
	b.Helper()
	var direct, copied, turned []time.Duration // to the first token, of all turns
	var proxyCPU, cpu, ratio []time.Duration   // for a turn, of each block; the ratio in thousandths
	for range *turnBlocks {
		d := h.turns(b, h.far.url, play)
		p := h.turns(b, proxy, play)
		t := h.turns(b, h.url, play)
		play.first += play.rounds
		direct, copied, turned = append(direct, d.ttft...), append(copied, p.ttft...), append(turned, t.ttft...)
		pc, tc := p.perTurn(idle), t.perTurn(idle)
		proxyCPU, cpu, ratio = append(proxyCPU, pc), append(cpu, tc), append(ratio, 1000*tc/pc)
	}
	added := func(all []time.Duration, p float64) float64 {
		return inMS(relaytest.Percentile(all, p) - relaytest.Percentile(direct, p))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(inMS(idle), "idle-cpu-ms/s")
	b.ReportMetric(added(turned, .5), "added-ttft-ms-p50")
	b.ReportMetric(added(turned, .99), "added-ttft-ms-p99")
	b.ReportMetric(added(copied, .5), "proxy-ttft-ms-p50")
	b.ReportMetric(added(copied, .99), "proxy-ttft-ms-p99")
	b.ReportMetric(inMS(median(cpu)), "cpu-ms/turn")
	b.ReportMetric(inMS(median(proxyCPU)), "proxy-cpu-ms/turn")
	b.ReportMetric(float64(median(ratio))/1000, "x-proxy-cpu")
}

// turnPlay is which turns are played, and how much faster than speech.
type turnPlay struct{ first, rounds, faster int }

// turnFigures is what they took.
type turnFigures struct {
	ttft      []time.Duration
	cpu, took time.Duration
}

// perTurn is the CPU of one turn, without what the process uses when idle, for a second.
func (f turnFigures) perTurn(idle time.Duration) time.Duration {
	return (f.cpu - time.Duration(f.took.Seconds()*float64(idle))) / time.Duration(len(f.ttft))
}

// turns plays turns in all conversations, posted to base.
func (h *benchHouse) turns(b *testing.B, base string, p turnPlay) turnFigures {
	b.Helper()
	runtime.GC() // each begins with the same heap
	began, before := time.Now(), cpuUsed(b)
	f := h.far.do(b, "play", farPlay{Base: base, Conversations: benchConversations, First: p.first, Rounds: p.rounds, Faster: p.faster})
	return turnFigures{f.TTFT, cpuUsed(b) - before, time.Since(began)}
}

// idle is the CPU that a second costs in which nothing is said.
func (h *benchHouse) idle(b *testing.B) time.Duration {
	b.Helper()
	const seconds = 4
	before := cpuUsed(b)
	pause := time.NewTimer(seconds * time.Second)
	<-pause.C
	return (cpuUsed(b) - before) / seconds
}

// BenchmarkMixed has one nAIber carry the audio of calls: alone; then while 32
// turns are taken at a time from the model directly, which shows what the far
// ends' own work on the same machine does to it; then while nAIber answers those
// turns. It does so several times over, reports what the relay took for a frame
// in each and by how much turns make it worse, and fails where a frame is lost. As
// configured, all of it takes less than half a minute.
func BenchmarkMixed(b *testing.B) {
	h := openBenchHouse(b, *mixedCalls, calls.CallGeneral)
	round := 0
	for b.Loop() {
		var alone, beside, mixed, ratio, ratioBeside, ttft []time.Duration
		for range *mixedBlocks {
			a := h.audio(b, "", 0)
			d := h.audio(b, h.far.url, round)
			m := h.audio(b, h.url, round)
			round += h.roundsMixed()
			alone, beside, mixed = append(alone, a.P99), append(beside, d.P99), append(mixed, m.P99)
			ratio, ratioBeside = append(ratio, 1000*m.P99/a.P99), append(ratioBeside, 1000*m.P99/d.P99)
			ttft = append(ttft, m.TTFT...)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(inMS(median(alone)), "audio-ms-p99-alone")
		b.ReportMetric(inMS(median(beside)), "audio-ms-p99-turns-elsewhere")
		b.ReportMetric(inMS(median(mixed)), "audio-ms-p99-with-turns")
		b.ReportMetric(float64(median(ratio))/1000, "x-alone")
		b.ReportMetric(float64(median(ratioBeside))/1000, "x-turns-elsewhere")
		b.ReportMetric(inMS(relaytest.Percentile(ttft, .5)-modelThinks), "ttft-ms-p50-over-model")
		b.ReportMetric(inMS(relaytest.Percentile(ttft, .99)-modelThinks), "ttft-ms-p99-over-model")
	}
}

// roundsMixed is how many turns each conversation of BenchmarkMixed takes at a
// time, at most: the last of them begins before the audio ends.
func (h *benchHouse) roundsMixed() int { return int(*mixedFor/turnTakes()) + 1 }

// audio has all calls carry audio, while turns are posted to base unless that is
// empty, and checks that no frame was lost.
func (h *benchHouse) audio(b *testing.B, base string, first int) farFigures {
	b.Helper()
	runtime.GC()
	var ttft []time.Duration
	var taking sync.WaitGroup
	if base != "" {
		taking.Go(func() {
			play := farPlay{Base: base, Conversations: benchConversations, First: first, Rounds: h.roundsMixed(), For: *mixedFor}
			ttft = h.far.do(b, "play", play).TTFT
		})
	}
	f := h.far.do(b, "talk", farTalk{For: *mixedFor})
	taking.Wait()
	f.TTFT = ttft
	if f.Lost != 0 || f.Frames == 0 {
		b.Errorf("of %d frames %d were lost, out of order or in the wrong call", f.Frames, f.Lost)
	}
	return f
}

func inMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
