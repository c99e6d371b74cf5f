package app

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// What was degraded is told for some minutes, and then no more.
func TestLately(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewRegistry()
		turns := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "naiber_turns_degraded_total"}, []string{"reason"})
		late := prometheus.NewCounter(prometheus.CounterOpts{Name: "naiber_call_notes_retried_total"})
		other := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "naiber_health_check_degraded_total"}, []string{"reason"})
		health := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "naiber_health_degraded_total"}, []string{"reason"})
		chat := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "naiber_chat_degraded_total"}, []string{"reason"})
		fine := prometheus.NewCounter(prometheus.CounterOpts{Name: "naiber_turns_total"})
		reg.MustRegister(turns, late, other, health, chat, fine)
		l := &lately{counters: reg}
		done := make(chan struct{})
		go func() {
			defer close(done)
			(&App{}).every("lately", func(context.Context) error { l.note(); return nil })(t.Context())
		}()
		t.Cleanup(func() { <-done })
		want := func(when string, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := l.degraded(); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		fine.Inc()
		want("at the start")
		turns.WithLabelValues("no_word_in_time").Add(2)
		late.Inc()
		other.WithLabelValues("checkpoint_late").Inc()
		all := []string{
			"health check: checkpoint late (1 in the last minutes)", "transcripts kept late (1 in the last minutes)",
			"turns: no word in time (2 in the last minutes)",
		}
		want("at once", all...)
		time.Sleep(4 * time.Minute) //nolint:forbidigo // fake time, in a synctest bubble
		want("four minutes later", all...)
		turns.WithLabelValues("no_word_in_time").Inc()
		time.Sleep(2 * time.Minute) //nolint:forbidigo // fake time, in a synctest bubble
		want("when the first are old", "turns: no word in time (1 in the last minutes)")
		time.Sleep(6 * time.Minute) //nolint:forbidigo // fake time, in a synctest bubble
		want("when all are old")
		health.WithLabelValues("words_unfit").Inc()
		turns.WithLabelValues("words_unfit").Inc()
		want("a check's and its turn's", "health: words unfit (1 in the last minutes)")
		chat.WithLabelValues("recall_late").Inc()
		turns.WithLabelValues("recall_late").Inc()
		want("one late recall", "health: words unfit (1 in the last minutes)")
		chat.WithLabelValues("recall_late").Inc()
		want("a second late recall", "chat: recall late (2 in the last minutes)", "health: words unfit (1 in the last minutes)")
		time.Sleep(6 * time.Minute) //nolint:forbidigo // fake time, in a synctest bubble
		health.WithLabelValues("words_unfit").Inc()
		turns.WithLabelValues("words_unfit").Add(2)
		want("and another turn's", "health: words unfit (1 in the last minutes)", "turns: words unfit (1 in the last minutes)")
	})
}
