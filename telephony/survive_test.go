package telephony

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

const otherCall = "01900000-0000-7000-8000-000000000002"

// A panic in any part of a call ends that call alone: the person hears that we are
// sorry, the ending is on record, it is counted, and another call goes on.
func TestPanicInAnyPartEndsOneCall(t *testing.T) {
	t.Parallel()
	user := `send {"type":"user_transcript","user_transcription_event":{"user_transcript":"hello","event_id":1}}`
	for _, tt := range []struct {
		name, part string
		// breaks makes something go wrong; it is called before the call begins.
		breaks func(*rig)
		// then is what sets it off once both sides talk: whose turn and what.
		then [2]string
		want []string
	}{
		{
			"the opening", "conversation",
			func(r *rig) {
				r.bridge.do.opening = func(context.Context, calls.Line, bool) (elevenlabs.Init, *disclosed, error) { panic("no opening") }
			},
			[2]string{},
			[]string{"world: say sorry", "world: finish failed, cause internal by naiber"},
		},
		{
			"the dial", "conversation",
			func(r *rig) {
				r.bridge.do.dial = func(context.Context, string) (*websocket.Conn, func() bool, error) { panic("no dial") }
			},
			[2]string{},
			[]string{"world: say sorry", "world: finish failed, cause internal by naiber"},
		},
		{
			"hanging up", "ending",
			func(r *rig) {
				hangUp, n := r.bridge.do.hangUp, 0
				r.bridge.do.hangUp = func(ctx context.Context, sid string) error {
					if n++; n == 1 {
						panic("no hang-up")
					}
					return hangUp(ctx, sid)
				}
			},
			[2]string{"end", "operator operator"},
			[]string{"world: hang up CA01", "world: finish failed, cause internal by naiber"},
		},
		{
			"recording the ending", "ending",
			func(r *rig) {
				finish, n := r.bridge.do.finish, 0
				r.bridge.do.finish = func(ctx context.Context, id store.CallID, end calls.Ending) error {
					if n++; n == 1 {
						panic("no record")
					}
					return finish(ctx, id, end)
				}
			},
			[2]string{"end", "operator operator"},
			[]string{"world: finish failed, cause internal by naiber"},
		},
		{
			"one note", "notes",
			func(r *rig) { r.bridge.do.book = &panickyBook{callBook: r} },
			[2]string{"voice", user},
			[]string{"book: event heard"}, // the next one is kept
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				defer r.close()
				other := r.another()
				tt.breaks(r)
				for _, s := range [][2]string{{"phone", "dial good"}, {"phone", "start t1"}} {
					if err := r.step(s[0], s[1]); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if tt.then[0] != "" {
					if err := r.step("voice", "metadata"); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if err := r.step(tt.then[0], tt.then[1]); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(20 * time.Second) //nolint:forbidigo // the bubble's own time
				out := strings.Join(r.said(), "\n")
				for _, want := range tt.want {
					if !strings.Contains(out, want) {
						t.Errorf("no %q in:\n%s", want, out)
					}
				}
				if n := r.count("panics_total", tt.part); n == 0 {
					t.Errorf("no panic of %q was counted", tt.part)
				}
				_, live := r.bridge.live.get(rigCall.ID)
				if ends := tt.part != "notes"; live == ends {
					t.Errorf("the call is live: %v", live)
				}
				if _, ok := r.bridge.live.get(other.id); !ok || other.ending() {
					t.Error("the other call has ended, too")
				}
			})
		})
	}
}

// A reader of a media stream that panics ends its call, and its socket.
func TestPanicInAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.close()
		r.begin()
		c, ok := r.bridge.live.get(rigCall.ID)
		if !ok {
			t.Fatal("no call")
		}
		c.up = nil // what the person says has nowhere to go
		if err := r.step("phone", "audio 1"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second) //nolint:forbidigo // the bubble's own time
		if out := strings.Join(r.said(), "\n"); !strings.Contains(out, "cause internal by naiber") {
			t.Errorf("said:\n%s", out)
		}
		if n := r.count("panics_total", "stream"); n != 1 {
			t.Errorf("%v panics counted, want 1", n)
		}
	})
}

// another is a second call in the same process, without sockets.
func (r *rig) another() *liveCall {
	r.t.Helper()
	line := calls.Line{Call: calls.Call{ID: mustCallID(otherCall), Type: calls.CallGeneral, SID: "CA02"}}
	c, ok := r.bridge.live.begin(line.Call.ID, func() *liveCall {
		return newLiveCall(r.bridge.common, line, true, 0)
	})
	if !ok {
		r.t.Fatal("no second call")
	}
	return c
}

// panickyBook panics at the first line that is said.
type panickyBook struct{ callBook }

func (*panickyBook) AddUtterance(context.Context, calls.Utterance) (calls.Utterance, error) {
	panic("no line")
}

// A panic in asking for a conversation's address is that address's error.
func TestSignedURLThatPanics(t *testing.T) {
	t.Parallel()
	url, abandon := fetchURL(t.Context(), slog.New(slog.DiscardHandler), func(context.Context) (string, error) { panic("in fetch") })
	if _, err := url(); !errors.Is(err, survive.ErrPanic) {
		t.Errorf("err = %v", err)
	}
	_ = abandon // it waits for an answer, which was taken
}
