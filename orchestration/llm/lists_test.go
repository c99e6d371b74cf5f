package llm_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/orchestration/llm"
)

// plain serves one handler, for what is not a chat.
func plain(t *testing.T, handler http.HandlerFunc, change func(*llm.Config)) *llm.Client {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	cfg := llm.Config{BaseURL: s.URL + "/v1/", APIKey: testKey, Models: []string{"m"}, EmbeddingModel: "e"}
	if change != nil {
		change(&cfg)
	}
	c, err := llm.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	batches := 0
	c := plain(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model      string   `json:"model"`
			Input      []string `json:"input"`
			Dimensions int      `json:"dimensions"`
			Encoding   string   `json:"encoding_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "e" || in.Encoding != "base64" || in.Dimensions != 2 || r.URL.Path != "/v1/embeddings" {
			t.Errorf("got %+v at %s, %v", in, r.URL.Path, err)
		}
		batches++
		data := make([]string, 0, len(in.Input))
		for i, text := range in.Input { // last first: order is by index
			vector := fmt.Sprintf("[%d,0.5]", len(text))
			if batches == 2 { // the other batches are of a server that knows no base64
				raw := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(len(text))))
				vector = strconv.Quote(base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint32(raw, math.Float32bits(0.5))))
			}
			data = append([]string{fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, vector)}, data...)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[`+strings.Join(data, ",")+`]}`)
	}, func(cfg *llm.Config) { cfg.EmbeddingDimensions = 2 })
	texts := make([]string, 150)
	want := make([][]float32, len(texts))
	for i := range texts {
		texts[i] = strings.Repeat("x", i)
		want[i] = []float32{float32(i), 0.5}
	}
	got, err := c.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || batches != 3 {
		t.Errorf("%d batches, diff %s", batches, diff)
	}
	if got, err := c.Embed(t.Context(), nil); err != nil || got != nil || batches != 3 {
		t.Errorf("nothing: got %v, %v", got, err)
	}
}

func TestEmbedRefusesWhatDoesNotMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		dim        int
		want       error
	}{
		{"too few", `[{"index":0,"embedding":[1]}]`, 0, llm.ErrBadEmbedding},
		{"the same twice", `[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]`, 0, llm.ErrBadEmbedding},
		{"an index beyond", `[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]`, 0, llm.ErrBadEmbedding},
		{"an empty vector", `[{"index":0,"embedding":[1]},{"index":1,"embedding":[]}]`, 0, llm.ErrBadEmbedding},
		{"two lengths", `[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]`, 0, llm.ErrBadEmbedding},
		{"another dimension", `[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]`, 3, llm.ErrBadEmbedding},
		{"no JSON", `[{"index":`, 0, llm.ErrBrokenChunk},
		{"no base64", `[{"index":0,"embedding":"!"},{"index":1,"embedding":"AACAPw=="}]`, 0, llm.ErrBrokenChunk},
		{"half a number", `[{"index":0,"embedding":"AACAPwA="},{"index":1,"embedding":"AACAPwA="}]`, 0, llm.ErrBrokenChunk},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := plain(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"data":`+tt.data+`}`)
			}, func(cfg *llm.Config) { cfg.EmbeddingDimensions = tt.dim })
			if got, err := c.Embed(t.Context(), []string{"a", "b"}); !errors.Is(err, tt.want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestEmbedErrors(t *testing.T) {
	t.Parallel()
	t.Run("no model", func(t *testing.T) {
		t.Parallel()
		c := plain(t, http.NotFound, func(cfg *llm.Config) { cfg.EmbeddingModel = "" })
		if _, err := c.Embed(t.Context(), []string{"a"}); !errors.Is(err, llm.ErrNoEmbeddingModel) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("late", func(t *testing.T) {
		t.Parallel()
		c := plain(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // only then is a lost client noticed
			<-r.Context().Done()
		}, func(cfg *llm.Config) { cfg.EmbedDeadline = 30 * time.Millisecond })
		_, err := c.Embed(t.Context(), []string{"a"})
		if late, ok := errors.AsType[*llm.TimeoutError](err); !ok || late.What != "embeddings" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("not tried again", func(t *testing.T) {
		t.Parallel()
		var n atomic.Int32
		c := plain(t, func(w http.ResponseWriter, _ *http.Request) {
			n.Add(1)
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, nil)
		if got, err := c.Embed(t.Context(), []string{"a"}); err == nil || n.Load() != 1 {
			t.Errorf("after %d requests: %v, %v", n.Load(), got, err)
		}
	})
}

func TestModels(t *testing.T) {
	t.Parallel()
	c := plain(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+testKey {
			t.Errorf("got %s", r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[{"id":"b"},{"id":"a"},{"id":"b"}]}`)
	}, nil)
	got, err := c.Models(t.Context())
	if diff := cmp.Diff([]string{"a", "b"}, got); err != nil || diff != "" {
		t.Errorf("%v, diff %s", err, diff)
	}
	refused := plain(t, func(w http.ResponseWriter, r *http.Request) { status(401, apiError("invalid_api_key", ""))(w, r, 1) }, nil)
	_, err = refused.Models(t.Context())
	if e, ok := errors.AsType[*llm.StatusError](err); !ok || e.Status != http.StatusUnauthorized || strings.Contains(err.Error(), testKey) {
		t.Errorf("got %v", err)
	}
}

// What is in the environment is none of the client's business.
func TestClientIgnoresTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-from-outside")
	t.Setenv("OPENAI_BASE_URL", "http://elsewhere.invalid")
	t.Setenv("OPENAI_ORG_ID", "org-from-outside")
	c := plain(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Openai-Organization") != "" {
			t.Errorf("headers: %v", r.Header)
		}
		_, _ = io.WriteString(w, `{"data":[]}`)
	}, func(cfg *llm.Config) { cfg.APIKey = "" })
	if _, err := c.Models(t.Context()); err != nil {
		t.Error(err)
	}
}
