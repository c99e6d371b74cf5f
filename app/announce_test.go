package app

import (
	"log/slog"
	"net"
	"strings"
	"testing"
)

// Of several servers on one data folder, commands find the latest one that is
// still there.
func TestAnnouncedIsTheLatestThatIsThere(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	listen := func() net.Listener {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	cfg := Config{DataDir: t.TempDir()}
	cfg.Server.Port = 3999
	want := func(when string, addr net.Addr) {
		t.Helper()
		if got := announced(cfg); !strings.HasSuffix(got, addr.String()) {
			t.Errorf("%s: %s, want %s", when, got, addr)
		}
	}
	nobody := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3999} // as configured

	first, second := listen(), listen()
	firstGone := announce(cfg, first.Addr(), log)
	secondGone := announce(cfg, second.Addr(), log)
	want("both run", second.Addr())
	secondGone()
	want("the second stopped", first.Addr())

	announce(cfg, second.Addr(), log)
	firstGone()
	want("the first stopped", second.Addr())

	// A port of a listener that was closed here may be another test's by now: nobody
	// is given this one.
	announce(cfg, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, log)
	secondGone = announce(cfg, second.Addr(), log)
	secondGone()
	want("both stopped, the first without taking leave", nobody)
}
