package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRead reads anything: it ends, and what is read can be kept, linked to, and is
// read again as it is written.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"WDT780SAEM1": {"parts": {"PS3406971": {"name": "Control Board", "price": 249.99, "description": "...",
		"image_url": "https://a.example/a.jpg", "repair_video_url": "http://a.example:80/?v=1", "solves_symptoms": ["Will Not Start"], "steps": ["One."]}}}}`))
	f.Add([]byte(`{"a": {"x": [{"y": [1]}], "parts": {"p": {"name": "\ud800\u0000", "price": "$1,000.5"}, "q": 5}}, "b": null}`))
	f.Add([]byte(`{"a": {"parts": {"p": {"name": "n", "price": "0", "solves_symptoms": [" ", "x"]}}}} x`))
	f.Fuzz(func(t *testing.T, file []byte) {
		r := newReader(bytes.NewReader(file), func(e RowError) {
			if e.Path == "" || e.Err == nil || !utf8.ValidString(e.Error()) || strings.ContainsAny(e.Error(), "\x00\n\x1b") {
				t.Errorf("told of %q", e)
			}
		})
		for {
			p, err := r.next()
			if errors.Is(err, io.EOF) || err != nil {
				return
			}
			checkRead(t, p)
		}
	})
}

func checkRead(t *testing.T, p Part) {
	t.Helper()
	if k := Key(p.Model); k == "" || len(k) > maxNumber || p.Model != strings.ToUpper(p.Model) {
		t.Errorf("model %q", p.Model)
	}
	if p.Number == "" {
		return
	}
	for _, text := range append(append([]string{p.Number, p.Name, p.Description}, p.Symptoms...), p.Steps...) {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			t.Errorf("%q cannot be kept", text)
		}
	}
	for _, text := range []string{p.ImageURL, p.VideoURL} {
		if u, err := url.Parse(text); text != "" && (err != nil || u.Host == "" || u.User != nil || !strings.HasPrefix(u.Scheme, "http")) {
			t.Errorf("link %q: %v", text, err)
		}
	}
	data, err := json.Marshal(recordOf(p))
	if err != nil {
		t.Fatal(err)
	}
	var rec *record
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	again, err := partFrom(p.Number, rec)
	again.Model = p.Model
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("%s is read as %+v, %v, was %+v", data, again, err, p)
	}
}

func TestVariantsHaveAllOneEditAway(t *testing.T) {
	t.Parallel()
	got := map[string]bool{}
	for _, v := range variants("KP3406971") {
		got[v] = true
	}
	for _, want := range []string{"KP3406971", "KP3406917", "KP340971", "KP33406971", "BP3406971", "KP34O6971", "KP9406971", "HB3406971", "KP3406971Z"} {
		if !got[want] {
			t.Errorf("%s is missing", want)
		}
	}
	if got["KP3406000"] || len(got) > maxVariants {
		t.Errorf("%d variants", len(got))
	}
	for _, pair := range [][2]string{{"X150", "X115"}, {"X13", "X30"}, {"A", "B"}, {"AB", "A"}} {
		if found := strings.Contains(" "+strings.Join(variants(pair[0]), " ")+" ", " "+pair[1]+" "); !found {
			t.Errorf("%s is not meant by %s", pair[1], pair[0])
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"A", "", 2}, {"", "AB", 4}, {"KDW", "KDW", 0}, {"KDW", "KBW", 1}, {"KDW", "KXW", 2}, {"KDW", "DKW", 2}, {"KDW", "KW", 2}, {"KDW482", "KDZ48", 4}, {"KDW482", "KTW42", 3},
	} {
		if got, back := distance(tt.a, tt.b), distance(tt.b, tt.a); got != tt.want || back != tt.want {
			t.Errorf("%q to %q = %d, and back %d, want %d", tt.a, tt.b, got, back, tt.want)
		}
	}
}
