package api

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// voices says the same words for each voice, piece by piece, each after pace. One
// round is followed by another.
type voices struct {
	piece string
	n     int
	pace  func()
}

func (v voices) Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error) {
	prompt := req.Messages[1].Content
	var b strings.Builder
	b.WriteString(prompt[strings.LastIndex(prompt, "ROUND "):][:7] + ". ")
	for i := range v.n {
		fmt.Fprintf(&b, "%s %d. ", v.piece, i)
	}
	text := b.String()
	for piece := range strings.SplitAfterSeq(strings.TrimSuffix(strings.TrimPrefix(text, req.Said), " "), ". ") {
		v.pace()
		if err := errors.Join(ctx.Err(), yield(llm.Delta{Text: piece})); err != nil {
			return llm.Result{}, err
		}
	}
	return llm.Result{Text: strings.TrimSuffix(text, " "), FinishReason: llm.FinishStop}, nil
}

func (voices) Structured(_ context.Context, _ llm.Request, _ llm.Schema, out any) error {
	return json.Unmarshal([]byte(`{"agreed":["Sleep is worse."],"open":[],"actions":[{"kind":"tell","text":"Tell the daughter."}],"anotherRound":true,"askCarers":""}`), out)
}

// noEffects are what a confirmed action does here.
type noEffects struct{}

func (noEffects) Effect(context.Context, store.Tx, people.Person, discussions.Action) error {
	return nil
}

// process is a server of discussions with a council of its own.
type process struct {
	*rig
	council *council.Council
}

// processes returns n of them on one database.
func processes(tb testing.TB, n int, model council.Model, change func(*Deps)) []process {
	tb.Helper()
	st := storetest.New(tb)
	out := make([]process, n)
	for i := range out {
		c, err := council.New(council.Config{
			Model: model, Store: st, Checkpoints: checkpoint.NewMemory(6), Metrics: prometheus.NewRegistry(),
			Read: func(context.Context, people.Person) (council.Record, error) {
				return council.Record{Person: "Ada", Language: "en"}, nil
			},
			Schedule: func(context.Context, store.Tx, uuid.UUID, int64) error { return nil }, Effects: noEffects{},
		})
		if err != nil {
			tb.Fatal(err)
		}
		follower := st.Follow(tb.Context())
		tb.Cleanup(follower.Stop)
		follower.OnDiscussion(c.Appended)
		r := &rig{t: tb, st: st, done: make(chan struct{}), log: &logBook{}}
		d := Deps{Store: st, Follower: follower, Council: c, Log: slog.New(slog.NewTextHandler(r.log, nil)), Done: r.done}
		if change != nil {
			change(&d)
		}
		mux := chi.NewRouter()
		Mount(mux, d, door)
		srv := httptest.NewUnstartedServer(mux)
		srv.Config.ConnState = func(c net.Conn, s http.ConnState) {
			if tcp, ok := c.(*net.TCPConn); ok && s == http.StateNew {
				_ = tcp.SetWriteBuffer(4096) // so that a slow reader is felt soon
			}
		}
		srv.Start()
		tb.Cleanup(srv.Close)
		tb.Cleanup(func() { close(r.done) })
		r.url, r.client = srv.URL, srv.Client()
		out[i] = process{r, c}
	}
	return out
}

// ada adds a person and returns the id.
func (p process) ada() string {
	p.t.Helper()
	made, err := p.st.CreatePerson(p.t.Context(), people.Person{ID: store.NewPersonID(), Name: "Ada", Phone: "+15550100123", Timezone: "UTC", Language: "en"}, nil, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return made.ID.String()
}

func (p process) begin(body string) uuid.UUID {
	p.t.Helper()
	return uuid.MustParse(p.ok(http.StatusAccepted, http.MethodPost, "/api/v1/discussions", body).get("discussionId").String())
}

func (p process) hold(id uuid.UUID) {
	p.t.Helper()
	if err := p.council.Run(p.t.Context(), id); err != nil {
		p.t.Error(err)
	}
}

func (p process) stream(id uuid.UUID, after int64, header http.Header) (*websocket.Conn, *http.Response, error) {
	header = header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Authorization", "Bearer "+bearer)
	conn, res, err := websocket.Dial(p.t.Context(), fmt.Sprintf("%s/api/v1/discussions/%s/stream?after=%d", p.url, id, after), &websocket.DialOptions{HTTPHeader: header})
	if err == nil {
		conn.SetReadLimit(1 << 20)
	}
	return conn, res, err
}

// watch reads a discussion up to an event of a kind, and returns the frames. It drops
// the connection and resumes wherever drops says.
func (p process) watch(id uuid.UUID, until string, drops func() bool) ([]string, error) {
	var got []string
	for {
		conn, _, err := p.stream(id, int64(len(got)), nil) //nolint:bodyclose // of a handshake
		if err != nil {
			return got, err
		}
		for {
			_, raw, err := conn.Read(p.t.Context())
			if err != nil {
				return got, err
			}
			got = append(got, string(raw))
			if gjson.GetBytes(raw, "type").String() == until {
				return got, conn.Close(websocket.StatusNormalClosure, "")
			}
			if drops != nil && drops() {
				_ = conn.CloseNow()
				break
			}
		}
	}
}

// assembled are the messages that frames hold, as chunks and as they ended.
func assembled(t *testing.T, frames []string) (chunks, contents map[int64]string) {
	t.Helper()
	chunks, contents = map[int64]string{}, map[int64]string{}
	for i, f := range frames {
		if seq := gjson.Get(f, "seq").Int(); seq != int64(i)+1 {
			t.Fatalf("event %d has the number %d", i+1, seq)
		}
		turn := gjson.Get(f, "turn").Int()
		switch gjson.Get(f, "type").String() {
		case council.EventChunk:
			chunks[turn] += gjson.Get(f, "text").String()
		case council.EventSaid:
			contents[turn] = gjson.Get(f, "content").String()
		}
	}
	return chunks, contents
}

func TestDiscussions(t *testing.T) {
	t.Parallel()
	p := processes(t, 1, voices{"Sleep", 2, func() {}}, nil)[0]
	person := p.ada()
	p.problem(http.StatusNotFound, http.MethodPost, "/api/v1/discussions", `{"userId":"`+uuid.NewString()+`"}`)
	p.problem(http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/discussions", `{"userId":"`+person+`","rounds":6}`)
	body := `{"userId":"` + person + `","question":"How does she sleep?"}`
	id := uuid.MustParse(p.ok(http.StatusAccepted, http.MethodPost, "/api/v1/discussions", body, "Idempotency-Key", "k1").get("discussionId").String())
	if again := p.ok(http.StatusAccepted, http.MethodPost, "/api/v1/discussions", body, "Idempotency-Key", "k1"); again.get("discussionId").String() != id.String() {
		t.Errorf("the same wish made another discussion: %s", again.body)
	}
	p.problem(http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/discussions", `{"userId":"`+person+`"}`, "Idempotency-Key", "k1")
	at := "/api/v1/discussions/" + id.String()
	if d := p.ok(http.StatusOK, http.MethodGet, at, ""); !strings.HasSuffix(strings.TrimSpace(d.body), `"rounds":[],"agreed":[],"open":[],"citations":[],"actions":[]}`) {
		t.Errorf("before it begins: %s", d.body)
	}
	p.problem(http.StatusConflict, http.MethodPost, at+"/rounds", `{}`)
	p.hold(id)
	d := p.ok(http.StatusOK, http.MethodGet, at, "")
	for path, want := range map[string]string{
		"id": id.String(), "userId": person, "status": "complete", "question": "How does she sleep?", "rounds.#": "2", "rounds.1.state": "COMPLETE",
		"rounds.1.messages.2.turn": "6", "rounds.1.messages.2.persona": "moderator", "rounds.0.messages.0.content": "ROUND 1. Sleep 0. Sleep 1.",
		"rounds.0.messages.0.status": "complete", "rounds.0.messages.0.citations": "[]", "agreed.0": "Sleep is worse.", "actions.0.status": "proposed", "actions.0.kind": "tell", "open": "[]", "citations": "[]",
	} {
		if got := d.get(path).String(); got != want {
			t.Errorf("%s = %q, want %q in %s", path, got, want, d.body)
		}
	}
	action := at + "/actions/" + d.get("actions.0.id").String()
	p.problem(http.StatusUnprocessableEntity, http.MethodPost, action+"/confirm", `{"by":" "}`)
	p.problem(http.StatusNotFound, http.MethodPost, at+"/actions/"+uuid.NewString()+"/confirm", `{"by":"Ruth"}`)
	if got := p.ok(http.StatusOK, http.MethodPost, action+"/confirm", `{"by":"Ruth"}`); got.get("status").String() != "confirmed" || got.get("by").String() != "Ruth" {
		t.Errorf("confirmed: %s", got.body)
	}
	if round := p.ok(http.StatusAccepted, http.MethodPost, at+"/rounds", `{"question":"And the noise?","by":"Ruth"}`); round.get("round").Int() != 3 {
		t.Errorf("another round: %s", round.body)
	}
	p.ok(http.StatusNoContent, http.MethodPost, at+"/stop", `{"by":"Tom"}`)
	p.ok(http.StatusNoContent, http.MethodPost, at+"/stop", "") // again
	p.hold(id)
	d = p.ok(http.StatusOK, http.MethodGet, at, "")
	if d.get("status").String() != "stopped" || d.get("rounds.2.state").String() != "FAILED" || d.get("actions.0.by").String() != "Ruth" {
		t.Errorf("stopped: %s", d.body)
	}
	if list := p.ok(http.StatusOK, http.MethodGet, "/api/v1/discussions?status=stopped&userId="+person, ""); list.get("items.0.id").String() != id.String() {
		t.Errorf("list: %s", list.body)
	}
	// Each asking is on the audit once, with who asked and for what.
	var audit []string
	if err := p.st.Pool().QueryRow(t.Context(), "select array_agg(actor || ' ' || action order by id) from audit where subject = $1", id.String()).Scan(&audit); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(audit, []string{"api council.start", "Ruth council.round", "Tom council.stop"}) {
		t.Errorf("audit: %q", audit)
	}
	p.problem(http.StatusNotFound, http.MethodGet, "/api/v1/discussions/"+uuid.NewString(), "")
	p.problem(http.StatusUnprocessableEntity, http.MethodGet, at+"/stream?after=999", "")
	p.problem(http.StatusUnprocessableEntity, http.MethodGet, at+"/stream?after=x", "")
}

// All viewers see the same, in whichever process and however often they drop and
// resume; what each assembles from the chunks is what was said.
func TestDiscussionStream(t *testing.T) {
	t.Parallel()
	both := processes(t, 2, voices{"Sleep", 40, func() {}}, nil)
	id := both[0].begin(`{"userId":"` + both[0].ada() + `","rounds":2}`)
	seen := make([][]string, 8)
	var viewers sync.WaitGroup
	for i := range seen {
		viewers.Go(func() {
			chance := rand.New(rand.NewPCG(1, uint64(i)))
			drops := func() bool { return i%2 == 1 && chance.IntN(20) == 0 }
			var err error
			if seen[i], err = both[i%4/2].watch(id, council.EventDone, drops); err != nil {
				t.Errorf("viewer %d: %v", i, err)
			}
		})
	}
	both[0].hold(id)
	viewers.Wait()
	later, err := both[1].watch(id, council.EventDone, nil) // and after the end
	if err != nil {
		t.Fatal(err)
	}
	for i, frames := range seen {
		if !slices.Equal(frames, later) {
			t.Errorf("viewer %d saw %d events, others %d", i, len(frames), len(later))
		}
	}
	chunks, contents := assembled(t, later)
	for turn := int64(1); turn <= 6; turn++ {
		if chunks[turn] != contents[turn] || !strings.HasSuffix(contents[turn], "Sleep 39.") {
			t.Errorf("turn %d: %q is not %q", turn, chunks[turn], contents[turn])
		}
	}
}

// A viewer who does not read is cut, is told so, and can come back; nobody waits for
// that.
func TestSlowViewer(t *testing.T) {
	t.Parallel()
	p := processes(t, 1, voices{strings.Repeat("Sleep well ", 100), 200, func() {}}, func(d *Deps) { d.ViewerBehind = 50 * time.Millisecond })[0]
	id := p.begin(`{"userId":"` + p.ada() + `","rounds":1}`)
	slow, _, err := p.stream(id, 0, nil) //nolint:bodyclose // of a handshake
	if err != nil {
		t.Fatal(err)
	}
	p.hold(id) // with a viewer that reads nothing
	var got []string
	for err == nil {
		var raw []byte
		if _, raw, err = slow.Read(t.Context()); err == nil {
			got = append(got, string(raw))
		}
	}
	// On a machine that stands still for seconds the close frame may be cut off, too.
	if code := websocket.CloseStatus(err); code != closeSlow && code != -1 {
		t.Errorf("cut with %d: %v", code, err)
	}
	for len(got) == 0 || gjson.Get(got[len(got)-1], "type").String() != council.EventDone {
		conn, _, err := p.stream(id, int64(len(got)), nil) //nolint:bodyclose // of a handshake
		if err != nil {
			t.Fatal(err)
		}
		for {
			_, raw, err := conn.Read(t.Context())
			if err != nil {
				break
			}
			got = append(got, string(raw))
			if gjson.GetBytes(raw, "type").String() == council.EventDone {
				break
			}
		}
		_ = conn.CloseNow()
	}
	if end := got[len(got)-1]; gjson.Get(end, "open").String() != "[]" {
		t.Errorf("the end is %s", end)
	}
	if chunks, contents := assembled(t, got); chunks[3] != contents[3] || len(contents) != 3 {
		t.Errorf("assembled %d messages", len(contents))
	}
}

// A page of another site reads nothing, and a viewer of what is forgotten is told so.
func TestStreamEnds(t *testing.T) {
	t.Parallel()
	p := processes(t, 1, voices{"Sleep", 1, func() {}}, nil)[0]
	person := p.ada()
	id := p.begin(`{"userId":"` + person + `","rounds":1}`)
	if _, res, err := p.stream(id, 0, http.Header{"Origin": {"https://elsewhere.example"}}); err == nil || res.StatusCode != http.StatusForbidden { //nolint:bodyclose // of a handshake
		t.Errorf("another origin: %v, %v", res, err)
	}
	conn, _, err := p.stream(id, 0, http.Header{"Origin": {p.url}}) //nolint:bodyclose // of a handshake
	if err != nil {
		t.Fatal(err)
	}
	p.forgetDiscussions(t, person)
	p.council.Appended(uuid.Nil, 0)
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != closeGone {
		t.Errorf("forgotten: %v", err)
	}
}

// forgetDiscussions forgets all discussions of a person, and tells nobody.
func (p process) forgetDiscussions(t *testing.T, person string) {
	t.Helper()
	pid, err := store.ParsePersonID(person)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.st.InTx(t.Context(), func(tx store.Tx) error {
		_, err := p.st.ForgetDiscussions(t.Context(), tx, discussions.Forgetting{Person: pid, All: true})
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// A discussion may be forgotten between a viewer's handshake and its first look.
func TestStreamOfAForgottenDiscussionEnds(t *testing.T) {
	t.Parallel()
	p := processes(t, 1, voices{"Sleep", 1, func() {}}, nil)[0]
	person := p.ada()
	id := p.begin(`{"userId":"` + person + `","rounds":1}`)
	p.forgetDiscussions(t, person)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := p.council.Follow(ctx, id, 0, func([]council.Frame) error { return nil }); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a viewer that comes too late: %v, want %v", err, store.ErrNotFound)
	}
}

// FuzzStream: what a client sends ends its stream at most, and no other's.
func FuzzStream(f *testing.F) {
	f.Add([]byte{0x81, 0x82, 1, 2, 3, 4, 'h' ^ 1, 'i' ^ 2})
	f.Add([]byte{0x89, 0x80, 0, 0, 0, 0, 0x88, 0x80, 0, 0, 0, 0})
	f.Add([]byte{0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	made := processes(f, 1, voices{"Sleep", 1, func() {}}, nil)[0]
	id := made.begin(`{"userId":"` + made.ada() + `","rounds":1}`)
	made.hold(id)
	f.Fuzz(func(t *testing.T, sent []byte) {
		p := process{made.on(t), made.council}
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(conn, "GET /api/v1/discussions/%s/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n",
			id, bearer, base64.StdEncoding.EncodeToString(make([]byte, 16)))
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols { //nolint:bodyclose // of a handshake
			t.Fatalf("%v, %v", res, err)
		}
		_, _ = conn.Write(sent) // it may be closed before all is taken
		if frames, err := p.watch(id, council.EventDone, nil); err != nil || len(frames) < 10 {
			t.Errorf("another viewer saw %d events: %v", len(frames), err)
		}
	})
}
