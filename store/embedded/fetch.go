package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// mavenCentral is the repository of the zonky.io builds.
const mavenCentral = "https://repo.maven.apache.org/maven2"

// fetchable holds the versions to download, by major version.
var fetchable = map[int]string{15: "15.13.0", 16: "16.9.0", 17: "17.5.0", 18: "18.3.0"}

// newestMajor is the major version for a new cluster.
const newestMajor = 18

// fetch downloads binaries of the wanted major version, or of the newest for 0, to the
// cache, unless they are there.
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
	place := filepath.Join(cache, "postgres-"+version+"-"+platform())
	if b, ok := inspect(ctx, filepath.Join(place, "bin")); ok {
		return b, nil
	}
	cfg.Progress("Fetching PostgreSQL " + version + ", because none is installed that fits")
	work, err := os.MkdirTemp(cache, "fetching-")
	if err == nil {
		err = letThrough(work)
	}
	if err == nil {
		err = download(ctx, cfg, version, work)
	}
	if err == nil {
		// If another process was first, the place exists with the same files.
		if err = os.Rename(work, place); errors.Is(err, os.ErrExist) {
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

// openCache returns a folder for binaries that the server's user can reach, creating it if
// needed.
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
