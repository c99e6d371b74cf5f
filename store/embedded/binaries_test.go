package embedded

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func nothingInstalled(context.Context) []binaries { return nil }

// fakePostgres makes an installation that knows its version and no more.
func fakePostgres(t *testing.T, says string, withInitdb bool) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\necho '" + says + "'\n"
	// A process that is forked meanwhile would hold the file open for writing, and
	// what is held so cannot be run.
	syscall.ForkLock.RLock()
	err := os.WriteFile(filepath.Join(dir, "postgres"), []byte(script), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	if withInitdb {
		if err := os.WriteFile(filepath.Join(dir, "initdb"), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestInspect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says string
		initdb     bool
		version    string
		major      int
	}{
		{"Debian", "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", true, "15.18", 15},
		{"plain", "postgres (PostgreSQL) 17.5", true, "17.5", 17},
		{"beta", "postgres (PostgreSQL) 19beta1", true, "19beta1", 19},
		{"without initdb", "postgres (PostgreSQL) 17.5", false, "", 0},
		{"something else", "hello", true, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := fakePostgres(t, tt.says, tt.initdb)
			got, ok := inspect(t.Context(), dir)
			if got.version != tt.version || got.major != tt.major || ok != (tt.major != 0) {
				t.Errorf("got %+v, %v", got, ok)
			}
		})
	}
}

func TestObtainChooses(t *testing.T) {
	t.Parallel()
	installed := []binaries{{dir: "/", version: "14.1", major: 14}, {dir: "/", version: "16.2", major: 16}, {dir: "/", version: "17.5", major: 17}}
	for _, tt := range []struct {
		name, data, want string
	}{
		{"new: first that is new enough", "", "16.2"},
		{"existing data: the same version", "17", "17.5"},
		{"existing data, made by an old one", "14", "14.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{find: func(context.Context) []binaries { return installed }}.withDefaults()
			got, err := obtain(t.Context(), cfg, homeWithData(t, tt.data))
			if err != nil || got.version != tt.want {
				t.Errorf("got %s, %v; want %s", got.version, err, tt.want)
			}
		})
	}
}

func homeWithData(t *testing.T, major string) home {
	t.Helper()
	h := home{dir: folder(t)}
	if major == "" {
		return h
	}
	if err := os.Mkdir(h.cluster(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.cluster(), "PG_VERSION"), []byte(major+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestVersionThatNobodyHas(t *testing.T) {
	t.Parallel()
	h := homeWithData(t, "9")
	if err := h.write("password", "secret\n"); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Config{Dir: h.dir})
	if !errors.Is(err, ErrVersion) {
		t.Fatalf("got %v, want ErrVersion", err)
	}
	for _, part := range []string{"written by PostgreSQL 9", "install PostgreSQL 9", "move the folder away"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

func TestFetchFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		serve http.HandlerFunc
		want  string
	}{
		{"not there", http.NotFound, "404"},
		{"a page instead", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>sign in</html>")) }, "checksums"},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("PK"))
		}, "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mirror := httptest.NewServer(tt.serve)
			defer mirror.Close()
			cache := t.TempDir()
			cfg := Config{Mirror: mirror.URL, Cache: cache, find: nothingInstalled}.withDefaults()
			_, err := obtain(t.Context(), cfg, home{dir: t.TempDir()})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "set DATABASE_URL") {
				t.Errorf("got %v, want it to mention %q and what to do", err, tt.want)
			}
			if entries, _ := os.ReadDir(cache); len(entries) != 0 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

func TestFetchEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	mirror := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer mirror.Close()
	cfg := Config{Mirror: mirror.URL, Cache: t.TempDir(), find: nothingInstalled}.withDefaults()
	_, err := obtain(ctx, cfg, home{dir: t.TempDir()})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it cancelled", err)
	}
}

// The real thing: what Maven Central serves today runs on this machine.
func TestFetchedServerRuns(t *testing.T) {
	t.Parallel()
	_, ci := os.LookupEnv("CI")
	if testing.Short() || raceDetector && !ci {
		t.Skip("fetches 15 MB, and unpacks them for half a minute under the race detector")
	}
	client := fetcher()
	client.Timeout = 5 * time.Second
	req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, mavenCentral+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		if ci {
			t.Fatalf("Maven Central is needed here: %v", err)
		}
		t.Skipf("needs Maven Central: %v", err)
	}
	_ = resp.Body.Close()
	dir := folder(t)
	var said []string
	c := start(t, Config{
		Dir: filepath.Join(dir, "pg"), Cache: filepath.Join(dir, "cache"), Fast: true, find: nothingInstalled,
		Progress: func(line string) { said = append(said, line) },
	})
	if got := query(t, c.URL(), "select upper('élise') || current_setting('server_version')"); got != "ÉLISE18.3" {
		t.Errorf("got %q", got)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "Fetching PostgreSQL 18") || !strings.Contains(all, "of 14 MB") {
		t.Errorf("progress:\n%s", all)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "cache"))
	if err != nil || len(entries) != 1 {
		t.Errorf("cache holds %v, %v; want the unpacked build alone", entries, err)
	}
}
