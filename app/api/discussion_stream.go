package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/discussions"
)

const (
	// closeSlow is the close code of a stream whose reader stayed behind too long and may come
	// back with after; closeGone is the code if the discussion was forgotten.
	closeSlow websocket.StatusCode = 4408
	closeGone websocket.StatusCode = 4404
	// pingWithin bounds the answer to a ping.
	pingWithin = 10 * time.Second
)

// streams adds the WebSocket stream of a discussion to the routes and, since huma cannot describe
// it, to their description.
func (a *api) streams(r chi.Router, h huma.API) {
	op := operation("council", "follow-discussion", http.MethodGet, "/api/v1/discussions/{id}/stream", "A discussion as it is held, over a WebSocket", http.StatusSwitchingProtocols, http.StatusUnprocessableEntity)
	op.Description = "One event a text frame, {type, seq, discussionId, at, …}: first what has been, then what comes. seq counts without gaps and stays the same; after goes on behind one, " +
		"in any process, at any time. Closing the stream does not end the discussion, whose next round is on it too. " +
		"It is closed with 4408 where a reader stays behind for long, with 1001 where the process stops (come back with after), with 4404 where the discussion was forgotten. Nothing is read from clients."
	text := &huma.Schema{Type: huma.TypeString}
	zero := 0.0
	op.Parameters = []*huma.Param{
		{Name: "id", In: "path", Required: true, Schema: text, Description: "discussionId"},
		{Name: "after", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &zero}, Description: "The seq of the last event that is known already"},
	}
	op.Responses = map[string]*huma.Response{
		"101":     {Description: "The stream"},
		"default": {Description: "Problem", Content: map[string]*huma.MediaType{"application/problem+json": {Schema: h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[huma.ErrorModel](), true, "")}}},
	}
	h.OpenAPI().AddOperation(&op)
	r.Get(op.Path, a.streamDiscussion)
}

func (a *api) streamDiscussion(w http.ResponseWriter, r *http.Request) {
	d, err := a.findDiscussion(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		writeProblem(w, a.problem(r.Context(), err))
		return
	}
	after, err := lastEvent(r)
	if err != nil || after < 0 || after > d.LastSeq {
		Problem(w, http.StatusUnprocessableEntity, "after is the seq of an event of this discussion.")
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: a.origins(), CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // already answered: not a WebSocket request, or from a page of another origin
	}
	defer func() { _ = conn.CloseNow() }()
	a.show(r.Context(), conn, d, after)
}

// origins returns the hosts whose pages may connect, besides the host that a request came to.
func (a *api) origins() []string {
	if u, err := url.Parse(a.PublicURL); err == nil && u.Host != "" {
		return []string{u.Host}
	}
	return nil
}

// show sends a discussion to a viewer until it goes away, is too slow or the process stops. A
// message from the viewer ends the stream.
func (a *api) show(ctx context.Context, conn *websocket.Conn, d discussions.Discussion, after int64) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var last atomic.Int64
	last.Store(after)
	end := func(code websocket.StatusCode, why string) {
		_ = conn.Close(code, why+"; come back with after="+strconv.FormatInt(last.Load(), 10)) // the viewer may be gone
		cancel()
	}
	go func() { // answers pings and notices when the viewer leaves
		defer cancel()
		if _, _, err := conn.Reader(ctx); err == nil {
			end(websocket.StatusPolicyViolation, "nothing is read here")
		}
	}()
	go func() {
		alive := time.NewTicker(keepAlive)
		defer alive.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-a.Done:
				end(websocket.StatusGoingAway, "stopping")
				return
			case <-alive.C:
				if ping(ctx, conn) != nil {
					cancel()
					return
				}
			}
		}
	}()
	// The timer runs while the viewer is behind, since a write may wait for its reader.
	allowed := cmp.Or(a.ViewerBehind, 15*time.Second)
	behind := time.AfterFunc(allowed, func() { end(closeSlow, "too slow") })
	behind.Stop()
	defer behind.Stop()
	waiting := true
	var left error // the error of a write: the viewer left
	err := a.Council.Follow(ctx, d.DiscussionID, after, func(frames []council.Frame) error {
		if len(frames) == 0 {
			waiting = true
			behind.Stop()
			return nil
		}
		if waiting {
			waiting = false
			behind.Reset(allowed)
		}
		for _, f := range frames {
			if left = conn.Write(ctx, websocket.MessageText, f.JSON); left != nil {
				return left
			}
			last.Store(f.Seq)
		}
		return nil
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		_ = conn.Close(closeGone, "forgotten")
	case left == nil && ctx.Err() == nil:
		a.Log.WarnContext(ctx, "stream of a discussion broke off", "discussion_id", d.DiscussionID, "err", err)
		end(websocket.StatusInternalError, "trouble")
	}
}

func ping(ctx context.Context, conn *websocket.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	return conn.Ping(ctx)
}
