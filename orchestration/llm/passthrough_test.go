package llm_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/orchestration/llm"
)

const incoming = `{"model":"naiber","stream":false,"temperature":0.2,"max_tokens":-1,"stop":null,
	"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"tools":[{"type":"function","function":{"name":"end_call"}}],
	"user":"+15551234","user_id":"u_17","elevenlabs_extra_body":{"token":"call-token"}}`

func TestPassthrough(t *testing.T) {
	t.Parallel()
	thought := event(`{"reasoning_content":"hm"}`, "")
	s := serve(t, map[string]answer{"a": status(503, ""), "b": pieces(role, thought, token("Hel"), token("lo."), event("{}", "stop"), end)})
	var got []string
	res, err := s.client(t, nil, "a", "b").Passthrough(t.Context(), []byte(incoming), func(p []byte) error {
		got = append(got, "data: "+string(p)+"\n\n")
		return nil
	})
	if err != nil || res.Text != "Hello." || res.Model != "b" || res.FinishReason != llm.FinishStop {
		t.Errorf("got %+v, %v", res, err)
	}
	if diff := cmp.Diff([]string{role, token("Hel"), token("lo."), event("{}", "stop")}, got); diff != "" {
		t.Error(diff)
	}
	sent := s.requests("b")[0].raw
	if diff := cmp.Diff([]string{"messages", "model", "stream", "stream_options", "temperature", "tools"}, slices.Sorted(maps.Keys(sent))); diff != "" {
		t.Error(diff)
	}
	if want := `[{"role":"user","content":[{"type":"text","text":"hi"}]}]`; string(sent["messages"]) != want {
		t.Errorf("messages: %s", sent["messages"])
	}
}

func TestPassthroughEndings(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	tests := []struct {
		name   string
		answer answer
		yield  error
		text   string
		finish string
		want   error
	}{
		{"cut by length", pieces(script("length", "Hello")), nil, "Hello", llm.FinishLength, nil},
		{"broken", cuts(token("Hello")), nil, "Hello", llm.FinishBroken, nil},
		{"listener gone", says("Hello", " you"), gone, "Hello", llm.FinishBroken, gone},
		{"nothing", says(), nil, "", "", llm.ErrAllModelsFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]answer{"m": tt.answer})
			res, err := s.client(t, nil, "m").Passthrough(t.Context(), []byte(incoming), func([]byte) error { return tt.yield })
			if !errors.Is(err, tt.want) || res.Text != tt.text || res.FinishReason != tt.finish {
				t.Errorf("got %+v, %v", res, err)
			}
		})
	}
}

func TestPassthroughRefuses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]error{
		``: llm.ErrBadRequest, `[]`: llm.ErrBadRequest, `{}`: llm.ErrBadRequest, `{"messages":"hi"}`: llm.ErrBadRequest,
		`{"messages":[ ]}`: llm.ErrNoMessages, `{"messages":[{"role"`: llm.ErrBadRequest,
	} {
		s := serve(t, nil)
		_, err := s.client(t, nil, "m").Passthrough(t.Context(), []byte(body), nil)
		if !errors.Is(err, want) || strings.Contains(err.Error(), "hi") {
			t.Errorf("%q: got %v, want %v", body, err, want)
		}
	}
}
