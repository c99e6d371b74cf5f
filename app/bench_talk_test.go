package app_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// What a spoken turn is like. A reply is one or two short sentences, and a real
// model server writes and flushes each token by itself.
const (
	modelThinks = 100 * time.Millisecond // to the first token: quicker than real ones, to measure more turns
	tokenPace   = 15 * time.Millisecond  // some 65 tokens a second, as small hosted models speak
	personTalks = 400 * time.Millisecond // quicker than people, for the same reason
	benchModel  = "bench"

	// busier is how many times faster all of that goes where a process is looked
	// at that carries that many times the conversations: what sleeping and waking
	// up cost is then shared, and what is left is the work itself.
	busier = 8
)

// turnTakes is how long a turn takes from one to the next.
func turnTakes() time.Duration {
	return personTalks + modelThinks + time.Duration(len(modelReply))*tokenPace
}

// modelReply is what the model says to everything: 22 tokens. The first is a whole sentence, for
// nAIber speaks none before its end: what is measured is its own part, not the model's pace.
var modelReply = strings.SplitAfter("Lovely! That does sound like a fine walk in the sunshine, Margaret. Did your knee hold up well on the way back? ", " ")[:22]

// modelStream is the events of it, as the model server writes them.
var modelStream = func() (events []string) {
	const head = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"` + benchModel +
		`","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":`
	for _, word := range modelReply {
		events = append(events, head+`{"content":`+strconv.Quote(word)+`},"logprobs":null,"finish_reason":null}]}`+"\n\n")
	}
	events[0] = head + `{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}` + "\n\n" + events[0]
	return append(events, head+`{},"logprobs":null,"finish_reason":"stop"}]}`+"\n\n"+
		`data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"`+benchModel+
		`","choices":[],"usage":{"prompt_tokens":900,"completion_tokens":22,"total_tokens":922}}`+"\n\ndata: [DONE]\n\n")
}()

// speak is the model server.
func (w *farWorld) speak(rw http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	rw.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	rc := http.NewResponseController(rw)
	var thinks, pace time.Duration
	if faster := time.Duration(w.faster.Load()); faster > 0 {
		thinks, pace = modelThinks/faster, tokenPace/faster
	}
	next := time.NewTimer(thinks)
	defer next.Stop()
	for _, event := range modelStream {
		select {
		case <-next.C:
			next.Reset(pace)
		case <-r.Context().Done():
			return
		}
		if _, err := io.WriteString(rw, event); err != nil || rc.Flush() != nil {
			return
		}
	}
}

// play has conversations take turns and measures each turn's first token.
func (w *farWorld) play(ctx context.Context, o farPlay) (farFigures, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.Conversations, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex // guards figures and errs
	var figures farFigures
	var errs []error
	var all sync.WaitGroup
	faster := max(1, time.Duration(o.Faster))
	talks, first := personTalks/faster, turnTakes()/faster/time.Duration(o.Conversations)
	w.faster.Store(int64(faster))
	if o.Saturated {
		talks, first = 0, 0
		w.faster.Store(0)
	}
	began := time.Now()
	for i, l := range w.order[o.Skip:][:o.Conversations] {
		all.Go(func() {
			pause := time.NewTimer(time.Duration(i) * first)
			defer pause.Stop()
			for round := range o.Rounds {
				<-pause.C
				if o.For > 0 && time.Since(began) > o.For {
					return
				}
				ttft, err := ask(ctx, client, o, l, o.First+round)
				mu.Lock()
				figures.TTFT = append(figures.TTFT, ttft)
				errs = append(errs, err)
				mu.Unlock()
				pause.Reset(talks)
			}
		})
	}
	all.Wait()
	return figures, errors.Join(errs...)
}

// ask posts one turn as the voice service does and reads the reply to its end.
func ask(ctx context.Context, client *http.Client, o farPlay, l *farLine, round int) (first time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.Base+"/v1/chat/completions", bytes.NewReader(turnBody(l, o.Says, round)))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+benchSecret)
	req.Header.Set("Content-Type", "application/json")
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	words, done := 0, false
	var said strings.Builder
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		line := lines.Bytes()
		if bytes.Contains(line, []byte(`"content":"`)) && !bytes.Contains(line, []byte(`"content":""`)) {
			if words++; words == 1 {
				first = time.Since(began)
			}
			if o.Says != nil {
				said.WriteString(gjson.GetBytes(line[len("data: "):], "choices.0.delta.content").Str)
			}
		}
		done = done || bytes.Equal(line, []byte("data: [DONE]"))
	}
	if err := lines.Err(); err != nil || words == 0 || !done {
		return 0, fmt.Errorf("turn %d of call %d was cut: status %d, %d pieces: %w", round, l.n, resp.StatusCode, words, err)
	}
	l.said = append(l.said, strings.TrimSpace(said.String()))
	return first, nil
}

// turnBody is a turn's request: the system prompt that nAIber itself gave the
// conversation, and all that was said so far. Where people say something of their
// own, what they were answered is what came back; else what the model says.
func turnBody(l *farLine, says []string, round int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"model":"naiber","stream":true,"temperature":0.7,"messages":[{"role":"system","content":%q}`, l.prompt)
	reply := strings.TrimSpace(strings.Join(modelReply, ""))
	for i := range round + 1 {
		if i > 0 && says != nil {
			reply = l.said[i-1]
		}
		if i > 0 {
			fmt.Fprintf(&b, `,{"role":"assistant","content":%q}`, reply)
		}
		if says != nil {
			fmt.Fprintf(&b, `,{"role":"user","content":%q}`, says[i])
			continue
		}
		fmt.Fprintf(&b, `,{"role":"user","content":"I walked to the shop for the %dth time this week, and my neighbour from number %d came along."}`, i+1, l.n)
	}
	fmt.Fprintf(&b, `],"tools":[{"type":"function","function":{"name":"end_call","description":"Ends the call.","parameters":{"type":"object",`+
		`"properties":{"reason":{"type":"string"}}}}}],"elevenlabs_extra_body":{"call":%q,"token":%q}}`, l.call.ID, l.token)
	return b.Bytes()
}
