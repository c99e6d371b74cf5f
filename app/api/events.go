package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

const (
	// keepAlive is the interval of keep-alive messages on a quiet stream, below the idle limits
	// of common proxies.
	keepAlive = 20 * time.Second
	// eventWrite bounds one write to a slow reader.
	eventWrite = 10 * time.Second
	// tellAgain is the wait before a timeline that could not be read is read again.
	tellAgain = time.Second
)

// events adds the stream of a call's timeline to the routes and to their description, by hand
// because it is not JSON.
func (a *api) events(r chi.Router, h huma.API) {
	op := operation("calls", "follow-call", http.MethodGet, "/api/v1/calls/{id}/events", "A call's timeline as it grows, as server-sent events", http.StatusOK)
	op.Description = "First what has been, then what comes. The stream goes on after the call's end, since the work that follows a call is on its timeline too."
	text := &huma.Schema{Type: huma.TypeString}
	number := &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
	op.Parameters = []*huma.Param{
		{Name: "id", In: "path", Required: true, Schema: text, Description: "callId"},
		{Name: "after", In: "query", Schema: number, Description: "The id of the last event that is known already"},
		{Name: "Last-Event-ID", In: "header", Schema: number, Description: "The same, as browsers send it"},
	}
	op.Responses = map[string]*huma.Response{
		"200":     {Description: "One event a line of the timeline", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: text}}},
		"default": {Description: "Problem", Content: map[string]*huma.MediaType{"application/problem+json": {Schema: h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[huma.ErrorModel](), true, "")}}},
	}
	h.OpenAPI().AddOperation(&op)
	r.Get(op.Path, a.follow)
}

// follow streams a call's timeline as server-sent events: first the past events, then new ones.
// Last-Event-ID, or ?after=, resumes after that event. The stream ends with the process, not with
// the call, since the work that follows a call is on its timeline too.
func (a *api) follow(w http.ResponseWriter, r *http.Request) {
	c, err := a.findCall(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		writeProblem(w, a.problem(r.Context(), err))
		return
	}
	after, err := lastEvent(r)
	if err != nil {
		Problem(w, http.StatusUnprocessableEntity, "Last-Event-ID and after are numbers of events.")
		return
	}
	grown, stop := a.Follower.Watch(c.ID)
	defer stop()
	out := newStream(w)
	out.begin()
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		var again <-chan time.Time
		if after, err = a.tell(r.Context(), out, c.ID, after); errors.Is(err, errAway) {
			again = time.After(tellAgain)
		} else if err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-a.Done:
			return
		case <-grown:
		case <-again:
		case <-alive.C:
			if out.write(": alive\n\n") != nil {
				return
			}
		}
	}
}

// errAway says that the timeline cannot be read.
var errAway = errors.New("database is away")

// tell writes the events of the timeline after an id and returns the id of the last one. It
// returns errAway where they cannot be read.
func (a *api) tell(ctx context.Context, out stream, id store.CallID, after int64) (int64, error) {
	for {
		events, err := a.Store.EventsAfter(ctx, id, after)
		if err != nil {
			return after, fmt.Errorf("%w: %w", errAway, err)
		}
		var text strings.Builder
		for _, e := range events {
			after = e.ID
			fmt.Fprintf(&text, "id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Kind, eventData(e))
		}
		// Written even without events, since the headers tell the reader that it is connected.
		if err := out.write(text.String()); err != nil || len(events) == 0 {
			return after, err
		}
	}
}

// A stream writes server-sent events to a reader that may be slow or gone. It is not safe for
// concurrent use.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// newStream returns a stream on w.
func newStream(w http.ResponseWriter) stream { return stream{w, http.NewResponseController(w)} }

// begin sets the headers of a stream.
func (s stream) begin() {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("X-Accel-Buffering", "no") // else nginx buffers events
}

// event writes one event; the name may be empty.
func (s stream) event(name string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	text := "data: " + string(raw) + "\n\n"
	if name != "" {
		text = "event: " + name + "\n" + text
	}
	return s.write(text)
}

// write writes text and flushes it. When it returns nil, the text has been handed to the reader's
// connection.
func (s stream) write(text string) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(eventWrite)) // not every writer supports deadlines
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.control.Flush()
}

// lastEvent returns the id of the last event that the reader has, or 0 if the request names none.
func lastEvent(r *http.Request) (int64, error) {
	s := r.Header.Get("Last-Event-ID")
	if s == "" {
		s = r.URL.Query().Get("after")
	}
	if s == "" {
		return 0, nil
	}
	return strconv.ParseInt(s, 10, 64)
}

func eventData(e calls.Event) []byte {
	body, err := json.Marshal(struct {
		ID   int64           `json:"id"`
		Kind string          `json:"kind"`
		At   time.Time       `json:"at"`
		Data json.RawMessage `json:"data"`
	}{e.ID, e.Kind, e.At.UTC(), e.Data})
	if err != nil {
		return []byte("{}") // cannot happen: the column is jsonb
	}
	return body
}
