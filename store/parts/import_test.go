package parts_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/parts"
	"github.com/naiber/naiber/store/storetest"
)

// taken imports a file and returns what was told to be wrong with it.
func taken(t *testing.T, st *store.Store, file string) (parts.Imported, string, error) {
	t.Helper()
	var wrong strings.Builder
	done, err := st.ImportCatalogue(t.Context(), strings.NewReader(file), parts.ImportOptions{
		Invalid: func(e parts.RowError) { wrong.WriteString(e.Error() + "\n") },
	})
	return done, wrong.String(), err
}

func exported(t *testing.T, st *store.Store) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := st.ExportCatalogue(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rows names the versions of all rows: who writes one again makes another.
func rows(t *testing.T, st *store.Store) []string {
	t.Helper()
	return storetest.Column(t, st, `select xmin::text || ' ' || model_key || ' ' || number_key from catalogue_parts
		union all select xmin::text || ' ' || model_key from catalogue_models order by 1`)
}

func TestImportTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	done, wrong, err := taken(t, st, catalogue)
	if want := (parts.Imported{Models: 3, Parts: 7, Added: 7}); done != want || wrong != "" || err != nil {
		t.Errorf("first: %+v, %q, %v", done, wrong, err)
	}
	before := rows(t, st)
	done, _, err = taken(t, st, catalogue)
	if want := (parts.Imported{Models: 3, Parts: 7}); done != want || done.Unchanged() != 7 || err != nil {
		t.Errorf("again: %+v, %v", done, err)
	}
	if diff := cmp.Diff(before, rows(t, st)); diff != "" {
		t.Error("rows were written again:", diff)
	}
	done, _, err = taken(t, st, strings.ReplaceAll(catalogue, "249.99", "251"))
	if want := (parts.Imported{Models: 3, Parts: 7, Changed: 1}); done != want || err != nil {
		t.Errorf("changed: %+v, %v", done, err)
	}
	if p, err := st.CataloguePart(t.Context(), "WDT780SAEM1", "PS3406971"); p.PriceCents != 25100 || err != nil {
		t.Errorf("costs %d, %v", p.PriceCents, err)
	}
}

func TestExportIsWhatWasImported(t *testing.T) {
	t.Parallel()
	first := stocked(t, catalogue)
	file := exported(t, first)
	for _, want := range []string{
		`"KDW482SS": {"parts": {}},`, `"PS-340 6971": {"name":"Control Board","price":259.00,"description":"Of the second model."`, `"steps":["Pull the old one out."`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("%s is not in\n%s", want, file)
		}
	}
	second := stocked(t, file)
	if diff := cmp.Diff(file, exported(t, second)); diff != "" {
		t.Error(diff)
	}
	done, _, err := taken(t, first, file)
	if want := (parts.Imported{Models: 3, Parts: 7}); done != want || err != nil {
		t.Errorf("into itself: %+v, %v", done, err)
	}
	if empty := exported(t, storetest.New(t)); empty != "{\n}\n" {
		t.Errorf("empty: %q", empty)
	}
	many := stocked(t, large(3001))
	if diff := cmp.Diff(exported(t, many), exported(t, stocked(t, exported(t, many)))); diff != "" {
		t.Error("a large one:", diff)
	}
	if n, err := first.ExportCatalogue(t.Context(), failing{}); err == nil {
		t.Error(n, "parts are exported to nowhere")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestImportLeavesOutWhatIsNotRight(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	done, wrong, err := taken(t, st, `{
		"GOOD1": {"parts": {
			"P1": {"name": "a"},
			"P2": {"name": 7},
			"P3": {"name": "a", "price": "a lot"},
			"P4": {"name": "a", "price": 1e5},
			"P5": {"name": "a", "price": -1},
			"P6": {"name": "a", "price": 0.125},
			"P7": {"name": "a", "price": "249,99"},
			"P8": {"name": "a", "image_url": "javascript:alert(1)"},
			"P9": {"name": "a", "repair_video_url": "https://user@host.example/x"},
			"P10": {"name": "a", "repair_video_url": "ftp://host.example/x"},
			"P11": {"name": "a", "image_url": "https://host.example/\"onload"},
			"P12": {"name": "a\u0000b"},
			"P13": {"name": " "},
			"P14": {"name": "a", "solves_symptoms": "leaks"},
			"P15": {"name": "a", "solves_symptoms": ["leaks", 5]},
			"P16": [],
			"P17": null,
			"P18": {"name": "`+strings.Repeat("x", 301)+`"},
			"P\u00e9": {"name": "a"},
			"--": {"name": "a"},
			"P20": {"name": "a", "steps": ["`+strings.Repeat("x", 2001)+`"]},
			"P21": {"name": "a", "price": true},
			"P22": {"name": "z", "price": "", "image_url": null, "solves_symptoms": null}
		}},
		"GOOD2": {"parts": []}, "GOOD3": {"parts": null}, "GOOD4": {},
		"BAD*": {"parts": {"P1": {"name": "a"}}},
		"BAD2": [{"parts": {}}],
		"GOOD5": {"parts": {"P1": {"name": "a"}}}
	}`)
	want := `GOOD1.parts.P2: name: is no text
GOOD1.parts.P3: price: a lot is no amount such as 249.99
GOOD1.parts.P4: price: 1e5 is no amount such as 249.99
GOOD1.parts.P5: price: -1 is no amount such as 249.99
GOOD1.parts.P6: price: 0.125 is no amount such as 249.99
GOOD1.parts.P7: price: 249,99 is no amount such as 249.99
GOOD1.parts.P8: image_url: javascript:alert(1) is no link of http or https
GOOD1.parts.P9: repair_video_url: https://user@host.example/x is no link of http or https
GOOD1.parts.P10: repair_video_url: ftp://host.example/x is no link of http or https
GOOD1.parts.P11: image_url: https://host.example/\"onload is no link of http or https
GOOD1.parts.P12: name: has a NUL in it
GOOD1.parts.P13: name: is missing
GOOD1.parts.P14: solves_symptoms: is no list of texts
GOOD1.parts.P15: solves_symptoms: is no text
GOOD1.parts.P16: is no object
GOOD1.parts.P17: is null
GOOD1.parts.P18: name: has 301 characters, more than 300
GOOD1.parts.Pé: a number has no 'é'
GOOD1.parts.--: a number has 1 to 40 letters and digits
GOOD1.parts.P20: steps[0]: has 2001 characters, more than 2000
GOOD1.parts.P21: price: true is no amount such as 249.99
GOOD2.parts: is no object
GOOD3.parts: is no object
BAD*: a number has no '*'
BAD2: is no object
`
	if diff := cmp.Diff(want, wrong); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if want := (parts.Imported{Models: 5, Parts: 3, Added: 3, Invalid: 25}); done != want {
		t.Errorf("%+v, want %+v", done, want)
	}
	const kept = `{
"GOOD1": {"parts": {
  "P1": {"name":"a","description":"","image_url":"","repair_video_url":"","solves_symptoms":[]},
  "P22": {"name":"z","description":"","image_url":"","repair_video_url":"","solves_symptoms":[]}}},
"GOOD2": {"parts": {}},
"GOOD3": {"parts": {}},
"GOOD4": {"parts": {}},
"GOOD5": {"parts": {
  "P1": {"name":"a","description":"","image_url":"","repair_video_url":"","solves_symptoms":[]}}}
}
`
	if diff := cmp.Diff(kept, exported(t, st)); diff != "" {
		t.Error(diff)
	}
}

func TestImportOfWhatIsNoCatalogue(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"":      "byte 0: unexpected EOF",
		"[]":    "the file is no object of models",
		"{":     "unexpected EOF",
		`{} {}`: "something follows the object of models",
		`{"M1": {"parts": {"P1": {"name": "a"}, "P2": {"name": `:                                         `in M1: part P2: unexpected EOF`,
		`{"M1": {"parts": {"P1": {"name": "a"}, "P2": {name}}}}`:                                         `in M1: part P2: invalid character 'n'`,
		`{"M1": {"parts": {"P1": {"name": "a"}}, "x": ` + strings.Repeat("[", 300):                       "nested too deeply",
		`{"M1": {"parts": {"P1": {"name": "a"}, "P2": {"name": "` + strings.Repeat("x", 3<<20) + `"}}}}`: "a value is longer than 1048576 bytes",
		`{"M1": {"parts": {"P1": {"name": "a"}}, "` + strings.Repeat("x", 3<<20) + `": 1}}`:              "a value is longer than 1048576 bytes",
	} {
		st := storetest.New(t)
		done, wrong, err := taken(t, st, file)
		if err == nil || !strings.Contains(err.Error(), want) || wrong != "" {
			t.Errorf("%.80s: %+v, %q, %.200v, want an error with %q", file, done, wrong, err, want)
		}
		if strings.Contains(file, "P1") { // what came before stays
			if _, err := st.CataloguePart(t.Context(), "M1", "P1"); err != nil {
				t.Errorf("%.80s: %v", file, err)
			}
		}
	}
}

func TestImportGoesOnAfterABreak(t *testing.T) {
	t.Parallel()
	st, file := storetest.New(t), large(5000)
	ctx, cancel := context.WithCancel(t.Context())
	broken, err := st.ImportCatalogue(ctx, strings.NewReader(file), parts.ImportOptions{Progress: func(parts.Imported) { cancel() }})
	if !errors.Is(err, context.Canceled) || broken.Added == 0 || broken.Added >= 5000 {
		t.Fatalf("broken: %+v, %v", broken, err)
	}
	before := rows(t, st)
	done, _, err := taken(t, st, file)
	if want := (parts.Imported{Models: 50, Parts: 5000, Added: 5000 - broken.Added}); done != want || err != nil {
		t.Errorf("again: %+v, %v, want %+v", done, err, want)
	}
	after := map[string]bool{}
	for _, r := range rows(t, st) {
		after[r] = true
	}
	for _, r := range before {
		if !after[r] {
			t.Fatal("a row was written again:", r)
		}
	}
}

func TestTheLastOfTwoCounts(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	done, _, err := taken(t, st, `{"M-1": {"parts": {"P1": {"name": "a"}, "P2": {"name": "b"}}}, "m1": {"parts": {"p 1": {"name": "c"}}}}`)
	if want := (parts.Imported{Models: 2, Parts: 3, Added: 2}); done != want || err != nil {
		t.Errorf("%+v, %v", done, err)
	}
	if p, err := st.CataloguePart(t.Context(), "m 1", "P-1"); p.Name != "c" || p.Model != "M1" || p.Number != "P 1" || err != nil {
		t.Errorf("%+v, %v", p, err)
	}
}
