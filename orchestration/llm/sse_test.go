package llm

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func readAll(src io.Reader) ([]string, error) {
	r := newSSEReader(src)
	defer r.release()
	var got []string
	for {
		data, err := r.next()
		if err != nil {
			return got, err
		}
		got = append(got, string(data))
	}
}

func TestSSEReader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []string
		err      error
	}{
		{"one", "data: a\n\n", []string{"a"}, io.EOF},
		{"lines of one event are joined", "data: a\ndata: b\n\n", []string{"a\nb"}, io.EOF},
		{"an empty line of data", "data\n\ndata:\n\n", []string{"", ""}, io.EOF},
		{"only the first blank goes", "data:  a\n\n", []string{" a"}, io.EOF},
		{"all line ends", "data: a\r\rdata: b\r\n\r\ndata: c\n\n", []string{"a", "b", "c"}, io.EOF},
		{"CR and LF of one line end are one", "data: a\r\ndata: b\r\n\r\n", []string{"a\nb"}, io.EOF},
		{"other fields", "id: 1\nevent: data\ndatabase: x\n: c\n\ndata: a\n\n", []string{"a"}, io.EOF},
		{"cut before the empty line", "data: a\n", []string{"a"}, io.EOF},
		{"cut within the line", "data: a", []string{"a"}, io.EOF},
		{"nothing", "", nil, io.EOF},
		{"blank lines", "\n\n\r\n", nil, io.EOF},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\n", []string{"a"}, io.EOF},
		{"a page", "\n  <html>\n", nil, ErrNotStream},
		{"an object", "{\"a\":1}\n", nil, ErrNotStream},
		{"a line of a megabyte", "data: " + strings.Repeat("x", maxEventBytes), nil, ErrTooLong},
		{"an event of a megabyte", strings.Repeat("data: "+strings.Repeat("x", 1<<16)+"\n", 17), nil, ErrTooLong},
		{"a line of half a megabyte", "data: " + strings.Repeat("x", maxEventBytes/2) + "\n\n", []string{strings.Repeat("x", maxEventBytes/2)}, io.EOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, src := range map[string]io.Reader{
				"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)),
				"with the end": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got, err := readAll(src)
				if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
					t.Errorf("%s: error %v, diff %s", name, err, diff)
				}
			}
		})
	}
}

func TestSSEReaderPassesErrorsOn(t *testing.T) {
	t.Parallel()
	got, err := readAll(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(io.ErrClosedPipe)))
	if diff := cmp.Diff([]string{"a"}, got); diff != "" || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, diff %s", err, diff)
	}
}

// FuzzSSEReader holds the reader against a plain reading of the same rules,
// however the bytes arrive.
func FuzzSSEReader(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "data: a\r\n\r\ndata:b\r\r", ": c\nid: 1\ndata\n\n", "\xef\xbb\xbfdata: x", "<html>", "data: \r\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		want, page := plainSSE(in)
		for name, src := range map[string]io.Reader{
			"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
			"halves": iotest.HalfReader(strings.NewReader(in)),
		} {
			got, err := readAll(src)
			if page {
				if !errors.Is(err, ErrNotStream) {
					t.Fatalf("%s: %q is no stream, got %q, %v", name, in, got, err)
				}
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, io.EOF) {
				t.Fatalf("%s: %q: error %v, diff %s", name, in, err, diff)
			}
		}
	})
}

// plainSSE reads in the slow and obvious way.
func plainSSE(in string) (events []string, page bool) {
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	var data []string
	begun := false
	for line := range strings.SplitSeq(in, "\n") {
		if !begun {
			line = strings.TrimPrefix(line, "\xef\xbb\xbf")
			if first := strings.TrimLeft(line, " \t"); first != "" {
				begun = true
				if strings.ContainsAny(first[:1], "<{[") {
					return nil, true
				}
			}
		}
		if line == "" {
			if data != nil {
				events = append(events, strings.Join(data, "\n"))
			}
			data = nil
			continue
		}
		if name, value, _ := strings.Cut(line, ":"); name == "data" {
			data = append(data, strings.TrimPrefix(value, " "))
		}
	}
	if data != nil {
		events = append(events, strings.Join(data, "\n"))
	}
	return events, false
}
