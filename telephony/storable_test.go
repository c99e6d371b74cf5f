package telephony

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

// What is signed may still be nonsense: it is refused as such, and not asked for again.
func TestSignedWebhookWithNULIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	before := h.kinds(c.ID)
	for _, fields := range [][]string{
		{"CallSid", c.SID + "\x00", "CallStatus", "ringing"},
		{"CallSid", c.SID, "CallStatus", "ringing", "StreamError\x00", "x"},
		{"CallSid", "\x00", "CallStatus", "ringing", "From", "+15550100123", "To", "+15005550006", "Direction", "inbound"},
	} {
		for _, route := range []string{"/twilio/status", "/twilio/voice", "/twilio/amd", "/twilio/reconnect", "/twilio/stream"} {
			if w := h.hook(route, fields...); w.Code != http.StatusBadRequest {
				t.Errorf("%s with %q: %d", route, fields, w.Code)
			}
		}
	}
	for _, body := range []string{
		`{"type":"post_call_audio","data":{"conversation_id":"conv\u0000"}}`, `{"type":"a\u0000","data":{"conversation_id":"conv_a"}}`,
		strings.ReplaceAll(transcription("conv_a"), "conv_a", `conv\u0000`),
	} {
		if w := h.postCall(body, elevenlabs.SignWebhook(houseSecret, []byte(body), time.Now())); w.Code != http.StatusBadRequest {
			t.Errorf("%.60s: %d", body, w.Code)
		}
	}
	if got := h.kinds(c.ID); len(got) != len(before) {
		t.Errorf("the timeline grew to %v", got)
	}
	// Broken UTF-8 is mended: who calls may have a name that Twilio cannot spell.
	if w := h.hook("/twilio/stream", "CallSid", c.SID, "StreamSid", "MZ1", "StreamEvent", "stream-error", "StreamError", "caf\xe9"); w.Code != http.StatusNoContent {
		t.Errorf("broken UTF-8: %d", w.Code)
	}
	if got := h.kinds(c.ID); len(got) != len(before)+1 {
		t.Errorf("the timeline is %v", got)
	}
}

// noting keeps notes in the real database until the test has flushed them.
func (h *house) noting(c calls.Call, do func(*transcript)) {
	h.t.Helper()
	tr := newTranscript(c.ID, h.st, true, h.Service.log, h.metrics)
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan int)
	go func() { done <- tr.run(ctx) }()
	do(tr)
	if err := tr.flush(ctx); err != nil {
		h.t.Error(err)
	}
	cancel()
	<-done
}

func TestUnstorableNoteHoldsNothingUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	h.noting(c, func(tr *transcript) {
		tr.conversation("conv\x00") // nobody can mend an id
		tr.event("od\x00d", nil)
		tr.event("fault", map[string]any{"text": "a\x00b", "path": `c:\u0000`})
		tr.said(calls.RoleUser, "My kn\x00ee \xff hurts.", "conv_a", 1, time.Now())
		tr.said(calls.RoleUser, "And the other one.", "conv_a", 2, time.Now())
	})
	lines, err := h.st.Transcript(t.Context(), c.ID)
	if err != nil || len(lines) != 2 || lines[0].Text != "My knee \uFFFD hurts." || lines[1].Text != "And the other one." {
		t.Errorf("transcript = %+v, %v", lines, err)
	}
	events, err := h.st.EventsAfter(t.Context(), c.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range events {
		found = found || e.Kind == "fault" && string(e.Data) == `{"path": "c:\\u0000", "text": "ab"}`
	}
	if !found {
		t.Errorf("the event was not mended: %+v", events)
	}
	if n := strings.Count(h.log.String(), "note refused"); n != 2 {
		t.Errorf("%d notes are said to be refused, want 2", n)
	}
}

// A line that is longer than others take is kept in parts, and nothing of it is lost.
func TestVeryLongLineIsKeptInParts(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	c := h.place(h.person("Ada", "+15550100123"))
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "Wört%d ", i)
	}
	long := strings.TrimSpace(b.String())
	h.noting(c, func(tr *transcript) { tr.said(calls.RoleUser, long, "conv_a", 1, time.Now()) })
	lines, err := h.st.Transcript(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, l := range lines {
		if n := len([]rune(l.Text)); n > maxLine {
			t.Errorf("a line has %d characters", n)
		}
		all.WriteString(l.Text)
	}
	if all.String() != long {
		t.Errorf("%d lines with %d of %d bytes", len(lines), all.Len(), len(long))
	}
}
