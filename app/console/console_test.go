package console

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/calls"
)

func open(t *testing.T, h http.Handler, address string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, visit{address: address}.request(t))
	return w
}

func TestPagesSayWhereTheyRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cfg  Config
		want []string
		not  string
	}{
		{Config{Sandbox: true, Version: "1.2.3"}, []string{`data-sandbox="true"`, `class="badge"`, "nAIber 1.2.3"}, `aria-label="The telephone" hidden`},
		{Config{Version: "<b>"}, []string{`data-sandbox="false"`, `aria-label="The telephone" hidden`, "nAIber &lt;b&gt;"}, `class="badge"`},
	} {
		page := open(t, mounted(t, tt.cfg), "/")
		for _, want := range tt.want {
			if !strings.Contains(page.Body.String(), want) {
				t.Errorf("%+v: no %s", tt.cfg, want)
			}
		}
		if strings.Contains(page.Body.String(), tt.not) {
			t.Errorf("%+v: there is %s", tt.cfg, tt.not)
		}
		if ct := page.Header().Get("Content-Type"); ct != "text/html; charset=utf-8" {
			t.Errorf("content type = %q", ct)
		}
	}
}

var (
	linked   = regexp.MustCompile(`(?:src|href)="(/console/[^"]*)"`)
	imported = regexp.MustCompile(`(?:from|import) "\./([^"]*)"`)
)

func TestWhatPagesReferToIsThere(t *testing.T) {
	t.Parallel()
	h := mounted(t, Config{Sandbox: true})
	types := map[string]string{".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
	seen := map[string]bool{}
	var visitFile func(address string)
	visitFile = func(address string) {
		if seen[address] {
			return
		}
		seen[address] = true
		got := open(t, h, address)
		if want := types[filepath.Ext(address)]; got.Code != http.StatusOK || !strings.HasPrefix(got.Header().Get("Content-Type"), want) {
			t.Errorf("%s = %d, %s", address, got.Code, got.Header().Get("Content-Type"))
		}
		for _, m := range imported.FindAllStringSubmatch(got.Body.String(), -1) {
			visitFile("/console/" + m[1])
		}
	}
	for _, page := range []string{"/", "/docs"} {
		for _, m := range linked.FindAllStringSubmatch(open(t, h, page).Body.String(), -1) {
			visitFile(m[1])
		}
	}
	static, err := fs.Sub(files, "static")
	if err != nil {
		t.Fatal(err)
	}
	names, err := assets(static)
	if err != nil || len(seen) != len(names) {
		t.Errorf("of %d files %d are used: %v (%v)", len(names), len(seen), seen, err)
	}
}

func TestNoRawFilesAndLists(t *testing.T) {
	t.Parallel()
	h := mounted(t, Config{})
	for _, address := range []string{"/console/", "/console/index.html", "/console/docs.html", "/console/../console.go", "/console/none.js", "/console/vendor/", "/console/vendor/README.md", "/console/vendor/uplot/LICENSE"} {
		if got := open(t, h, address).Code; got != http.StatusNotFound {
			t.Errorf("%s = %d", address, got)
		}
	}
}

// The policy allows only files of our own: nothing in a page may be inline, and
// nothing may come from elsewhere.
func TestPagesKeepToTheirPolicy(t *testing.T) {
	t.Parallel()
	h := mounted(t, Config{Sandbox: true})
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:|data:|<script(?:[^>]*)>[^<]|https?://`)
	const policy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
	for page, policy := range map[string]string{"/": policy, "/docs": policy + "; style-src 'self' 'sha256-MBVp6JYxbC/wICelYC6eULCRpgi9kGezXXSaq/TS2+I='"} {
		got := open(t, h, page)
		for name, want := range map[string]string{
			"Content-Security-Policy": policy,
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "same-origin",
		} {
			if v := got.Header().Get(name); v != want {
				t.Errorf("%s: %s = %q", page, name, v)
			}
		}
		if found := inline.FindString(got.Body.String()); found != "" {
			t.Errorf("%s holds %q", page, found)
		}
	}
	evil := regexp.MustCompile(`\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|https?://|setAttribute\("style"`)
	for name, text := range each(t, "*.js") {
		if found := evil.FindString(text); found != "" {
			t.Errorf("%s holds %q", name, found)
		}
	}
	for name, text := range each(t, "*.css") {
		if found := regexp.MustCompile(`url\(|@import`).FindString(text); found != "" {
			t.Errorf("%s holds %q", name, found)
		}
	}
}

func TestKindsOfCall(t *testing.T) {
	t.Parallel()
	offered := regexp.MustCompile(`<option value="([a-z_&;]+)">([^<]+)</option>`)
	for _, tt := range []struct {
		name  string
		types []calls.CallType
		want  []string
	}{
		{"none named", nil, []string{"general"}},
		{"in the page's order", []calls.CallType{calls.CallCognitive, calls.CallHealthCheck, calls.CallGeneral}, []string{"general", "health_check", "cognitive"}},
		{"without words", []calls.CallType{"a&b", calls.CallGeneral}, []string{"general", "a&amp;b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			choice, _, _ := strings.Cut(open(t, mounted(t, Config{CallTypes: tt.types}), "/").Body.String(), "</select>")
			for _, m := range offered.FindAllStringSubmatch(choice, -1) {
				got = append(got, m[1])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("offered = %v, want %v", got, tt.want)
			}
		})
	}
}

// What others wrote is as they published it, and comes with its licence.
func TestVendoredFilesAreUnchanged(t *testing.T) {
	t.Parallel()
	sums, err := files.ReadFile("static/vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{"README.md": "", "SHA256SUMS": ""}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = sum
	}
	err = fs.WalkDir(files, "static/vendor", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := files.ReadFile(name)
		short := strings.TrimPrefix(name, "static/vendor/")
		if want, ok := listed[short]; !ok || want != "" && want != fmt.Sprintf("%x", sha256.Sum256(b)) {
			t.Errorf("%s is not the file that was taken over", short)
		}
		delete(listed, short)
		if _, missing := fs.Stat(files, path.Join(path.Dir(name), "LICENSE")); short != "README.md" && short != "SHA256SUMS" && missing != nil {
			t.Errorf("%s: %v", short, missing)
		}
		return err
	})
	if err != nil || len(listed) > 0 {
		t.Errorf("missing %v, %v", listed, err)
	}
}

// What a script looks for by its id must be in the page that loads it.
func TestScriptsFindTheirElements(t *testing.T) {
	t.Parallel()
	h := mounted(t, Config{Sandbox: true})
	wanted := regexp.MustCompile(`(?:byId|getElementById)\("([^"]+)"\)`)
	both := open(t, h, "/").Body.String() + open(t, h, "/docs").Body.String()
	for name, text := range each(t, "*.js") {
		for _, m := range wanted.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(both, `id="`+m[1]+`"`) {
				t.Errorf("%s looks for %q", name, m[1])
			}
		}
	}
}

// each reads the embedded files that match.
func each(t *testing.T, pattern string) map[string]string {
	t.Helper()
	paths, err := fs.Glob(files, "static/"+pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("files %s: %v, %v", pattern, paths, err)
	}
	out := make(map[string]string, len(paths))
	for _, path := range paths {
		b, err := files.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = string(b)
	}
	return out
}
