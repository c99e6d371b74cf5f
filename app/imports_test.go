package app_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/naiber/naiber"

// allowed says which of our folders a folder may import, itself and what is
// below it aside: arrows point down, and never back up. Tests may use more.
var allowed = map[string][]string{
	"":              {"app"}, // main.go
	"app":           {"telephony", "orchestration", "personas", "memory", "jobs", "store"},
	"telephony":     {"store"},
	"orchestration": {"store"},
	"personas":      {"orchestration", "memory", "store"},
	"memory":        {"store"},
	"jobs":          {"store"},
	"store":         {"sql"},
	"sql":           {},
	"internal":      {}, // below everything: all may import it
}

// inner are packages that only their owner may import, with the reason.
var inner = map[string]string{
	"app/sandbox":        "the stand-ins are reachable only with --sandbox, which app decides",
	"store/embedded":     "whose database it is, is decided in app",
	"store/storetest":    "it is for tests",
	"memory/memtest":     "it is for tests",
	"jobs/mail/mailtest": "it is for tests",
	"internal/r4/r4test": "it is for tests",
	"telephony/twilio":   "the vendor's client stays where calls are carried, and where app makes it",
	"store/internal/db":  "generated code stays behind the store's verbs",
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	const root = ".."
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "data" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		from, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		if from == "." {
			from = ""
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen++
		for _, imp := range file.Imports {
			to, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasPrefix(to, "github.com/danielgtaylor/huma") && !strings.HasPrefix(filepath.ToSlash(from), "app/api") {
				t.Errorf("%s imports %s: the REST plumbing is in app/api", path, to)
			}
			if to, ours := strings.CutPrefix(to, module+"/"); ours {
				check(t, path, filepath.ToSlash(from), to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Fatalf("only %d files were read: the walk has lost its way", seen)
	}
}

// check reports an import that does not point down.
func check(t *testing.T, path, from, to string) {
	t.Helper()
	top := func(folder string) string { return strings.SplitN(folder, "/", 2)[0] }
	if reason := inner[to]; reason != "" && reason != inner[from] && top(from) != top(to) && top(from) != "app" {
		t.Errorf("%s imports %s: %s", path, to, reason)
	}
	if top(from) == top(to) || top(to) == "internal" {
		return
	}
	may, known := allowed[top(from)]
	if !known {
		t.Errorf("%s: the folder %q has no place in the house", path, top(from))
	}
	for _, folder := range may {
		if folder == top(to) {
			return
		}
	}
	t.Errorf("%s imports %s: %s may import only %v", path, to, top(from), may)
}
