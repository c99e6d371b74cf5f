package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// makeCluster runs initdb unless the cluster exists. It works in a temporary folder and
// renames the result, so a cluster is never half made.
func makeCluster(ctx context.Context, cfg Config, h home, bin binaries, password string) (err error) {
	_, err = os.Stat(filepath.Join(h.cluster(), "PG_VERSION"))
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	cfg.Progress("Making a PostgreSQL " + bin.version + " database in " + h.dir)
	work, err := os.MkdirTemp(h.dir, "new-")
	if err != nil {
		return fmt.Errorf("make cluster: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	secret := filepath.Join(work, "password")
	err = errors.Join(
		os.WriteFile(secret, []byte(password+"\n"), 0o600),
		h.runAs.own(secret),
		h.runAs.own(work),
	)
	if err == nil {
		err = initdb(ctx, cfg, h, bin, work, secret)
	}
	if err == nil {
		err = os.Rename(filepath.Join(work, "cluster"), h.cluster())
	}
	if err != nil {
		return fmt.Errorf("make cluster: %w", err)
	}
	return nil
}

func initdb(ctx context.Context, cfg Config, h home, bin binaries, work, secret string) error {
	args := []string{
		"-D", filepath.Join(work, "cluster"), "-U", roleName, "--pwfile", secret,
		"-A", "scram-sha-256", "-E", "UTF8", "--no-instructions",
	}
	if cfg.Fast {
		args = append(args, "--no-sync", "--wal-segsize", "1")
	} else {
		args = append(args, "--data-checksums")
	}
	var err error
	for _, locale := range locales(bin.major) {
		cmd := exec.CommandContext(ctx, bin.path("initdb"), append(args, locale...)...) //nolint:gosec // found by us
		prepare(cmd, h)
		var said bytes.Buffer
		cmd.Stderr = &said
		if err = cmd.Run(); err == nil {
			return nil
		}
		err = fmt.Errorf("run initdb: %w: %s", err, bytes.TrimSpace(said.Bytes()))
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}

// locales returns the initdb options for "code-point order, with upper and lower case",
// best first: names must sort the same on every machine, and "É" must have the lower case
// "é".
func locales(major int) [][]string {
	plain := []string{"--no-locale"}
	switch {
	case major >= 17:
		return [][]string{{"--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-locale"}, plain}
	case runtime.GOOS == "darwin":
		return [][]string{{"--no-locale", "--lc-ctype=UTF-8"}, plain}
	default:
		return [][]string{{"--locale=C.UTF-8"}, plain}
	}
}
