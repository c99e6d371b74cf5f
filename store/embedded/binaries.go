package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// minMajor is the oldest PostgreSQL version for a new cluster; the schema is tested with it
// and later ones.
const minMajor = 15

// binaries is one installation of PostgreSQL.
type binaries struct {
	dir     string // holds postgres and initdb
	version string // "15.18"
	major   int
}

func (b binaries) path(name string) string { return filepath.Join(b.dir, name) }

// binDirs are the folders where packages install PostgreSQL outside the PATH: Debian, the
// PGDG's RPMs, Alpine, Homebrew on both kinds of Mac, Postgres.app.
var binDirs = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/libexec/postgresql*",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// obtain finds binaries that match the cluster, or downloads them.
func obtain(ctx context.Context, cfg Config, h home) (binaries, error) {
	want, err := clusterMajor(h.cluster())
	if err != nil {
		return binaries{}, err
	}
	installed := cfg.find(ctx)
	for _, b := range installed {
		if (b.major == want || want == 0 && b.major >= minMajor) && h.canRun(b.dir) {
			return b, nil
		}
	}
	b, err := fetch(ctx, cfg, h, want)
	if err != nil && want != 0 {
		return binaries{}, fmt.Errorf("%w: the data in %s was written by PostgreSQL %d, installed is %s, and fetching it did not work: "+
			"install PostgreSQL %d, or move the folder away to begin anew (pg_dump and pg_restore carry the data over): %w",
			ErrVersion, h.dir, want, describe(installed), want, err)
	}
	if err != nil {
		return binaries{}, fmt.Errorf("PostgreSQL %d or later is not installed (found %s), and fetching it did not work: "+
			"install it, or set DATABASE_URL: %w", minMajor, describe(installed), err)
	}
	return b, nil
}

// clusterMajor returns the major version that created the cluster, or 0 if there is none
// yet.
func clusterMajor(cluster string) (int, error) {
	text, err := os.ReadFile(filepath.Join(cluster, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	return major, nil
}

func (h home) canRun(dir string) bool { return h.runAs == nil || h.runAs.reaches(dir) }

// findInstalled lists installations, best first: the one on the PATH, then the
// highest version.
func findInstalled(ctx context.Context) []binaries {
	var found, others []binaries
	seen := map[string]bool{}
	add := func(list []binaries, dir string) []binaries {
		if b, ok := inspect(ctx, dir); ok && !seen[b.dir] {
			seen[b.dir] = true
			return append(list, b)
		}
		return list
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		// Resolve a link on the PATH: lib and share are found relative to the real location
		// of the binary.
		if target, err := filepath.EvalSymlinks(path); err == nil {
			found = add(found, filepath.Dir(target))
		}
	}
	for _, pattern := range binDirs {
		dirs, _ := filepath.Glob(pattern) // fails only on bad patterns
		for _, dir := range dirs {
			others = add(others, dir)
		}
	}
	slices.SortStableFunc(others, func(a, b binaries) int { return b.major - a.major })
	return append(found, others...)
}

var versionLine = regexp.MustCompile(`^postgres \(PostgreSQL\) ((\d+)[^\s]*)`)

// inspect reads the version of an installation; ok is false if there is none, or it lacks
// initdb.
func inspect(ctx context.Context, dir string) (b binaries, ok bool) {
	b.dir = dir
	if _, err := os.Stat(b.path("initdb")); err != nil {
		return binaries{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.path("postgres"), "--version").Output() //nolint:gosec // found by us
	if err != nil {
		return binaries{}, false
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return binaries{}, false
	}
	b.version = string(m[1])
	b.major, err = strconv.Atoi(string(m[2]))
	return b, err == nil
}

func describe(installed []binaries) string {
	if len(installed) == 0 {
		return "none"
	}
	versions := make([]string, len(installed))
	for i, b := range installed {
		versions[i] = b.version
	}
	return strings.Join(versions, ", ")
}

// platform names the platform that fetched binaries run on.
func platform() string { return runtime.GOOS + "-" + runtime.GOARCH }
