package embedded

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

func TestParsePidFile(t *testing.T) {
	t.Parallel()
	const whole = "4711\n/data/cluster\n1763630000\n54321\n\n127.0.0.1\n   655360   17\n"
	for _, tt := range []struct {
		name, text string
		want       postmaster
		ok         bool
	}{
		{"ready", whole + "ready   \n", postmaster{4711, 54321, true}, true},
		{"starting", whole + "starting\n", postmaster{4711, 54321, false}, true},
		{"stopping", whole + "stopping\n", postmaster{4711, 54321, false}, true},
		{"being written", "4711\n/data/clu", postmaster{4711, 0, false}, true},
		{"empty", "", postmaster{}, false},
		{"not a number", "-\n", postmaster{}, false},
		{"single-user mode", "-4711\n", postmaster{}, false},
		{"port out of range", "4711\n\n\n99999\n\n\n\nready", postmaster{4711, 0, false}, true},
	} {
		if got, ok := parsePidFile(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %+v, %v; want %+v, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParsePidFile(f *testing.F) {
	f.Add("4711\n/data\n1763630000\n54321\n\n127.0.0.1\n   655360   17\nready\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		pm, ok := parsePidFile(text)
		if ok && pm.pid <= 0 || pm.port < 0 || pm.port > 65535 || pm.ready && pm.port == 0 {
			t.Errorf("%q: %+v", text, pm)
		}
	})
}

func TestRunningSeesThroughStaleFiles(t *testing.T) {
	t.Parallel()
	ended := exec.CommandContext(t.Context(), "true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		pid  int
	}{
		{"no such process", ended.Process.Pid},
		{"ourselves", os.Getpid()},
		{"somebody else's", 1},
	} {
		dir := t.TempDir()
		text := strconv.Itoa(tt.pid) + "\n" + dir + "\n1\n5432\n\n127.0.0.1\n 1 2\nready\n"
		if err := os.WriteFile(pidFile(dir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if pm, found, err := running(dir); found || err != nil {
			t.Errorf("%s: %+v, %v, %v", tt.name, pm, found, err)
		}
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	t.Parallel()
	// The middle process ends up uncollected: its parent has become a sleep.
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `true & echo $! >pid; exec sleep 60`)
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var pid int
	for pid == 0 && t.Context().Err() == nil {
		text, _ := os.ReadFile(filepath.Join(cmd.Dir, "pid"))
		pid, _ = strconv.Atoi(string(trimLine(text)))
	}
	awaitDeath(t, pid)
}

func trimLine(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] == '\n' {
		return text[:n-1]
	}
	return nil
}
