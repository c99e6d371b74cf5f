package embedded

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// home is a cluster's folder, links resolved, with the user of the server.
type home struct {
	dir   string
	runAs *identity // nil for the user of this process
}

func (h home) cluster() string { return filepath.Join(h.dir, "cluster") }
func (h home) logFile() string { return filepath.Join(h.dir, "postgres.log") }

// openHome creates the folder, moves it to a place that the server can reach, and decides
// which user the server runs as.
func openHome(cfg Config) (home, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return home{}, fmt.Errorf("find folder %s: %w", cfg.Dir, err)
	}
	if err := makeFolder(dir); err != nil {
		return home{}, err
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return home{}, fmt.Errorf("resolve %s: %w", dir, err)
	}
	runAs, err := chooseIdentity(filepath.Join(resolved, "cluster"))
	if err != nil || runAs == nil {
		return home{dir: resolved}, err
	}
	if !runAs.reaches(resolved) {
		if resolved, err = takeShelter(cfg, dir, runAs); err != nil {
			return home{}, err
		}
	}
	return home{dir: resolved, runAs: runAs}, nil
}

// makeFolder creates dir, or the folder that it links to. As root, others may traverse the
// folder, since the server runs as another user; private files in it have their own
// permissions.
func makeFolder(dir string) error {
	if target, err := os.Readlink(dir); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(dir), target)
		}
		dir = target
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // the server's user passes through
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder: %w", err)
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return letThrough(dir)
}

// letThrough lets other users traverse a folder owned by root.
func letThrough(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if uid, _ := ownerOf(info); uid != 0 || info.Mode()&0o001 != 0 {
		return nil
	}
	if err := os.Chmod(dir, info.Mode().Perm()|0o011); err != nil {
		return fmt.Errorf("open folder to the server: %w", err)
	}
	return nil
}

// makePassword returns the role's password, generating it for a new cluster.
func (h home) makePassword() (string, error) {
	path := filepath.Join(h.dir, "password")
	text, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		password := strings.TrimSpace(string(text))
		if err == nil && password == "" {
			err = errors.New("the file is empty")
		}
		if err != nil {
			err = fmt.Errorf("read password from %s: %w", path, err)
		}
		return password, err
	}
	if _, statErr := os.Stat(h.cluster()); statErr == nil {
		return "", fmt.Errorf("the cluster is there, but its password is not: "+
			"put %s back, or move the folder away to begin anew: %w", path, err)
	}
	password := rand.Text()
	return password, h.write("password", password+"\n")
}

// write atomically writes a small private file in the folder.
func (h home) write(name, text string) error {
	f, err := os.CreateTemp(h.dir, name+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close(), h.disown(f.Name()))
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(h.dir, name))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// disown gives a file created by root to the folder's owner, who may later use the cluster
// without root.
func (h home) disown(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(h.dir)
	if err != nil {
		return err
	}
	uid, gid := ownerOf(info)
	return os.Chown(path, int(uid), int(gid))
}
