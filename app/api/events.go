package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/store"
)

const (
	// keepAlive is how often a quiet stream says that it is alive, below the
	// idle limits of common proxies.
	keepAlive = 20 * time.Second
	// eventWrite bounds one write to a slow reader.
	eventWrite = 10 * time.Second
)

// follow streams a call's timeline as server-sent events: first what has been,
// then what comes. Last-Event-ID, or ?after=, goes on where a reader stopped.
// The stream ends with the process, never with the call: what follows a call
// is on its timeline too.
func (a *api) follow(w http.ResponseWriter, r *http.Request) {
	id, err := store.ParseCallID(chi.URLParam(r, "id"))
	if err == nil {
		_, err = a.Store.Call(r.Context(), id)
	}
	if err != nil {
		Problem(w, http.StatusNotFound, "No such call.")
		return
	}
	after := lastEvent(r)
	grown, stop := a.Follower.Watch(id)
	defer stop()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(w)
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		events, err := a.Store.EventsAfter(r.Context(), id, after)
		if err != nil {
			return
		}
		_ = out.SetWriteDeadline(time.Now().Add(eventWrite)) // not every writer has one
		for _, e := range events {
			after = e.ID
			if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Kind, eventData(e)); err != nil {
				return
			}
		}
		if out.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-a.Done:
			return
		case <-grown:
		case <-alive.C:
			if _, err := w.Write([]byte(": alive\n\n")); err != nil {
				return
			}
		}
	}
}

func lastEvent(r *http.Request) int64 {
	s := r.Header.Get("Last-Event-ID")
	if s == "" {
		s = r.URL.Query().Get("after")
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func eventData(e store.Event) []byte {
	body, err := json.Marshal(struct {
		ID   int64           `json:"id"`
		Kind string          `json:"kind"`
		At   time.Time       `json:"at"`
		Data json.RawMessage `json:"data"`
	}{e.ID, e.Kind, e.At.UTC(), e.Data})
	if err != nil {
		return []byte("{}") // the column is jsonb: it cannot be anything else
	}
	return body
}
