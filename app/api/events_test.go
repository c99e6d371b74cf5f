package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/store"
)

// sse is an open event stream.
type sse struct {
	t      testing.TB
	res    *http.Response
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

// sent is one event as it came.
type sent struct{ id, kind, data string }

func (r *rig) listen(path string, header ...string) *sse {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	res, err := r.client.Do(r.request(http.MethodGet, path, "", header...).WithContext(ctx))
	if err != nil {
		cancel()
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { cancel(); _ = res.Body.Close() })
	return &sse{t: r.t, res: res, lines: bufio.NewScanner(res.Body), cancel: cancel}
}

// next waits for an event; false means that the stream has ended.
func (s *sse) next() (sent, bool) {
	s.t.Helper()
	var e sent
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			if e.kind != "" {
				return e, true
			}
		}
	}
	return e, false
}

func (s *sse) want(kinds ...string) []sent {
	s.t.Helper()
	var got []sent
	for _, kind := range kinds {
		e, ok := s.next()
		if !ok || e.kind != kind {
			s.t.Fatalf("event = %+v, %v, want %s", e, ok, kind)
		}
		got = append(got, e)
	}
	return got
}

func (r *rig) event(id store.CallID, kind, data string) {
	r.t.Helper()
	if _, err := r.st.AddEvent(r.t.Context(), id, kind, []byte(data), ""); err != nil {
		r.t.Fatal(err)
	}
}

func TestEventsReplayAndGrow(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.dial(r.person("Ada", "+15550100123"))
	path := "/api/v1/calls/" + id.String() + "/events"
	s := r.listen(path)
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if got := s.res.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	past := s.want("queued", "dialled")
	r.event(id, "heard", `{"role":"user","text":"Hello!\nIt's me."}`)
	heard := s.want("heard")[0]
	got := gjson.Parse(heard.data)
	if !json.Valid([]byte(heard.data)) || got.Get("id").String() != heard.id || got.Get("kind").String() != "heard" ||
		got.Get("data.text").String() != "Hello!\nIt's me." || !strings.HasSuffix(got.Get("at").String(), "Z") {
		t.Errorf("event = %+v", heard)
	}
	r.end(id)
	r.event(id, "post_call_done", `{"ms":12}`) // the stream goes on after the call
	s.want("post_call_done")

	for _, header := range [][]string{{"Last-Event-ID", past[1].id}, nil} {
		target := path
		if header == nil {
			target += "?after=" + past[1].id
		}
		r.listen(target, header...).want("heard", "post_call_done")
	}
	last := r.listen(path + "?after=" + strconv.Itoa(1<<40)) // has nothing to tell, but listens
	if last.res.StatusCode != http.StatusOK {
		t.Errorf("status = %d", last.res.StatusCode)
	}
}

func TestEventsOfAnotherCallStayThere(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	mine, other := r.dial(r.person("Ada", "+15550100123")), r.dial(r.person("Bo", "+15550100124"))
	s := r.listen("/api/v1/calls/" + mine.String() + "/events")
	s.want("queued", "dialled")
	r.event(other, "silence", `{}`)
	r.event(mine, "keypad", `{"digits":"1"}`)
	s.want("keypad")
}

func TestLongTimelineComesWhole(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.dial(r.person("Ada", "+15550100123"))
	const n = 2500 // more than one reading of the database
	if _, err := r.st.Pool().Exec(t.Context(), "insert into call_events (call_id, kind, data) select $1, 'k' || i, '{}' from generate_series(1, $2::int) i", id.UUID, n); err != nil {
		t.Fatal(err)
	}
	s := r.listen("/api/v1/calls/" + id.String() + "/events")
	kinds := []string{"queued", "dialled"}
	for i := range n {
		kinds = append(kinds, fmt.Sprintf("k%d", i+1))
	}
	got := s.want(kinds...)
	if !slices.IsSortedFunc(got, func(a, b sent) int { return len(a.id) - len(b.id) }) {
		t.Error("ids do not grow")
	}
}

func TestEventsEndWithTheProcess(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := r.listen("/api/v1/calls/" + r.dial(r.person("Ada", "+15550100123")).String() + "/events")
	s.want("queued", "dialled")
	done := r.done
	r.done = make(chan struct{}) // the rig closes this one
	close(done)
	if e, ok := s.next(); ok {
		t.Errorf("after the end: %+v", e)
	}
	if err := s.lines.Err(); err != nil {
		t.Errorf("the stream broke: %v", err)
	}
}

// A database that is away for a moment ends no stream.
func TestEventsOutliveTheDatabase(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.dial(r.person("Ada", "+15550100123"))
	exec := func(sql string) {
		if _, err := r.st.Pool().Exec(t.Context(), sql); err != nil {
			t.Error(err)
		}
	}
	exec("alter table call_events rename to events_away")
	back := time.AfterFunc(200*time.Millisecond, func() { exec("alter table events_away rename to call_events") })
	defer back.Stop()
	r.listen("/api/v1/calls/"+id.String()+"/events").want("queued", "dialled")
}
