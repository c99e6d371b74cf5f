package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// Whoever is the elder in a browser goes on with the call when the process was
// killed and has come back, and when the page is loaded again; they need not log
// in anew.
func TestBrowserOutlivesAKill(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_ADMIN_PASSWORD": "admin-password-for-tests"}})
	h.addPerson(nil)
	srv := httptest.NewServer(h.withTelephones())
	t.Cleanup(srv.Close)
	b := browse(h)
	b.enter(srv.URL)
	b.do(`document.querySelector("#people button").click()`)
	b.until("the telephone rings", `document.getElementById("phone").className == "ringing"`)
	b.do(`document.getElementById("answer").click()`)
	b.hears("My name is Naiber")
	b.hears("moment")
	b.answers("Yes. My canary Pavarotti sang this morning.")
	id := strings.TrimPrefix(b.do("location.hash"), "#/calls/")

	h.restart()
	b.hears("the line broke")
	b.answers("I wanted to tell you about the harbour in winter.")
	if got := b.do(`fetch("/api/v1/people").then((res) => String(res.status))`); got != "200" {
		t.Errorf("the session from before gets a %s", got)
	}

	b.leaves("location.reload()")
	b.hears("canary Pavarotti")
	b.until("the call", `document.getElementById("phone").className == "live"`)
	b.answers("And my sister Beatrice has sent me a postcard from Lisbon.")
	b.says("Goodbye now.")
	b.until("the end", `document.getElementById("phone").className == "over"`)
	c := h.settled(id)
	if mine := strings.Join(c.said("user"), "\n"); !containsAll(mine, "Pavarotti", "harbour", "Beatrice", "Goodbye") {
		t.Errorf("the transcript has %q", mine)
	}
	if c.Reconnects < 1 || c.Outcome != "reached" || c.EndedCause != "goodbye" {
		t.Errorf("the call is %+v", c)
	}
}

// withTelephones is the house with the telephones of the world, as a sandbox has them.
func (h *house) withTelephones() http.Handler {
	to, err := url.Parse(h.url)
	if err != nil {
		h.t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/sandbox/", h.world)
	mux.Handle("/", &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(res *http.Response) error {
			if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
				return nil
			}
			page, err := io.ReadAll(res.Body)
			page = bytes.Replace(page, []byte(`data-sandbox="false"`), []byte(`data-sandbox="true"`), 1)
			res.Body = io.NopCloser(bytes.NewReader(page))
			res.Header.Del("Content-Length")
			res.ContentLength = -1
			return err
		},
		// As a process that is away: no answer at all.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	return mux
}

// tab is a page in a real browser, driven over the DevTools protocol.
type tab struct {
	h     *house
	conn  *websocket.Conn
	asked int
}

// browse opens a browser, with more flags than the usual.
func browse(h *house, flags ...string) *tab {
	h.t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" { //nolint:forbidigo // a test says itself what CI must have
			h.t.Fatal("chromium is not installed")
		}
		h.t.Skip("chromium is not installed: nobody looks at the page")
	}
	// What Chromium leaves behind may still write there, which must not fail the test.
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	flags = append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+dir, "--remote-debugging-port=0", "--window-size=1400,2000", "about:blank")
	cmd := exec.CommandContext(h.t.Context(), chromium, flags...)
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	port := await(h, "the browser", func() (string, bool) {
		text, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		port, _, whole := strings.Cut(string(text), "\n")
		return port, err == nil && whole
	})
	address := await(h, "a tab", func() (string, bool) {
		var tabs []struct {
			Type    string `json:"type"`
			Address string `json:"webSocketDebuggerUrl"`
		}
		res, err := http.Get("http://127.0.0.1:" + port + "/json/list")
		if err != nil {
			return "", false
		}
		defer func() { _ = res.Body.Close() }()
		err = json.NewDecoder(res.Body).Decode(&tabs)
		for _, t := range tabs {
			if t.Type == "page" {
				return t.Address, true
			}
		}
		return fmt.Sprint(err), false
	})
	conn, _, err := websocket.Dial(h.t.Context(), address, nil) //nolint:bodyclose // there is none after a handshake
	if err != nil {
		h.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	h.t.Cleanup(func() { _ = conn.CloseNow() })
	return &tab{h: h, conn: conn}
}

// enter opens the console at an address, with its password.
func (b *tab) enter(address string) {
	b.h.t.Helper()
	b.leaves("location.href = " + strconv.Quote(strings.Replace(address, "//", "//admin:admin-password-for-tests@", 1)))
	b.until("the console", `document.getElementById("people") != null`)
	b.leaves("location.href = " + strconv.Quote(address)) // an address with a password cannot fetch
	b.until("the console once more", fmt.Sprintf(`document.querySelector("#people button") != null && document.URL == %q`, address+"/"))
}

// leaves runs a script that loads a page, and waits until that is there: until then the old one
// still answers.
func (b *tab) leaves(script string) {
	b.h.t.Helper()
	b.do("window.old = true; " + script)
	b.until("another page", `window.old == undefined && document.readyState == "complete"`)
}

// do runs a script in the page and returns what it comes to, as text.
func (b *tab) do(script string) string {
	b.h.t.Helper()
	var m struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
	}
	b.asks("Runtime.evaluate", object{"expression": script, "awaitPromise": true, "returnByValue": true}, &m)
	return fmt.Sprint(m.Result.Value)
}

// asks sends a command to the browser and reads its result, if into is not nil.
func (b *tab) asks(method string, params object, into any) {
	b.h.t.Helper()
	b.asked++
	err := wsjson.Write(b.h.t.Context(), b.conn, object{"id": b.asked, "method": method, "params": params})
	for err == nil {
		var m struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if err = wsjson.Read(b.h.t.Context(), b.conn, &m); err != nil || m.ID != b.asked {
			continue
		}
		if into == nil || len(m.Result) == 0 { // the page was left meanwhile
			return
		}
		if err = json.Unmarshal(m.Result, into); err == nil {
			return
		}
	}
	b.h.t.Fatalf("%s %v: %v", method, params, err)
}

// presses presses a key, "Tab" or "Enter".
func (b *tab) presses(key string) {
	b.h.t.Helper()
	code, text := 9, ""
	if key == "Enter" {
		code, text = 13, "\r"
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.asks("Input.dispatchKeyEvent", object{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}, nil)
	}
}

// types writes where the focus is.
func (b *tab) types(text string) { b.asks("Input.insertText", object{"text": text}, nil) }

func (b *tab) until(what, condition string) {
	b.h.t.Helper()
	late := time.Now().Add(patience)
	for b.do(condition) != "true" {
		if time.Now().After(late) {
			b.h.t.Fatalf("waited in vain for %s; the page says\n%s", what, b.do(`document.body.innerText`))
		}
		<-time.After(50 * time.Millisecond) // a page tells nobody that it has changed
	}
}

// hears waits until something was said, by either side, and has ended.
func (b *tab) hears(text string) {
	b.h.t.Helper()
	b.until(text, fmt.Sprintf(`[...document.querySelectorAll("#talk li:not(.speaking)")].some((li) => li.textContent.includes(%q))`, text))
}

func (b *tab) says(text string) {
	b.do(fmt.Sprintf(`document.getElementById("say").value = %q; document.getElementById("say-form").requestSubmit()`, text))
}

// answers says something, and waits until the reply to it was heard.
func (b *tab) answers(text string) {
	b.h.t.Helper()
	b.says(text)
	b.until("a reply to "+text, fmt.Sprintf(`(() => {
		const said = [...document.querySelectorAll("#talk li")];
		const mine = said.findLastIndex((li) => li.className == "elder" && li.textContent == %q);
		return mine >= 0 && said.slice(mine).some((li) => li.className == "naiber");
	})()`, text))
}
