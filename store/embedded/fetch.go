package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// mavenCentral is where the zonky.io builds are published.
const mavenCentral = "https://repo.maven.apache.org/maven2"

// fetchable are the builds to fetch, by major version.
var fetchable = map[int]embeddedpostgres.PostgresVersion{
	15: embeddedpostgres.V15,
	16: embeddedpostgres.V16,
	17: embeddedpostgres.V17,
	18: embeddedpostgres.V18,
}

// newestMajor is fetched for a new cluster.
const newestMajor = 18

// fetch gets binaries of the wanted major version, or of the newest for 0, into
// the cache, where the next start finds them.
func fetch(ctx context.Context, cfg Config, h home, major int) (binaries, error) {
	if major == 0 {
		major = newestMajor
	}
	version, ok := fetchable[major]
	if !ok {
		return binaries{}, fmt.Errorf("there is no PostgreSQL %d to fetch", major)
	}
	cache, err := openCache(cfg, h)
	if err != nil {
		return binaries{}, err
	}
	place := filepath.Join(cache, "postgres-"+string(version)+"-"+platform())
	if b, ok := inspect(ctx, filepath.Join(place, "bin")); ok {
		return b, nil
	}
	cfg.Progress("Fetching PostgreSQL " + string(version) + ", because none is installed that fits")
	work, err := os.MkdirTemp(cache, "fetching-")
	if err != nil {
		return binaries{}, fmt.Errorf("fetch PostgreSQL %s: %w", version, err)
	}
	err = letThrough(work)
	if err == nil {
		err = download(ctx, cfg, version, work)
	}
	if err == nil {
		// Whoever is second finds the place taken, by the same files.
		if err = os.Rename(filepath.Join(work, "unpacked"), place); errors.Is(err, os.ErrExist) {
			err = nil
		}
	}
	if err = errors.Join(err, os.RemoveAll(work)); err != nil {
		return binaries{}, fmt.Errorf("fetch PostgreSQL %s: %w", version, err)
	}
	b, ok := inspect(ctx, filepath.Join(place, "bin"))
	if !ok {
		return binaries{}, fmt.Errorf("fetch PostgreSQL %s: what came does not run on this machine", version)
	}
	return b, nil
}

// download has the library fetch and unpack a build into work/unpacked. The
// library does so only on its way to starting a server, which it cannot do as
// root nor the way we do it; a data path below a file makes it turn back right
// after unpacking. Its error then says nothing: the files do.
func download(ctx context.Context, cfg Config, version embeddedpostgres.PostgresVersion, work string) error {
	relay, err := startRelay(ctx, cfg)
	if err != nil {
		return err
	}
	defer relay.stop()
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	blocker := filepath.Join(work, "blocker")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		return err
	}
	unpacked := filepath.Join(work, "unpacked")
	lib := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(version).
		BinaryRepositoryURL(relay.url).
		CachePath(filepath.Join(work, "archive")).
		RuntimePath(filepath.Join(work, "runtime")).
		BinariesPath(unpacked).
		DataPath(filepath.Join(blocker, "data")).
		Port(uint32(port)). //nolint:gosec // a port fits
		Logger(io.Discard))
	litter := libraryLogs()
	err = lib.Start()
	sweep(litter)
	if err == nil { // it must not have, but then it must not stay either
		return errors.Join(errors.New("the library started a server"), lib.Stop())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, statErr := os.Stat(filepath.Join(unpacked, "bin", "postgres")); statErr != nil {
		return errors.Join(relay.failure(), errors.New(strings.ReplaceAll(err.Error(), relay.url, cfg.Mirror)))
	}
	return nil
}

// libraryLogs lists the log files that the library makes in the temporary
// folder, and leaves there when it turns back.
func libraryLogs() []string {
	logs, _ := filepath.Glob(filepath.Join(os.TempDir(), "embedded_postgres_log*")) // fails on bad patterns alone
	return logs
}

// sweep removes those that are new and empty, as ours is.
func sweep(before []string) {
	for _, log := range libraryLogs() {
		if info, err := os.Stat(log); err == nil && info.Size() == 0 && !slices.Contains(before, log) {
			_ = os.Remove(log) // litter that stays does no harm
		}
	}
}

// openCache returns a folder for binaries that the server's user can reach.
func openCache(cfg Config, h home) (string, error) {
	var places []string
	switch user, err := os.UserCacheDir(); {
	case cfg.Cache != "":
		places = []string{cfg.Cache}
	case os.Geteuid() == 0:
		places = []string{"/var/cache/naiber"}
	case err == nil:
		places = []string{filepath.Join(user, "naiber")}
	}
	places = append(places, filepath.Join(h.dir, "binaries"))
	var all error
	for _, place := range places {
		err := makeFolder(place)
		if err == nil && h.canRun(place) {
			return filepath.EvalSymlinks(place)
		}
		all = errors.Join(all, err)
	}
	return "", fmt.Errorf("find a place for PostgreSQL's binaries: %w", all)
}
