package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox"
	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/embedded"
	"github.com/naiber/naiber/store/storetest"
)

// The keys of the houses in these tests.
const (
	houseNumber   = "+15005550006"
	houseSID      = "AC0123456789abcdef0123456789abcdef"
	houseToken    = "0123456789abcdef0123456789abcdef"
	houseVoiceKey = "sk_for_tests_only"
	houseModelKey = "model-key-for-tests-only"
	houseAPIToken = "api-token-for-tests-only"
	houseLLMToken = "llm-secret-for-tests-only"
	fastSpeech    = 1500 // words a minute: a call takes seconds
	housePace     = 2    // times faster than real the world's time runs: so do its pauses
)

// house is nAIber as a process of its own, in a world that the test holds in
// its hands: telephones, the voice service and the model.
type house struct {
	t       *testing.T
	world   *sandbox.Sandbox
	dir     string
	url     string
	env     []string
	process *process
	rings   chan *carrier.Ring
	away    *sync.RWMutex // held while it is restarted
	asked   *recorder     // what the model was asked
	db      *store.Store
}

// houseOptions is how a house differs from the usual one.
type houseOptions struct {
	private bool              // a database of its own in the data folder, not one of the tests' server
	env     map[string]string // over and above the usual
}

// newHouse makes a house, and its agent by `naiber agent sync`. It is not
// opened yet.
func newHouse(t *testing.T, opts houseOptions) *house {
	t.Helper()
	needsProcess(t)
	port := freePort(t)
	h := &house{
		t: t, dir: dataDir(t), url: "http://127.0.0.1:" + strconv.Itoa(port),
		rings: make(chan *carrier.Ring, 16), away: new(sync.RWMutex), asked: new(recorder),
	}
	var err error
	h.world, err = sandbox.Start(t.Context(), sandbox.Config{
		AccountSID: houseSID, AuthToken: houseToken, Number: houseNumber, VoiceURL: h.url + "/twilio/voice", TextURL: h.url + "/twilio/sms",
		VoiceKey: houseVoiceKey, ModelKey: houseModelKey,
		FirstTokenDelay: housePace * 5 * time.Millisecond, TokenDelay: housePace * 15 * time.Millisecond, // time to break in
		WPM: fastSpeech, Pace: housePace, Log: slog.New(slog.DiscardHandler),
		BeforeWebhook: func(context.Context) { h.away.RLock(); h.away.RUnlock() }, //nolint:staticcheck // waits only
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.world.Close(); err != nil {
			t.Errorf("close the world: %v", err)
		}
	})
	h.world.SetAnswerer(func(_ context.Context, ring *carrier.Ring) { h.rings <- ring })
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": h.dir, //nolint:forbidigo // what a child process needs
		"PORT": strconv.Itoa(port), "PUBLIC_URL": h.url, "NAIBER_DATA_DIR": h.dir, "NAIBER_SERVER_HOST": "127.0.0.1",
		"TWILIO_BASE_URL": h.world.URL(), "TWILIO_ACCOUNT_SID": houseSID, "TWILIO_AUTH_TOKEN": houseToken, "TWILIO_NUMBER": houseNumber,
		"ELEVENLABS_BASE_URL": h.world.URL(), "ELEVENLABS_API_KEY": houseVoiceKey,
		"OPENAI_BASE_URL": h.asked.before(t, h.world.URL()) + "/v1", "OPENAI_API_KEY": houseModelKey,
		"NAIBER_API_TOKEN": houseAPIToken, "NAIBER_LLM_SECRET": houseLLMToken,
		"NAIBER_JOBS_POST_CALL_DELAY": "200ms", "NAIBER_JOBS_POST_CALL_PER_MINUTE": "1000",
		"NAIBER_CALLS_DAILY_CAP": "50", "NAIBER_CALLS_LEGAL_HOURS": "false", // tests run at any hour
		"NAIBER_CALLS_OPENING_DEADLINE": "5s", // a busy machine needs longer to remember
	}
	if !opts.private {
		env["DATABASE_URL"] = storetest.URL(t)
		h.db = storetest.Open(t, env["DATABASE_URL"])
		hasten(t, h.db)
	}
	maps.Copy(env, opts.env)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		h.env = append(h.env, name+"="+env[name])
	}
	h.syncAgent()
	return h
}

// hasten lets jobs begin when they are due: the queue looks for them every five
// seconds only, and only where one process leads, which a killed one still does for
// a while.
func hasten(t *testing.T, db *store.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C: // a database that is away has no jobs that are due
				_, _ = db.Pool().Exec(ctx, `update river_job set state = 'available' where state in ('scheduled', 'retryable') and scheduled_at <= now()`)
			}
		}
	}()
}

// openHouse makes a house and opens it.
func openHouse(t *testing.T, opts houseOptions) *house {
	t.Helper()
	h := newHouse(t, opts)
	h.open()
	return h
}

// open starts the process and waits until it is ready.
func (h *house) open() {
	h.t.Helper()
	h.process = spawn(h.t, h.dir, h.env, "serve")
	h.ready()
}

// restart kills the process and opens another. The carrier waits so long with its
// webhooks: it gives up after 15 s, and a busy machine may need more.
func (h *house) restart() {
	h.t.Helper()
	h.away.Lock()
	defer h.away.Unlock()
	h.process.kill()
	h.open()
}

func (h *house) ready() {
	h.t.Helper()
	h.process.says(h.t, "nAIber is running: "+h.url)
	for late := time.After(patience); ; { // a busy machine's database may not answer at once
		code, body := h.request(http.MethodGet, "/readyz", nil, nil)
		if code == http.StatusOK {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-late:
			h.t.Fatalf("not ready: %d %s", code, body)
		}
	}
}

var printedValue = regexp.MustCompile(`(?m)^\s*((?:ELEVENLABS_AGENT_ID|ELEVENLABS_WEBHOOK_SECRET)=\S+)\s*$`)

// syncAgent sets up the voice agent as an operator does, and takes over what is
// printed for the configuration.
func (h *house) syncAgent() {
	h.t.Helper()
	out := h.command("agent", "sync", "--yes")
	values := printedValue.FindAllStringSubmatch(out, -1)
	if len(values) != 2 {
		h.t.Fatalf("agent sync printed %d values, want the agent's id and the webhook's secret:\n%s", len(values), out)
	}
	for _, v := range values {
		h.env = append(h.env, v[1])
	}
}

// command runs another naiber beside the house, as in another terminal.
func (h *house) command(args ...string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(h.t), args...)
	cmd.Dir, cmd.Env = h.dir, h.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("naiber %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// ring waits for the next telephone that rings.
func (h *house) ring() *carrier.Ring {
	h.t.Helper()
	select {
	case r := <-h.rings:
		return r
	case <-time.After(patience):
		h.t.Fatal("no telephone rings")
		return nil
	}
}

// answer picks the next telephone up that rings.
func (h *house) answer() *elder {
	h.t.Helper()
	set, err := h.ring().Answer()
	if err != nil {
		h.t.Fatalf("answer: %v", err)
	}
	return listen(h.t, set)
}

// fault switches a fault of the world on.
func (h *house) fault(name, value string) {
	h.t.Helper()
	if err := h.world.Faults().Set(name, value); err != nil {
		h.t.Fatal(err)
	}
}

// inPrivateDB lets do look at the database in the data folder, beside the process.
func (h *house) inPrivateDB(do func(*store.Store)) {
	h.t.Helper()
	if !h.databaseRuns() {
		h.t.Fatal("the private database is not up")
	}
	cluster, err := embedded.Start(h.t.Context(), embedded.Config{Dir: filepath.Join(h.dir, "postgres")})
	if err != nil {
		h.t.Fatalf("join the private database: %v", err)
	}
	defer func() {
		if err := cluster.Stop(h.t.Context()); err != nil {
			h.t.Errorf("leave the private database: %v", err)
		}
	}()
	do(storetest.Open(h.t, cluster.URL()))
}

// databaseRuns reports whether the private database is up.
func (h *house) databaseRuns() bool {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, "postgres", "cluster", "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, errPid := strconv.Atoi(first)
	if err := errors.Join(err, errPid); err != nil {
		h.t.Fatal(err)
	}
	return syscall.Kill(pid, 0) == nil
}

// dataDir is a folder that the database's own user can pass through, which
// t.TempDir's are not.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "naiber-e2e-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the data folder: %v", err)
		}
	})
	return dir
}

// freePort finds a port below those that the system hands out for outgoing
// connections, so that it stays free while the process is restarted. Until the test
// ends no other test gets it, of this process or another: the name of a socket is
// its reservation.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 15000 + rand.IntN(15000)
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(os.TempDir(), fmt.Sprintf("naiber-test-port-%d", port))
		if runtime.GOOS == "linux" {
			name = "@" + filepath.Base(name) // not a file, and gone with the process
		}
		reservation, err := new(net.ListenConfig).Listen(t.Context(), "unix", name)
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = reservation.Close() })
		return port
	}
	t.Fatal("no free port")
	return 0
}

// recorder keeps what the model was asked, on the way to it.
type recorder struct {
	mu      sync.Mutex // guards what follows
	bodies  []string
	stall   string // questions with this text stay without an answer
	stalled chan struct{}
}

// stallOn lets questions with a text go unanswered, until it is called with
// none; the channel is closed when the first one is asked.
func (r *recorder) stallOn(text string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stall, r.stalled = text, make(chan struct{})
	return r.stalled
}

// stalls waits with a question that is to stay without an answer, until whoever
// asked is gone.
func (r *recorder) stalls(ctx context.Context, body string) bool {
	r.mu.Lock()
	is := r.stall != "" && strings.Contains(body, r.stall)
	if is && r.stalled != nil {
		close(r.stalled)
		r.stalled = nil
	}
	r.mu.Unlock()
	if is {
		<-ctx.Done()
	}
	return is
}

// before puts the recorder in front of a server and returns its address.
func (r *recorder) before(t *testing.T, target string) string {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(u) },
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.WriteHeader(http.StatusBadGateway)
		},
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
			return
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		r.mu.Lock()
		r.bodies = append(r.bodies, string(body))
		r.mu.Unlock()
		if !r.stalls(req.Context(), string(body)) {
			proxy.ServeHTTP(w, req)
		}
	}))
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug) // answers are broken off on purpose
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.URL
}

// all is what was asked so far.
func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bodies)
}

// in is the same house in a subtest.
func (h *house) in(t *testing.T) *house {
	t.Helper()
	other := *h
	other.t = t
	return &other
}

// sortRings hands each telephone its own rings from now on, so that several
// calls can go on side by side.
func (h *house) sortRings() func(number string) <-chan *carrier.Ring {
	var mu sync.Mutex // guards lines
	lines := map[string]chan *carrier.Ring{}
	line := func(number string) chan *carrier.Ring {
		mu.Lock()
		defer mu.Unlock()
		if lines[number] == nil {
			lines[number] = make(chan *carrier.Ring, 16)
		}
		return lines[number]
	}
	h.world.SetAnswerer(func(_ context.Context, ring *carrier.Ring) { line(ring.To) <- ring })
	return func(number string) <-chan *carrier.Ring { return line(number) }
}
