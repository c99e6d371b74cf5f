package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/naiber/naiber/app"
	"github.com/naiber/naiber/store"
)

// answered is what a stranger is told.
type answered struct {
	status int
	header http.Header
	body   string
}

// knock asks as anybody on the network may; headers are name, value, name, value.
func (h *house) knock(method, path, body string, headers ...string) answered {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for i := 1; i < len(headers); i += 2 {
		req.Header.Set(headers[i-1], headers[i])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answered{resp.StatusCode, resp.Header, string(text)}
}

// kept is everything in the database that is ours, summed up.
func (h *house) kept() map[string]string {
	h.t.Helper()
	rows, err := h.db.Pool().Query(h.t.Context(), `select table_name from information_schema.tables
		where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'river\_%'`)
	if err != nil {
		h.t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			h.t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	sums := make(map[string]string)
	for _, name := range tables {
		var sum string
		query := "select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') from " + name + " t"
		if err := h.db.Pool().QueryRow(h.t.Context(), query).Scan(&sum); err != nil {
			h.t.Fatal(err)
		}
		sums[name] = sum
	}
	return sums
}

var (
	inBraces = regexp.MustCompile(`\{[^}]*\}`)
	named    = []string{"Ada", "Winter", "Tobias", "Kilbride", "warfarin"}
)

// Every door of the real program is locked: whoever has no key, or another's, is
// refused in the form of the place, learns nothing, and changes nothing.
func TestEveryDoorIsLocked(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_ADMIN_PASSWORD": "admin-password-for-tests"}})
	p := h.addPerson(nil)
	call := h.place(p)
	h.ring()
	h.follow(call, "ringing") // then nothing more happens by itself for a while

	type door struct {
		method, path string
		key          string // that opens it
		status       int
		form         string // content type of the refusal
	}
	const apiKey, modelKey = "Bearer " + houseAPIToken, "Bearer " + houseLLMToken
	doors := []door{
		{"POST", "/v1/chat/completions", modelKey, 401, "application/json"},
		{"POST", "/v1/chat/completions/chat/completions", modelKey, 401, "application/json"},
		{"GET", "/v1/models", modelKey, 401, "application/json"},
		{"GET", "/v1/models/naiber", modelKey, 401, "application/json"},
		{"GET", "/api/v1/nothing", apiKey, 401, "application/problem+json"},
		{"GET", "/metrics", apiKey, 401, "application/problem+json"},
		{"GET", "/", "", 401, "text/plain"},
		{"GET", "/docs", "", 401, "text/plain"},
		{"GET", "/console/main.js", "", 401, "text/plain"},
		{"GET", "/admin/queues", "", 401, "text/plain"},
		{"GET", "/admin/queues/api/jobs", "", 401, "text/plain"},
		{"POST", "/admin/queues/api/jobs/delete", "", 401, "text/plain"},
		{"POST", "/elevenlabs/webhook", "", 403, "text/plain"},
		{"GET", "/outbound-media-stream", "", 403, "text/plain"},
	}
	for _, hook := range []string{"voice", "status", "amd", "reconnect", "stream"} {
		doors = append(doors, door{"POST", "/twilio/" + hook + "?call=" + call, "", 403, "text/plain"})
	}
	var described struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(h.knock("GET", "/openapi.json", "").body), &described); err != nil || len(described.Paths) < 5 {
		t.Fatalf("openapi.json: %d paths, %v", len(described.Paths), err)
	}
	delete(described.Paths, "/status") // open to all
	for path, methods := range described.Paths {
		for method := range methods {
			doors = append(doors, door{strings.ToUpper(method), inBraces.ReplaceAllString(path, p.ID), apiKey, 401, "application/problem+json"})
		}
	}

	before := h.kept()
	keys := []string{
		"", apiKey, modelKey, "Bearer ", "Bearer wrong", "Basic YWRtaW46d3Jvbmc=", "Bearer " + houseToken, "Bearer " + houseVoiceKey, "Bearer " + houseModelKey,
	}
	body := `{"userId":"` + p.ID + `","callType":"general","messages":[{"role":"user","content":"hi"}],"user_id":"` + p.ID + `"}`
	var knocking sync.WaitGroup
	for i, d := range doors {
		// Who guesses passwords is soon told to wait. That is not what is looked at
		// here, so each door has a visitor of its own.
		visitor := fmt.Sprintf("203.0.113.%d", i%250+1)
		for _, key := range keys {
			if key == d.key && key != "" {
				continue
			}
			knocking.Go(func() { // side by side, since wrong keys wait
				headers := []string{"X-Forwarded-For", visitor, "Content-Type", "application/json", "Cookie", "naiber_session=made-up", "X-Twilio-Signature", "bad", "ElevenLabs-Signature", "t=1,v0=00"}
				if strings.HasPrefix(d.path, "/twilio/") {
					headers[3] = "application/x-www-form-urlencoded"
				}
				if key != "" {
					headers = append(headers, "Authorization", key)
				}
				got := h.knock(d.method, d.path, body, headers...)
				tooMany := got.status == http.StatusTooManyRequests && strings.HasPrefix(key, "Basic")
				if got.status != d.status && !tooMany || !strings.HasPrefix(got.header.Get("Content-Type"), d.form) {
					t.Errorf("%s %s with %q: %d %s, want %d %s", d.method, d.path, key, got.status, got.header.Get("Content-Type"), d.status, d.form)
				}
				for _, secret := range append([]string{p.Phone, houseAPIToken, houseLLMToken, houseToken}, named...) {
					if strings.Contains(got.body, secret) {
						t.Errorf("%s %s tells a stranger %q", d.method, d.path, secret)
					}
				}
				if len(got.header.Values("Set-Cookie")) > 0 {
					t.Errorf("%s %s gives a stranger a session", d.method, d.path)
				}
			})
		}
	}
	knocking.Wait()
	if after := h.kept(); !maps.Equal(after, before) {
		for _, table := range slices.Sorted(maps.Keys(after)) {
			if after[table] != before[table] {
				t.Errorf("%s changed", table)
			}
		}
	}
	if len(h.asked.all()) != 0 {
		t.Error("the model was asked")
	}

	t.Run("open to all", func(t *testing.T) {
		h := h.in(t)
		for _, path := range []string{"/healthz", "/readyz", "/status", "/openapi.json"} {
			got := h.knock("GET", path, "")
			if got.status != http.StatusOK {
				t.Errorf("%s: %d", path, got.status)
			}
			secrets := []string{p.Phone, strings.TrimPrefix(p.Phone, "+"), p.ID, call, houseAPIToken, houseLLMToken, houseToken, houseVoiceKey, houseModelKey, houseNumber}
			for _, secret := range append(secrets, named...) {
				if strings.Contains(got.body, secret) {
					t.Errorf("%s tells everybody %q", path, secret)
				}
			}
		}
	})
	t.Run("10 MB to everybody", func(t *testing.T) {
		h := h.in(t)
		large := strings.Repeat("a", 10<<20)
		for path, key := range map[string]string{"/call": apiKey, "/api/v1/people": apiKey, "/v1/chat/completions": modelKey} {
			if got := h.knock("POST", path, large, "Content-Type", "application/json", "Authorization", key); got.status != http.StatusRequestEntityTooLarge {
				t.Errorf("%s: %d", path, got.status)
			}
		}
	})
	if after := h.kept(); !maps.Equal(after, before) {
		t.Error("the database changed after all")
	}
	if log := h.process.out.String(); strings.Contains(log, p.Phone) || strings.Contains(log, houseAPIToken) || strings.Contains(log, houseLLMToken) {
		t.Error("the log holds what it must not")
	}
}

// The bearer of the model endpoint reaches no call without the call's own token,
// and with a wrong one it reaches nothing at all; where names are to count
// (turn.resolve_by_name), they do.
func TestCallNeedsItsToken(t *testing.T) {
	t.Parallel()
	const words = "What did I tell you about Thomas?"
	live := func(h *house) (p person, call store.CallID) {
		p = h.addPerson(nil)
		id := h.place(p)
		h.ring()
		h.follow(id, "ringing")
		call, err := store.ParseCallID(id)
		if err != nil {
			t.Fatal(err)
		}
		return p, call
	}
	token := func(secret string, id store.CallID) string {
		token, err := app.MintCallToken(secret, id)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	turn := func(h *house, p person, extra object) answered {
		body, err := json.Marshal(object{
			"messages": []object{{"role": "system", "content": "userId: " + p.ID + "\nphone: " + p.Phone}, {"role": "user", "content": words}},
			"user_id":  p.ID, "user": p.Phone, "elevenlabs_extra_body": extra,
		})
		if err != nil {
			t.Fatal(err)
		}
		return h.knock("POST", "/v1/chat/completions", string(body), "Authorization", "Bearer "+houseLLMToken)
	}

	h := openHouse(t, houseOptions{})
	p, call := live(h)
	other, ended := h.addPerson(nil), store.NewCallID()
	before := h.kept()
	for name, extra := range map[string]object{
		"forged":               {"token": token("a secret of the forger's own", call)},
		"another call's":       {"token": token(houseLLMToken, ended), "call": call.String()},
		"for another call":     {"token": token(houseLLMToken, call), "call": ended.String()},
		"of no call":           {"token": token(houseLLMToken, ended)},
		"malformed":            {"token": call.String()},
		"empty":                {"token": ""},
		"no text":              {"token": 7},
		"the call and nothing": {"token": call.String() + "."},
	} {
		for _, who := range []person{p, other} {
			got := turn(h, who, extra)
			if got.status != http.StatusForbidden || !strings.Contains(got.body, `"type":"invalid_request_error"`) || strings.Contains(got.body, "Ada") {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
	}
	if asked := h.asked.all(); len(asked) != 0 {
		t.Errorf("the model was asked: %q", asked)
	}
	// Without a token a request is nobody's: the model gets what the request holds.
	if got := turn(h, p, object{"call": call.String()}); got.status != http.StatusOK {
		t.Errorf("without a token: %d %s", got.status, got.body)
	}
	if asked := h.asked.all(); len(asked) != 1 || !strings.Contains(asked[0], words) {
		t.Errorf("the model was asked %q", asked)
	}
	if after := h.kept(); !maps.Equal(after, before) {
		t.Error("the database changed")
	}
	if got := turn(h, p, object{"call": call.String(), "token": token(houseLLMToken, call)}); got.status != http.StatusOK || len(h.call(call.String()).Turns) != 1 {
		t.Errorf("with its token: %d %s", got.status, got.body)
	}

	h = openHouse(t, houseOptions{env: map[string]string{"NAIBER_TURN_RESOLVE_BY_NAME": "true"}})
	p, call = live(h)
	if got := turn(h, p, nil); got.status != http.StatusOK || len(h.call(call.String()).Turns) != 1 {
		t.Errorf("by name: %d %s, %d turns", got.status, got.body, len(h.call(call.String()).Turns))
	}
}

// The sandbox's own pages want a session of the console, from the console.
func TestSandboxDoorsAreLocked(t *testing.T) {
	t.Parallel()
	h := openSandbox(t)
	page := h.knock("GET", "/", "")
	session, _, _ := strings.Cut(page.header.Get("Set-Cookie"), ";")
	if page.status != http.StatusOK || !strings.HasPrefix(session, "naiber_session=") {
		t.Fatalf("the console: %d, %q", page.status, session)
	}
	faults := func() string {
		got := h.knock("GET", "/sandbox/faults", "", "Cookie", session)
		if got.status != http.StatusOK {
			t.Fatalf("faults: %d", got.status)
		}
		return got.body
	}
	before := faults()
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "MDEyMzQ1Njc4OWFiY2RlZg=="}
	for _, tt := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"nobody", nil, 401},
		{"a made-up session", []string{"Cookie", "naiber_session=made-up"}, 401},
		{"the API's bearer", []string{"Authorization", "Bearer " + houseAPIToken}, 401},
		{"a foreign page with our session", []string{"Cookie", session, "Origin", "https://evil.example.org"}, 401},
		{"another port of this machine", []string{"Cookie", session, "Origin", "http://127.0.0.1:1"}, 401},
		{"a foreign page with the password", []string{"Authorization", "Basic YWRtaW46YWRtaW4tcGFzc3dvcmQtZm9yLXRlc3Rz", "Sec-Fetch-Site", "cross-site"}, 403},
	} {
		for _, d := range []struct {
			method, path, body string
			headers            []string
		}{
			{"PUT", "/sandbox/faults", `{"slow_model":"1000"}`, nil},
			{"GET", "/sandbox/faults", "", nil},
			{"POST", "/sandbox/ring", `{"number":"+15550100123"}`, nil},
			{"GET", "/sandbox/phone?number=%2B15550100123", "", upgrade},
			{"GET", "/admin/queues", "", nil},
		} {
			if got := h.knock(d.method, d.path, d.body, append(tt.headers, d.headers...)...); got.status != tt.want {
				t.Errorf("%s: %s %s: %d, want %d", tt.name, d.method, d.path, got.status, tt.want)
			}
		}
	}
	for _, bad := range []struct {
		method, path, body string
		want               int
	}{
		{"PUT", "/sandbox/faults", `{"slow_model":`, 400},
		{"PUT", "/sandbox/faults", `{"slow_model":"` + strings.Repeat("1", 10<<20) + `"}`, 413},
		{"PUT", "/sandbox/faults", `{"earthquake":1}`, 422},
		{"POST", "/sandbox/ring", `{"number":`, 400},
		{"POST", "/sandbox/ring", `{}`, 400},
		{"POST", "/sandbox/ring", strings.Repeat(" ", 10<<20), 413},
	} {
		if got := h.knock(bad.method, bad.path, bad.body, "Cookie", session); got.status != bad.want {
			t.Errorf("%s %s %.20q: %d %s, want %d", bad.method, bad.path, bad.body, got.status, got.body, bad.want)
		}
	}
	if after := faults(); after != before {
		t.Errorf("faults are now %s", after)
	}
}
