package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// takeShelter moves a folder that the server's user cannot reach, such as one below /root,
// into the shelter and leaves a link. Its name there is derived from dir, so the data is
// found again if the link is lost. It returns the new place.
func takeShelter(cfg Config, dir string, who *identity) (string, error) {
	sum := sha256.Sum256([]byte(dir))
	refuge := filepath.Join(cfg.shelter, hex.EncodeToString(sum[:6]))
	if target, err := os.Readlink(dir); err == nil && target != refuge {
		return "", fmt.Errorf("%s links to %s, where %s, which runs PostgreSQL, cannot go: "+
			"choose another data folder", dir, target, who.name)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s cannot be reached by %s, which runs PostgreSQL, and is not empty, so it stays where it is: "+
			"choose another data folder, or move it: %w", dir, who.name, err)
	}
	if err := makeFolder(refuge); err != nil {
		return "", err
	}
	if err := letThrough(cfg.shelter); err != nil {
		return "", err
	}
	if !who.reaches(refuge) {
		return "", fmt.Errorf("neither %s nor %s can be reached by %s, which runs PostgreSQL: "+
			"choose another data folder", dir, refuge, who.name)
	}
	_, err := os.Stat(filepath.Join(refuge, "cluster"))
	known := err == nil
	if err := os.Symlink(refuge, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("link %s to %s: %w", dir, refuge, err)
	}
	cfg.Log.Warn("database folder is kept elsewhere, because the server's user cannot reach it",
		slog.String("dir", dir), slog.String("kept_in", refuge), slog.String("user", who.name), slog.Bool("had_data", known))
	cfg.Progress(fmt.Sprintf("The database is kept in %s: %s, which runs PostgreSQL, cannot reach %s", refuge, who.name, dir))
	return refuge, nil
}
