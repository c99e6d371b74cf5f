package embedded

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
}

// The suite runs as whoever runs it; as root, this is the other half.
func TestAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	nobody := someone(t)
	dir := folder(t)
	exe := copyBinary(t, dir)
	data := filepath.Join(dir, "data")
	if err := errors.Join(os.Mkdir(data, 0o700), nobody.own(data)); err != nil {
		t.Fatal(err)
	}
	h := startHolder(t, filepath.Join(data, "postgres"), func(cmd *exec.Cmd) {
		cmd.Path, cmd.Dir = exe, dir
		asUser(nobody)(cmd)
	})
	keepRow(t, h.url)
	h.leave(t)

	// Root then keeps to the owner of the data, who finds everything usable.
	c := start(t, Config{Dir: filepath.Join(data, "postgres")})
	if got := query(t, c.URL(), recall); got != "still here" {
		t.Errorf("as root: got %q", got)
	}
	stop(t, c)
	h = startHolder(t, filepath.Join(data, "postgres"), func(cmd *exec.Cmd) {
		cmd.Path, cmd.Dir = exe, dir
		asUser(nobody)(cmd)
	})
	h.leave(t)
}

func TestNotTheirs(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := folder(t)
	exe := copyBinary(t, dir)
	c := start(t, Config{Dir: filepath.Join(dir, "pg"), Fast: true})
	stop(t, c)
	stranger := &identity{uid: 54321, gid: 54321, name: "a stranger"}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "EMBEDDED_TEST_HOLD="+filepath.Join(dir, "pg"))
	cmd.Dir = dir
	asUser(stranger)(cmd)
	out, err := cmd.Output()
	if err == nil || !strings.Contains(string(out), "belongs to user") {
		t.Errorf("a stranger's start: %v, %q", err, out)
	}
}

// A folder below one that is closed, as /root is, moves to the shelter, and is
// found there again even when its link is lost.
func TestShelter(t *testing.T) {
	t.Parallel()
	needRoot(t)
	closed := t.TempDir() // 0700 above
	cfg := Config{Dir: filepath.Join(closed, "data", "postgres"), shelter: filepath.Join(folder(t), "shelter")}
	c := start(t, cfg)
	if !strings.HasPrefix(c.Dir(), cfg.shelter) {
		t.Errorf("lives in %s, want below %s", c.Dir(), cfg.shelter)
	}
	keepRow(t, c.URL())
	stop(t, c)
	if target, err := os.Readlink(cfg.Dir); err != nil || target != c.Dir() {
		t.Errorf("link: %q, %v", target, err)
	}
	if err := os.Remove(cfg.Dir); err != nil {
		t.Fatal(err)
	}
	again := start(t, cfg)
	if got := query(t, again.URL(), recall); got != "still here" {
		t.Errorf("got %q", got)
	}
}

func TestShelterKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := filepath.Join(t.TempDir(), "postgres")
	if err := os.MkdirAll(filepath.Join(dir, "precious"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := openHome(Config{Dir: dir, shelter: filepath.Join(folder(t), "shelter")}.withDefaults())
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "precious")); err != nil {
		t.Error(err)
	}
}

func TestIdentityReaches(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	if err := os.MkdirAll(filepath.Join(dir, "open", "closed"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "open"), 0o711); err != nil {
		t.Fatal(err)
	}
	stranger := &identity{uid: 54321, gid: 54321}
	owner := &identity{uid: uint32(os.Geteuid()), gid: 54321}
	for _, tt := range []struct {
		name string
		id   *identity
		path string
		want bool
	}{
		{"stranger, open", stranger, "open", true},
		{"stranger, closed", stranger, "open/closed", false},
		{"stranger, missing", stranger, "nowhere", false},
		{"owner, closed", owner, "open/closed", true},
	} {
		if got := tt.id.reaches(filepath.Join(dir, tt.path)); got != tt.want {
			t.Errorf("%s: reaches = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestLostPassword(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := start(t, Config{Dir: dir, Fast: true})
	stop(t, c)
	if err := os.Remove(filepath.Join(dir, "password")); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Config{Dir: dir, Fast: true})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "password") {
		t.Errorf("Start without the password file: %v", err)
	}
}

func TestLogIsSetAside(t *testing.T) {
	t.Parallel()
	h := home{dir: folder(t)}
	if err := os.WriteFile(h.logFile(), make([]byte, maxLogBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openLog(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]int64{"": 0, ".1": maxLogBytes + 1} {
		info, err := os.Stat(h.logFile() + name)
		if err != nil || info.Size() != want {
			t.Errorf("log%s: %v, %v, want %d bytes", name, info, err, want)
		}
	}
}

func someone(t *testing.T) *identity {
	t.Helper()
	id, err := unprivileged()
	if err != nil {
		t.Fatal(err)
	}
	if id.name != "nobody" {
		return &identity{uid: 65534, gid: 65534, name: "nobody"}
	}
	return id
}
