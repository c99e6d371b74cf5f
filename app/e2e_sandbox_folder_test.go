package app_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A data folder is for one sandbox at a time: another one would take the calls
// of the first for vanished. A crash leaves nothing in the way of the next.
func TestSandboxIsAloneInItsFolder(t *testing.T) {
	t.Parallel()
	h := openSandbox(t)
	second := spawn(t, h.dir, append(slices.Clip(h.env), "PORT="+strconv.Itoa(freePort(t))), "serve", "--sandbox")
	second.says(t, "another sandbox (process "+strconv.Itoa(h.process.cmd.Process.Pid)+") uses this data folder ("+h.dir)
	<-second.exited
	if said := second.out.String(); second.code != 1 || !strings.Contains(said, "NAIBER_DATA_DIR") || strings.Contains(said, "Console:") {
		t.Errorf("the second sandbox ended with %d: %s", second.code, said)
	}
	if code, _ := h.request(http.MethodGet, "/status", nil, nil); code != http.StatusOK {
		t.Errorf("GET /status of the first: %d", code)
	}
	h.process.kill()
	h.process = spawn(t, h.dir, h.env, "serve", "--sandbox")
	h.process.says(t, "msg=ready")
}

// Whoever stops a sandbox in the middle of a made-up call has done nothing wrong.
func TestSandboxStopsInMidCall(t *testing.T) {
	t.Parallel()
	h := openSandbox(t)
	var people struct{ Items []struct{ ID, Phone string } }
	h.must(http.MethodGet, "/api/v1/people", nil, &people)
	if len(people.Items) == 0 {
		t.Fatal("nobody lives in the sandbox")
	}
	who := people.Items[0]
	phone := h.holdPhone(t, who.Phone)
	h.place(person{ID: who.ID, Phone: who.Phone})
	phone.waits(t, "ringing", "")
	phone.sends(t, phoneMessage{Type: "answer"})
	phone.waits(t, "silence", "Naiber")
	if code, took := h.process.stop(t, syscall.SIGINT); code != 0 || took > 30*time.Second {
		t.Errorf("Ctrl-C: exit code %d after %v", code, took)
	}
	if said := h.process.out.String(); !containsAll(said, "a call was cut short", "after=5s") {
		t.Errorf("it does not say that a call was cut short: %s", said)
	}
}

// Calls are listed by their ids: those that were talked about before anybody
// called must have theirs in the order of their time.
func TestSandboxPastCallsAreInOrder(t *testing.T) {
	t.Parallel()
	h := openSandbox(t)
	var calls struct {
		Items []struct{ StartedAt time.Time }
	}
	h.must(http.MethodGet, "/api/v1/calls?limit=100", nil, &calls)
	if len(calls.Items) < 10 {
		t.Fatalf("%d calls were there before, want 10 or more", len(calls.Items))
	}
	for i, c := range calls.Items[1:] {
		if !c.StartedAt.Before(calls.Items[i].StartedAt) {
			t.Errorf("call %d, newest first, is of %v, after one of %v", i+1, c.StartedAt, calls.Items[i].StartedAt)
		}
	}
}
