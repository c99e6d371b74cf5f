package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func indexOf(t *testing.T, s, part string) int {
	t.Helper()
	i := strings.Index(s, part)
	if i < 0 {
		t.Fatalf("%q is not in %s", part, s)
	}
	return i
}

// modelServer speaks OpenAI's dialect; each path may be given another answer.
func modelServer(t *testing.T, other map[string]reply) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a, is := other[r.URL.Path]; is {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(a.status)
			fmt.Fprint(w, a.body)
			return
		}
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, `{"data":[{"id":"good"},{"id":"mute"}]}`)
		case "/v1/embeddings":
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[0.1,0.2,0.3]}]}`)
		case "/v1/chat/completions":
			body := new(strings.Builder)
			_ = r.Write(body)
			if strings.Contains(body.String(), `"gone"`) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, `{"error":{"message":"no such model","code":"model_not_found"}}`)
				return
			}
			word := "OK"
			if strings.Contains(body.String(), `"mute"`) {
				word = ""
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", word)
			fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestModels(t *testing.T) {
	t.Parallel()
	refused := reply{401, `{"error":{"message":"Incorrect API key: hunter2","code":"invalid_api_key"}}`}
	tests := []struct {
		name   string
		other  map[string]reply
		models string
		want   []want // one for each model, then embeddings
	}{
		{"as it should be", nil, "good", []want{{OK, "first word after"}, {OK, "3 dimensions"}}},
		{"one of two is gone", nil, "good,gone", []want{{OK, "first word"}, {Fail, "does not have it|model_not_found|OPENAI_MODEL"}, {OK, "3 dimensions"}}},
		{"one says nothing", nil, "mute", []want{{Warn, "not with a word"}, {OK, "3 dimensions"}}},
		{"one is not listed", nil, "hidden", []want{{Warn, "does not list it"}, {OK, "3 dimensions"}}},
		{"no list at all", map[string]reply{"/v1/models": {404, `{}`}}, "good", []want{{OK, "first word"}, {OK, "3 dimensions"}}},
		{"no embeddings", map[string]reply{"/v1/embeddings": {404, `{"error":{"code":"model_not_found"}}`}}, "good", []want{{OK, "first word"}, {Fail, "OPENAI_EMBEDDING_MODEL"}}},
		{
			"wrong key",
			map[string]reply{"/v1/models": refused, "/v1/chat/completions": refused, "/v1/embeddings": refused},
			"good",
			[]want{{Fail, "refused|OPENAI_API_KEY"}, {Skip, "refused"}},
		},
		{"wrong key, open list", map[string]reply{"/v1/chat/completions": refused}, "good", []want{{Fail, "refused|OPENAI_API_KEY"}, {OK, "3 dimensions"}}},
		{"a page in place of a model", map[string]reply{"/v1/chat/completions": {200, `<html>`}}, "good", []want{{Fail, "OPENAI_BASE_URL"}, {OK, "3 dimensions"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := modelServer(t, tt.other)
			checks := Models(ModelConfig{BaseURL: s.URL + "/v1", APIKey: "hunter2", Models: strings.Split(tt.models, ","), EmbeddingModel: "embed"})
			if len(checks) != len(tt.want) {
				t.Fatalf("%d checks, want %d", len(checks), len(tt.want))
			}
			for i, c := range checks {
				tt.want[i].check(t, find(t, c), "hunter2")
			}
		})
	}
	want{Fail, "OPENAI_API_KEY|--sandbox"}.check(t, find(t, Models(ModelConfig{Models: []string{"good"}})[0]))
	want{Fail, "OPENAI_MODEL"}.check(t, find(t, Models(ModelConfig{APIKey: "k"})[0]))
}
