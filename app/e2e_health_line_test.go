package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/naiber/naiber/app"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/twilio"
)

// linePatience is how long a caller goes on asking for one reply.
const linePatience = 3 * time.Minute

// errBroken says that the process died in the middle of a turn.
var errBroken = errors.New("the line broke")

// message is one line of a conversation, as the voice service sends it.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// line is one call as the voice service carries it: it asks for each reply with
// the whole conversation so far, and asks again with the same when none comes.
type line struct {
	c        *clinic
	t        *testing.T
	client   *http.Client
	call     calls.Call
	token    string
	messages []message
}

// heard is a reply that was delivered whole.
type heard struct {
	text  string
	ended bool // the voice service was asked to end the call
}

var callNumbers = struct {
	sync.Mutex
	next int
}{}

// ring begins a health check of a person, and a conversation in it.
func (c *clinic) ring(t *testing.T, client *http.Client, p people.Person) (*line, error) {
	t.Helper()
	return c.ringFor(t, client, p, calls.CallHealthCheck)
}

// ringFor begins a call of any type.
func (c *clinic) ringFor(t *testing.T, client *http.Client, p people.Person, about calls.CallType) (*line, error) {
	t.Helper()
	ctx := context.Background()
	callNumbers.Lock()
	callNumbers.next++
	sid := fmt.Sprintf("CA%032x", callNumbers.next)
	callNumbers.Unlock()
	call, err := c.db.CreateCall(ctx, calls.NewCall{
		PersonID: p.ID, Type: about, Direction: calls.Inbound, Phone: p.Phone, SID: sid,
	})
	if err != nil {
		return nil, err
	}
	if err := c.db.AddConversation(ctx, call.ID, "conv_"+call.ID.String()); err != nil {
		return nil, err
	}
	token, err := app.MintCallToken(houseLLMToken, call.ID)
	if err != nil {
		return nil, err
	}
	l := &line{c: c, t: t, client: client, call: call, token: token}
	l.messages = []message{
		{"system", "You are speaking with somebody on the telephone."},
		{"assistant", "Hello, this is nAIber. I'd like to ask you a few short questions about how you are. Is this a good moment?"},
	}
	return l, l.status("in-progress")
}

// body is the request for the reply to words at the present place.
func (l *line) body(words string) []byte {
	b, err := json.Marshal(map[string]any{
		"model": "naiber", "stream": true, "messages": append(slices.Clip(l.messages), message{"user", words}),
		"tools":                 []any{map[string]any{"type": "function", "function": map[string]any{"name": "end_call"}}},
		"elevenlabs_extra_body": map[string]any{"token": l.token, "call": l.call.ID.String()},
	})
	if err != nil {
		panic(err) // it is made of strings
	}
	return b
}

// says has the person say something and returns what they hear. With breaks, a
// process that dies under the turn is the end of the line.
func (l *line) says(words string, breaks bool) (heard, error) {
	h, err := l.ask(l.body(words), breaks)
	if err == nil {
		l.messages = append(l.messages, message{"user", words}, message{"assistant", h.text})
	}
	return h, err
}

// saysTwice is says where the request comes twice at the same time.
func (l *line) saysTwice(words string) (heard, error) {
	body := l.body(words)
	var second heard
	var err2 error
	var both sync.WaitGroup
	both.Go(func() { second, err2 = l.ask(body, false) })
	h, err := l.ask(body, false)
	both.Wait()
	if err == nil && err2 == nil && h != second {
		l.t.Errorf("one turn was answered in two ways: %q and %q", h.text, second.text)
	}
	l.messages = append(l.messages, message{"user", words}, message{"assistant", h.text})
	return h, errors.Join(err, err2)
}

// saysMore has the person say something, and then more before the reply is spoken.
func (l *line) saysMore(first, all string) (heard, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	if resp, err := l.post(ctx, l.body(first)); err == nil {
		_, _ = resp.Body.Read(make([]byte, 1)) // it is being answered, or was broken off
		_ = resp.Body.Close()
	}
	cancel()
	return l.says(all, false)
}

// ask asks for a reply until one comes whole. What came of the others must be the
// beginning of it: they may have been heard.
func (l *line) ask(body []byte, breaks bool) (heard, error) {
	ctx, cancel := context.WithTimeout(context.Background(), linePatience)
	defer cancel()
	var parts []string
	l.c.begin()
	for try := 0; ; try++ {
		h, whole, err := l.once(ctx, body)
		if try == 0 && !whole && !errors.Is(err, errRefused) && !errors.Is(err, syscall.ECONNREFUSED) {
			l.c.wasCut(l.call.ID)
		}
		if err != nil && ctx.Err() != nil {
			return heard{}, fmt.Errorf("no reply in %v: %w", linePatience, err)
		}
		if whole {
			for _, part := range parts {
				if !strings.HasPrefix(h.text, part) {
					l.t.Errorf("a reply that began with %q was repeated as %q", part, h.text)
				}
			}
			return h, nil
		}
		if errors.Is(err, errRefused) {
			return heard{}, err
		}
		if breaks {
			return heard{}, errBroken
		}
		if h.text != "" {
			parts = append(parts, h.text)
		}
		l.pause(ctx)
	}
}

// errRefused says that the request can't be answered, ever.
var errRefused = errors.New("the turn was refused")

// pause waits before a request is repeated.
func (l *line) pause(ctx context.Context) {
	select {
	case <-time.After(40 * time.Millisecond):
	case <-ctx.Done():
	}
	l.c.awaitOpen(ctx)
}

func (l *line) post(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.c.url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+houseLLMToken)
	req.Header.Set("Content-Type", "application/json")
	return l.client.Do(req)
}

// once asks for a reply and returns what came, and whether that was all of it.
func (l *line) once(ctx context.Context, body []byte) (h heard, whole bool, err error) {
	resp, err := l.post(ctx, body)
	if err != nil {
		return h, false, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		err := fmt.Errorf("%d %s", resp.StatusCode, text)
		if resp.StatusCode < 500 {
			err = fmt.Errorf("%w: %w", errRefused, err)
		}
		return h, false, err
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			return h, true, nil
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content string            `json:"content"`
					Tools   []json.RawMessage `json:"tool_calls"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return h, false, fmt.Errorf("%w: %w", errRefused, err)
		}
		for _, choice := range chunk.Choices {
			h.text += choice.Delta.Content
			h.ended = h.ended || strings.Contains(string(bytes.Join(toBytes(choice.Delta.Tools), nil)), "end_call")
		}
	}
	return h, false, errors.Join(lines.Err(), io.ErrUnexpectedEOF)
}

func toBytes(raw []json.RawMessage) [][]byte {
	out := make([][]byte, len(raw))
	for i, r := range raw {
		out[i] = r
	}
	return out
}

// status tells the clinic, as Twilio does, how the call stands, until it is taken.
func (l *line) status(status string) error {
	ctx, cancel := context.WithTimeout(context.Background(), linePatience)
	defer cancel()
	address := l.c.url + "/twilio/status?call=" + l.call.ID.String()
	form := url.Values{
		"CallSid": {l.call.SID}, "AccountSid": {houseSID}, "CallStatus": {status}, "Direction": {"inbound"},
		"From": {l.call.Phone}, "To": {houseNumber}, "Timestamp": {time.Now().UTC().Format(time.RFC1123Z)},
	}
	for {
		code, err := l.hook(ctx, address, form)
		switch {
		case err == nil && code < 300:
			return nil
		case err == nil && code < 500:
			return fmt.Errorf("status %s of the call: %d", status, code)
		case ctx.Err() != nil:
			return fmt.Errorf("status %s of the call: %d, %w", status, code, err)
		}
		l.pause(ctx)
	}
}

func (l *line) hook(ctx context.Context, address string, form url.Values) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set(twilio.SignatureHeader, twilio.Sign(houseToken, address, form))
	resp, err := l.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// callers is a client for many lines.
func callers(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// begin counts a turn that begins.
func (c *clinic) begin() {
	c.turns.Add(1)
	select {
	case c.begun <- struct{}{}:
	default:
	}
}

// wasCut counts a turn that was asked for and got no whole reply: the process was
// killed under it.
func (c *clinic) wasCut(call store.CallID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut == nil {
		c.cut = map[store.CallID]int{}
	}
	c.cut[call]++
}

// cuts is how many calls lost a reply to a kill, and how many replies were lost.
func (c *clinic) cuts() (calls, replies int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.cut {
		replies += n
	}
	return len(c.cut), replies
}
