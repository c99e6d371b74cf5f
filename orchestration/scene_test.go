package orchestration

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"golang.org/x/tools/txtar"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

var update = flag.Bool("update", false, "rewrite the last part of each scene")

// TestScenes plays each scene in a world whose time stands still but for waits.
// A scene is a sentence on why it exists; "config", lines of "key value";
// "persona", what it does on hearing something; requests, named by when they
// come and who sends them; and "want", what each client gets, when, and what is
// on record in the end.
func TestScenes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			synctest.Test(t, func(t *testing.T) { got = play(t, ar) })
			last := &ar.Files[len(ar.Files)-1]
			if last.Name != "want" {
				t.Fatalf("the last part is %q, want \"want\"", last.Name)
			}
			if *update {
				last.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(last.Data), got); diff != "" {
				t.Errorf("scene went otherwise (-want +got):\n%s", diff)
			}
		})
	}
}

// stage is where a scene is played.
type stage struct {
	mu    sync.Mutex
	began time.Time
	log   []string
}

func (st *stage) note(who, format string, args ...any) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.log = append(st.log, fmt.Sprintf("%6dms %s  %s", time.Since(st.began).Milliseconds(), who, fmt.Sprintf(format, args...)))
}

// hears notes words that a client gets. What is said in one instant may leave in
// one piece or in several, so it is noted as one.
func (st *stage) hears(who, words string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	at := fmt.Sprintf("%6dms %s  ", time.Since(st.began).Milliseconds(), who)
	for i, line := range slices.Backward(st.log) {
		before, mine := strings.CutPrefix(line, at)
		if !mine {
			continue
		}
		if said, err := strconv.Unquote(before); err == nil {
			st.log[i] = at + strconv.Quote(said+words)
			return
		}
		break
	}
	st.log = append(st.log, at+strconv.Quote(words))
}

func play(t *testing.T, ar *txtar.Archive) string {
	t.Helper()
	st := &stage{began: time.Now()}
	d := newDesk()
	parts := make(map[string]string)
	for _, f := range ar.Files {
		parts[f.Name] = string(f.Data)
	}
	s := newTestServer(t, d, scripted(parts["persona"]), func(c *Config) {
		for line := range strings.Lines(parts["config"]) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			configure(t, c, d, key, value)
		}
	})
	var clients sync.WaitGroup
	cancels := make(map[string]context.CancelFunc)
	for _, f := range ar.Files {
		at, name, ok := strings.Cut(f.Name, " ")
		if !ok {
			continue
		}
		when, err := time.ParseDuration(at)
		if err != nil {
			t.Fatalf("part %q: %v", f.Name, err)
		}
		time.Sleep(time.Until(st.began.Add(when))) //nolint:forbidigo // fake time, in a synctest bubble
		if who, ok := strings.CutSuffix(name, " leaves"); ok {
			st.note(who, "leaves")
			cancels[who]()
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancels[name] = cancel
		body := strings.ReplaceAll(string(f.Data), "TOKEN", d.token())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+testSecret)
		clients.Go(func() { s.ServeHTTP(&sceneWriter{st: st, who: name, header: make(http.Header)}, r) })
		synctest.Wait()
	}
	clients.Wait()
	for _, cancel := range cancels {
		cancel()
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	return st.outcome(d)
}

func (st *stage) outcome(d *desk) string {
	var b strings.Builder
	// What several clients get in one instant has no order between them.
	slices.SortStableFunc(st.log, func(a, b string) int { return strings.Compare(a[:11], b[:11]) })
	for _, l := range st.log {
		b.WriteString(l + "\n")
	}
	slices.SortFunc(d.order, func(a, b store.TurnID) int {
		return cmpTurns(d.turns[a].Place, d.turns[a].Attempt, d.turns[b].Place, d.turns[b].Attempt)
	})
	for _, id := range d.order {
		u := d.turns[id]
		fmt.Fprintf(&b, "turn place=%d attempt=%d kind=%s heard=%q outcome=%s reply=%q joined=%d filler=%t\n",
			u.Place, u.Attempt, u.Kind, u.Heard, u.Outcome, u.Reply, u.Joined, u.Filler)
	}
	for _, reason := range d.ended {
		fmt.Fprintf(&b, "telephony ends the call: %s\n", reason)
	}
	for _, reason := range d.reasons {
		fmt.Fprintf(&b, "telephony learns why the call ends: %s\n", reason)
	}
	return b.String()
}

func cmpTurns(p1, a1, p2, a2 int) int {
	if p1 != p2 {
		return p1 - p2
	}
	return a1 - a2
}

func configure(t *testing.T, c *Config, d *desk, key, value string) {
	t.Helper()
	duration := func() time.Duration {
		v, err := time.ParseDuration(value)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	switch key {
	case "":
	case "filler_after":
		c.FillerAfter = duration()
	case "patient":
		c.Patient = []calls.CallType{calls.CallType(value)}
	case "record_takes":
		d.startWait = duration()
	case "conversation_known_after":
		d.known = time.Now().Add(duration())
	case "record_fails":
		d.startErrs = len(value)
	case "directory_fails":
		d.lookupErr = errors.New(value)
	case "passthrough_fails":
		c.Passthrough = &upstream{payloads: []string{payloadOf("I was just ab")}, err: errors.New(value)}
	default:
		t.Fatalf("config: no key %q", key)
	}
}

// scripted does what a script says: after "hears <words>:", lines of "say",
// "wait", "end", "skip", "fail" and "panic". A script without "hears" is for
// everything.
func scripted(script string) Persona {
	return PersonaFunc(func(ctx context.Context, t *Turn, s *Speech) error {
		mine := true
		for line := range strings.Lines(script) {
			line = strings.TrimSuffix(line, "\n")
			if words, ok := strings.CutPrefix(line, "hears "); ok {
				mine = strings.TrimSuffix(words, ":") == t.Heard
				continue
			}
			if !mine {
				continue
			}
			if err := act(ctx, t, s, line); err != nil {
				return err
			}
		}
		return nil
	})
}

func act(ctx context.Context, t *Turn, s *Speech, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "say":
		return s.Say(rest)
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case "end":
		return s.EndCall(rest)
	case "skip":
		return s.SkipTurn(rest)
	case "keys":
		return s.Say("You pressed " + t.Keypad + ".")
	case "facts":
		return s.Say(fmt.Sprintf("interrupted=%t replaces=%t late=%t ", t.Interrupted, t.Replaces, t.Late))
	case "fail":
		return errors.New(rest)
	case "panic":
		panic(rest)
	default:
		return nil
	}
}

// sceneWriter notes what a client gets, and when.
type sceneWriter struct {
	st     *stage
	who    string
	header http.Header
}

func (w *sceneWriter) Header() http.Header { return w.header }
func (w *sceneWriter) Flush()              {}

func (w *sceneWriter) WriteHeader(status int) {
	if status != http.StatusOK {
		w.st.note(w.who, "status %d", status)
	}
}

func (w *sceneWriter) Write(b []byte) (int, error) {
	if w.header.Get("Content-Type") != "text/event-stream" {
		v := gjson.ParseBytes(b)
		w.st.note(w.who, "whole %q finish=%s error=%q", v.Get("choices.0.message.content").Str,
			v.Get("choices.0.finish_reason").Str, v.Get("error.code").Str)
		return len(b), nil
	}
	for event := range strings.SplitSeq(string(b), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		v := gjson.Parse(data).Get("choices.0")
		if c := v.Get("delta.content"); c.Str != "" {
			w.st.hears(w.who, c.Str)
		}
		if f := v.Get("delta.tool_calls.0.function"); f.Exists() {
			w.st.note(w.who, "calls %s %s", f.Get("name").Str, f.Get("arguments").Str)
		}
		if f := v.Get("finish_reason"); f.Str != "" {
			w.st.note(w.who, "ends: %s", f.Str)
		}
	}
	return len(b), nil
}
