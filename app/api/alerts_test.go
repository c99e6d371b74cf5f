package api

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

// raise raises an alert that was told to Byron, and returns it with the token of his link.
func (r *rig) raise(person string, kind string, ttl time.Duration) (alerts.Alert, string) {
	r.t.Helper()
	var id store.PersonID
	if person != "" {
		var err error
		if id, err = store.ParsePersonID(person); err != nil {
			r.t.Fatal(err)
		}
	}
	now := time.Now()
	a, _, err := r.st.RaiseAlert(r.t.Context(), alerts.New{PersonID: id, Tier: alerts.Urgent, Kind: kind, Quote: "I cannot get <b>up</b>.", Why: "lexicon"})
	if err != nil {
		r.t.Fatal(err)
	}
	n := alerts.Notice{ID: uuid.New(), Name: "Byron", Channel: alerts.SMS, Address: "+15550100124", Language: "es", Status: alerts.Queued, DueAt: now}
	err = r.st.TakeStep(r.t.Context(), alerts.Due{ID: a.ID, Run: 1}, now, func(alerts.Alert) (alerts.Taken, error) { return alerts.Taken{Notices: []alerts.Notice{n}}, nil })
	if err != nil {
		r.t.Fatal(err)
	}
	token := rand.Text()
	if _, _, err := r.st.ClaimNotice(r.t.Context(), n.ID, alerts.Claim{At: now, Lapsed: now, Token: token, Expires: now.Add(ttl)}); err != nil {
		r.t.Fatal(err)
	}
	if err := r.st.NoticeSent(r.t.Context(), n.ID, "", now); err != nil {
		r.t.Fatal(err)
	}
	return a, token
}

func TestAlertsAreReadAndAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	a, _ := r.raise(ada, "fall_stuck", time.Hour)
	house, _ := r.raise("", "operator_queue", time.Hour)
	list := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts", "")
	for path, want := range map[string]string{
		"items.#.id": `["` + house.ID.String() + `","` + a.ID.String() + `"]`, "items.0.userId": "", "items.1.userId": ada, "items.1.tier": "3", "items.1.kind": "fall_stuck",
		"items.1.status": "notified", "items.1.quote": "I cannot get <b>up</b>.", "items.1.why": "lexicon", "items.1.notices.0.to": "Byron", "items.1.notices.0.channel": "sms",
		"items.1.notices.0.address": "+15…124", "items.1.notices.0.status": "sent", "nextCursor": "",
	} {
		if got := list.get(path).String(); got != want {
			t.Errorf("%s = %s; want %s", path, got, want)
		}
	}
	for query, want := range map[string]int64{"?userId=" + ada: 1, "?status=notified": 2, "?status=closed": 0, "?tier=3": 2, "?tier=4": 0, "?limit=1": 1} {
		if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts"+query, "").get("items.#").Int(); got != want {
			t.Errorf("%s: %d alerts; want %d", query, got, want)
		}
	}
	next := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts?limit=1", "").get("nextCursor").String()
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts?limit=1&cursor="+next, "").get("items.0.id").String(); got != a.ID.String() {
		t.Errorf("the next page has %s", got)
	}
	me := "/api/v1/alerts/" + a.ID.String()
	if one := r.ok(http.StatusOK, http.MethodGet, me, ""); one.get("notices.0.address").String() != "+15550100124" || one.get("events.#.kind").String() != `["raised"]` {
		t.Errorf("one: %s", one.body)
	}
	taken := r.ok(http.StatusOK, http.MethodPost, me+"/acknowledge", `{"by":"Ruth","note":"on my way"}`)
	if taken.get("status").String() != "acknowledged" || taken.get("acknowledgedBy").String() != "Ruth" || taken.get("events.1.detail").String() != "on my way" {
		t.Errorf("acknowledged: %s", taken.body)
	}
	r.ok(http.StatusOK, http.MethodPost, me+"/acknowledge", `{"by":"Ruth"}`)
	r.problem(http.StatusConflict, http.MethodPost, me+"/acknowledge", `{"by":"Byron"}`)
	closed := r.ok(http.StatusOK, http.MethodPost, me+"/close", `{"by":"Ruth","outcome":"Spoke with her, she is fine."}`)
	if closed.get("status").String() != "closed" || closed.get("outcome").String() != "Spoke with her, she is fine." || closed.get("closedAt").String() == "" {
		t.Errorf("closed: %s", closed.body)
	}
	r.problem(http.StatusConflict, http.MethodPost, me+"/close", `{"by":"Byron","outcome":"Nobody was there."}`)
	before := r.rows()
	for _, tt := range []struct {
		status             int
		method, path, body string
	}{
		{404, http.MethodGet, "/api/v1/alerts/" + uuid.NewString(), ""},
		{404, http.MethodGet, "/api/v1/alerts/one", ""},
		{404, http.MethodPost, "/api/v1/alerts/" + uuid.NewString() + "/close", `{"by":"Ruth","outcome":"x"}`},
		{422, http.MethodPost, me + "/acknowledge", `{"by":"  "}`},
		{422, http.MethodPost, me + "/acknowledge", `{}`},
		{422, http.MethodPost, me + "/close", `{"by":"Ruth"}`},
		{422, http.MethodPost, me + "/close", `{"by":"Ruth","outcome":" "}`},
		{422, http.MethodGet, "/api/v1/alerts?tier=5", ""},
		{422, http.MethodGet, "/api/v1/alerts?status=lost", ""},
		{422, http.MethodGet, "/api/v1/alerts?userId=ada", ""},
		{422, http.MethodGet, "/api/v1/alerts?cursor=x", ""},
	} {
		r.problem(tt.status, tt.method, tt.path, tt.body)
	}
	if r.rows() != before {
		t.Error("a refused request changed something")
	}
	r.problem(http.StatusUnauthorized, http.MethodGet, "/api/v1/alerts", "", "Authorization", "")
}

func TestContactsSayHowTheyAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	body := `{"name":"Bo","phone":"+15550100124","timezone":"Europe/Berlin","contacts":[
		{"name":"Di","webhook":"https://example.org/h","channels":["sms","webhook"],"hours":{"from":"08:00","to":"22:00"},"language":"es","mustNotBeTold":["abuse","scam"]},
		{"name":"Ed","mustNotBeTold":[]},{"name":"Flo"}]}`
	made := r.ok(http.StatusCreated, http.MethodPost, "/api/v1/people", body)
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/people/"+made.get("id").String(), ""); got.body != made.body {
		t.Errorf("GET = %s\nPOST = %s", got.body, made.body)
	}
	for path, want := range map[string]string{
		"contacts.0.webhook": "https://example.org/h", "contacts.0.channels": `["sms","webhook"]`, "contacts.0.hours": `{"from":"08:00","to":"22:00"}`,
		"contacts.0.language": "es", "contacts.0.mustNotBeTold": `["abuse","scam"]`, "contacts.1.mustNotBeTold": "[]", "contacts.2.mustNotBeTold": "", "contacts.2.hours": "",
	} {
		if got := made.get(path).String(); got != want {
			t.Errorf("%s = %s; want %s", path, got, want)
		}
	}
	for _, bad := range []string{
		`"channels":["pigeon"]`, `"hours":{"from":"25:00","to":"22:00"}`, `"hours":{"from":"08:00"}`, `"webhook":"http://example.org/h"`, `"webhook":"javascript:alert(1)"`, `"language":"plain German"`,
	} {
		r.problem(http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/people", `{"name":"Bo","phone":"+15550100124","timezone":"UTC","contacts":[{"name":"Cy",`+bad+`}]}`)
	}
}

func TestLastKnownOKStandsWithThePerson(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	me := "/api/v1/people/" + ada
	if got := r.ok(http.StatusOK, http.MethodGet, me, "").get("lastKnownOk").Raw; got != "" {
		t.Errorf("before any call: %s", got)
	}
	id := r.dial(ada)
	r.end(id)
	if got := r.ok(http.StatusOK, http.MethodGet, me, ""); got.get("lastKnownOk.callId").String() != id.String() || got.get("lastKnownOk.at").String() == "" {
		t.Errorf("after a call: %s", got.body)
	}
}

// visit is a browser on a telephone: it follows no redirect, so that a test sees it.
func (r *rig) visit(method, token string, form url.Values) reply {
	r.t.Helper()
	client := *r.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+"/a/"+token, strings.NewReader(form.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

// says fails unless a page has a status and each of the texts; "!" before one: not that.
func (r *rig) says(what string, got reply, status int, texts ...string) {
	r.t.Helper()
	if got.status != status {
		r.t.Errorf("%s: status %d; want %d\n%s", what, got.status, status, got.body)
	}
	for _, text := range texts {
		not, absent := strings.CutPrefix(text, "!")
		if strings.Contains(got.body, not) == absent {
			r.t.Errorf("%s: %q\n%s", what, text, got.body)
		}
	}
}

func TestLinkAcknowledgesAndCloses(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	a, token := r.raise(ada, "fall_stuck", time.Hour)
	acknowledge := url.Values{"action": {"acknowledge"}, "by": {"Byron King"}}
	for range 2 {
		r.says("opened", r.visit(http.MethodGet, token, nil), http.StatusOK, `lang="es"`, "Ada King: una caída, y no puede levantarse", "I cannot get &lt;b&gt;up&lt;/b&gt;.",
			`href="tel:&#43;15550100123"`, "Llamar a Ada King", `value="Byron"`, "Yo me encargo", "!<script", "!http")
	}
	page := r.visit(http.MethodGet, token, nil)
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer", "Content-Security-Policy": linkPolicy, "X-Content-Type-Options": "nosniff",
	} {
		if got := page.header.Get(name); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts/"+a.ID.String(), ""); got.get("status").String() != "notified" || got.get("events.#.kind").String() != `["raised","opened"]` {
		t.Fatalf("opening a link is no acknowledgement: %s", got.body)
	}
	r.says("no name", r.visit(http.MethodPost, token, url.Values{"action": {"acknowledge"}, "by": {" "}}), http.StatusUnprocessableEntity, "rellene", "Yo me encargo")
	r.says("closed before", r.visit(http.MethodPost, token, url.Values{"action": {"close"}, "outcome": {"fine"}}), http.StatusSeeOther)
	r.says("nonsense", r.visit(http.MethodPost, token, url.Values{"action": {"dance"}}), http.StatusBadRequest)
	r.says("too much", r.visit(http.MethodPost, token, url.Values{"action": {"acknowledge"}, "by": {strings.Repeat("x", 20<<10)}}), http.StatusBadRequest)
	if got := r.visit(http.MethodPost, token, acknowledge); got.status != http.StatusSeeOther || got.header.Get("Location") != "/a/"+token {
		t.Fatalf("acknowledged: %d %q", got.status, got.header.Get("Location"))
	}
	r.says("acknowledged", r.visit(http.MethodGet, token, nil), http.StatusOK, "Byron King se encarga", "No se avisa a nadie más", `href="tel:`, `name="outcome"`, "!Yo me encargo")
	acknowledge.Set("by", "Mallory")
	r.says("again", r.visit(http.MethodPost, token, acknowledge), http.StatusSeeOther)
	r.says("no outcome", r.visit(http.MethodPost, token, url.Values{"action": {"close"}}), http.StatusUnprocessableEntity, "rellene")
	r.says("closed", r.visit(http.MethodPost, token, url.Values{"action": {"close"}, "outcome": {"She is fine."}}), http.StatusSeeOther)
	r.says("closed", r.visit(http.MethodGet, token, nil), http.StatusGone, "Byron King lo ha cerrado.", "!She is fine", "!Ada", "!cannot get", "!tel:", "!<form")
	got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts/"+a.ID.String(), "")
	if got.get("acknowledgedBy").String() != "Byron King" || got.get("closedBy").String() != "Byron King" || got.get("outcome").String() != "She is fine." ||
		got.get("notices.0.status").String() != "acknowledged" {
		t.Errorf("%s", got.body)
	}
}

func TestLinkThatIsOfNoUseSaysWhoHasTheAlert(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ada := r.person("Ada King", "+15550100123")
	taken, late := r.raise(ada, "fall_stuck", time.Hour)
	r.ok(http.StatusOK, http.MethodPost, "/api/v1/alerts/"+taken.ID.String()+"/acknowledge", `{"by":"Ruth"}`)
	r.says("taken by another", r.visit(http.MethodGet, late, nil), http.StatusOK, "Ruth se encarga", "!cannot get", "!tel:", "!<form")
	r.says("and answered", r.visit(http.MethodPost, late, url.Values{"action": {"acknowledge"}, "by": {"Byron"}}), http.StatusSeeOther)
	r.says("and closed", r.visit(http.MethodPost, late, url.Values{"action": {"close"}, "outcome": {"fine"}}), http.StatusSeeOther)
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts/"+taken.ID.String(), ""); got.get("acknowledgedBy").String() != "Ruth" || got.get("status").String() != "acknowledged" {
		t.Errorf("%s", got.body)
	}
	old, expired := r.raise(ada, "fall_stuck", -time.Minute)
	r.says("expired", r.visit(http.MethodGet, expired, nil), http.StatusGone, "ha caducado", "!Ada", "!cannot get", "!tel:", "!<form")
	r.says("expired and answered", r.visit(http.MethodPost, expired, url.Values{"action": {"acknowledge"}, "by": {"Byron"}}), http.StatusSeeOther)
	if got := r.ok(http.StatusOK, http.MethodGet, "/api/v1/alerts/"+old.ID.String(), ""); got.get("status").String() != "notified" {
		t.Errorf("an expired link acknowledged: %s", got.body)
	}
	r.ok(http.StatusOK, http.MethodPost, "/api/v1/alerts/"+old.ID.String()+"/acknowledge", `{"by":"Ruth"}`)
	r.says("expired and taken", r.visit(http.MethodGet, expired, nil), http.StatusGone, "Ruth se encarga", "!Ada")
	r.says("unknown", r.visit(http.MethodGet, rand.Text(), nil), http.StatusNotFound, "nothing behind this link")
	r.says("unknown and answered", r.visit(http.MethodPost, rand.Text(), url.Values{"action": {"acknowledge"}, "by": {"Byron"}}), http.StatusNotFound)
}

// A link is of no use any more to a contact who was removed, or must not be told, whatever
// it was used for before.
func TestLinkDiesWithItsContact(t *testing.T) {
	t.Parallel()
	byron := people.Contact{Name: "Byron", Phone: "+15550100124", Channels: []string{"sms"}}
	barred, other := byron, byron
	barred.MustNotBeTold, other.Phone = []string{"fall_stuck"}, "+15550100125"
	acknowledge, done := url.Values{"action": {"acknowledge"}, "by": {"Byron"}}, url.Values{"action": {"close"}, "outcome": {"fine"}}
	for name, now := range map[string][]people.Contact{"removed": {}, "barred": {barred}, "another number": {other}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			r.mayBeTold.Store(escalation.New(escalation.Config{Store: r.st}))
			ada := r.person("Ada King", "+15550100123")
			p, err := r.st.Person(t.Context(), store.PersonID{UUID: uuid.MustParse(ada)})
			if err == nil {
				p, err = r.st.UpdatePerson(t.Context(), p, []people.Contact{byron})
			}
			if err != nil {
				t.Fatal(err)
			}
			fresh, unused := r.raise(ada, "fall_stuck", time.Hour)
			taken, used := r.raise(ada, "fall_stuck", time.Hour)
			r.says("used", r.visit(http.MethodPost, used, acknowledge), http.StatusSeeOther)
			r.says("works", r.visit(http.MethodGet, unused, nil), http.StatusOK, "Ada King")
			if _, err := r.st.UpdatePerson(t.Context(), p, now); err != nil {
				t.Fatal(err)
			}
			for _, token := range []string{unused, used} {
				r.says("dead", r.visit(http.MethodGet, token, nil), http.StatusNotFound, "nothing behind this link", "!Ada", "!cannot get", "!tel:", "!<form")
				r.says("acknowledge", r.visit(http.MethodPost, token, acknowledge), http.StatusNotFound)
				r.says("close", r.visit(http.MethodPost, token, done), http.StatusNotFound)
			}
			for _, want := range []struct {
				id     uuid.UUID
				status alerts.Status
			}{{fresh.ID, alerts.Notified}, {taken.ID, alerts.Acknowledged}} {
				if got, err := r.st.Alert(t.Context(), want.id); err != nil || got.Status != want.status {
					t.Errorf("an alert is %s, want %s: %v", got.Status, want.status, err)
				}
			}
		})
	}
}

func TestLinksAreNotFoundByTrying(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	last := 0
	for i := range linkBurst + 5 {
		// Another bearer each time does not make another client.
		last = r.do(http.MethodGet, "/a/"+rand.Text(), "", "Authorization", "Bearer "+strings.Repeat("x", i)).status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("status %d after %d tries", last, linkBurst+5)
	}
}

// FuzzLink: whatever is asked of a link that there is not, is answered, and by no error.
func FuzzLink(f *testing.F) {
	f.Add("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "acknowledge", "Byron")
	f.Add("../../etc/passwd", "close", "\x00")
	f.Add("%00", "", "<script>")
	f.Fuzz(func(t *testing.T, token, action, by string) {
		if linkToken.MatchString(token) != (len(token) == 26 && strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "") {
			t.Errorf("%q is taken for a token, or not", token)
		}
		if got := cut(by, 200); len([]rune(got)) > 200 || strings.TrimSpace(got) != got && len([]rune(strings.TrimSpace(by))) <= 200 {
			t.Errorf("%q is cut to %q", by, got)
		}
		var v linkView
		at := time.Now()
		k := alerts.Alert{Kind: action, Quote: by, Status: alerts.Notified, CreatedAt: at}
		v.fill(alerts.Link{Name: by, Language: action, ExpiresAt: at.Add(time.Hour), Alert: k}, people.Person{Name: by, Phone: token}, at)
		var page strings.Builder
		if err := linkTemplate.Execute(&page, v); err != nil {
			t.Fatal(err)
		}
		if strings.Count(page.String(), "<script") > 0 || strings.Count(page.String(), "<form") != 1 {
			t.Errorf("%q and %q make the page %s", action, by, page.String())
		}
	})
}
