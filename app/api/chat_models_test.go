package api

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestModels(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	if got := r.do(200, http.MethodGet, "/models", ""); got.get("models.#").Int() != 2 || got.get("models.0.name").String() != "calm-3b" || got.get("models.0.source").String() != "server" {
		t.Errorf("models = %s", got.body)
	}
	folder := t.TempDir()
	for name, size := range map[string]int64{"kind-7b.Q4.gguf": 3 << 29, "plain.GGUF": 1, "notes.txt": 5} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, size); err != nil { // a hole: no byte is written
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.gguf"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.do(200, http.MethodPatch, "/settings", `{"modelsFolderPath":`+inQuotes(folder)+`}`)
	listed := func() reply { return r.do(200, http.MethodGet, "/models", "") }
	if got := listed(); got.get("models.#").Int() != 4 || got.get(`models.#(name=="kind-7b.Q4.gguf").sizeGB`).Float() != 1.5 || got.get(`models.#(name=="plain.GGUF").label`).String() != "plain" {
		t.Errorf("models = %s", got.body)
	}
	manifest := filepath.Join(folder, "models.json")
	if err := os.WriteFile(manifest, []byte(`{"plain.GGUF":{"label":"Plain","description":"Small and quick"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := listed(); got.get(`models.#(name=="plain.GGUF").label`).String() != "Plain" || got.get(`models.#(name=="plain.GGUF").description`).String() != "Small and quick" {
		t.Errorf("models with a manifest = %s", got.body)
	}
	if err := os.WriteFile(manifest, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := listed(); got.get("models.#").Int() != 4 {
		t.Errorf("models with a broken manifest = %s", got.body)
	}
	r.model.Close()
	if got := listed(); got.get("models.#").Int() != 2 || got.get("degraded.0").String() != "model" {
		t.Errorf("models without a server = %s", got.body)
	}
	r.do(503, http.MethodGet, "/models/props", "")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	r.do(500, http.MethodGet, "/models", "")
	r.do(200, http.MethodPatch, "/settings", `{"modelsFolderPath":null}`)
	r.do(503, http.MethodGet, "/models", "")
}

func TestModelProps(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	if got := r.do(200, http.MethodGet, "/models/props", ""); got.get("contextWindow").Int() != 8192 || got.get("modelAlias").String() != "kind-7b" {
		t.Errorf("props = %s", got.body)
	}
}

// All services are asked at once, and none that is down is our failure.
func TestHealth(t *testing.T) {
	t.Parallel()
	met := make(chan struct{})
	meets := func(context.Context) (string, error) {
		select {
		case met <- struct{}{}:
		case <-met:
		case <-time.After(statusTimeout):
			return "", errors.New("nobody else was asked meanwhile")
		}
		return "fine", nil
	}
	r := newChatRig(t, func(c *chatConfig) {
		c.services = []Service{
			{"twilio", meets}, // the channel does not depend on it
			{"postgres", meets},
			{"model", meets},
			{"qdrant", func(context.Context) (string, error) { return "", errors.New("dial tcp 10.0.0.7: refused") }},
			{"memory", func(context.Context) (string, error) { panic("oh") }},
			{"embeddings", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }},
		}
	})
	if got := r.do(200, http.MethodGet, "/health", ""); got.get("status").String() != "ok" || got.get("services").Raw != `["postgres","model","qdrant","memory","embeddings"]` {
		t.Errorf("health = %s", got.body)
	}
	began := time.Now()
	got := r.do(200, http.MethodGet, "/health/services", "")
	if took := time.Since(began); took > statusTimeout+30*time.Second { // a busy machine may stand still for a while
		t.Errorf("it took %s", took)
	}
	for i, want := range []string{"ok", "ok", "down", "down", "down"} {
		if s := got.get("@this").Array()[i]; s.Get("status").String() != want {
			t.Errorf("service %s", s)
		}
	}
	if got.get("2.detail").String() != "does not answer" || got.get("4.latencyMs").Int() < statusTimeout.Milliseconds() {
		t.Errorf("services = %s", got.body)
	}
}
