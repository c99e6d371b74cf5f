package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

// workspace is a stand-in for ElevenLabs, as far as agents are looked after.
type workspace struct {
	mu       sync.Mutex                // guards what follows
	agents   map[string]map[string]any // by id
	secrets  map[string][2]string      // by id: name, value
	webhooks map[string]map[string]any // by id
	requests []string                  // those that change something
	refuse   string                    // this request is refused once
	forget   string                    // this key of an agent's TTS settings is not kept
	made     int
}

func newWorkspace() *workspace {
	return &workspace{agents: map[string]map[string]any{}, secrets: map[string][2]string{}, webhooks: map[string]map[string]any{}}
}

func (w *workspace) client(t *testing.T) *elevenlabs.Client {
	t.Helper()
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	c, err := elevenlabs.New(elevenlabs.Config{APIKey: "key", BaseURL: server.URL, RetryWait: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (w *workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var body map[string]any
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(rw, `{"detail":"not JSON"}`, http.StatusUnprocessableEntity)
			return
		}
		op := r.Method + " " + r.URL.Path
		w.requests = append(w.requests, op)
		if op == w.refuse {
			w.refuse = ""
			http.Error(rw, `{"detail":{"status":"missing_permissions","message":"No."}}`, http.StatusForbidden)
			return
		}
	}
	answer, found := w.answer(r, body)
	if !found {
		http.Error(rw, `{"detail":{"status":"not_found","message":"There is no such thing."}}`, http.StatusNotFound)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(answer)
}

func (w *workspace) answer(r *http.Request, body map[string]any) (any, bool) {
	id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch place := r.Method + " " + strings.TrimPrefix(strings.TrimSuffix(r.URL.Path, id), "/v1/"); {
	case r.Method == http.MethodGet && id == "agents":
		list := []any{}
		for _, id := range slices.Sorted(maps.Keys(w.agents)) {
			if name, _ := w.agents[id]["name"].(string); strings.Contains(name, r.FormValue("search")) {
				list = append(list, map[string]any{"agent_id": id, "name": name})
			}
		}
		return map[string]any{"agents": list}, true
	case r.Method == http.MethodGet && id == "secrets":
		list := []any{}
		for _, id := range slices.Sorted(maps.Keys(w.secrets)) {
			list = append(list, map[string]any{"secret_id": id, "name": w.secrets[id][0]})
		}
		return map[string]any{"secrets": list}, true
	case r.Method == http.MethodGet && id == "webhooks":
		list := []any{}
		for _, id := range slices.Sorted(maps.Keys(w.webhooks)) {
			list = append(list, w.webhooks[id])
		}
		return map[string]any{"webhooks": list}, true
	case place == "GET convai/agents/":
		return w.agents[id], w.agents[id] != nil
	case place == "POST convai/agents/":
		id = w.id("agent")
		w.agents[id] = w.keep(body)
		return map[string]any{"agent_id": id}, true
	case place == "PATCH convai/agents/":
		w.agents[id] = merge(w.agents[id], w.keep(body))
		return w.agents[id], true
	case place == "POST convai/":
		id = w.id("sec")
		w.secrets[id] = [2]string{body["name"].(string), body["value"].(string)}
		return map[string]any{"secret_id": id}, true
	case place == "PATCH convai/secrets/":
		w.secrets[id] = [2]string{body["name"].(string), body["value"].(string)}
		return map[string]any{}, true
	case place == "POST workspace/":
		id = w.id("wh")
		set := body["settings"].(map[string]any)
		w.webhooks[id] = hook(id, set["webhook_url"].(string))
		w.webhooks[id]["retry_enabled"] = false
		return map[string]any{"webhook_id": id, "webhook_secret": "wsec_" + id}, true
	case place == "PATCH workspace/webhooks/":
		maps.Copy(w.webhooks[id], body)
		w.webhooks[id]["is_auto_disabled"] = false
		return map[string]any{}, true
	default:
		return nil, false
	}
}

func (w *workspace) id(kind string) string {
	w.made++
	return fmt.Sprintf("%s_%d", kind, w.made)
}

// keep is what is kept of a configuration.
func (w *workspace) keep(config map[string]any) map[string]any {
	if c, isObject := config["conversation_config"].(map[string]any); isObject {
		if tts, isObject := c["tts"].(map[string]any); isObject {
			delete(tts, w.forget)
		}
	}
	return config
}

func merge(old, patch map[string]any) map[string]any {
	merged := maps.Clone(old)
	for key, v := range patch {
		below, isObject := merged[key].(map[string]any)
		if above, both := v.(map[string]any); isObject && both {
			v = merge(below, above)
		}
		merged[key] = v
	}
	return merged
}

func hook(id, address string) map[string]any {
	return map[string]any{
		"webhook_id": id, "name": "naiber", "webhook_url": address,
		"is_disabled": false, "is_auto_disabled": false, "retry_enabled": true,
	}
}

// changed forgets and returns the requests that changed something.
func (w *workspace) changed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.requests
	w.requests = nil
	return was
}

// object is the inner object of an agent's configuration.
func (w *workspace) object(t *testing.T, id string, path ...string) map[string]any {
	t.Helper()
	o := w.agents[id]
	for _, name := range path {
		inner, isObject := o[name].(map[string]any)
		if !isObject {
			t.Fatalf("agent %s has no object at %s of %v", id, name, path)
		}
		o = inner
	}
	return o
}
