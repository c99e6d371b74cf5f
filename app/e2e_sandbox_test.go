package app_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// openSandbox starts `naiber serve --sandbox` in an empty folder, with nothing
// configured but what keeps the test short.
func openSandbox(t *testing.T) *house {
	t.Helper()
	needsProcess(t)
	port := freePort(t)
	h := &house{t: t, dir: dataDir(t), url: "http://127.0.0.1:" + strconv.Itoa(port)}
	h.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, //nolint:forbidigo // what a child process needs
		"PORT=" + strconv.Itoa(port), "NAIBER_SANDBOX_SPEECH_WPM=" + strconv.Itoa(fastSpeech),
		"NAIBER_SANDBOX_FIRST_TOKEN_DELAY=5ms", "NAIBER_SANDBOX_TOKEN_DELAY=1ms", "NAIBER_JOBS_POST_CALL_DELAY=200ms",
		"NAIBER_API_TOKEN=" + houseAPIToken, "NAIBER_ADMIN_PASSWORD=admin-password-for-tests",
	}
	h.process = spawn(t, h.dir, h.env, "serve", "--sandbox")
	h.process.says(t, "Console: http://localhost:"+strconv.Itoa(port))
	h.process.says(t, "msg=ready")
	return h
}

// The one command of a newcomer, and the commands beside it.
func TestSandboxCommand(t *testing.T) {
	t.Parallel()
	h := openSandbox(t)
	if code, page := h.request(http.MethodGet, "/", nil, nil); code != http.StatusOK || !strings.Contains(page, "<html") {
		t.Errorf("GET /: %d %.80s", code, page)
	}
	var status struct {
		Status   string
		Services []struct{ Name, Status string }
	}
	h.must(http.MethodGet, "/status", nil, &status)
	if status.Status != "ok" || len(status.Services) < 4 {
		t.Errorf("GET /status: %+v", status)
	}
	if list := h.command("people", "list"); !containsAll(list, "Margaret Ellis", "recording") || strings.Count(list, "\n") < 4 {
		t.Errorf("people list printed\n%s", list)
	}
	if part := h.command("parts", "show", "KP3406971"); !containsAll(part, "Control Board", "KDW482SS") {
		t.Errorf("parts show printed\n%s", part)
	}
	calls := h.callUntilReached("margaret")
	if !containsAll(calls, "calling Margaret", "nAIber:", "ended: reached", "summary:", "post call done") {
		t.Errorf("naiber call printed\n%s", calls)
	}
	await(h, "jobs stats to count the job", func() (string, bool) {
		stats := h.command("jobs", "stats")
		return stats, containsAll(stats, "post_call", "completed")
	})
	if code, took := h.process.stop(t, syscall.SIGINT); code != 0 || took > 20*time.Second {
		t.Errorf("Ctrl-C: exit code %d after %v", code, took)
	}
	if h.databaseRuns() {
		t.Error("the private database runs on after Ctrl-C")
	}
	if _, err := os.Stat(filepath.Join(h.dir, "server.json")); !os.IsNotExist(err) {
		t.Errorf("word of the server is left behind: %v", err)
	}
}

// callUntilReached calls somebody who is out now and then.
func (h *house) callUntilReached(name string) string {
	h.t.Helper()
	out := ""
	for range 6 {
		if out = h.command("call", name, "--type", "general"); strings.Contains(out, "ended: reached") {
			return out
		}
	}
	h.t.Fatalf("%s was never reached; last:\n%s", name, out)
	return ""
}

// A restart is played in mid-call, from the page where faults are switched on.
func TestSandboxRestart(t *testing.T) {
	t.Parallel()
	h := openSandbox(t)
	var people struct {
		Items []struct{ ID, PreferredName, Phone string }
	}
	h.must(http.MethodGet, "/api/v1/people", nil, &people)
	if len(people.Items) < 3 {
		t.Fatalf("%d people live in the sandbox, want 3 or more", len(people.Items))
	}
	who := people.Items[0]
	phone := h.holdPhone(t, who.Phone)
	id := h.place(person{ID: who.ID, Phone: who.Phone})
	phone.waits(t, "ringing", "")
	phone.sends(t, phoneMessage{Type: "answer"})
	phone.waits(t, "silence", "Naiber")
	phone.sends(t, phoneMessage{Type: "say", Text: "My parrot Archibald has learnt a new word."})
	phone.waits(t, "silence", "")
	h.put(t, "/sandbox/faults", `{"restart": true}`)
	h.process.says(t, "The sandbox plays a restart.")
	phone.waits(t, "silence", "the line broke")
	phone.sends(t, phoneMessage{Type: "say", Text: "Never mind. Goodbye."})
	phone.waits(t, "closed", "")
	c := h.settled(id)
	if c.Reconnects < 1 || c.Outcome != "reached" || !containsAll(strings.Join(c.said("user"), " "), "Archibald", "Goodbye") {
		t.Errorf("the call is %+v", c)
	}
	if code, _ := h.process.stop(t, syscall.SIGINT); code != 0 {
		t.Errorf("Ctrl-C: exit code %d", code)
	}
}

func (h *house) put(t *testing.T, path, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.SetBasicAuth("admin", "admin-password-for-tests")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("PUT %s: %s", path, resp.Status)
	}
}

// phoneMessage is what goes between a browser and the telephone that it holds.
type phoneMessage struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
}

// heldPhone is an elder's telephone in a browser's hand.
type heldPhone struct {
	conn  *websocket.Conn
	heard []string // words since the last silence
}

func (h *house) holdPhone(t *testing.T, number string) *heldPhone {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	header := http.Header{}
	req := &http.Request{Header: header}
	req.SetBasicAuth("admin", "admin-password-for-tests")
	conn, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(h.url, "http")+"/sandbox/phone?number="+strings.ReplaceAll(number, "+", "%2B"),
		&websocket.DialOptions{HTTPHeader: header})
	if resp != nil && resp.Body != nil && err != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		t.Fatalf("hold the telephone: %v", err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	p := &heldPhone{conn: conn}
	p.waits(t, "ready", "")
	return p
}

func (p *heldPhone) sends(t *testing.T, m phoneMessage) {
	t.Helper()
	if err := wsjson.Write(t.Context(), p.conn, m); err != nil {
		t.Fatalf("telephone: %v", err)
	}
}

// waits waits for a message of a kind; for a silence, for one after which text
// has been heard.
func (p *heldPhone) waits(t *testing.T, kind, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var all []string
	for {
		var m phoneMessage
		if err := wsjson.Read(ctx, p.conn, &m); err != nil {
			t.Fatalf("telephone: %v; waited for %s %q, heard %s", err, kind, text, strings.Join(all, " "))
		}
		switch m.Type {
		case "word", "announcement":
			p.heard, all = append(p.heard, m.Text), append(all, m.Text)
		case kind:
			if said := strings.Join(p.heard, " "); kind != "silence" || strings.Contains(said, text) {
				p.heard = nil
				return
			}
			p.heard = nil
		case "silence":
			p.heard = nil
		case "error", "closed":
			b, _ := json.Marshal(m) //nolint:errchkjson // two strings
			t.Fatalf("telephone: %s; waited for %s %q, heard %s", b, kind, text, strings.Join(all, " "))
		}
	}
}
