package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// identity is the unprivileged user of the server if this process is root.
type identity struct {
	uid, gid uint32
	name     string
}

// chooseIdentity returns nil if the server runs as the user of this process. For root it
// returns the owner of the cluster or, for a new one, the user "postgres", or else
// "nobody".
func chooseIdentity(cluster string) (*identity, error) {
	info, err := os.Stat(cluster)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for a cluster: %w", err)
	}
	exists := err == nil
	var uid, gid uint32
	if exists {
		uid, gid = ownerOf(info)
	}
	switch me := uint32(os.Geteuid()); { //nolint:gosec // a user id fits
	case me != 0 && exists && uid != me:
		return nil, fmt.Errorf("the cluster in %s belongs to %s: run as that user or as root, or choose another data folder",
			filepath.Dir(cluster), userName(uid))
	case me != 0:
		return nil, nil //nolint:nilnil // documented: nil is "as this process"
	case uid != 0:
		return &identity{uid: uid, gid: gid, name: userName(uid)}, nil
	default:
		return unprivileged()
	}
}

func unprivileged() (*identity, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return &identity{uid: uint32(uid), gid: uint32(gid), name: name}, nil
		}
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user \"postgres\" nor \"nobody\": " +
		"run as another user, or set DATABASE_URL")
}

func userName(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return "user " + u.Username
	}
	return "user " + id
}

// reaches reports whether the user may traverse path and every folder above it.
func (id *identity) reaches(path string) bool {
	for {
		info, err := os.Stat(path)
		if err != nil || !id.passes(info) {
			return false
		}
		above := filepath.Dir(path)
		if above == path {
			return true
		}
		path = above
	}
}

// passes checks the permission bits; it does not see access lists.
func (id *identity) passes(info fs.FileInfo) bool {
	uid, gid := ownerOf(info)
	switch mode := info.Mode(); {
	case uid == id.uid:
		return mode&0o100 != 0
	case gid == id.gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}

// own makes the user the owner of path. For a nil identity it is a no-op.
func (id *identity) own(path string) error {
	if id == nil {
		return nil
	}
	return os.Chown(path, int(id.uid), int(id.gid))
}

func (id *identity) credential() *syscall.Credential {
	if id == nil {
		return nil
	}
	return &syscall.Credential{Uid: id.uid, Gid: id.gid}
}

func ownerOf(info fs.FileInfo) (uid, gid uint32) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return stat.Uid, stat.Gid
}
