package voice_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// bridge is the smallest relay between the two: it copies audio both ways and
// clears on an interruption.
type bridge struct {
	t  *testing.T
	st *stage
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	phone, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = phone.CloseNow() }()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	sid := ""
	for sid == "" {
		var m struct {
			Event string
			Start struct{ StreamSid string }
		}
		if b.receive(ctx, phone, &m) != nil {
			return
		}
		sid = m.Start.StreamSid
	}
	_, body := b.st.request("GET", "/v1/convai/conversation/get-signed-url?agent_id="+b.st.agent, "")
	target, _ := body["signed_url"].(string)
	agent, _, err := websocket.Dial(ctx, target, &websocket.DialOptions{HTTPClient: b.st.client}) //nolint:bodyclose // the library closes it
	if err != nil {
		b.t.Error(err)
		return
	}
	defer func() { _ = agent.CloseNow() }()
	agent.SetReadLimit(1 << 20)
	_ = agent.Write(ctx, websocket.MessageText, []byte(initData)) // shows by what does not come
	var wg sync.WaitGroup
	wg.Go(func() {
		defer cancel()
		b.up(ctx, phone, agent)
	})
	b.down(ctx, sid, agent, phone)
	wg.Wait()
}

func (b *bridge) receive(ctx context.Context, from *websocket.Conn, to any) error {
	_, data, err := from.Read(ctx)
	if err != nil {
		return err //nolint:wrapcheck // a test
	}
	return json.Unmarshal(data, to) //nolint:wrapcheck // a test
}

func (b *bridge) up(ctx context.Context, phone, agent *websocket.Conn) {
	for {
		var m struct {
			Event string
			Media struct{ Payload string }
		}
		if b.receive(ctx, phone, &m) != nil {
			return
		}
		if m.Event == "stop" {
			_ = agent.Close(websocket.StatusNormalClosure, "") // the call is over
			return
		}
		if m.Event == "media" {
			_ = agent.Write(ctx, websocket.MessageText, []byte(`{"user_audio_chunk":"`+m.Media.Payload+`"}`))
		}
	}
}

func (b *bridge) down(ctx context.Context, sid string, agent, phone *websocket.Conn) {
	stale := 0
	for {
		var m struct {
			Type  string
			Audio struct {
				ID   int    `json:"event_id"`
				Data string `json:"audio_base_64"`
			} `json:"audio_event"`
			Interruption struct {
				ID int `json:"event_id"`
			} `json:"interruption_event"`
			Ping struct {
				ID json.Number `json:"event_id"`
			} `json:"ping_event"`
		}
		if b.receive(ctx, agent, &m) != nil {
			return
		}
		switch m.Type {
		case "audio":
			if m.Audio.ID > stale {
				_ = phone.Write(ctx, websocket.MessageText, []byte(`{"event":"media","streamSid":"`+sid+`","media":{"payload":"`+m.Audio.Data+`"}}`))
			}
		case "interruption":
			stale = m.Interruption.ID
			_ = phone.Write(ctx, websocket.MessageText, []byte(`{"event":"clear","streamSid":"`+sid+`"}`))
		case "ping":
			_ = agent.Write(ctx, websocket.MessageText, []byte(`{"type":"pong","event_id":`+m.Ping.ID.String()+`}`))
		}
	}
}

// line is a carrier joined to a stage by a bridge.
func line(t *testing.T, st *stage) *carrier.Handset {
	t.Helper()
	app := httptest.NewServer(&bridge{t, st})
	rings := make(chan *carrier.Ring, 1)
	c := carrier.New(carrier.Config{
		AccountSID: "AC1", AuthToken: "t", Number: "+15550100999", FrameInterval: frame, Second: second, WPM: 600,
		Log:    slog.New(slog.DiscardHandler),
		Answer: func(_ context.Context, r *carrier.Ring) { rings <- r },
	})
	rest := httptest.NewServer(c.Handler())
	t.Cleanup(func() {
		if n := c.Warnings(); len(n) > 0 {
			t.Errorf("warnings: %v", n)
		}
		_ = c.Close()
		rest.Close()
		app.Close()
	})
	form := url.Values{"To": {"+15550100123"}, "From": {"+15550100999"}, "Twiml": {
		`<Response><Connect><Stream url="ws` + strings.TrimPrefix(app.URL, "http") + `/media"/></Connect></Response>`,
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, rest.URL+"/2010-04-01/Accounts/AC1/Calls.json", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("AC1", "t")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	h, err := wait(t, rings, "ring").Answer()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// hearsUntil collects what the person hears, until all of it ends so.
func hearsUntil(t *testing.T, h *carrier.Handset, end string) string {
	t.Helper()
	var words []string
	deadline := time.After(patience)
	for {
		select {
		case e, ok := <-h.Heard():
			if !ok {
				t.Fatalf("call ended; heard %q", words)
			}
			if e.Kind == carrier.HeardWord {
				words = append(words, e.Text)
			}
			if all := strings.Join(words, " "); strings.HasSuffix(all, end) {
				return all
			}
		case <-deadline:
			t.Fatalf("no %q; heard %q", end, words)
		}
	}
}

// Words travel from a mouth to the model and back to an ear, through every
// real socket there is.
func TestWordsTravel(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil)
	st.answer(says("Lovely. ", "What do you grow?"), says("Roses are beautiful."))
	h := line(t, st)
	hearsUntil(t, h, "Hello.")
	h.Say("I was in the garden, Ada – schön!")
	if got := st.ask().dialogue(); !strings.HasSuffix(got, "user: I was in the garden, Ada – schön!\n") {
		t.Errorf("dialogue:\n%s", got)
	}
	if got := hearsUntil(t, h, "grow?"); got != "Lovely. What do you grow?" {
		t.Errorf("heard %q", got)
	}
	h.Say("Roses.")
	if got := st.ask().dialogue(); !strings.HasSuffix(got, "assistant: Lovely. What do you grow?\nuser: Roses.\n") {
		t.Errorf("dialogue:\n%s", got)
	}
	hearsUntil(t, h, "beautiful.")
	h.HangUp()
	wait(t, st.hooks, "webhook")
}

// A person who interrupts hears no more of the reply, and the model learns
// about as much as was heard.
func TestBargeInOverTheLine(t *testing.T) {
	t.Parallel()
	const long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty."
	st := newStage(t, nil)
	st.answer(says(long), says("Sorry."))
	h := line(t, st)
	hearsUntil(t, h, "Hello.")
	h.Say("Please count.")
	st.ask()
	hearsUntil(t, h, "three")
	h.Say("That is enough.")
	rest := hearsUntil(t, h, "Sorry.")
	if strings.Contains(rest, "twenty") {
		t.Errorf("heard %q after the interruption", rest)
	}
	got := st.ask().dialogue()
	if !strings.Contains(got, "\nassistant: one two") || strings.Contains(got, "twenty") || !strings.HasSuffix(got, "\nuser: That is enough.\n") {
		t.Errorf("dialogue:\n%s", got)
	}
}

// A pause for thought does not end the turn.
func TestSlowSpeakerIsOneTurn(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil)
	h := line(t, st)
	hearsUntil(t, h, "Hello.") // nobody hears what is said before the line is open
	h.SayAt("I think", 300)
	h.Pause(300 * time.Millisecond) // less than the agent's patience
	h.SayAt("it was Tuesday.", 300)
	if got := st.ask().dialogue(); !strings.HasSuffix(got, "user: I think it was Tuesday.\n") {
		t.Errorf("dialogue: %q", got)
	}
	hearsUntil(t, h, "I see.")
}
