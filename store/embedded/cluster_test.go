package embedded

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestRestartKeepsData(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: filepath.Join(folder(t), "data", "postgres")}
	c := start(t, cfg)
	if !c.started {
		t.Error("started = false for a new cluster")
	}
	keepRow(t, c.URL())
	stop(t, c)
	stop(t, c) // twice is fine
	if exists(c.server.pid) {
		t.Errorf("server %d is still there after Stop", c.server.pid)
	}

	began := time.Now()
	again := start(t, cfg)
	t.Logf("second start took %v", time.Since(began))
	if got := query(t, again.URL(), recall); got != "still here" {
		t.Errorf("after a restart: got %q", got)
	}
	if again.password != c.password {
		t.Error("the password changed")
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Dir: folder(t), Fast: true})
	for _, tt := range []struct{ name, sql, want string }{
		{"database", "select current_database()", "naiber"},
		{"encoding", "show server_encoding", "UTF8"},
		{"letters have cases", "select upper('élise')", "ÉLISE"},
		{"zone", "show timezone", "UTC"},
		{"loopback only", "show listen_addresses", "127.0.0.1"},
		{"no socket", "show unix_socket_directories", ""},
		{"passwords", "select count(*)::text from pg_hba_file_rules where auth_method <> 'scram-sha-256'", "0"},
		{"no statements in the log", "show log_min_error_statement", "panic"},
		{"no row values in the log", "show log_error_verbosity", "terse"},
		{"fast", "show fsync", "off"},
	} {
		if got := query(t, c.URL(), tt.sql); got != tt.want {
			t.Errorf("%s: %s = %q, want %q", tt.name, tt.sql, got, tt.want)
		}
	}
}

func TestWrongPassword(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Dir: folder(t), Fast: true})
	info, err := os.Stat(filepath.Join(c.Dir(), "password"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("password file: %v, %v", info.Mode(), err)
	}
	wrong := strings.Replace(c.URL(), c.password, "guess", 1)
	if _, err := tryQuery(t.Context(), wrong, "select ''"); err == nil {
		t.Error("a wrong password was let in")
	}
}

// A command and a server share a cluster: whoever leaves first takes nothing
// away from the other.
func TestSharedByProcesses(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := startHolder(t, dir, nil)
	second := start(t, Config{Dir: dir})
	if !first.started || second.started {
		t.Errorf("started: first %v, second %v; want only the first", first.started, second.started)
	}
	keepRow(t, second.URL())
	first.leave(t)
	if got := query(t, second.URL(), recall); got != "still here" {
		t.Errorf("after the first left: got %q", got)
	}
	third := start(t, Config{Dir: dir})
	if third.started {
		t.Error("the third started a server while one ran")
	}
	stop(t, second)
	if got := query(t, third.URL(), recall); got != "still here" {
		t.Errorf("after the second left: got %q", got)
	}
	stop(t, third)
	awaitDeath(t, first.pid)
	if _, found, err := running(filepath.Join(dir, "cluster")); found || err != nil {
		t.Errorf("running after all have left: %v, %v", found, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	clusters := make([]*Cluster, 4)
	var wg sync.WaitGroup
	for i := range clusters {
		wg.Go(func() {
			c, err := Start(t.Context(), Config{Dir: dir, Fast: true})
			if err != nil {
				t.Error(err)
				return
			}
			clusters[i] = c
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	starters := 0
	for _, c := range clusters {
		if c.started {
			starters++
		}
		if c.URL() != clusters[0].URL() {
			t.Error("not all have the same server")
		}
	}
	if starters != 1 {
		t.Errorf("%d of %d started the server", starters, len(clusters))
	}
	for _, c := range clusters {
		wg.Go(func() { stop(t, c) })
	}
	wg.Wait()
	awaitDeath(t, clusters[0].server.pid)
}

func TestAdoptsAfterKill(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	dead := startHolder(t, dir, nil)
	keepRow(t, dead.url)
	dead.kill(t)
	if !alive(dead.pid) {
		t.Fatal("the server died with its process; it should wait to be adopted")
	}
	c := start(t, Config{Dir: dir})
	if c.started || c.server.pid != dead.pid {
		t.Errorf("started = %v, pid %d; want the old server %d", c.started, c.server.pid, dead.pid)
	}
	if got := query(t, c.URL(), recall); got != "still here" {
		t.Errorf("got %q", got)
	}
	stop(t, c)
	awaitDeath(t, dead.pid)
}

func TestRecoversWhenServerIsKilled(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	dead := startHolder(t, dir, nil)
	keepRow(t, dead.url)
	dead.kill(t)
	killServer(t, dir)
	awaitDeath(t, dead.pid)
	// Now the process id in the lock file is somebody's who is not a server.
	text, err := os.ReadFile(pidFile(filepath.Join(dir, "cluster")))
	if err != nil {
		t.Fatal(err)
	}
	other := exec.CommandContext(t.Context(), "sleep", "60")
	asUserOf(t, dir)(other)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	_, rest, _ := strings.Cut(string(text), "\n")
	overwrite(t, pidFile(filepath.Join(dir, "cluster")), strconv.Itoa(other.Process.Pid)+"\n"+rest)

	again := start(t, Config{Dir: dir})
	if got := query(t, again.URL(), recall); got != "still here" {
		t.Errorf("after recovery: got %q", got)
	}
}

// A server that is killed is started again by one of those who use it, where
// all of them look for it.
func TestKilledServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	users := []*Cluster{start(t, Config{Dir: dir}), start(t, Config{Dir: dir}), start(t, Config{Dir: dir})}
	other := startHolder(t, dir, nil)
	keepRow(t, other.url)
	for range 2 {
		dead := killServer(t, dir)
		began := time.Now()
		for got := ""; got != "still here"; got, _ = tryQuery(t.Context(), other.url, recall) {
			if time.Since(began) > 20*time.Second {
				t.Fatal("the server does not come back")
			}
		}
		t.Logf("it was back after %v", time.Since(began))
		if pm, found, err := running(filepath.Join(dir, "cluster")); err != nil || !found || pm.pid == dead {
			t.Fatalf("running: %+v, %v, %v", pm, found, err)
		}
	}
	said, err := os.ReadFile(users[0].home.logFile())
	if n := strings.Count(string(said), "starting PostgreSQL"); err != nil || n != 3 {
		t.Errorf("it was started %d times, want 3; %v", n, err)
	}
	for _, c := range users { // whether or not they have heard of it
		stop(t, c)
	}
	if got := query(t, other.url, recall); got != "still here" {
		t.Errorf("after others left: got %q", got)
	}
	pm, _, err := running(filepath.Join(dir, "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	other.leave(t)
	awaitDeath(t, pm.pid)
}

// Who leaves while it starts a killed server again takes it from nobody.
func TestLeavingWhileTheServerStarts(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Dir: folder(t)})
	c.endWatch() // it is started again by this test alone
	<-c.watched
	killServer(t, c.Dir())
	awaitDeath(t, c.server.pid)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	go func() {
		for ctx.Err() == nil {
			if pm, found, err := running(c.home.cluster()); err == nil && found && !pm.ready {
				leave()
			}
		}
	}()
	if err := c.revive(ctx); err != nil {
		t.Error(err)
	}
	if _, err := tryQuery(t.Context(), c.URL(), "select 1"); err != nil {
		t.Error(err)
	}
}

// A command that comes while the server is dead starts it where others look for it.
func TestStartAfterKillKeepsThePort(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	dead := startHolder(t, dir, nil)
	dead.kill(t)
	killServer(t, dir)
	awaitDeath(t, dead.pid)
	if c := start(t, Config{Dir: dir}); c.URL() != dead.url {
		t.Error("the server has moved to another port")
	}
}

// killServer kills the server of the cluster in dir as a crash would.
func killServer(t *testing.T, dir string) int {
	t.Helper()
	pm, found, err := running(filepath.Join(dir, "cluster"))
	if err == nil && found {
		err = syscall.Kill(pm.pid, syscall.SIGKILL)
	}
	if err != nil || !found {
		t.Fatalf("kill the server: %v, %v", found, err)
	}
	return pm.pid
}

// A killed server's children may work on for a while; a new server must neither
// share the data with them nor give up because of them.
func TestWaitsForOrphans(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	dead := startHolder(t, dir, nil)
	keepRow(t, dead.url)
	conn, err := pgx.Connect(t.Context(), dead.url)
	if err != nil {
		t.Fatal(err)
	}
	busy := make(chan error, 1)
	go func() {
		_, err := conn.Exec(t.Context(), "do $$ declare t timestamptz := clock_timestamp() + '900 ms'; begin while clock_timestamp() < t loop end loop; end $$")
		busy <- errors.Join(err, conn.Close(t.Context()))
	}()
	for query(t, dead.url, "select count(*)::text from pg_stat_activity where state = 'active' and query like 'do %'") != "1" {
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
	}
	dead.kill(t)
	killServer(t, dir)
	awaitDeath(t, dead.pid)
	again := start(t, Config{Dir: dir})
	if got := query(t, again.URL(), recall); got != "still here" {
		t.Errorf("after recovery: got %q", got)
	}
	if err := <-busy; err != nil {
		t.Logf("the orphan was cut off: %v", err)
	}
	said, err := os.ReadFile(again.home.logFile())
	if err != nil || !strings.Contains(string(said), "is still in use") {
		t.Errorf("the orphan was not there to wait for: %v", err)
	}
}

func TestPortTaken(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	port := l.Addr().(*net.TCPAddr).Port
	c, err := Start(t.Context(), Config{Dir: folder(t), Port: port, Fast: true})
	if err == nil {
		stop(t, c)
	}
	if !errors.Is(err, errPortTaken) {
		t.Errorf("Start on a taken port: %v", err)
	}
}

func TestStopWithoutTimeStillStops(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c, err := Start(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	keepRow(t, c.URL())
	err = c.Stop(cancelled(t))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Stop with an ended context: %v", err)
	}
	if exists(c.server.pid) {
		t.Error("the server is still there")
	}
	again := start(t, Config{Dir: dir})
	if got := query(t, again.URL(), recall); got != "still here" {
		t.Errorf("got %q", got)
	}
}

func TestFastServerDiesWithUs(t *testing.T) {
	t.Parallel()
	if !mortal {
		t.Skip("only on Linux can a server die with its process")
	}
	h := startHolder(t, folder(t), func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "EMBEDDED_TEST_FAST=1") })
	h.kill(t)
	awaitDeath(t, h.pid)
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Start(ctx, Config{Dir: dir, Progress: func(string) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Start = %v, want it cancelled", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}
