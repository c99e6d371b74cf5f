package app_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/app/sandbox/carrier"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

var alertKills = flag.Int("alert.kills", 3, "how many kills at moments that nobody chose TestAlertsSurviveKills plays besides those at points")

// sentAtMost is how often one notice may leave: once, and once more where its sender died
// before it could note that it had.
const sentAtMost = 2

// tap stands between nAIber and the carrier, and stops a request where the test is to do
// something.
type tap struct {
	mu       sync.Mutex // guards what follows
	resource string     // "Messages.json" or "Calls.json"; empty: nothing is stopped
	to       string
	after    bool // it arrives all the same, when who asked is gone
	hit      chan struct{}
	goOn     chan struct{}
}

// stop stops the next request that creates something for a number: hit is closed then, and
// goOn has it end without an answer, once who asked is gone.
func (p *tap) stop(resource, to string, after bool) (hit <-chan struct{}, goOn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resource, p.to, p.after, p.hit, p.goOn = resource, to, after, make(chan struct{}), make(chan struct{})
	return p.hit, sync.OnceFunc(func() { close(p.goOn) })
}

func (p *tap) stops(r *http.Request, form url.Values) (hit, goOn chan struct{}, after bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resource == "" || r.Method != http.MethodPost || path.Base(r.URL.Path) != p.resource || form.Get("To") != p.to {
		return nil, nil, false
	}
	p.resource = ""
	return p.hit, p.goOn, p.after
}

// before puts the tap in front of a server and returns its address.
func (p *tap) before(t *testing.T, target string) string {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		form, _ := url.ParseQuery(string(body)) // the carrier says what is wrong with it
		hit, goOn, after := p.stops(r, form)
		if hit == nil {
			proxy.ServeHTTP(w, r)
			return
		}
		close(hit)
		<-goOn
		if after {
			proxy.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
		}
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// fall is somebody who falls, and who cares for them.
type fall struct {
	h       *house
	person  person
	contact string
	replies bool          // the contact answers text messages
	pressed chan struct{} // closed when the contact has pressed a key
	rang    atomic.Int32
	since   time.Time // when the process was there again
}

func newFall(h *house, rings func(number string) <-chan *carrier.Ring, replies bool) *fall {
	h.t.Helper()
	f := &fall{h: h, person: person{Phone: newPhone()}, contact: newPhone(), replies: replies, pressed: make(chan struct{})}
	p, err := h.db.CreatePerson(h.t.Context(), people.Person{Name: "Ada King", Phone: f.person.Phone, Timezone: "UTC", Language: "en", QuietHours: &people.QuietHours{Start: "00:00", End: "00:00"}},
		[]people.Contact{{Name: "Tom King", Phone: f.contact}}, []people.Consent{{Scope: people.ScopeCalls, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		h.t.Fatal(err)
	}
	f.person.ID = p.ID.String()
	over := make(chan struct{})
	h.t.Cleanup(func() { <-over })
	go func() { defer close(over); f.care(h.t.Context(), rings(f.contact)) }()
	return f
}

// care is what the contact does: they take each call, and press 1 once they know what it is.
func (f *fall) care(ctx context.Context, rings <-chan *carrier.Ring) {
	first := sync.OnceFunc(func() { close(f.pressed) })
	for {
		select {
		case <-ctx.Done():
			return
		case ring := <-rings:
			f.rang.Add(1)
			set, err := ring.Answer()
			if err != nil {
				continue
			}
			for e := range set.Heard() {
				switch {
				case e.Kind == carrier.HeardSay && strings.Contains(e.Text, "This is nAIber"):
					first()
					_ = set.Press("1") // the line may have broken
				case e.Kind == carrier.HeardSay && strings.Contains(e.Text, "a fall"):
					set.HangUp()
				}
			}
		}
	}
}

// tells has the person say on the telephone that they have fallen.
func (f *fall) tells(rings <-chan *carrier.Ring) *elder {
	f.h.t.Helper()
	f.h.place(f.person)
	select {
	case ring := <-rings:
		set, err := ring.Answer()
		if err != nil {
			f.h.t.Fatal(err)
		}
		ada := listen(f.h.t, set)
		ada.hears(f.h.t, "My name is Naiber")
		ada.says(f.h.t, "I have fallen and I can't get up.")
		return ada
	case <-time.After(patience):
		f.h.t.Fatal("no telephone rings")
		return nil
	}
}

// alerts are those of the person.
func (f *fall) alerts() []alerts.Alert {
	f.h.t.Helper()
	list, err := f.h.db.PersonAlerts(context.Background(), nil, store.PersonID{UUID: uuid.MustParse(f.person.ID)})
	if err != nil {
		f.h.t.Fatal(err)
	}
	return list
}

// until waits for the person's alert to stand as wanted.
func (f *fall) until(what string, is func(alerts.Alert) bool) {
	f.h.t.Helper()
	for limit := time.Now().Add(patience); ; <-time.After(2 * time.Millisecond) {
		if list := f.alerts(); len(list) > 0 && is(list[0]) {
			return
		}
		if time.Now().After(limit) {
			f.h.t.Fatalf("%s: %+v", what, f.alerts())
		}
	}
}

func noticed(channel, status string) func(alerts.Alert) bool {
	return func(a alerts.Alert) bool {
		for _, n := range a.Notices {
			if n.Channel == channel && n.Status == status {
				return true
			}
		}
		return false
	}
}

// killPoint is where the process is killed: await returns when it is there.
type killPoint struct {
	name    string
	replies bool
	await   func(f *fall, p *tap, r *rand.Rand) (release func())
}

// soon is a moment within a span: of what is under way then, something was done.
func soon(r *rand.Rand, within time.Duration) { <-time.After(time.Duration(r.Int64N(int64(within)))) }

func stopped(resource string, after bool) func(*fall, *tap, *rand.Rand) func() {
	return func(f *fall, p *tap, _ *rand.Rand) func() {
		hit, goOn := p.stop(resource, f.contact, after)
		f.h.t.Cleanup(goOn)
		select {
		case <-hit:
		case <-time.After(patience):
			f.h.t.Errorf("no request of %s", resource)
		}
		return goOn
	}
}

var killPoints = []killPoint{
	{"words heard", false, func(f *fall, _ *tap, _ *rand.Rand) func() { f.h.process.says(f.h.t, "red flag"); return nil }},
	{"alert stored", false, func(f *fall, _ *tap, _ *rand.Rand) func() {
		f.until("no alert", func(alerts.Alert) bool { return true })
		return nil
	}},
	{"before the text", false, stopped("Messages.json", false)},
	{"after the text", false, stopped("Messages.json", true)},
	{"text delivered", false, func(f *fall, _ *tap, _ *rand.Rand) func() {
		f.until("no delivery", noticed(alerts.SMS, alerts.Delivered))
		return nil
	}},
	{"under the reply", true, func(f *fall, _ *tap, r *rand.Rand) func() {
		f.until("no delivery", noticed(alerts.SMS, alerts.Delivered))
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			_, _ = f.h.world.Phones().Text(context.Background(), f.contact, "yes") // whether it arrives is chance
		}()
		f.h.t.Cleanup(func() { <-answered })
		soon(r, 10*time.Millisecond)
		return nil
	}},
	{"before the call", false, stopped("Calls.json", false)},
	{"after the call", false, stopped("Calls.json", true)},
	{"under the key", false, func(f *fall, _ *tap, r *rand.Rand) func() {
		select {
		case <-f.pressed:
		case <-time.After(patience):
			f.h.t.Error("nobody presses a key")
		}
		soon(r, 10*time.Millisecond)
		return nil
	}},
}

// The process is killed everywhere between the words and the acknowledgement, and started
// again: each alert is there once, its contact is told, by the next rung at the latest, and
// acknowledges; and no notice leaves more than twice.
func TestAlertsSurviveKills(t *testing.T) {
	t.Parallel()
	between := new(tap)
	h := newHouse(t, houseOptions{env: map[string]string{
		"NAIBER_ALERTS_URGENT": `["first by sms every 1s", "first by call every 4s times 50"]`, "NAIBER_CALLS_DAILY_CAP": "50",
	}})
	h.env = append(h.env, "TWILIO_BASE_URL="+between.before(t, h.world.URL())) // the later one counts
	h.open()
	rings := h.sortRings()
	points := killPoints
	for range *alertKills {
		points = append(points, killPoint{name: "at random", replies: true, await: func(f *fall, _ *tap, r *rand.Rand) func() {
			f.h.process.says(f.h.t, "red flag")
			soon(r, 3*time.Second)
			return nil
		}})
	}
	var falls []*fall
	for i, point := range points {
		r := rand.New(rand.NewPCG(killSeed, uint64(i)))
		f := newFall(h, rings, point.replies)
		falls = append(falls, f)
		at := make(chan func(), 1)
		began := time.Now()
		go func() { at <- point.await(f, between, r) }()
		ada := f.tells(rings(f.person.Phone))
		told := time.Since(began)
		var release func()
		select {
		case release = <-at:
		case <-time.After(2 * patience):
			t.Fatalf("%s: never came to that", point.name)
		}
		h.process.kill()
		if release != nil {
			release()
		}
		ada.set.HangUp()
		h.die()
		h.open()
		f.since = time.Now()
		t.Logf("%s: told after %v, killed and up again after %v", point.name, told.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	}
	for i, f := range falls {
		f.until(points[i].name+": not acknowledged", func(a alerts.Alert) bool { return a.Status == alerts.Acknowledged })
		f.check(points[i].name)
	}
}

// die makes the two minutes pass for what a dead process held.
func (h *house) die() {
	h.t.Helper()
	for _, statement := range []string{
		`delete from river_leader`,
		`update alert_notices set claimed_at = claimed_at - interval '2 minutes' where claimed_at is not null`,
		`update alert_notices set due_at = due_at - interval '2 minutes' where status = 'queued'`,
		`update alerts set due_at = due_at - interval '2 minutes' where due_at <= now()`,
	} {
		if _, err := h.db.Pool().Exec(h.t.Context(), statement); err != nil {
			h.t.Fatal(err)
		}
	}
}

var linkInText = regexp.MustCompile(`/a/([\w-]+)`)

// check holds what is on record against what left.
func (f *fall) check(name string) {
	t := f.h.t
	t.Helper()
	list := f.alerts()
	a := list[0]
	if len(list) != 1 || a.Kind != "fall_stuck" || a.AcknowledgedBy != "Tom King" || !strings.Contains(a.Quote, "fallen") {
		t.Errorf("%s: %d alerts, the first %+v", name, len(list), a)
	}
	left := map[uuid.UUID]int{}
	for _, text := range f.h.world.Phones().Texts() {
		if token := linkInText.FindStringSubmatch(text.Body); token != nil && text.To == f.contact {
			var notice uuid.UUID
			sum := sha256.Sum256([]byte(token[1]))
			if err := f.h.db.Pool().QueryRow(t.Context(), "select notice_id from alert_links where token_hash = $1", sum[:]).Scan(&notice); err != nil {
				t.Errorf("%s: a text message of no notice: %v", name, err)
			}
			left[notice]++
		}
	}
	calls := 0
	for _, n := range a.Notices {
		if n.Channel == alerts.Call {
			calls++
		}
		if left[n.ID] > sentAtMost || n.Lost > 1 {
			t.Errorf("%s: notice %s left %d times, was lost %d times", name, n.ID, left[n.ID], n.Lost)
		}
		if n.Status == alerts.Queued && n.ClaimedAt == nil {
			t.Errorf("%s: %+v is still to be sent", name, n)
		}
	}
	if len(left) != 1 || int(f.rang.Load()) > sentAtMost*calls {
		t.Errorf("%s: %d notices by text message, and %d rings for %d by call", name, len(left), f.rang.Load(), calls)
	}
	t.Logf("%s: %d notices, %d text messages, %d rings, acknowledged %v after the start", name, len(a.Notices), sum(left), f.rang.Load(), a.AcknowledgedAt.Sub(f.since).Round(time.Millisecond))
}

func sum(counts map[uuid.UUID]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// A flag that is raised while the database is away is there and told once it is back,
// though the process died in between.
func TestRedFlagWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t, houseOptions{env: map[string]string{"NAIBER_ALERTS_URGENT": `["first by sms every 1h"]`}})
	raw := h.setting("DATABASE_URL")
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	gate := storetest.NewGate(t, u.Host)
	h.env = append(h.env, "DATABASE_URL="+gate.URL(t, raw)) // the later one counts
	h.open()
	rings := h.sortRings()
	f := newFall(h, rings, false)
	h.place(f.person)
	set, err := (<-rings(f.person.Phone)).Answer()
	if err != nil {
		t.Fatal(err)
	}
	ada := listen(t, set)
	ada.hears(t, "My name is Naiber")
	gate.Shut()
	ada.says(t, "I have fallen and I can't get up.")
	ada.hears(t, "9 1 1")
	if list := f.alerts(); len(list) != 0 {
		t.Fatalf("the database was not away: %+v", list)
	}
	h.process.kill()
	ada.set.HangUp()
	gate.Open(t)
	h.open()
	h.textTo(f.contact, 1)
	f.until("not told", noticed(alerts.SMS, alerts.Delivered))
	if list := f.alerts(); len(list) != 1 || list[0].Kind != "fall_stuck" || len(list[0].Notices) != 1 {
		t.Errorf("alerts: %+v", list)
	}
}
