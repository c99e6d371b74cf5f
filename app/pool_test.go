package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// slowReader is a client that takes nothing of an answer before it is told to.
type slowReader struct {
	*httptest.ResponseRecorder

	first sync.Once
	began chan<- struct{}
	read  <-chan struct{}
}

func (r *slowReader) Write(p []byte) (int, error) {
	r.first.Do(func() {
		r.began <- struct{}{}
		<-r.read
	})
	return r.ResponseRecorder.Write(p)
}

// Ten exports whose readers take their time and eight deletions share two
// connections, and leave them to others.
func TestExportsAndDeletionsShareFewConnections(t *testing.T) {
	t.Parallel()
	cfg := complete()
	cfg.DataDir, cfg.Server.Host, cfg.Server.Port = t.TempDir(), "127.0.0.1", 0
	nobody := "http://127.0.0.1:1"
	cfg.OpenAI.BaseURL, cfg.Twilio.BaseURL, cfg.ElevenLabs.BaseURL = nobody, nobody, nobody
	url := strings.Replace(storetest.URL(t), "pool_max_conns=6", "pool_max_conns=2", 1)
	a, err := New(t.Context(), cfg, Options{DatabaseURL: url}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.release(context.Background()) })
	const exports, deletions, turns = 10, 8, 500
	ids := make([]store.PersonID, 1+deletions)
	for i := range ids {
		p, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: fmt.Sprintf("+1555010%04d", i), Timezone: "UTC"}, nil,
			[]people.Consent{{Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}})
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = p.ID
	}
	if _, err := a.store.Pool().Exec(t.Context(), `insert into memory_turns (id, person_id, conversation, seq, speaker, name, text, at, source, source_key)
		select gen_random_uuid(), $1, 'c', n, 'user', 'Ada', repeat('bees ', 200), now(), 'api', n::text from generate_series(1, $2) n`, ids[0].UUID, turns); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ask := func(w http.ResponseWriter, method, path string) {
		r := httptest.NewRequestWithContext(ctx, method, "/api/v1/people/"+path, nil)
		r.Header.Set("Authorization", "Bearer "+cfg.Auth.APIToken.Reveal())
		a.http.Handler.ServeHTTP(w, r)
	}
	began, read := make(chan struct{}, exports), make(chan struct{})
	var all, deleted sync.WaitGroup
	readers := make([]*slowReader, exports)
	for i := range readers {
		readers[i] = &slowReader{ResponseRecorder: httptest.NewRecorder(), began: began, read: read}
		all.Go(func() {
			defer func() { // of an export that breaks off
				if failed := recover(); failed != nil {
					t.Errorf("export %d: %v", i, failed)
				}
			}()
			ask(readers[i], http.MethodGet, ids[0].String()+"/memory/export")
		})
	}
	for _, id := range ids[1:] {
		deleted.Go(func() {
			w := httptest.NewRecorder()
			if ask(w, http.MethodDelete, id.String()); w.Code != http.StatusNoContent {
				t.Errorf("delete: %d %s", w.Code, w.Body)
			}
		})
	}
	deleted.Wait()
	for range exports {
		select {
		case <-began:
		case <-ctx.Done():
			t.Error("some export never came to be read")
		}
	}
	w := httptest.NewRecorder()
	if ask(w, http.MethodGet, ids[0].String()); w.Code != http.StatusOK {
		t.Errorf("another request: %d %s", w.Code, w.Body)
	}
	close(read)
	all.Wait()
	for i, r := range readers {
		if n := bytes.Count(r.Body.Bytes(), []byte("\n")); n != 1+turns {
			t.Errorf("export %d has %d lines, want %d", i, n, 1+turns)
		}
	}
}
