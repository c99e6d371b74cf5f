package telephony

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// begin brings a rig to where both sides talk.
func (r *rig) begin() {
	r.t.Helper()
	for _, s := range [][2]string{{"phone", "dial good"}, {"phone", "start t1"}, {"", ""}, {"voice", "metadata"}, {"", ""}} {
		if s[0] == "" {
			synctest.Wait()
			continue
		}
		if err := r.step(s[0], s[1]); err != nil {
			r.t.Fatal(err)
		}
	}
	r.said()
}

func TestDrainWaitsForCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		r.begin()
		drained := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			drained <- r.bridge.live.drain(ctx)
		}()
		time.Sleep(30 * time.Second) //nolint:forbidigo // the bubble's own time
		synctest.Wait()
		select {
		case err := <-drained:
			t.Fatalf("drained while a call is live: %v", err)
		default:
		}
		if err := r.step("end", "operator operator"); err != nil {
			t.Fatal(err)
		}
		if err := <-drained; err != nil {
			t.Errorf("drain: %v", err)
		}
		if err := r.dialPhone("good"); err == nil {
			t.Error("a new stream was admitted while draining")
		}
	})
}

func TestDrainCutsShortAtItsDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		r.begin()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := r.bridge.live.drain(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 calls were cut short") {
			t.Errorf("drain: %v, want one call cut short at the deadline", err)
		}
		out := strings.Join(r.said(), "\n")
		for _, want := range []string{"world: say farewell", "cause shutdown by naiber"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in:\n%s", want, out)
			}
		}
	})
}

// TestTranscriptOutlivesDatabase: the database refuses for a while, and still
// every line arrives, once and in order, before the call is finished.
func TestTranscriptOutlivesDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		r.begin()
		r.mu.Lock()
		r.bookErrs = 5
		r.mu.Unlock()
		for i := range 3 {
			if err := r.step("voice", fmt.Sprintf(
				`send {"type":"user_transcript","user_transcription_event":{"user_transcript":"line %d","event_id":%d}}`, i, i)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if err := r.step("end", "operator operator"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second) //nolint:forbidigo // the bubble's own time
		var lines []string
		synctest.Wait()
		r.mu.Lock()
		for _, l := range r.lines {
			if strings.Contains(l, " said ") || strings.Contains(l, "finish") {
				lines = append(lines, l)
			}
		}
		r.mu.Unlock()
		got := strings.Join(lines, "\n")
		want := `book: user said "line 0" in conv_1, 0
book: user said "line 1" in conv_1, 1
book: user said "line 2" in conv_1, 2
world: finish reached, cause operator by operator`
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if n := r.count("notes_retried_total", ""); n != 5 {
			t.Errorf("%v late notes counted, want 5", n)
		}
	})
}

// TestRefusedNoteHoldsNothingUp: what the database will never take is passed over.
func TestRefusedNoteHoldsNothingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		tr := newTranscript(rigCall.ID, r, true, r.bridge.log, r.metrics)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan int)
		go func() { done <- tr.run(ctx) }()
		tr.add("bad", func(context.Context) error { return store.ErrConflict })
		if err := tr.flush(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		if left := <-done; left != 0 {
			t.Errorf("%d notes left, want none", left)
		}
		if n := r.count("notes_lost_total", ""); n != 1 {
			t.Errorf("%v lost notes counted, want 1", n)
		}
	})
}

// TestWordsAreNotKeptWithoutConsent: then the timeline knows that somebody
// spoke, and nothing knows what.
func TestWordsAreNotKeptWithoutConsent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		r.bridge.do.line = func(_ context.Context, c calls.Call) (calls.Line, bool, error) {
			return calls.Line{Call: c}, false, nil
		}
		r.begin()
		for _, s := range []string{
			`send {"type":"user_transcript","user_transcription_event":{"user_transcript":"my secret","event_id":2}}`,
			`send {"type":"agent_response","agent_response_event":{"agent_response":"a secret","event_id":3}}`,
			`send {"type":"agent_response_correction","agent_response_correction_event":{"original_agent_response":"a secret","corrected_agent_response":"a secr","event_id":3}}`,
		} {
			if err := r.step("voice", s); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		out := strings.Join(r.said(), "\n")
		if strings.Contains(out, "secr") || strings.Count(out, `book: event heard {"role":`) != 2 {
			t.Errorf("want two lines without words, got:\n%s", out)
		}
	})
}

// TestMetricsMove: what is counted is counted.
func TestMetricsMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		r.begin()
		for _, s := range [][2]string{
			{"phone", "audio 3"},
			{"phone", `send {"event":"media","streamSid":"MZ01","media":{"track":"inbound","payload":"?"}}`},
			{"phone", `send {"event":"weather"}`},
			{"voice", "say 5 20"},
			{"voice", `send {"type":"interruption","interruption_event":{"event_id":5}}`},
			{"voice", "say 5 20"},
			{"voice", `send {"type":"news"}`},
			{"voice", `send {`},
			{"voice", "drop"},
		} {
			if err := r.step(s[0], s[1]); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		for _, tt := range []struct {
			name, label string
			want        float64
		}{
			{"live", "", 1},
			{"frames_total", "up", 3},
			{"frames_total", "down", 1},
			{"frames_not_base64_total", "", 1},
			{"unknown_events_total", "twilio", 1},
			{"unknown_events_total", "elevenlabs", 1},
			{"malformed_messages_total", "elevenlabs", 1},
			{"stale_audio_total", "", 1},
			{"interruptions_total", "", 1},
			{"reconnects_total", "conversation", 1},
			{"streams_total", "accepted", 1},
			{"conversations_total", "started", 1},
			{"first_word_seconds", "", 1},
		} {
			if got := r.count(tt.name, tt.label); got != tt.want {
				t.Errorf("%s %s is %v, want %v", tt.name, tt.label, got, tt.want)
			}
		}
	})
}

// TestVoiceStopsReading: the voice service takes no more audio. What is new wins
// over what is old, and after some seconds another conversation is begun.
func TestVoiceStopsReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		r.begin()
		deaf := make(chan struct{})
		r.mu.Lock()
		r.deaf = deaf
		r.mu.Unlock()
		if err := r.step("phone", "audio 100"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(stallLimit + 2*time.Second) //nolint:forbidigo // the bubble's own time
		r.mu.Lock()
		r.deaf = nil
		r.mu.Unlock()
		close(deaf)
		synctest.Wait()
		if n := r.count("write_stalls_total", "elevenlabs"); n != 1 {
			t.Errorf("%v stalls counted, want 1", n)
		}
		if n := r.count("frames_dropped_total", ""); n < 40 {
			t.Errorf("%v frames dropped, want about half of 100", n)
		}
		if out := strings.Join(r.said(), "\n"); !strings.Contains(out, "voice2:") {
			t.Errorf("no second conversation in:\n%s", out)
		}
	})
}

// TestPanicEndsOneCall: a broken invariant ends the call it is in, with an
// apology, and nothing else.
func TestPanicEndsOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		r.begin()
		c, _ := r.bridge.live.get(rigCall.ID)
		c.tell(func(ctx context.Context) *verdict { return c.onStream(ctx, nil) }) // no stream is never bound
		out := strings.Join(r.said(), "\n")
		for _, want := range []string{"world: say sorry", "cause internal by naiber"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in:\n%s", want, out)
			}
		}
	})
}

func TestCloseCodes(t *testing.T) {
	t.Parallel()
	conv := &conversation{}
	for _, tt := range []struct {
		err   error
		retry bool
	}{
		{websocket.CloseError{Code: 1002}, true},
		{websocket.CloseError{Code: 1011}, true},
		{websocket.CloseError{Code: 1008}, false},
		{errors.New("EOF"), true},
		{fmt.Errorf("%w: refused", errNotOpened), true},
	} {
		if got := closingOf(conv, tt.err); got.Retry != tt.retry {
			t.Errorf("closingOf(%v).Retry = %t, want %t", tt.err, got.Retry, tt.retry)
		}
	}
}
