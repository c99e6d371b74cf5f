package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/naiber/naiber/app"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/telephony/twilio"
)

const benchSecret = "llm-secret-of-the-benchmark"

// benchHouse is a whole nAIber in this process, with calls that are live in it.
type benchHouse struct {
	far        *far
	url        string
	database   string // its address
	postmaster int    // the process id of PostgreSQL's first process
}

// openBenchHouse starts nAIber on a database of its own and opens calls, each of
// a person with a few things on record.
func openBenchHouse(b *testing.B, calls int, kind calls.CallType, change ...func(*app.Config)) *benchHouse {
	b.Helper()
	h := &benchHouse{far: startFar(b)}
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := listener.Addr().String()
	h.url = "http://" + addr
	databaseURL := storetest.URL(b)
	h.database = databaseURL
	cfg := app.Default()
	cfg.DataDir = b.TempDir()
	cfg.Server.Host, cfg.Server.PublicURL, cfg.Server.CallDrain = "127.0.0.1", h.url, 15*time.Second
	cfg.OpenAI.BaseURL, cfg.OpenAI.APIKey, cfg.OpenAI.Models = h.far.url+"/v1", app.NewSecret("key"), []string{benchModel}
	cfg.Twilio.BaseURL, cfg.Twilio.AccountSID = h.far.url, "AC"+strings.Repeat("0", 32)
	cfg.Twilio.AuthToken, cfg.Twilio.Number = app.NewSecret("token"), "+15005550006"
	cfg.ElevenLabs.BaseURL, cfg.ElevenLabs.APIKey, cfg.ElevenLabs.AgentID = h.far.url, app.NewSecret("key"), "agent_1"
	cfg.Auth.LLMSecret, cfg.Auth.APIToken = app.NewSecret(benchSecret), app.NewSecret("api-token")
	cfg.Calls.SilenceHangup, cfg.Calls.TimeLimit, cfg.Calls.ReconnectGrace = time.Hour, time.Hour, time.Second
	for _, c := range change {
		c(&cfg)
	}
	a, err := app.New(b.Context(), cfg, app.Options{Listener: listener, DatabaseURL: databaseURL}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	stopped := make(chan error, 1)
	go func() { stopped <- a.Run(ctx) }()
	b.Cleanup(func() {
		h.far.do(b, "close", struct{}{})
		stop()
		if err := <-stopped; err != nil {
			b.Errorf("nAIber stopped: %v", err)
		}
	})
	stream, err := twilio.StreamURL(h.url, "/outbound-media-stream")
	if err != nil {
		b.Fatal(err)
	}
	st := storetest.Open(b, databaseURL)
	h.postmaster = postmaster(b, databaseURL)
	h.far.do(b, "open", farOpen{
		Addr: addr, Signature: twilio.Sign("token", stream, nil), Calls: benchCalls(b, st, calls, kind),
	})
	return h
}

func benchCalls(b *testing.B, st *store.Store, n int, kind calls.CallType) (callList []farCall) {
	b.Helper()
	for i := range n {
		phone := fmt.Sprintf("+1555010%04d", i)
		p, err := st.CreatePerson(b.Context(), people.Person{
			Name: "Margaret Hale", PreferredName: "Margaret", Phone: phone, Timezone: "Europe/London", Language: "en",
			Conditions: []string{"arthritis in the left knee"}, Notes: "Walks to the shop most days. Was a school teacher.",
		}, []people.Contact{{Name: "Anna Hale", Relation: "daughter", Phone: "+15550109999", Priority: 1}}, []people.Consent{
			{Scope: people.ScopeCalls, GivenBy: "Margaret Hale", How: "by telephone"},
			{Scope: people.ScopeRecording, GivenBy: "Margaret Hale", How: "by telephone"},
			{Scope: people.ScopeMemory, GivenBy: "Margaret Hale", How: "by telephone"},
		})
		if err != nil {
			b.Fatal(err)
		}
		far := farCall{SID: fmt.Sprintf("CA%032x", i), Token: fmt.Sprintf("token-%d", i)}
		c, err := st.CreateCall(b.Context(), calls.NewCall{
			PersonID: p.ID, Type: kind, Direction: calls.Outbound, Phone: phone, SID: far.SID, StreamToken: far.Token,
		})
		if err != nil {
			b.Fatal(err)
		}
		far.ID = c.ID.String()
		callList = append(callList, far)
	}
	return callList
}

// bareProxy is the floor: a reverse proxy in this process that only copies the
// stream. It has the whole body before it asks, since the body is closed once the
// answer begins, and a model that answers at once may be faster than its end.
func bareProxy(b *testing.B, target string) string {
	b.Helper()
	u, err := url.Parse(target)
	if err != nil {
		b.Fatal(err)
	}
	srv := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				b.Errorf("read body: %v", err)
			}
			r.Out.Body = io.NopCloser(bytes.NewReader(body))
		},
		FlushInterval: -1,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true},
	})
	b.Cleanup(srv.Close)
	return srv.URL
}

// cpuUsed is what this process, without its children, has used of the processors.
func cpuUsed(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
