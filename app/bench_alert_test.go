package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/app"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/telephony/relaytest"
)

const (
	// alertCalls is in how many calls BenchmarkAlert has a flag raised: half of them while
	// nothing else is done.
	alertCalls = 128
	// alertBacklog is how much work waits after calls meanwhile.
	alertBacklog = 5000
)

// noticeCarrier is a carrier that notes when it is handed a notice.
type noticeCarrier struct {
	over   atomic.Bool // all calls have ended
	mu     sync.Mutex  // guards handed
	handed map[string]time.Time
}

func (c *noticeCarrier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	status := "in-progress"
	if c.over.Load() {
		status = "completed"
	}
	sid := "CA00000000000000000000000000000000"
	if kind := path.Base(r.URL.Path); r.Method == http.MethodPost && (kind == "Messages.json" || kind == "Calls.json") {
		back, err := url.Parse(r.PostFormValue("StatusCallback"))
		notice := ""
		if err == nil {
			notice = back.Query().Get("notice")
		}
		c.mu.Lock()
		c.handed[notice] = at
		sid, status = fmt.Sprintf("%s%032x", map[string]string{"Messages.json": "SM", "Calls.json": "CA"}[kind], 1000+len(c.handed)), "queued"
		c.mu.Unlock()
		w.WriteHeader(http.StatusCreated)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"sid":"`+sid+`","status":"`+status+`"}`)
}

// BenchmarkAlert has people tell of a fall and of not being able to breathe, and prints how
// long it takes from the turn in which that is heard until the carrier is handed each notice
// of it: while nothing else is done, and while thousands of jobs that follow calls wait.
func BenchmarkAlert(b *testing.B) {
	c := &noticeCarrier{handed: make(map[string]time.Time)}
	srv := httptest.NewServer(c)
	b.Cleanup(srv.Close)
	h := openBenchHouse(b, alertCalls, calls.CallGeneral, func(cfg *app.Config) {
		cfg.Twilio.BaseURL = srv.URL
		cfg.Jobs.PostCallPerMinute = 1_000_000
	})
	defer c.over.Store(true)
	st := storetest.Open(b, h.database)
	// Who shares a telephone is rung one after the other.
	if _, err := st.Pool().Exec(b.Context(), `update contacts set phone = '+1416556' || lpad(n::text, 4, '0') from (select id, row_number() over () as n from contacts) c where c.id = contacts.id`); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		alone := h.flagged(b, st, c, 0)
		if _, err := st.Pool().Exec(b.Context(), `insert into river_job (kind, args, queue, state, max_attempts)
			select 'post_call', jsonb_build_object('callId', c.id, 'conversationId', gen_random_uuid()), 'post_call', 'available', 8
			from generate_series(1, $1::integer / $2), calls c`, alertBacklog, alertCalls); err != nil {
			b.Fatal(err)
		}
		saturated := h.flagged(b, st, c, alertCalls/2)
		var waiting int
		if err := st.Pool().QueryRow(b.Context(), "select count(*) from river_job where kind = 'post_call' and state <> 'completed'").Scan(&waiting); err != nil || waiting == 0 {
			b.Errorf("%d jobs wait, %v: the queue was not saturated", waiting, err)
		}
		for name, list := range map[string][]time.Duration{"alone": alone, "saturated": saturated} {
			b.ReportMetric(inMS(relaytest.Percentile(list, .5)), name+"-ms-p50")
			b.ReportMetric(inMS(relaytest.Percentile(list, .99)), name+"-ms-p99")
		}
		b.ReportMetric(float64(waiting), "jobs-waiting")
		b.ReportMetric(float64(len(alone)+len(saturated)), "notices")
	}
	b.ReportMetric(0, "ns/op")
}

// flagged has a flag of tier 3 or 4 raised in half of the calls, and returns how late each
// first notice was.
func (h *benchHouse) flagged(b *testing.B, st *store.Store, c *noticeCarrier, skip int) (late []time.Duration) {
	b.Helper()
	began := time.Now()
	for i, words := range []string{"I have fallen and I can't get up.", "I can't breathe."} {
		h.far.do(b, "play", farPlay{Base: h.url, Conversations: alertCalls / 4, Skip: skip + i*alertCalls/4, Rounds: 1, Says: []string{words}})
	}
	for limit := time.Now().Add(time.Minute); ; <-time.After(50 * time.Millisecond) {
		late = nil
		rows, err := st.Pool().Query(b.Context(), `select n.id::text, a.created_at from alert_notices n join alerts a on a.id = n.alert_id where n.step = 0 and n.channel in ('sms', 'call') and a.tier >= 3 and a.created_at > $1`, began)
		if err != nil {
			b.Fatal(err)
		}
		for rows.Next() {
			var id string
			var heard time.Time
			if err := rows.Scan(&id, &heard); err != nil {
				b.Fatal(err)
			}
			c.mu.Lock()
			if at, ok := c.handed[id]; ok {
				late = append(late, at.Sub(heard))
			}
			c.mu.Unlock()
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
		if len(late) == alertCalls { // half of them, by text message and call each
			return late
		}
		if time.Now().After(limit) {
			b.Fatalf("%d notices have left, want %d", len(late), alertCalls)
		}
	}
}
