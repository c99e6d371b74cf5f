package telephony

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/naiber/naiber/telephony/relaytest"
)

// TestAudioNeverWaitsForTheVoiceService sends to a peer that takes nothing until
// the socket is full: what is sent then waits in the ring, the oldest dropped, and
// once the peer reads it gets everything in order.
func TestAudioNeverWaitsForTheVoiceService(t *testing.T) {
	t.Parallel()
	full := make(chan struct{})
	got := make(chan string, 1<<16)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(got)
		conn, err := relaytest.Accept(w, r)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		<-full
		for {
			message, err := conn.Read(nil)
			if err != nil || message[0] != '{' {
				return // closed
			}
			got <- string(message)
		}
	}))
	defer server.Close()
	conn, room, err := dialVoice(t.Context(), nil, "ws"+strings.TrimPrefix(server.URL, "http"))
	if err != nil {
		t.Fatal(err)
	}
	if room == nil || !room() {
		t.Fatal("an idle socket has no room")
	}
	c := &liveCall{up: newRing(ringRunning)}
	v := &conversation{socket: socket{conn: conn}, room: room}
	c.up.to.Store(v)
	audio := func(n int) []byte { return []byte(fmt.Sprintf("%08d", n) + strings.Repeat("A", 1016)) }
	sent := 0
	for ; c.up.empty(); sent++ { // no feeder: what goes into the ring stays there
		c.up.send(audio(sent))
	}
	direct := sent - 1
	for range 100 {
		c.up.send(audio(sent))
		sent++
	}
	if c.up.count >= 100 || direct < 2 {
		t.Fatalf("%d sent directly, %d wait", direct, c.up.count)
	}
	var feeding sync.WaitGroup
	feeding.Go(func() { c.feed(t.Context(), v) })
	close(full)
	last, gaps := -1, 0
	for last < sent-1 {
		message, more := <-got
		if !more {
			t.Fatalf("the socket ended after %d of %d", last, sent)
		}
		var n int
		if _, err := fmt.Sscanf(message, `{"user_audio_chunk":"%08d`, &n); err != nil {
			t.Fatal(err)
		}
		if n <= last {
			t.Fatalf("%d came after %d", n, last)
		}
		if n != last+1 {
			gaps++
		}
		last = n
	}
	if gaps != 1 { // the oldest that waited were dropped, and nothing else
		t.Errorf("%d gaps, want one", gaps)
	}
	_ = conn.CloseNow()
	c.up.send(audio(0)) // wakes the feeder, which finds the socket closed
	feeding.Wait()
}
