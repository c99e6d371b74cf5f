package phrases

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

func TestMustLoad(t *testing.T) {
	t.Parallel()
	type words struct {
		Said string `yaml:"said"`
		code string
	}
	files := fstest.MapFS{
		"words/en.yaml": {Data: []byte("said: yes")}, "words/es.yaml": {Data: []byte("said: sí")},
		"words/xx.yaml": {Data: []byte("sayd: yes")}, "words/yy.yaml": {Data: []byte("said: no")},
	}
	compile := func(code string, w *words) error {
		w.code = code
		if w.Said == "no" {
			return errors.New("a bad word")
		}
		return nil
	}
	all := MustLoad(files, "words", []string{"en", "es"}, compile)
	if w := all["es"]; len(all) != 2 || w.Said != "sí" || w.code != "es" {
		t.Errorf("read %v", all)
	}
	for code, why := range map[string]string{"xx": "sayd", "yy": "a bad word", "zz": "not exist"} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, "words/"+code+".yaml") || !strings.Contains(got, why) {
					t.Errorf("%s: panics with %q, want %q", code, got, why)
				}
			}()
			MustLoad(files, "words", []string{code}, compile)
		}()
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"es": "es", "ES-mx": "es", "fr": "en", "": "en", "e": "en"} {
		if got := Code([]string{"en", "es"}, tag); got != want {
			t.Errorf("Code(%q) = %q, want %q", tag, got, want)
		}
	}
}
