package health_test

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/checks"
)

// onRedis keeps the threads of a scene in a real Redis and PostgreSQL, as in
// production.
func (s *stage) onRedis() {
	s.tb.Helper()
	s.redis = redistest.New(s.tb)
	threads, err := checkpoint.New(s.store, checkpoint.Config{RedisURL: s.redis.URL(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(threads.Close)
	s.threads, s.config.Checkpoints = threads, threads
}

// redisIs stops or starts the scene's Redis.
func (s *stage) redisIs(arg string) {
	s.tb.Helper()
	if s.redis == nil {
		s.tb.Fatal("the scene has no Redis")
	}
	if arg == "down" {
		s.redis.Stop()
	} else {
		s.redis.Start(s.tb)
	}
	s.note("* Redis is %s", arg)
}

// overtaken is a store of threads in which others were always faster, a number of
// times.
type overtaken struct {
	health.Checkpoints
	left int
}

func (o *overtaken) Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error {
	if o.left > 0 {
		o.left--
		return checkpoint.ErrConflict
	}
	return o.Checkpoints.Put(ctx, thread, h, cp)
}

// overtake lets the turn meet a conflict in the store, more often than it is tried.
func (s *stage) overtake(words string) {
	s.note("* others keep being faster")
	kept := s.config.Checkpoints
	s.config.Checkpoints = &overtaken{Checkpoints: kept, left: 3}
	s.restart()
	s.note("elder: %s", words)
	t := s.turnOf(words, "")
	s.answered(t, s.reply(t))
	s.config.Checkpoints = kept
	s.restart()
}

// leave has the person say something and hang up before the reply.
func (s *stage) leave(words string) {
	s.note("elder: %s", words)
	s.note("* the person is gone before the reply")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.persona.Reply(ctx, s.turnOf(words, ""), orchestration.NewSpeech()); err != nil {
		s.note("  (no reply: %s)", plainError(err))
	}
	s.hangUp()
}

// nothingYet has the person fall silent: the voice service asks for a reply
// though nobody spoke, and its own prompt stands in the history.
func (s *stage) nothingYet(string) {
	s.note("elder says nothing")
	t := s.turnOf("", "")
	t.Silences = 1
	s.answered(t, s.reply(t))
}

// screensBefore lays down when instruments were asked before: "gad2 10, frail 12".
func (s *stage) screensBefore(text string) {
	s.tb.Helper()
	e := &screened{Store: s.store}
	for one := range strings.SplitSeq(text, ", ") {
		pack, ago, _ := strings.Cut(one, " ")
		d, err := time.ParseDuration(ago)
		if err != nil {
			s.tb.Fatal(err)
		}
		e.screens = append(e.screens, checks.Screen{Pack: pack, At: s.clock.Add(-d), Outcome: checks.ScreenComplete})
	}
	s.config.Store = e
}
