package console

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
)

const (
	discussion = "0197a1b0-6666-7000-8000-000000000001"
	brokenOff  = "0197a1b0-6666-7000-8000-000000000002" // the same, with a round that failed
)

// councilAPI answers as the API does for the discussions in testdata, and notes what
// it was asked to do. There are no streams.
type councilAPI struct {
	mu     sync.Mutex
	called []string
}

func newCouncilAPI() *councilAPI { return &councilAPI{} }

func (c *councilAPI) mount(r chi.Router) {
	base := "/api/v1/discussions"
	for address, file := range map[string]string{base: "discussions.json", base + "/" + discussion: "discussion.json"} {
		r.Get(address, func(w http.ResponseWriter, req *http.Request) { http.ServeFile(w, req, path.Join("testdata", file)) })
	}
	r.Get(base+"/"+brokenOff, func(w http.ResponseWriter, _ *http.Request) {
		b, _ := os.ReadFile("testdata/discussion.json")
		_, _ = io.WriteString(w, strings.Replace(string(b), `"waiting"`, `"failed"`, 1))
	})
	r.Post(base+"/"+discussion+"/actions/{action}/{verb}", func(w http.ResponseWriter, req *http.Request) {
		c.note(req)
		_ = json.NewEncoder(w).Encode(map[string]string{"id": chi.URLParam(req, "action"), "kind": "health_question", "text": "Ask whether she wakes at night.", "status": "confirmed", "by": "Ann"})
	})
	r.Post(base+"/"+brokenOff+"/rounds", func(w http.ResponseWriter, req *http.Request) {
		c.note(req)
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"round": 2}`)
	})
	r.Post(base+"/"+brokenOff+"/stop", func(w http.ResponseWriter, req *http.Request) {
		c.note(req)
		w.WriteHeader(http.StatusNoContent)
	})
}

func (c *councilAPI) note(r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called = append(c.called, strings.TrimPrefix(r.URL.Path, "/api/v1/discussions/")+" "+string(b))
}

// What a discussion cites is found where its links lead, an action is decided once, by
// somebody with a name, and a round that failed is tried again and stopped.
func TestCouncilInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	r := answering(t)
	newMemoryAPI(t).mount(r, elder)
	council := newCouncilAPI()
	council.mount(r)
	withScript(r, "/council", "/", "council.js")
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	page, _ := visited(t, chromium, srv.URL+"/council#/people/"+elder+"/council/"+discussion)
	if !strings.Contains(page, "All steps were taken.") {
		t.Errorf("the steps were not taken: %s", page)
	}
	council.mu.Lock()
	defer council.mu.Unlock()
	want := []string{discussion + `/actions/0197a1b0-7777-7000-8000-000000000001/confirm {"by":"Ann","note":"when Sam is there"}`, brokenOff + "/rounds {}", brokenOff + "/stop "}
	if diff := cmp.Diff(want, council.called); diff != "" {
		t.Errorf("what the API heard (-want +got):\n%s", diff)
	}
}
