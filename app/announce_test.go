package app

import (
	"log/slog"
	"net"
	"runtime"
	"strings"
	"testing"
)

// Of several servers on one data folder, commands find the latest one that is
// still there.
func TestAnnouncedIsTheLatestThatIsThere(t *testing.T) {
	t.Parallel()
	log, host := slog.New(slog.DiscardHandler), "127.0.0.1"
	if runtime.GOOS == "linux" {
		host = "127.0.9.9" // where no other test is given a port that was closed here
	}
	listen := func() net.Listener {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", host+":0")
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

	secondGone = announce(cfg, second.Addr(), log)
	firstGone()
	want("the first stopped", second.Addr())
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	secondGone()
	want("both stopped", nobody)
}
