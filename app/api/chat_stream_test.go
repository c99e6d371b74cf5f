package api

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

func TestStream(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	r.model.will(says("Good ", "morning, ", "Margaret."))
	res, all := r.stream(`{"message":"Good morning.","sessionId":"s"}`)
	if res.status != http.StatusOK || res.header.Get("Content-Type") != "text/event-stream" || res.header.Get("X-Session-Id") != "s" || res.header.Get("Cache-Control") != "no-store" {
		t.Errorf("answer = %d %v", res.status, res.header)
	}
	var text strings.Builder
	for _, e := range all[:len(all)-1] {
		if e.name != "" {
			t.Errorf("event %+v among the pieces", e)
		}
		text.WriteString(gjson.Get(e.data, "response").String())
	}
	done := all[len(all)-1]
	if text.String() != "Good morning, Margaret." || done.name != "done" || gjson.Get(done.data, "response").String() != text.String() ||
		gjson.Get(done.data, "episodeId").Int() == 0 || gjson.Get(done.data, "sessionId").String() != "s" {
		t.Errorf("pieces = %q, end = %+v", text.String(), done)
	}
	kept := r.do(200, http.MethodGet, "/sessions/s/history", "")
	if kept.get("items.#").Int() != 1 || kept.get("items.0.response").String() != text.String() || kept.get("items.0.id").Int() != gjson.Get(done.data, "episodeId").Int() {
		t.Errorf("history = %s", kept.body)
	}
}

// One chunk that cannot be read costs its words, not the reply; [DONE] is no text.
func TestStreamSkipsABrokenChunk(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	r.model.will(func(w http.ResponseWriter, _ asked) {
		write(w, token("Good "), "data: {\"choices\":[{\"delta\n\n", token("morning."), ending)
	})
	_, all := r.stream(`{"message":"Hello.","sessionId":"s"}`)
	done := all[len(all)-1]
	if got := gjson.Get(done.data, "response").String(); done.name != "done" || got != "Good morning." {
		t.Errorf("end = %+v", done)
	}
}

// A model that breaks off has said what it has said: it stands, and the reader
// is told.
func TestStreamThatBreaksOff(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	r.model.will(func(w http.ResponseWriter, _ asked) {
		write(w, token("Good "), token("mor"))
		panic(http.ErrAbortHandler)
	})
	_, all := r.stream(`{"message":"Hello.","sessionId":"s"}`)
	if len(all) < 3 {
		t.Fatalf("events = %+v", all)
	}
	problem, done := all[len(all)-2], all[len(all)-1]
	if problem.name != "error" || gjson.Get(problem.data, "status").Int() != 502 || done.name != "done" || gjson.Get(done.data, "finishReason").String() != "broken" {
		t.Errorf("end = %+v, %+v", problem, done)
	}
	if kept := r.do(200, http.MethodGet, "/episodes", ""); kept.get("items.0.response").String() != "Good mor" || kept.get("items.0.finishReason").String() != "broken" {
		t.Errorf("kept = %s", kept.body)
	}
}

// Who leaves stops the reply. What had been sent is kept, and no more.
func TestStreamWhoseReaderLeaves(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	gone, ended := make(chan struct{}), make(chan struct{})
	r.model.will(func(w http.ResponseWriter, _ asked) {
		defer close(ended)
		write(w, token("Good "))
		<-gone
		for range 1_000_000 { // until nobody listens
			if _, err := w.Write([]byte(token("morning "))); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
		}
		t.Error("the model was never told to stop")
	})
	ctx, cancel := context.WithCancel(t.Context())
	res := r.request(ctx, http.MethodPost, "/chat/stream", `{"message":"Hello.","sessionId":"s"}`)
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || line != "data: {\"response\":\"Good \"}\n" {
		t.Fatalf("first line = %q, %v", line, err)
	}
	cancel()
	res.Body.Close()
	close(gone)
	<-ended
	awaitEpisode(t, r)
	kept := r.do(200, http.MethodGet, "/sessions/s/history", "").get("items.0")
	if text := kept.Get("response").String(); !strings.HasPrefix(text, "Good ") || kept.Get("finishReason").String() != "interrupted" {
		t.Errorf("kept = %s", kept)
	}
}

// Nobody reads the reply: nothing was said, so none of it is kept. What was
// written is, and the next reply knows of it.
func TestChatWhoseReaderLeaves(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/chat", "/chat/stream"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			leavesBeforeReply(t, path)
		})
	}
}

func leavesBeforeReply(t *testing.T, path string) {
	t.Helper()
	r := newChatRig(t, nil)
	asking := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	r.model.will(func(w http.ResponseWriter, a asked) {
		close(asking)
		<-a.gone // the server has noticed that its reader left, and asks no more
		write(w, token("Good morning."), ending)
	})
	answered := make(chan error, 1)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, strings.NewReader(`{"message":"I fell.","sessionId":"s"}`))
		req.Header.Set("Authorization", "Bearer "+bearer)
		req.Header.Set("Content-Type", "application/json")
		res, err := r.client.Do(req)
		if err == nil {
			res.Body.Close()
		}
		answered <- err
	}()
	<-asking
	cancel()
	if err := <-answered; err == nil {
		t.Error("an answer came")
	}
	awaitEpisode(t, r)
	kept := r.do(200, http.MethodGet, "/sessions/s/history", "").get("items.0")
	if kept.Get("message").String() != "I fell." || kept.Get("response").String() != "" || kept.Get("finishReason").String() != "interrupted" {
		t.Errorf("kept = %s", kept)
	}
	r.model.will(says("Are you hurt?"))
	r.say("s", "Are you there?") // the door is open still
	if got := r.model.lastHeard().last(); got != "I fell.\n\nAre you there?" {
		t.Errorf("the model was asked %q", got)
	}
	if n := r.count("chat_episodes"); n != 2 {
		t.Errorf("%d episodes, want both", n)
	}
}

// awaitEpisode waits until an episode is kept whose reader is gone: nobody is told.
func awaitEpisode(t *testing.T, r *chatRig) {
	t.Helper()
	late := time.After(30 * time.Second)
	for r.count("chat_episodes") == 0 {
		select {
		case <-late:
			t.Fatal("no episode was kept")
		default:
		}
	}
}
