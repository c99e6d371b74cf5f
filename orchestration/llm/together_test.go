package llm_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration/llm"
)

// TestStreamHandsOnTogether: words that came in one piece are one piece to the
// listener too, and words that came by themselves do not wait for others.
func TestStreamHandsOnTogether(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{}, 8)
	next := func(t *testing.T) {
		t.Helper()
		select {
		case <-heard:
		case <-t.Context().Done():
		}
	}
	s := serve(t, map[string]answer{"m": func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{
			role + token("One"), token(" two"), token(" three") + token(" four") + ": a comment\n\n", token(" five") + event("{}", "stop") + end,
		} {
			_, _ = io.WriteString(w, piece)
			flush(w)
			next(t)
		}
	}})
	var got []string
	res, err := s.client(t, nil, "m").Stream(t.Context(), ask(), func(d llm.Delta) error {
		got = append(got, d.Text)
		heard <- struct{}{}
		return nil
	})
	if err != nil || res.Text != "One two three four five" {
		t.Fatalf("stream: %+v, %v", res, err)
	}
	if want := []string{"One", " two", " three four", " five"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", strings.Join(got, "|"), strings.Join(want, "|"))
	}
}
