package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// discussionView is what the tests look at in a discussion.
type discussionView struct {
	Status  string
	LastSeq int64
	Rounds  []struct {
		Messages []struct{ Content string }
	}
	Actions []struct{ Text, Status, By string }
}

// contents are the messages of a discussion in order.
func (d discussionView) contents() (all []string) {
	for _, r := range d.Rounds {
		for _, m := range r.Messages {
			all = append(all, m.Content)
		}
	}
	return all
}

// discussed waits until a discussion has ended, in a round or as a whole.
func (h *house) discussed(id string, rounds int) discussionView {
	h.t.Helper()
	return await(h, "the end of the discussion", func() (d discussionView, _ bool) {
		h.must(http.MethodGet, "/api/v1/discussions/"+id, nil, &d)
		return d, d.Status != "running" && len(d.Rounds) >= rounds
	})
}

// shown are the messages of a discussion as the page has them.
func (b *tab) shown() (all []string) {
	b.h.t.Helper()
	text := b.do(`JSON.stringify([...document.querySelectorAll("#discussion-rounds .words")].map((p) => p.textContent))`)
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		b.h.t.Fatalf("%v in %q", err, text)
	}
	return all
}

// Carers start a discussion in a browser before the lists of the page are there, read it as
// it is held, find what it cites, decide on what it proposes and ask for another round.
func TestCouncilInABrowser(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_ADMIN_PASSWORD": "admin-password-for-tests"}})
	p := h.addPerson(nil)
	call := h.place(p)
	talkThrough(t, h.answer())
	transcript := h.settled(call).Transcript

	srv := httptest.NewServer(h.lateLists())
	t.Cleanup(srv.Close)
	b := browse(h)
	b.enter(srv.URL)
	b.do(`document.querySelector("#people a[href$='/council']").click()`)
	b.until("the form", `document.getElementById("council-start").checkVisibility()`)
	b.do(`document.getElementById("council-question").value = "How was Sunday?"; document.getElementById("council-start").requestSubmit()`)
	b.until("three voices", `[...document.querySelectorAll(".voice .words")].filter((p) => p.textContent && p.parentElement.getAttribute("aria-busy") == "false").length >= 3`)
	b.until("the end", `/is complete|waits for an answer/.test(document.getElementById("discussion-state").textContent)`)
	here := b.do("location.hash")
	id := here[strings.LastIndex(here, "/")+1:]
	d := h.discussed(id, 1)
	if diff := cmp.Diff(d.contents(), b.shown()); diff != "" {
		t.Errorf("the page shows other words (-want +got):\n%s", diff)
	}

	b.do(`document.querySelector(".voice a[href*='/lines/']").click()`)
	b.until("the line", `document.querySelector("#events .pointed") != null`)
	address := b.do("location.hash")
	n, err := strconv.Atoi(address[strings.LastIndex(address, "/")+1:])
	if err != nil || n > len(transcript) || !strings.HasSuffix(b.do(`document.querySelector("#events .pointed").textContent`), transcript[n-1].Text) {
		t.Errorf("%s points at %q: %v", address, b.do(`document.querySelector("#events .pointed").textContent`), err)
	}

	b.do("history.back()")
	b.until("the actions", `document.querySelector("#actions-list button")?.checkVisibility()`)
	b.do(`document.getElementById("decided-by").value = "Tobias"`)
	b.do(`(() => { const [confirm] = document.querySelectorAll("#actions-list button"); confirm.click(); confirm.click(); })()`)
	b.until("the decision", `document.getElementById("actions-list").textContent.includes("confirmed by Tobias")`)

	b.do(`document.getElementById("round-question").value = "And how was the soup?"; document.getElementById("round-form").requestSubmit()`)
	b.until("another round", `document.querySelectorAll("#discussion-rounds .voices").length == `+strconv.Itoa(len(d.Rounds)+1))
	b.until("its end", `/is complete|waits for an answer/.test(document.getElementById("discussion-state").textContent)`)
	after := h.discussed(id, len(d.Rounds)+1)
	if diff := cmp.Diff(after.contents(), b.shown()); diff != "" {
		t.Errorf("after another round the page shows other words (-want +got):\n%s", diff)
	}
	if !strings.Contains(b.do("document.getElementById('discussion-rounds').textContent"), "And how was the soup?") {
		t.Error("what was asked is not shown")
	}
	if decided := slices.DeleteFunc(after.Actions, func(a struct{ Text, Status, By string }) bool { return a.Status == "proposed" }); len(decided) != 1 || decided[0].By != "Tobias" {
		t.Errorf("decided on %+v", decided)
	}

	h.must(http.MethodPost, "/api/v1/people/"+p.ID+"/forget", object{"all": true}, nil)
	b.until("it to be forgotten", `document.getElementById("discussion-state").textContent === "This discussion is not on record any more."`)
	if left := b.do(`document.getElementById("discussion").innerText`); strings.TrimSpace(left) != "This discussion is not on record any more." {
		t.Errorf("the page still has %q", left)
	}
	if left := b.do(`[...document.querySelectorAll("#discussion li, #discussion .words, #discussion-question")].map((e) => e.textContent).join("")`); left != "" {
		t.Errorf("the document still has %q", left)
	}
}

// What the page puts together is what was said, whatever the network does on the way:
// chunks that come twice, are missing or are wrong, and connections that break off in
// the middle of a message.
func TestCouncilOverABadLine(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_ADMIN_PASSWORD": "admin-password-for-tests"}})
	p := h.addPerson(nil)
	var started struct{ DiscussionID string }
	h.must(http.MethodPost, "/api/v1/discussions", object{"userId": p.ID, "rounds": 1}, &started)
	d := h.discussed(started.DiscussionID, 1)
	line := &badLine{h: h}
	srv := httptest.NewServer(line.edge())
	t.Cleanup(srv.Close)

	b := browse(h)
	b.enter(srv.URL)
	b.do(`window.warned = []; console.warn = (words) => warned.push(words)`)
	b.do(fmt.Sprintf("location.hash = '#/people/%s/council/%s'", p.ID, started.DiscussionID))
	b.until("the end", `/is complete|waits for an answer/.test(document.getElementById("discussion-state").textContent)`)
	if diff := cmp.Diff(d.contents(), b.shown()); diff != "" || len(d.contents()) != 3 {
		t.Errorf("the page shows other words (-want +got):\n%s", diff)
	}
	if warned := b.do("warned.join()"); !strings.Contains(warned, "turn 3 came to other words") || strings.Contains(warned, "turn 1") || strings.Contains(warned, "turn 2") {
		t.Errorf("the page warns of %q", warned)
	}
	if b.do(`document.querySelector(".voice.incomplete") == null`) != "true" {
		t.Error("a whole message is marked as incomplete")
	}
	line.mu.Lock()
	defer line.mu.Unlock()
	if len(line.asked) != len(faultsOfLine) {
		t.Fatalf("it connected %d times, want %d", len(line.asked), len(faultsOfLine))
	}
	line.given[1] = min(line.given[1], line.asked[1]) // what was on its way is lost with a connection
	if diff := cmp.Diff(line.given, line.asked); diff != "" {
		t.Errorf("it did not go on where it had stopped (-want +got):\n%s", diff)
	}
}

// badLine is a network that does everything wrong, once each. A discussion looks to a
// page as it was when it began.
type badLine struct {
	h     *house
	mu    sync.Mutex // guards what follows
	got   int64      // the last event that the page should have by now
	asked []int64    // behind which event each stream was to begin
	given []int64    // and got by then
}

// faultsOfLine are what one stream after the other does with the frames it carries, and
// how it ends.
var faultsOfLine = []func(l *passing) (end bool){
	func(l *passing) bool { // twice, then broken off in the middle of a message
		l.send(l.frame)
		l.send(l.frame)
		return l.Type == "message-chunk" && l.Turn == 1 && l.Index == 1
	},
	func(l *passing) bool { // one is lost: the page has to ask for it
		if l.lost == 0 && l.Type == "message-chunk" && l.Turn == 2 && l.Index == 1 {
			l.lost = l.Seq
			return false
		}
		if l.lost > 0 {
			_ = l.conn.Write(l.ctx, websocket.MessageText, l.frame)
			return false
		}
		l.send(l.frame)
		return false
	},
	func(l *passing) bool { // cut off as a slow reader is, with half of an event before
		l.send(l.frame)
		if l.Type != "message-complete" || l.Turn != 2 {
			return false
		}
		_ = l.conn.Close(4408, "too slow")
		return true
	},
	func(l *passing) bool { // no event at all
		_ = l.conn.Write(l.ctx, websocket.MessageText, l.frame[:len(l.frame)/2])
		return false
	},
	func(l *passing) bool { // wrong words, and all of them twice
		if l.Type == "message-chunk" && l.Turn == 3 && l.Index == 0 {
			l.frame = []byte(strings.Replace(string(l.frame), `"text":"`, `"text":"Not so: `, 1))
		}
		l.send(l.frame)
		l.send(l.frame)
		return false
	},
}

// passing is a frame on its way to a page.
type passing struct {
	*badLine

	Type        string
	Seq         int64
	Turn, Index int

	ctx   context.Context
	conn  *websocket.Conn
	frame []byte
	lost  int64
}

func (l *passing) send(frame []byte) {
	l.mu.Lock()
	l.got = l.Seq
	l.mu.Unlock()
	_ = l.conn.Write(l.ctx, websocket.MessageText, frame) // the page may have gone
}

func (l *badLine) edge() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/discussions/{id}", func(w http.ResponseWriter, r *http.Request) {
		var d object
		l.h.must(http.MethodGet, r.URL.Path, nil, &d)
		d["status"], d["lastSeq"], d["rounds"], d["agreed"], d["open"], d["actions"] = "running", 0, []any{}, []any{}, []any{}, []any{}
		_ = json.NewEncoder(w).Encode(d)
	})
	mux.HandleFunc("GET /api/v1/discussions/{id}/stream", l.stream)
	mux.Handle("/", l.h.proxy())
	return mux
}

// proxy passes on what pages ask for.
func (h *house) proxy() *httputil.ReverseProxy {
	to, err := url.Parse(h.url)
	if err != nil {
		h.t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)} // pages leave in the middle of answers
}

// lateLists is a network on which the list of calls takes until a discussion is begun, and
// the answer to that until the page had time to be drawn again.
func (h *house) lateLists() http.Handler {
	proxy := h.proxy()
	begun, drawn := make(chan struct{}), make(chan struct{}, 64)
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	mux.HandleFunc("GET /api/v1/calls", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-begun:
		case <-r.Context().Done():
		}
		proxy.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /api/v1/people/{id}", func(w http.ResponseWriter, r *http.Request) {
		select {
		case drawn <- struct{}{}:
		default:
		}
		proxy.ServeHTTP(w, r)
	})
	mux.HandleFunc("POST /api/v1/discussions", func(w http.ResponseWriter, r *http.Request) {
		<-drawn
		close(begun)
		select {
		case <-drawn:
		case <-time.After(time.Second):
		}
		proxy.ServeHTTP(w, r)
	})
	return mux
}

func (l *badLine) stream(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	l.mu.Lock()
	n := len(l.asked)
	l.asked, l.given = append(l.asked, after), append(l.given, l.got)
	l.mu.Unlock()
	page, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = page.CloseNow() }()
	ctx := page.CloseRead(r.Context())
	from, _, err := websocket.Dial(ctx, l.h.url+r.URL.String(), &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + houseAPIToken}}}) //nolint:bodyclose // there is none after a handshake
	if err != nil {
		return
	}
	defer func() { _ = from.CloseNow() }()
	from.SetReadLimit(1 << 20)
	on := &passing{badLine: l, ctx: ctx, conn: page}
	for {
		if _, on.frame, err = from.Read(ctx); err != nil {
			return
		}
		on.Type, on.Turn, on.Index = "", 0, 0
		if err := json.Unmarshal(on.frame, on); err != nil || faultsOfLine[min(n, len(faultsOfLine)-1)](on) {
			return
		}
	}
}
