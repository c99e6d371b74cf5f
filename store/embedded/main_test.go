package embedded

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/internal/leaktest"
)

// TestMain lets the test binary be a second process: with a folder in
// EMBEDDED_TEST_HOLD it starts the cluster there, says so, and holds on to it
// until its input ends.
func TestMain(m *testing.M) {
	if dir, ok := os.LookupEnv("EMBEDDED_TEST_HOLD"); ok {
		if err := hold(dir); err != nil {
			fmt.Println("error:", strings.ReplaceAll(err.Error(), "\n", " "))
			os.Exit(1)
		}
		os.Exit(0)
	}
	leaktest.Main(m)
}

func hold(dir string) error {
	_, fast := os.LookupEnv("EMBEDDED_TEST_FAST")
	ctx := context.Background()
	c, err := Start(ctx, Config{Dir: dir, Fast: fast})
	if err != nil {
		return err
	}
	fmt.Println(c.started, c.server.pid, c.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return c.Stop(ctx)
}

// holder is such a second process.
type holder struct {
	cmd     *exec.Cmd
	in      io.Closer
	started bool
	pid     int // of the server
	url     string
}

func startHolder(t *testing.T, dir string, configure func(*exec.Cmd)) *holder {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{cmd: exec.CommandContext(t.Context(), exe)}
	h.cmd.Env = append(os.Environ(), "EMBEDDED_TEST_HOLD="+dir)
	h.cmd.Stderr = os.Stderr
	if configure != nil {
		configure(h.cmd)
	}
	h.in, err = h.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("read the second process: %v", err)
	}
	if _, err := fmt.Sscan(line, &h.started, &h.pid, &h.url); err != nil {
		t.Fatalf("second process said %q", line)
	}
	return h
}

// leave ends the process in good order.
func (h *holder) leave(t *testing.T) {
	t.Helper()
	if err := h.in.Close(); err != nil {
		t.Error(err)
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("second process: %v", err)
	}
}

// kill ends it as a crash would.
func (h *holder) kill(t *testing.T) {
	t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = h.cmd.Wait() // it was killed, and says so
}

// folder is a temporary folder that other users can pass through, unlike
// t.TempDir's.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "embedded-test-") //nolint:usetesting // t.TempDir is 0700
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

func start(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	cfg.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	c, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, c) })
	return c
}

func stop(t *testing.T, c *Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Second)
	defer cancel()
	if err := c.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// query runs one statement that returns one text.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	text, err := tryQuery(t.Context(), url, sql)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func tryQuery(ctx context.Context, url, sql string) (string, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	var text string
	err = conn.QueryRow(ctx, sql).Scan(&text)
	return text, err
}

const recall = "select v from kept"

func keepRow(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), "create table kept as select 'still here'::text as v"); err != nil {
		t.Fatal(err)
	}
}

// copyBinary puts the test binary where any user can run it.
func copyBinary(t *testing.T, dir string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "embedded.test")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// awaitDeath waits for a process to be gone, whoever's child it is.
func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if !gone(ctx, pid) {
		t.Errorf("process %d is still there", pid)
	}
}

func asUser(id *identity) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: id.credential()}
	}
}

// asUserOf runs a command as the user whom the cluster in dir belongs to.
func asUserOf(t *testing.T, dir string) func(*exec.Cmd) {
	t.Helper()
	id, err := chooseIdentity(filepath.Join(dir, "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	if id == nil {
		return func(*exec.Cmd) {}
	}
	return asUser(id)
}

func overwrite(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
