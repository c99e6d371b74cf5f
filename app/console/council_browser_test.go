package console

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
)

const discussion = "0197a1b0-6666-7000-8000-000000000001"

// councilAPI answers as the API does for the discussions in testdata, and notes what
// it was asked to decide. There are no streams.
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
	r.Post(base+"/"+discussion+"/actions/{action}/{verb}", func(w http.ResponseWriter, req *http.Request) {
		b, _ := io.ReadAll(req.Body)
		id, verb := chi.URLParam(req, "action"), chi.URLParam(req, "verb")
		c.mu.Lock()
		defer c.mu.Unlock()
		c.called = append(c.called, verb+" "+id+" "+string(b))
		_ = json.NewEncoder(w).Encode(map[string]string{"id": id, "kind": "health_question", "text": "Ask whether she wakes at night.", "status": "confirmed", "by": "Ann"})
	})
}

// What a discussion cites is found where its links lead, and an action is decided
// once, by somebody with a name.
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
	want := []string{`confirm 0197a1b0-7777-7000-8000-000000000001 {"by":"Ann","note":"when Sam is there"}`}
	if diff := cmp.Diff(want, council.called); diff != "" {
		t.Errorf("what the API heard (-want +got):\n%s", diff)
	}
}
