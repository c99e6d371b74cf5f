package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	dockerfile  = filepath.Join("..", "Dockerfile")
	composeFile = filepath.Join("..", "deploy", "compose.yaml")
)

// The image is built of the files that Dockerfile copies by name: all that main imports
// and embeds must be among them.
func TestImageIsBuiltOfWhatItCopies(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, line := range regexp.MustCompile(`(?m)^COPY ([a-z].*) \./(.*)$`).FindAllStringSubmatch(read(t, dockerfile), -1) {
		for name := range strings.FieldsSeq(line[1]) {
			from, to := filepath.Join("..", name), filepath.Join(root, name)
			var err error
			if info, e := os.Stat(from); e == nil && info.IsDir() {
				err = os.CopyFS(to, os.DirFS(from))
			} else {
				err = os.WriteFile(to, []byte(read(t, from)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", ".")
	list.Dir, list.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	var mistakes strings.Builder
	list.Stderr = &mistakes
	if err := list.Run(); err != nil {
		t.Errorf("%v:\n%s", err, &mistakes)
	}
}

// A tag may be moved, a digest and a commit cannot.
func TestImagesAndActionsArePinned(t *testing.T) {
	t.Parallel()
	image := `[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}`
	for file, want := range map[string]struct {
		named, pinned string
		n             int
	}{
		dockerfile:  {`^FROM (\S+)`, image, 2},
		composeFile: {` image: (\S+[:@]\S+)`, image, 2}, // the one without a tag is built here
		filepath.Join("..", ".github", "workflows", "ci.yml"):      {` uses: (.+)`, `\S+@[0-9a-f]{40} # v[0-9.]+`, 2},
		filepath.Join("..", ".github", "workflows", "release.yml"): {` uses: (.+)`, `\S+@[0-9a-f]{40} # v[0-9.]+`, 9},
	} {
		found := regexp.MustCompile(`(?m)`+want.named).FindAllStringSubmatch(read(t, file), -1)
		if len(found) != want.n {
			t.Errorf("%s names %d, want %d", file, len(found), want.n)
		}
		for _, name := range found {
			if !regexp.MustCompile(`^` + want.pinned + `$`).MatchString(name[1]) {
				t.Errorf("%s: %s is not pinned", file, name[1])
			}
		}
	}
}

// What an operator fills in is read, by compose.yaml or by nAIber.
func TestEnvironmentOfContainersIsRead(t *testing.T) {
	t.Parallel()
	compose := read(t, composeFile)
	names := regexp.MustCompile(`(?m)^#? ?([A-Z][A-Z0-9_]+)=`).FindAllStringSubmatch(read(t, filepath.Join("..", "deploy", "env.example")), -1)
	if len(names) == 0 {
		t.Fatal("env.example names no variable")
	}
	for _, name := range names {
		if !strings.Contains(compose, "${"+name[1]) && !slices.ContainsFunc(options, func(o *option) bool { return slices.Contains(o.envNames(), name[1]) }) {
			t.Errorf("nothing reads %s", name[1])
		}
	}
}

func read(tb testing.TB, name string) string {
	tb.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
