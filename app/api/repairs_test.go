package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/repairs"
	"github.com/naiber/naiber/store/storetest"
)

// helper answers with what it was told in a session so far, as it finds it in the state.
type helper struct {
	mu    sync.Mutex // guards what follows
	asked []appliance.Written
	do    func(ctx context.Context, w appliance.Written) error // before it answers; may be nil
}

func (h *helper) Chat(ctx context.Context, w appliance.Written) (appliance.Reply, error) {
	h.mu.Lock()
	h.asked = append(h.asked, w)
	do := h.do
	h.mu.Unlock()
	if do != nil {
		if err := do(ctx, w); err != nil {
			return appliance.Reply{}, err
		}
	}
	var st appliance.State
	if len(w.State) > 0 {
		if err := json.Unmarshal(w.State, &st); err != nil {
			return appliance.Reply{}, err
		}
	}
	st.Symptoms = append(st.Symptoms, w.Text)
	st.ProductModel, st.EmailAddress = "KDW482SS", "ada@example.org"
	tool := &appliance.ToolData{ToolName: appliance.Diagnose, Data: appliance.Data{SuggestedParts: []appliance.Suggested{{PartNumber: "KP3406971", Name: "Board"}}}}
	st.LastToolResult = tool
	raw, err := json.Marshal(st)
	return appliance.Reply{Text: "You said: " + strings.Join(st.Symptoms, " | "), Tool: tool, State: raw}, err
}

func (h *helper) will(do func(ctx context.Context, w appliance.Written) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.do = do
}

func (h *helper) told() (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.asked {
		out = append(out, fmt.Sprint(w.Seq, " ", w.Text))
	}
	return out
}

// repairRigs are two processes on one database, with one helper.
func repairRigs(t *testing.T, change func(*Deps)) (*rig, *rig, *helper) {
	t.Helper()
	st, h := storetest.New(t), &helper{}
	rigs := make([]*rig, 2)
	for i := range rigs {
		r := &rig{t: t, st: st, log: &logBook{}}
		d := Deps{
			Store: st, Appliance: h, Repairs: repairs.Limits{TTL: time.Hour, Lease: time.Minute, MaxMessages: 4}, ChatPerMinute: 60_000, ChatBurst: 10_000,
			Log: slog.New(slog.NewTextHandler(r.log, nil)), Statuses: &states{},
		}
		if change != nil {
			change(&d)
		}
		mux := chi.NewRouter()
		Mount(mux, d, door)
		srv := httptest.NewServer(mux)
		t.Cleanup(srv.Close)
		r.url, r.client, rigs[i] = srv.URL, srv.Client(), r
	}
	return rigs[0], rigs[1], h
}

func (r *rig) write(want int, session, text string, more ...string) reply {
	r.t.Helper()
	body := map[string]string{"message": text}
	if session != "" {
		body["sessionId"] = session
	}
	for i := 0; i < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	if want >= 400 {
		return r.problem(want, http.MethodPost, "/api/chat", string(raw))
	}
	return r.ok(want, http.MethodPost, "/api/chat", string(raw))
}

func TestRepairChat(t *testing.T) {
	t.Parallel()
	r, other, h := repairRigs(t, nil)
	first := r.write(200, "", "It won't start.")
	id := first.get("sessionId").String()
	if id == "" || first.get("message").String() != "You said: It won't start." || first.get("toolData.toolName").String() != "diagnose_repair" ||
		first.get("toolData.data.suggestedParts.0.partNumber").String() != "KP3406971" {
		t.Errorf("answer = %s", first.body)
	}
	if got := other.write(200, id, "It hums.").get("message").String(); got != "You said: It won't start. | It hums." {
		t.Errorf("second answer = %s", got)
	}
	ses := other.ok(200, http.MethodGet, "/api/sessions/"+id, "")
	var said []string
	for _, m := range ses.get("messages").Array() {
		said = append(said, m.Get("role").String()+": "+m.Get("content").String())
	}
	if want := []string{"user: It won't start.", "assistant: You said: It won't start.", "user: It hums.", "assistant: You said: It won't start. | It hums."}; !slices.Equal(said, want) {
		t.Errorf("messages = %q", said)
	}
	if ses.get("sessionId").String() != id || ses.get("productModel").String() != "KDW482SS" || ses.get("partNumber").Type.String() != "Null" || ses.get("symptoms.#").Int() != 2 ||
		ses.get("goalType").Type.String() != "Null" || ses.get("emailAddress").String() != "ada@example.org" || ses.get("lastToolResult.toolName").String() != "diagnose_repair" ||
		ses.get("messages.1.toolData.toolName").String() != "diagnose_repair" || ses.get("createdAt").String() == "" || ses.get("updatedAt").String() == "" || ses.get("archivedAt").Exists() {
		t.Errorf("session = %s", ses.body)
	}
	if got := h.told(); !slices.Equal(got, []string{"1 It won't start.", "3 It hums."}) {
		t.Errorf("the helper was told %q", got)
	}
	if empty := r.ok(200, http.MethodGet, "/api/sessions/"+r.write(200, "mine:1", "Hello.").get("sessionId").String(), ""); empty.get("sessionId").String() != "mine:1" {
		t.Errorf("session = %s", empty.body)
	}
}

func TestRepairChatIsRefused(t *testing.T) {
	t.Parallel()
	r, _, h := repairRigs(t, nil)
	p := r.person("Margaret", "+15550100123")
	r.write(200, "hers", "Hello.", "userId", p)
	r.write(200, "nobodys", "Hello.")
	r.write(200, "old", "Hello.")
	for _, sql := range []string{"update repairs set updated_at = now() - interval '2 hours' where session_id = 'old'"} {
		if _, err := r.st.Pool().Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		r.write(200, "full", "Again.")
	}
	before := len(h.told())
	for name, row := range map[string]struct {
		want int
		body string
	}{
		"no message":            {422, `{}`},
		"a blank message":       {422, `{"message":" \n"}`},
		"a long message":        {422, `{"message":"` + strings.Repeat("a", 8001) + `"}`},
		"a long body":           {413, `{"message":"` + strings.Repeat("a", maxChatBody) + `"}`},
		"no JSON":               {400, `{"message":`},
		"a NUL":                 {400, `{"message":"a\u0000b"}`},
		"a slash":               {422, `{"message":"Hello.","sessionId":"a/b"}`},
		"another field":         {422, `{"message":"Hello.","sesionId":"s"}`},
		"an unknown person":     {404, `{"message":"Hello.","userId":"00000000-0000-7000-8000-000000000000"}`},
		"nobody's for a person": {409, `{"message":"Hello.","sessionId":"nobodys","userId":"` + p + `"}`},
		"an expired one":        {410, `{"message":"Hello.","sessionId":"old"}`},
		"a full one":            {409, `{"message":"Hello.","sessionId":"full"}`},
	} {
		t.Run(name, func(t *testing.T) { r.on(t).problem(row.want, http.MethodPost, "/api/chat", row.body) })
	}
	if got := len(h.told()); got != before {
		t.Errorf("the helper was asked %d times", got-before)
	}
	r.problem(404, http.MethodGet, "/api/sessions/nowhere", "")
	r.problem(401, http.MethodPost, "/api/chat", `{"message":"Hello."}`, "Authorization", "Bearer wrong")
	r.problem(401, http.MethodGet, "/api/sessions/hers", "", "Authorization", "Bearer wrong")
	r.problem(401, http.MethodGet, "/api/v1/mails", "", "Authorization", "Bearer wrong")
	r.problem(405, http.MethodGet, "/api/chat", "")
	if ses := r.ok(200, http.MethodGet, "/api/sessions/old", ""); ses.get("messages.#").Int() != 2 {
		t.Errorf("what is expired = %s", ses.body)
	}
	limited, _, _ := repairRigs(t, func(d *Deps) { d.ChatPerMinute, d.ChatBurst = 1, 1 })
	limited.write(200, "", "Hello.")
	if got := limited.write(429, "", "Hello."); got.header.Get("Retry-After") == "" {
		t.Errorf("headers = %v", got.header)
	}
}

// Two messages of one session are not answered together, in whatever process.
func TestRepairChatIsBusy(t *testing.T) {
	t.Parallel()
	r, other, h := repairRigs(t, nil)
	begun, going := make(chan struct{}), make(chan struct{})
	h.will(func(_ context.Context, w appliance.Written) error {
		if w.Session == "s" {
			close(begun)
			<-going
		}
		return nil
	})
	done := make(chan reply)
	go func() { done <- r.do(http.MethodPost, "/api/chat", `{"message":"First.","sessionId":"s"}`) }()
	<-begun
	other.write(409, "s", "Second.")
	r.write(409, "s", "Second.")
	other.write(200, "t", "Elsewhere.")
	close(going)
	if got := <-done; got.status != 200 {
		t.Errorf("first = %d %s", got.status, got.body)
	}
	h.will(nil)
	if got := other.write(200, "s", "Second.").get("message").String(); got != "You said: First. | Second." {
		t.Errorf("second = %s", got)
	}
}

// A client that leaves finds the reply when it comes back.
func TestRepairChatGoesOnWithoutTheClient(t *testing.T) {
	t.Parallel()
	r, other, h := repairRigs(t, nil)
	begun, going := make(chan struct{}), make(chan struct{})
	h.will(func(ctx context.Context, _ appliance.Written) error {
		close(begun)
		<-going
		return ctx.Err()
	})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		res, err := r.client.Do(r.request(http.MethodPost, "/api/chat", `{"message":"It won't start.","sessionId":"s"}`).WithContext(ctx))
		if err == nil {
			_ = res.Body.Close()
		}
		left <- err
	}()
	<-begun
	if ses := other.ok(200, http.MethodGet, "/api/sessions/s", ""); ses.get("messages.0.content").String() != "It won't start." || ses.get("messages.#").Int() != 1 {
		t.Errorf("while it is answered: %s", ses.body)
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	close(going)
	deadline := time.Now().Add(30 * time.Second)
	for other.ok(200, http.MethodGet, "/api/sessions/s", "").get("messages.#").Int() != 2 {
		if time.Now().After(deadline) {
			t.Fatal("the reply is not kept")
		}
	}
}

// What got no reply is answered before what comes next, and once where it comes again.
func TestRepairChatMakesUpForFailures(t *testing.T) {
	t.Parallel()
	r, _, h := repairRigs(t, nil)
	h.will(func(context.Context, appliance.Written) error { return errors.New("the model is away") })
	r.write(500, "s", "It won't start.")
	r.write(500, "s", "It won't start.")
	h.will(nil)
	if got := r.write(200, "s", "Hello?").get("message").String(); got != "You said: It won't start. | Hello?" {
		t.Errorf("answer = %s", got)
	}
	if got := h.told(); !slices.Equal(got, []string{"1 It won't start.", "1 It won't start.", "1 It won't start.", "3 Hello?"}) {
		t.Errorf("the helper was told %q", got)
	}
	if ses := r.ok(200, http.MethodGet, "/api/sessions/s", ""); ses.get("messages.#").Int() != 4 || ses.get("messages.1.role").String() != "assistant" {
		t.Errorf("session = %s", ses.body)
	}
	h.will(func(_ context.Context, w appliance.Written) error {
		if w.Seq == 5 {
			return errors.New("this one is never answered")
		}
		return nil
	})
	r.write(500, "s", "Bad.")
	if got := r.write(200, "s", "Good.").get("message").String(); got != "You said: It won't start. | Hello? | Good." {
		t.Errorf("after what is never answered: %s", got)
	}
}

// Two hundred sessions at once, and none hears of another.
func TestRepairSessionsDoNotMix(t *testing.T) {
	t.Parallel()
	r, other, _ := repairRigs(t, nil)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			p := []*rig{r, other}[i%2]
			want := "You said: "
			for n := range 3 {
				text := fmt.Sprintf("Machine %d, message %d.", i, n)
				want += text
				res, err := p.client.Do(p.request(http.MethodPost, "/api/chat", fmt.Sprintf(`{"message":%q,"sessionId":"s%d"}`, text, i)))
				if err != nil {
					t.Error(err)
					return
				}
				var out struct{ Message, SessionID string }
				err = json.NewDecoder(res.Body).Decode(&out)
				_ = res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK || out.Message != want || out.SessionID != fmt.Sprint("s", i) {
					t.Errorf("%d: %d %+v, %v; want %q", i, res.StatusCode, out, err, want)
					return
				}
				want += " | "
			}
		})
	}
	wg.Wait()
}

func TestRepairSessionsOfPeople(t *testing.T) {
	t.Parallel()
	r, _, h := repairRigs(t, nil)
	p := r.person("Margaret", "+15550100123")
	r.write(200, "hers", "It won't start.", "userId", p)
	r.write(200, "hers", "It is still me.")
	h.mu.Lock()
	w := h.asked[len(h.asked)-1]
	h.mu.Unlock()
	if w.Person.String() != p || w.Language != "en" || w.Phone != "+15550100123" {
		t.Errorf("the helper was told %+v", w)
	}
	if ses := r.ok(200, http.MethodGet, "/api/sessions/hers", ""); ses.get("userId").String() != p || ses.get("messages.#").Int() != 4 {
		t.Errorf("session = %s", ses.body)
	}
	r.ok(200, http.MethodDelete, "/api/v1/people/"+p+"/consents/memory", "")
	r.write(200, "later", "It won't start.", "userId", p)
	if ses := r.ok(200, http.MethodGet, "/api/sessions/later", ""); ses.get("messages.#").Int() != 0 || ses.get("productModel").String() == "" {
		t.Errorf("without consent = %s", ses.body)
	}
	r.ok(204, http.MethodDelete, "/api/v1/people/"+p, "")
	r.problem(404, http.MethodGet, "/api/sessions/hers", "")
}

// A session that is forgotten while a message is answered stays forgotten.
func TestRepairSessionIsForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	r, _, h := repairRigs(t, nil)
	p := r.person("Margaret", "+15550100123")
	h.will(func(ctx context.Context, _ appliance.Written) error {
		id, err := store.ParsePersonID(p)
		if err != nil {
			return err
		}
		return r.st.DeletePerson(ctx, id)
	})
	r.write(404, "hers", "It won't start.", "userId", p)
	r.problem(404, http.MethodGet, "/api/sessions/hers", "")
}

func TestRepairSessionOfACall(t *testing.T) {
	t.Parallel()
	full := newRig(t, nil)
	id := full.dial(full.person("Ada", "+15550100123"))
	r, _, _ := repairRigs(t, func(d *Deps) { d.Store = full.st })
	if _, err := full.st.AddUtterance(t.Context(), calls.Utterance{CallID: id, Role: calls.RoleUser, Text: "It won't start.", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	r.problem(404, http.MethodGet, "/api/sessions/"+id.String(), "")
	if err := full.st.SnapshotRepair(t.Context(), id, []byte(`{"productModel":"KDW482SS","goalType":"diagnose_repair","lines":[]}`)); err != nil {
		t.Fatal(err)
	}
	ses := r.ok(200, http.MethodGet, "/api/sessions/"+id.String(), "")
	if ses.get("callId").String() != id.String() || ses.get("messages.0.content").String() != "It won't start." || ses.get("goalType").String() != "diagnose_repair" {
		t.Errorf("session = %s", ses.body)
	}
	r.write(409, id.String(), "Hello.")
}

func TestMails(t *testing.T) {
	t.Parallel()
	r, _, _ := repairRigs(t, nil)
	at := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	for i := range 3 {
		m := mails.Mail{Key: fmt.Sprint("appliance:ab:", i), To: "ada@example.org", Subject: "Summary", HTML: "<p>Hello.</p>", Text: "Hello.", CreatedAt: at.Add(time.Duration(i) * time.Minute)}
		switch i {
		case 0:
			m.SentAt = &at
		case 1:
			m.Error = "refused"
		}
		if err := r.st.InTx(t.Context(), func(tx store.Tx) error { _, err := r.st.AddMail(t.Context(), tx, m); return err }); err != nil {
			t.Fatal(err)
		}
	}
	page := r.ok(200, http.MethodGet, "/api/v1/mails?limit=2", "")
	if page.get("items.#").Int() != 2 || page.get("items.0.id").String() != "appliance:ab:2" || page.get("items.0.sentAt").Exists() || page.get("items.1.error").String() != "refused" || page.get("items.0.html").Exists() {
		t.Errorf("page = %s", page.body)
	}
	rest := r.ok(200, http.MethodGet, "/api/v1/mails?cursor="+page.get("nextCursor").String(), "")
	if rest.get("items.#").Int() != 1 || rest.get("nextCursor").Exists() {
		t.Errorf("rest = %s", rest.body)
	}
	one := r.ok(200, http.MethodGet, "/api/v1/mails/appliance:ab:0", "")
	if one.get("html").String() != "<p>Hello.</p>" || one.get("text").String() != "Hello." || one.get("to").String() != "ada@example.org" || one.get("sentAt").String() != "2026-11-03T09:00:00Z" {
		t.Errorf("mail = %s", one.body)
	}
	r.ok(200, http.MethodGet, "/api/v1/mails/appliance%3Aab%3A0", "") // as browsers write it
	r.problem(404, http.MethodGet, "/api/v1/mails/nowhere", "")
	r.problem(422, http.MethodGet, "/api/v1/mails?cursor=x", "")
}

func TestPeopleHaveAnEmail(t *testing.T) {
	t.Parallel()
	r, _, _ := repairRigs(t, nil)
	const person = `{"name":"Ada","phone":"+15550100123","timezone":"UTC","email":%q}`
	r.problem(422, http.MethodPost, "/api/v1/people", fmt.Sprintf(person, "ada at home"))
	id := r.ok(201, http.MethodPost, "/api/v1/people", fmt.Sprintf(person, " ada@example.org ")).get("id").String()
	for _, step := range []struct {
		patch, want string
	}{{`{"name":"Ada King"}`, "ada@example.org"}, {`{"email":"king@example.org"}`, "king@example.org"}, {`{"email":null}`, ""}} {
		r.ok(200, http.MethodPatch, "/api/v1/people/"+id, step.patch)
		if got := r.ok(200, http.MethodGet, "/api/v1/people/"+id, "").get("email").String(); got != step.want {
			t.Errorf("after %s: %q", step.patch, got)
		}
	}
	r.problem(422, http.MethodPatch, "/api/v1/people/"+id, `{"email":"Ada <ada@example.org>"}`)
}
