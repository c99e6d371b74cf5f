package jsonscan_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/internal/jsonscan"
)

func TestReads(t *testing.T) {
	t.Parallel()
	var s jsonscan.Scanner
	s.Reset([]byte(`{"text":"na\u00efve \ud83d\ude00","n":-12,"big":1e400,"yes":true,"no":false,"none":null,"list":[1,"a",{"b":[]}],"text":7}`))
	got := map[string][]any{}
	s.Object(func(key []byte) {
		k := string(key)
		switch k {
		case "text":
			got[k] = append(got[k], string(s.Str()))
		case "n", "big":
			got[k] = append(got[k], s.Integer())
		case "yes", "no", "none":
			value, ok := s.Bool()
			got[k] = append(got[k], value, ok)
		case "list":
			s.Array(func(i int) { got[k] = append(got[k], i); s.Skip() })
		default:
			s.Skip()
		}
	})
	if !s.Finish() {
		t.Error("valid JSON was refused")
	}
	want := map[string][]any{
		"text": {"naïve 😀", ""}, "n": {-12}, "big": {0}, "yes": {true, true}, "no": {false, true}, "none": {false, false}, "list": {0, 1, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzScanner holds the scanner against encoding/json: what it skips is valid
// exactly when that says so, and a string means the same to both.
func FuzzScanner(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e3,true,null,"x\n"]}`, `"\ud800\udc00\ud800"`, `[[[]]]`, `{"a":}`, `01`, "\"\xff\"", ` `} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s jsonscan.Scanner
		s.Reset(text)
		s.Skip()
		if got, want := s.Finish(), json.Valid(text); got != want {
			if strings.Count(string(text), "[")+strings.Count(string(text), "{") > jsonscan.MaxDepth {
				t.Skip("deeper than we go")
			}
			t.Fatalf("%q: valid %v, want %v", text, got, want)
		}
		var want string
		if json.Unmarshal(text, &want) != nil {
			return
		}
		s.Reset(text)
		if got := string(s.Str()); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

func TestBase64IsNotCopied(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"AAAA"`: "AAAA", ` "AA=="`: "AA==", `""`: "", `"AAA"`: "", `"AA\/A"`: "", `7`: "", `"A A A"`: "",
	} {
		data := []byte(text)
		var s jsonscan.Scanner
		s.Reset(data)
		got := s.Base64()
		if string(got) != want || !s.Finish() {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		if want != "" && (&got[0] != &data[bytes.IndexByte(data, 'A')] || cap(got) != len(got)) {
			t.Errorf("%s: the text was copied, or can grow into what follows", text)
		}
	}
}

func FuzzIsBase64(f *testing.F) {
	f.Add([]byte("AAAA"))
	f.Add([]byte("AA=="))
	f.Add([]byte("=A=="))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := base64.StdEncoding.DecodeString(string(b))
		want := err == nil && !bytes.ContainsAny(b, "\r\n")
		if got := jsonscan.IsBase64(b); got != want {
			t.Errorf("IsBase64(%q) = %v, want %v", b, got, want)
		}
	})
}
