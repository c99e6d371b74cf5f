package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Parts are made and started in order and stopped in reverse; of a failure, only
// what there is to stop is stopped, and once.
func TestParts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ makeFails, startFails, want string }{
		"all is well":   {want: "make a, make b, make c, start b, start c, stop c, stop b, stop a"},
		"a make fails":  {makeFails: "b", want: "make a, make b, stop a"},
		"a start fails": {startFails: "c", want: "make a, make b, make c, start b, start c, stop b, stop a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var did []string
			step := func(verb, name, fails string) func(context.Context) error {
				return func(context.Context) error {
					did = append(did, verb+" "+name)
					if name == fails {
						return errors.New("no")
					}
					return nil
				}
			}
			a := &App{log: slog.New(slog.DiscardHandler), stopping: make(chan struct{})}
			a.cfg.Server.StopGrace = time.Second
			for _, name := range []string{"a", "b", "c"} {
				p := &part{name: name, make: step("make", name, tt.makeFails), stop: step("stop", name, "")}
				if name != "a" {
					p.start = step("start", name, tt.startFails)
				}
				a.parts = append(a.parts, p)
			}
			err := a.make(t.Context())
			if err == nil {
				err = a.start(t.Context())
			}
			if (err != nil) != (tt.makeFails+tt.startFails != "") {
				t.Errorf("error: %v", err)
			}
			for range 2 {
				if err := a.stop(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if got := strings.Join(did, ", "); got != tt.want {
				t.Errorf("did %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A loop works at once and every so often, goes on after a failure and a panic, and
// has ended when it was stopped.
func TestLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &App{log: slog.New(slog.DiscardHandler)}
		rounds := 0
		p := loop("count", a.every("count", func(context.Context) error {
			rounds++
			if rounds == 2 {
				panic("oh")
			}
			return errors.New("no")
		}))
		if err := p.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(150 * time.Second) //nolint:forbidigo // fake time, in a synctest bubble
		if err := p.stop(t.Context()); err != nil || rounds != 3 {
			t.Errorf("%d rounds, want 3; %v", rounds, err)
		}
		time.Sleep(time.Hour) //nolint:forbidigo // fake time, in a synctest bubble
		if rounds != 3 {
			t.Errorf("it went on after it was stopped: %d rounds", rounds)
		}
	})
}
