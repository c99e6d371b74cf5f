package telephony

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

var update = flag.Bool("update", false, "rewrite the last part of golden scenes")

// TestScenes plays every scene in testdata/scenes. A scene is a text archive: why
// it exists, then what the two far ends do, then what came out at each step.
//
//	phone dial [good|bad]        Twilio opens the media socket
//	phone start TOKEN [ENCODING] its first two messages
//	phone send JSON              any other
//	phone audio N                N pieces of 20 ms
//	phone marks                  it returns all marks that it was sent
//	phone drop|close|stall       the line breaks, closes, or takes no more data
//	voice metadata [FORMAT]      ElevenLabs' first event
//	voice send JSON              any other
//	voice say ID MS              a piece of audio of so many milliseconds
//	voice close CODE|drop        its socket ends
//	voice away|back              its REST interface cannot be reached, can again
//	carrier STATUS, machine VERDICT, end CAUSE BY, goodbye REASON, token NAME
//	discloses PLACE              the first words disclose by the rule of a place
//	wait DURATION                time passes
func TestScenes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var script string
			want := -1
			for i, f := range archive.Files {
				switch f.Name {
				case "script":
					script = string(f.Data)
				case "want":
					want = i
				}
			}
			if want < 0 {
				archive.Files = append(archive.Files, txtar.File{Name: "want"})
				want = len(archive.Files) - 1
			}
			var got bytes.Buffer
			synctest.Test(t, func(t *testing.T) { playScene(t, script, &got) })
			if *update {
				archive.Files[want].Data = got.Bytes()
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(archive.Files[want].Data), got.String()); d != "" {
				t.Errorf("%s (-want +got):\n%s", file, d)
			}
		})
	}
}

func playScene(t *testing.T, script string, got *bytes.Buffer) {
	t.Helper()
	r := newRig(t)
	defer r.close()
	for step := range strings.Lines(script) {
		step = strings.TrimSpace(step)
		if step == "" {
			continue
		}
		fmt.Fprintf(got, "> %s\n", step)
		verb, rest, _ := strings.Cut(step, " ")
		if err := r.step(verb, rest); err != nil {
			t.Fatalf("step %q: %v", step, err)
		}
		for _, line := range r.said() {
			fmt.Fprintf(got, "%s\n", line)
		}
	}
}

func (r *rig) step(verb, rest string) error {
	what, args, _ := strings.Cut(rest, " ")
	switch verb {
	case "phone":
		return r.stepPhone(what, args)
	case "voice":
		return r.stepVoice(what, args)
	case "discloses":
		r.tells = &disclosed{Place: rest, AI: true, Full: true, Recording: "recorded"}
		return nil
	case "wait":
		d, err := time.ParseDuration(rest)
		time.Sleep(d) //nolint:forbidigo // the bubble's own time
		return err
	case "token":
		c := rigCall
		if what == "resumed" {
			what, c.ConversationID = "t9", "conv_of_another_process"
		}
		r.mu.Lock()
		if args == "after" { // a conference
			answered, over := time.Now().Add(-40*time.Minute), time.Now()
			c.AnsweredAt, r.with = &answered, &calls.Connected{At: over.Add(-20 * time.Minute), OverAt: &over}
		}
		r.tokens[what] = c
		r.mu.Unlock()
		return nil
	case "nobody": // is found to be the person
		r.nobody = true
		return nil
	case "connected", "alone": // with somebody, and no longer
		now := time.Now()
		r.mu.Lock()
		if verb == "connected" {
			r.with = &calls.Connected{At: now}
		} else {
			over := *r.with
			over.OverAt = &now
			r.with = &over
		}
		r.mu.Unlock()
		return nil
	case "database": // is away, or back
		r.mu.Lock()
		r.lookErr = map[string]error{"away": errors.New("no route")}[what]
		r.mu.Unlock()
		return nil
	case "taking": // back fails as it would
		r.takeErr = map[string]error{"carried": errCarried, "ended": store.ErrNotFound, "fails": errors.New("busy")}[what]
		return nil
	case "danger":
		r.optOutErr = errInDanger
		return nil
	}
	c, ok := r.bridge.live.get(rigCall.ID)
	if !ok {
		return fmt.Errorf("%s: %w", verb, ErrNotLive)
	}
	switch verb {
	case "carrier":
		c.carrierEnded(calls.CallStatus(what))
	case "machine":
		r.logf("machine: taken for one: %t", c.machineAnswered())
	case "end":
		c.end(verdict{cause: what, by: args, phone: phoneHangUp})
	case "goodbye":
		s := &Service{live: r.bridge.live}
		return s.EndAfterSpeech(context.Background(), rigCall.ID, what)
	case "because":
		s := &Service{live: r.bridge.live}
		s.WillEnd(rigCall.ID, what)
	default:
		return errors.New("no such step")
	}
	return nil
}

func (r *rig) stepPhone(what, args string) error {
	if what == "dial" {
		_ = r.dialPhone(args) // a refusal is logged
		return nil
	}
	r.mu.Lock()
	conn := r.phone
	r.mu.Unlock()
	switch what {
	case "start":
		token, encoding, _ := strings.Cut(args, " ")
		if encoding == "" {
			encoding = "audio/x-mulaw"
		}
		r.toPhone(conn, `{"event":"connected","protocol":"Call","version":"1.0.0"}`)
		r.toPhone(conn, `{"event":"start","sequenceNumber":"1","streamSid":"MZ01","start":{"accountSid":"AC00","streamSid":"MZ01",`+
			`"callSid":"CA01","tracks":["inbound"],"mediaFormat":{"encoding":"`+encoding+`","sampleRate":8000,"channels":1},`+
			`"customParameters":{"token":"`+token+`"}}}`)
	case "send":
		r.toPhone(conn, args)
	case "audio":
		n, err := strconv.Atoi(args)
		if err != nil {
			return err
		}
		for i := range n {
			r.toPhone(conn, fmt.Sprintf(`{"event":"media","sequenceNumber":"%d","streamSid":"MZ01","media":`+
				`{"track":"inbound","chunk":"%d","timestamp":"%d","payload":"%s"}}`, i+2, i+1, i*20, audioOf(i, 160)))
		}
	case "marks":
		r.mu.Lock()
		marks := r.marks
		r.marks = nil
		r.mu.Unlock()
		for _, name := range marks {
			r.toPhone(conn, `{"event":"mark","sequenceNumber":"9","streamSid":"MZ01","mark":{"name":"`+name+`"}}`)
		}
	case "drop":
		return conn.CloseNow()
	case "close":
		return conn.Close(websocket.StatusNormalClosure, "")
	case "stall":
		r.mu.Lock()
		r.stalled = make(chan struct{})
		r.mu.Unlock()
	default:
		return errors.New("no such step")
	}
	return nil
}

func (r *rig) stepVoice(what, args string) error {
	r.mu.Lock()
	conn, n := r.voice, r.opened
	switch what {
	case "away":
		r.signErr = errors.New("no route")
	case "back":
		r.signErr = nil
	}
	r.mu.Unlock()
	send := func(s string) error { return conn.Write(context.Background(), websocket.MessageText, []byte(s)) }
	switch what {
	case "metadata":
		if args == "" {
			args = "ulaw_8000"
		}
		return send(fmt.Sprintf(`{"type":"conversation_initiation_metadata","conversation_initiation_metadata_event":`+
			`{"conversation_id":"conv_%d","agent_output_audio_format":"%s","user_input_audio_format":"ulaw_8000"}}`, n, args))
	case "send":
		return send(args)
	case "say":
		id, ms, _ := strings.Cut(args, " ")
		d, err := strconv.Atoi(ms)
		if err != nil {
			return err
		}
		return send(`{"type":"audio","audio_event":{"event_id":` + id + `,"audio_base_64":"` + audioOf(d, d*8) + `"}}`)
	case "close":
		code, err := strconv.Atoi(args)
		if err != nil {
			return err
		}
		return conn.Close(websocket.StatusCode(code), "")
	case "drop":
		return conn.CloseNow()
	case "away", "back":
		return nil
	default:
		return errors.New("no such step")
	}
}

// audioOf is base64 that stands for so many bytes of audio and shows a number.
func audioOf(n, audioBytes int) string {
	head := fmt.Sprintf("n%03d", n%1000)
	return head + strings.Repeat("A", max((audioBytes+2)/3*4-len(head), 0))
}
