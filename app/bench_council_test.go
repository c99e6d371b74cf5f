package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/app"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/telephony/relaytest"
)

var (
	councilDiscussions = flag.Int("council.discussions", 100, "how many discussions BenchmarkCouncil holds at once")
	councilBlocks      = flag.Int("council.blocks", 3, "how often it does so")
)

const (
	councilTokens  = 60                    // of each message
	councilPace    = 33 * time.Millisecond // 30 tokens a second, on average
	councilViewers = 5                     // of each discussion: two follow, two drop and resume, one reads slowly
	councilHealthy = 2
	councilSlow    = councilViewers - 1
	councilWithin  = 2 * time.Minute // for one block
)

// BenchmarkCouncil holds 100 discussions of the care council at once, each with five
// viewers over WebSockets, of whom two drop and resume at random and one reads slowly.
// The model and the viewers are another process. It fails where what one of them put
// together is not the final text, byte for byte. It prints what it takes from the
// model's writing of a chunk to a healthy viewer, with the share until the chunk begins
// to be kept, beside a bare relay of the same chunks from the model to WebSockets in
// the same run. Of what is played several times the median counts.
func BenchmarkCouncil(b *testing.B) {
	h := openBenchHouse(b, 0, calls.CallGeneral, func(c *app.Config) {
		c.OpenAI.BaseURL = strings.TrimSuffix(c.OpenAI.BaseURL, "/v1") + "/council/v1"
		c.Council.AtOnce = *councilDiscussions
	})
	var persons []string
	db := storetest.Open(b, h.database)
	for i := range *councilDiscussions {
		p, err := db.CreatePerson(b.Context(), people.Person{Name: "Margaret Hale", Phone: fmt.Sprintf("+1555011%04d", i), Timezone: "Europe/London", Language: "en"}, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		persons = append(persons, p.ID.String())
	}
	relay := bareRelay(b, h.far.url+"/council/v1/chat/completions")
	for b.Loop() {
		var p50, p99, floor50, floor99, kept50, kept99 []time.Duration
		resumed := 0
		for range *councilBlocks {
			floor := h.far.do(b, "council", farCouncil{Base: relay, Persons: persons, Bare: true})
			ours := h.far.do(b, "council", farCouncil{Base: h.url, Persons: persons})
			floor50, floor99 = append(floor50, relaytest.Percentile(floor.Late, .5)), append(floor99, relaytest.Percentile(floor.Late, .99))
			p50, p99 = append(p50, relaytest.Percentile(ours.Late, .5)), append(p99, relaytest.Percentile(ours.Late, .99))
			kept50, kept99 = append(kept50, relaytest.Percentile(ours.Kept, .5)), append(kept99, relaytest.Percentile(ours.Kept, .99))
			resumed += ours.Resumed
			if ours.Lost != 0 || floor.Lost != 0 || len(ours.Late) != *councilDiscussions*councilHealthy*councilTokens*len(council.Order) || ours.Resumed == 0 {
				b.Errorf("%d texts of viewers, and %d of the bare relay, are not the final ones; %d chunks came, %d streams were resumed", ours.Lost, floor.Lost, len(ours.Late), ours.Resumed)
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(inMS(median(p50)), "chunk-ms-p50")
		b.ReportMetric(inMS(median(p99)), "chunk-ms-p99")
		b.ReportMetric(inMS(median(kept50)), "until-kept-ms-p50")
		b.ReportMetric(inMS(median(kept99)), "until-kept-ms-p99")
		b.ReportMetric(inMS(median(floor50)), "relay-ms-p50")
		b.ReportMetric(inMS(median(floor99)), "relay-ms-p99")
		b.ReportMetric(float64(resumed), "resumed")
	}
}

// bareRelay is the floor: for each path it waits for its viewers, asks the model for
// three messages and writes each chunk to all of them.
func bareRelay(b *testing.B, model string) string {
	b.Helper()
	var mu sync.Mutex
	waiting := map[string][]chan []byte{}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *councilDiscussions, DisableCompression: true}}
	speak := func(viewers []chan []byte) {
		seq := 0
		send := func(kind string, d council.Data) {
			seq++
			raw, err := json.Marshal(struct {
				Type string    `json:"type"`
				Seq  int       `json:"seq"`
				At   time.Time `json:"at"`
				council.Data
			}{kind, seq, time.Now(), d})
			if err != nil {
				b.Error(err)
			}
			for _, v := range viewers {
				v <- raw
			}
		}
		for i := range council.Order {
			said := ""
			if err := askCouncil(b.Context(), client, model, func(token string) {
				said += token
				send(council.EventChunk, council.Data{Turn: i + 1, Text: token})
			}); err != nil {
				b.Error(err)
			}
			send(council.EventSaid, council.Data{Turn: i + 1, Content: said})
		}
		send(council.EventDone, council.Data{})
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
		if err != nil {
			b.Error(err)
			return
		}
		defer func() { _ = conn.CloseNow() }()
		frames := make(chan []byte, 1024)
		mu.Lock()
		waiting[r.URL.Path] = append(waiting[r.URL.Path], frames)
		viewers := waiting[r.URL.Path]
		if len(viewers) == councilViewers {
			delete(waiting, r.URL.Path)
			go speak(viewers)
		}
		mu.Unlock()
		ctx := conn.CloseRead(r.Context())
		for {
			select {
			case raw := <-frames:
				if conn.Write(ctx, websocket.MessageText, raw) != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}))
	b.Cleanup(srv.Close)
	return srv.URL
}

// askCouncil asks the far ends' model for a message of the council.
func askCouncil(ctx context.Context, client *http.Client, model string, token func(string)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, model, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			if t := gjson.GetBytes(data, "choices.0.delta.content").String(); t != "" {
				token(t)
			}
		}
	}
	return lines.Err()
}

// farCouncil asks for a discussion of each person at Base, with viewers; Bare is for
// the bare relay, which discusses nobody and resumes nothing.
type farCouncil struct {
	Base    string
	Persons []string
	Bare    bool
}

// pause is what lies between two tokens: half as long as the pace to half as long again,
// since no models write in step with each other.
func pause() time.Duration { return councilPace/2 + rand.N(councilPace) }

// sayCouncil is the model server for discussions: each token is the time at which it
// was written. It begins once all viewers are there.
func (w *farWorld) sayCouncil(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.mu.Lock()
	gate := w.viewing
	w.mu.Unlock()
	const head = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"` + benchModel + `","choices":[{"index":0,"delta":`
	const end = head + `{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	rw.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	if gjson.GetBytes(body, "response_format.type").String() == "json_schema" {
		const nothing = `{"agreed":[],"open":[],"actions":[],"anotherRound":false,"askCarers":""}`
		_, _ = io.WriteString(rw, head+`{"content":`+strconv.Quote(nothing)+`},"finish_reason":null}]}`+"\n\n"+end)
		return
	}
	select {
	case <-gate:
	case <-r.Context().Done():
		return
	}
	next := time.NewTimer(pause())
	defer next.Stop()
	rc := http.NewResponseController(rw)
	for i := range councilTokens {
		select {
		case <-next.C:
			next.Reset(pause())
		case <-r.Context().Done():
			return
		}
		mark := " "
		if i == councilTokens-1 {
			mark = "."
		}
		if _, err := io.WriteString(rw, head+`{"content":"`+strconv.FormatInt(time.Now().UnixNano(), 10)+mark+`"},"finish_reason":null}]}`+"\n\n"); err != nil || rc.Flush() != nil {
			return
		}
	}
	_, _ = io.WriteString(rw, end)
}

// council has the discussions held and viewed.
func (w *farWorld) council(ctx context.Context, o farCouncil) (farFigures, error) {
	ctx, cancel := context.WithTimeout(ctx, councilWithin)
	defer cancel()
	var missing sync.WaitGroup // viewers
	missing.Add(len(o.Persons) * councilViewers)
	gate := make(chan struct{})
	w.mu.Lock()
	w.viewing = gate
	w.mu.Unlock()
	go func() { missing.Wait(); close(gate) }()
	var mu sync.Mutex // guards figures and errs
	var figures farFigures
	var errs []error
	var all sync.WaitGroup
	for i, person := range o.Persons {
		all.Go(func() {
			path := fmt.Sprintf("/relay/%d", i)
			if !o.Bare {
				id, err := discussBench(ctx, o.Base, person)
				if path = "/api/v1/discussions/" + id + "/stream"; err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
					missing.Add(-councilViewers)
					return
				}
			}
			for n := range councilViewers {
				all.Go(func() {
					v := &councilViewer{url: o.Base + path, bare: o.Bare, n: n, seed: rand.New(rand.NewPCG(uint64(i), uint64(n)))}
					err := v.follow(ctx, sync.OnceFunc(missing.Done))
					mu.Lock()
					defer mu.Unlock()
					if errs = append(errs, err); n < councilHealthy {
						figures.Late, figures.Kept = append(figures.Late, v.late...), append(figures.Kept, v.kept...)
					}
					figures.Lost += v.differ
					figures.Resumed += v.resumed
				})
			}
		})
	}
	all.Wait()
	return figures, errors.Join(errs...)
}

// discussBench starts a discussion.
func discussBench(ctx context.Context, base, person string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/v1/discussions", strings.NewReader(`{"userId":"`+person+`","rounds":1}`))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer api-token")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusAccepted {
		err = fmt.Errorf("status %d: %s %w", resp.StatusCode, answer, err)
	}
	return gjson.GetBytes(answer, "discussionId").String(), err
}

// councilViewer follows one discussion.
type councilViewer struct {
	url             string
	bare            bool
	n               int // among the viewers of the discussion
	seed            *rand.Rand
	late, kept      []time.Duration
	differ          int64
	resumed         int
	after, finished int64
	said            map[int64]string
}

// follow follows it to its end; there is called once it is there for the first time.
func (v *councilViewer) follow(ctx context.Context, there func()) error {
	defer there()
	v.said = map[int64]string{}
	for {
		conn, _, err := websocket.Dial(ctx, v.url+"?after="+strconv.FormatInt(v.after, 10), &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer api-token"}}}) //nolint:bodyclose // of a handshake
		if err != nil {
			return err
		}
		there()
		again, err := v.read(ctx, conn)
		_ = conn.CloseNow()
		if !again {
			if v.finished != int64(len(council.Order)) {
				v.differ++
			}
			return err
		}
		v.resumed++
	}
}

// read reads until the end, or until the viewer drops the stream.
func (v *councilViewer) read(ctx context.Context, conn *websocket.Conn) (again bool, err error) {
	conn.SetReadLimit(1 << 20)
	drops := -1
	if !v.bare && v.n >= councilHealthy && v.n < councilSlow {
		drops = 20 + v.seed.IntN(80)
	}
	for frames := 0; frames != drops; frames++ {
		_, raw, err := conn.Read(ctx)
		now := time.Now()
		if websocket.CloseStatus(err) == 4408 { // too slow, and may come back
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if !v.bare && v.n == councilSlow {
			<-time.After(councilPace * 11 / 10)
		}
		e := gjson.ParseBytes(raw)
		if seq := e.Get("seq").Int(); seq != v.after+1 {
			return false, fmt.Errorf("event %d follows event %d", seq, v.after)
		}
		v.after++
		turn := e.Get("turn").Int()
		switch e.Get("type").String() {
		case council.EventChunk:
			text := e.Get("text").String()
			v.said[turn] += text
			if v.n >= councilHealthy {
				continue
			}
			for stamp := range strings.FieldsSeq(strings.TrimSuffix(text, ".")) { // several tokens may share a chunk
				ns, err := strconv.ParseInt(stamp, 10, 64)
				if err != nil {
					return false, err
				}
				v.late = append(v.late, now.Sub(time.Unix(0, ns)))
				v.kept = append(v.kept, e.Get("at").Time().Sub(time.Unix(0, ns)))
			}
		case council.EventSaid:
			v.finished++
			if content := e.Get("content").String(); content != v.said[turn] || strings.Count(content, " ") != councilTokens-1 {
				v.differ++
			}
		case council.EventError:
			return false, errors.New(e.Get("message").String())
		case council.EventDone:
			return false, nil
		}
	}
	return true, nil
}
