package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naiber/naiber/app/sandbox/catalogue"
	"github.com/naiber/naiber/store/parts"
)

const someParts = `{"KDW482SS": {"parts": {
	"KP3406971": {"name": "Control Board", "price": 249.99, "description": "Runs the cycles.", "image_url": "https://parts.example/a.jpg",
		"repair_video_url": "https://parts.example/a", "solves_symptoms": ["Will Not Start"], "steps": ["Pull the plug.", "Fit the new one."]},
	"KP2184430": {"name": "Drain Pump", "price": 64.5, "solves_symptoms": ["Not draining"]}}},
"KDW482SE": {"parts": {
	"KP2184430": {"name": "Drain Pump", "price": 64.5, "solves_symptoms": ["Not draining"]}}}}`

// partsFile writes a file for the import.
func partsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parts.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPartsImport(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	path := partsFile(t, someParts)
	if out := p.must(t, "parts", "import", path); !strings.HasPrefix(out, "3 parts of 2 models in ") || !strings.HasSuffix(out, ": 3 are new, 0 have changed, 0 were there.\n") {
		t.Errorf("printed %q", out)
	}
	if out, err := p.runWith(t, t.Context(), someParts, "parts", "import", "-"); err != nil || !strings.HasSuffix(out, ": 0 are new, 0 have changed, 3 were there.\n") {
		t.Errorf("printed %q, %v", out, err)
	}
	p.refused(t, "no such file", "parts", "import", path+".not")
	p.refused(t, "no object of models", "parts", "import", partsFile(t, "[]"))

	wrong := partsFile(t, `{"KDW482SS": {"parts": {"KP1": {"name": ""}, "KP2": {"name": "Knob"}}}}`)
	out, err := p.run(t, "parts", "import", wrong)
	if !errors.Is(err, ErrUnwell) || !strings.Contains(out, "1 are new, 0 have changed, 0 were there; 1 entries are not right and were left out.") {
		t.Errorf("printed %q, %v", out, err)
	}
	if got := p.errOut.String(); got != "left out: KDW482SS.parts.KP1: name: is missing\n" {
		t.Errorf("told %q", got)
	}
	p.must(t, "parts", "import", "--skip-invalid", wrong)
	_, err = p.run(t, "parts", "import", partsFile(t, `{"KDW482SS": {"parts": {"KP3": {"name": "Knob"}, `))
	if err == nil || !strings.Contains(err.Error(), "unexpected EOF\n1 parts were taken in before") {
		t.Errorf("half a file: %v", err)
	}
}

func TestPartsShowAndSearch(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.must(t, "parts", "import", partsFile(t, someParts))
	const board = `KP3406971  Control Board
Price:    $249.99
Fits:     KDW482SS
Solves:   Will Not Start
Picture:  https://parts.example/a.jpg
Video:    https://parts.example/a

Runs the cycles.

1. Pull the plug.
2. Fit the new one.
`
	if out := p.must(t, "parts", "show", "kp-3406971"); out != board {
		t.Errorf("printed %q", out)
	}
	if out := p.must(t, "parts", "show", "KP2184430"); !strings.Contains(out, "Fits:     KDW482SE, KDW482SS\n") {
		t.Errorf("printed %q", out)
	}
	p.refused(t, "the catalogue has no part KP3406917. Did you mean KP3406971?", "parts", "show", "KP3406917")
	p.refused(t, "KDW482SE has no part KP3406971.", "parts", "show", "KP3406971", "--model", "kdw482se")
	p.refused(t, "the catalogue has no model KDW428SS. Did you mean KDW482SS", "parts", "show", "KP3406971", "--model", "KDW428SS")
	p.refused(t, "--limit must be at least 1", "parts", "search", "pump", "--limit", "0")

	for _, tt := range []struct {
		line []string
		want []string // the numbers, with their models
	}{
		{[]string{"pump"}, []string{"KDW482SE KP2184430", "KDW482SS KP2184430"}},
		{[]string{"pump", "--limit", "1"}, []string{"KDW482SE KP2184430"}},
		{[]string{"kp3406971"}, []string{"KDW482SS KP3406971"}},
		{[]string{"--model", "KDW482SS", "it", "won't", "start"}, []string{"KDW482SS KP3406971"}},
		{[]string{"--model", "KDW482SS", "cycles"}, []string{"KDW482SS KP3406971"}},
		{[]string{"nothing", "of", "the", "kind"}, nil},
	} {
		var got []partShape
		if err := json.Unmarshal([]byte(p.must(t, append([]string{"parts", "search", "--json"}, tt.line...)...)), &got); err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, g := range got {
			found = append(found, g.Model+" "+g.PartNumber)
		}
		if strings.Join(found, ", ") != strings.Join(tt.want, ", ") {
			t.Errorf("%q finds %q, want %q", tt.line, found, tt.want)
		}
	}
	if out := p.must(t, "parts", "search", "board"); !strings.Contains(out, "KDW482SS  KP3406971  $249.99  Control Board  Will Not Start") {
		t.Errorf("printed %q", out)
	}
	if out := p.must(t, "parts", "search", "KP3406917"); out != "" || p.errOut.String() != "Nothing is found. Did you mean KP3406971?\n" {
		t.Errorf("printed %q, told %q", out, p.errOut.String())
	}
	var shown []partShape
	if err := json.Unmarshal([]byte(p.must(t, "parts", "show", "--json", "KP3406971")), &shown); err != nil || len(shown) != 1 || shown[0].Price != 249.99 || len(shown[0].Steps) != 2 {
		t.Errorf("%+v, %v", shown, err)
	}
}

func TestPartsExport(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	if _, err := p.tools.Store.ImportCatalogue(t.Context(), catalogue.Kestrel(), parts.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out.json")
	if out := p.must(t, "parts", "export", path); out != "42 parts in "+path+"\n" {
		t.Errorf("printed %q", out)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != p.must(t, "parts", "export") {
		t.Errorf("the file is not what is printed: %v", err)
	}
	p.refused(t, "exists", "parts", "export", path)
	again := withDatabase(t)
	again.must(t, "parts", "import", path)
	if again.must(t, "parts", "export", "-") != string(text) {
		t.Error("what was exported is not what was imported")
	}
}
