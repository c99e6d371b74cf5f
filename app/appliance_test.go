package app

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/jobs/mail/mailtest"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/parts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/repairs"
)

const kestrel = `{"KDW482SS": {"parts": {"KP3406971": {"name": "Control Board", "price": 249.99, "description": "Runs it.",
	"image_url": "https://parts.example/b.jpg", "repair_video_url": "https://videos.example/embed/b", "solves_symptoms": ["Will Not Start"]}}}}`

func (a *App) stock(t *testing.T) {
	t.Helper()
	if _, err := a.store.ImportCatalogue(t.Context(), strings.NewReader(kestrel), parts.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
}

// summary is a mail's content, with links of the catalogue and of others.
func summary(p store.PersonID) appliance.Summary {
	return appliance.Summary{
		Key: "appliance:ab:1", To: "ada@example.org", Person: p, Title: "Your dishwasher", Body: "## Parts\n- Control Board\nSee https://evil.example/x",
		Videos: []appliance.Link{{Title: "Video", URL: "https://videos.example/embed/b"}, {Title: "Not ours", URL: "https://evil.example/v"}},
		Images: []appliance.Link{{Title: "Board", URL: "https://parts.example/b.jpg"}, {Title: "Broken", URL: "https://%zz/"}},
	}
}

func TestMailIsKeptWithItsJob(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mail.Plain, false)
	a := made(t, "", func(c *Config) {
		c.Email.Host, c.Email.Port, c.Email.TLS, c.Email.From = server.Host, server.Port, "none", "nAIber <help@example.com>"
		c.Appliance.HelpURL = "https://help.example.org/kestrel"
	})
	a.stock(t)
	ada := a.remembered(t, people.Person{})
	for range 2 {
		if err := (mailer{a}).Send(t.Context(), summary(ada.ID)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := a.store.Mail(t.Context(), mails.ID("appliance:ab:1"))
	if err != nil || m.PersonID != ada.ID || m.SentAt != nil || m.Subject != "Your dishwasher" {
		t.Fatalf("mail = %+v, %v", m, err)
	}
	for _, want := range []string{`href="https://videos.example/embed/b"`, `src="https://parts.example/b.jpg"`, `href="https://help.example.org/kestrel"`} {
		if !strings.Contains(m.HTML, want) {
			t.Errorf("the mail lacks %s: %s", want, m.HTML)
		}
	}
	if strings.Contains(m.HTML+m.Text, "evil.example") {
		t.Errorf("the mail leads elsewhere: %s", m.Text)
	}
	list, err := a.jobs.List(t.Context(), "", 10, "send_mail")
	if err != nil || len(list) != 1 {
		t.Errorf("jobs = %+v, %v", list, err)
	}
	var audits int
	if err := a.store.Pool().QueryRow(t.Context(), "select count(*) from audit where action = 'mail.send' and person_id = $1", ada.ID.UUID).Scan(&audits); err != nil || audits != 1 {
		t.Errorf("%d lines in the audit, %v", audits, err)
	}
	if known, err := a.asks(t, "mail"); !known || err != nil || server.Connections() != 0 {
		t.Errorf("status: %v, %v; %d connections", known, err, server.Connections())
	}
	if err := a.jobs.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "the mail is sent", func() bool {
		m, err := a.store.Mail(t.Context(), m.ID)
		return err == nil && m.SentAt != nil && len(server.Messages()) == 1
	})
	if err := a.jobs.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// Without a server no mail is promised; the sandbox keeps it to be looked at.
func TestMailWithoutAServer(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	if err := (mailer{a}).Send(t.Context(), summary(store.PersonID{})); !errors.Is(err, appliance.ErrNoMail) {
		t.Errorf("without a server: %v", err)
	}
	if err := a.sendMail(t.Context(), uuid.New(), false); err == nil {
		t.Error("a mail that waits is sent without a server")
	}
	if known, _ := a.asks(t, "mail"); known {
		t.Error("status has a line for mail")
	}
	a.opts.Sandbox = http.NotFoundHandler()
	if err := (mailer{a}).Send(t.Context(), summary(store.PersonID{})); err != nil {
		t.Fatal(err)
	}
	if m, err := a.store.Mail(t.Context(), mails.ID("appliance:ab:1")); err != nil || m.SentAt == nil || m.Attempts != 0 {
		t.Errorf("mail = %+v, %v", m, err)
	}
	if list, err := a.jobs.List(t.Context(), "", 10, "send_mail"); err != nil || len(list) != 0 {
		t.Errorf("jobs = %+v, %v", list, err)
	}
}

func TestAddressesOnRecord(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	ada := a.remembered(t, people.Person{Email: "ada@example.org"})
	if _, err := a.store.UpdatePerson(t.Context(), ada, []people.Contact{{Name: "Ruth", Email: "ruth@example.org"}, {Name: "Karl", Phone: "+15550100124"}}); err != nil {
		t.Fatal(err)
	}
	got, err := addresses{a.store}.Addresses(t.Context(), ada.ID)
	if diff := cmp.Diff([]appliance.Address{{Email: "ada@example.org"}, {Name: "Ruth", Email: "ruth@example.org"}}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if got, err := (addresses{a.store}).Addresses(t.Context(), store.PersonID{}); err != nil || len(got) != 0 {
		t.Errorf("nobody's addresses: %v, %v", got, err)
	}
}

// writes has the helper answer in a session, as the API does.
func (a *App) writes(t *testing.T, session string, p store.PersonID, text string) appliance.Reply {
	t.Helper()
	b, err := a.store.BeginRepair(t.Context(), session, p, text, a.cfg.repairLimits())
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.appliance.Chat(t.Context(), appliance.Written{Session: session, Person: p, Seq: b.Seq, Text: text, State: b.Session.State, Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.store.AnswerRepair(t.Context(), b, repairs.Answer{Seq: b.Seq, Text: r.Text, State: r.State}); err != nil {
		t.Fatal(err)
	}
	return r
}

// What is forgotten of a session is in its thread no more, and a new session of the
// same name knows nothing of it.
func TestForgettingReachesThreadsOfSessions(t *testing.T) {
	t.Parallel()
	for name, forgets := range map[string]func(t *testing.T, a *App, ada people.Person) error{
		"all": func(t *testing.T, a *App, ada people.Person) error { //nolint:thelper // it is the case
			_, err := a.memory.Forget(t.Context(), forget.Request{Person: ada.ID, All: true})
			return err
		},
		"a topic": func(t *testing.T, a *App, ada people.Person) error { //nolint:thelper // it is the case
			_, err := a.memory.Forget(t.Context(), forget.Request{Person: ada.ID, Topic: "dishwasher"})
			return err
		},
		"the person": func(t *testing.T, a *App, ada people.Person) error { //nolint:thelper // it is the case
			return a.store.DeletePerson(t.Context(), ada.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := made(t, "")
			a.stock(t)
			ada := a.remembered(t, people.Person{})
			a.writes(t, "kitchen", ada.ID, "My KDW482SS dishwasher won't start.")
			a.writes(t, "cellar", store.PersonID{}, "My KDW482SS dishwasher won't start.")
			hers, nobodys := appliance.ThreadName(ada.ID, "kitchen"), appliance.ThreadName(store.PersonID{}, "cellar")
			if a.inPostgres(t, hers) == 0 || a.inPostgres(t, nobodys) == 0 {
				t.Fatal("there are no threads")
			}
			if err := forgets(t, a, ada); err != nil {
				t.Fatal(err)
			}
			if n := a.inPostgres(t, hers); n != 0 || a.inPostgres(t, nobodys) == 0 {
				t.Errorf("her thread has %d checkpoints", n)
			}
			if name == "the person" {
				return
			}
			if _, known, err := a.appliance.Peek(t.Context(), ada.ID, "kitchen"); known || err != nil {
				t.Errorf("it is known: %v, %v", known, err)
			}
			r := a.writes(t, "kitchen", ada.ID, "Hello again.")
			if st, _, err := a.appliance.Peek(t.Context(), ada.ID, "kitchen"); err != nil || st.ProductModel != "" || strings.Contains(string(r.State), "KDW482SS") {
				t.Errorf("a new session knows %+v, %v", st, err)
			}
		})
	}
}

func TestSessionsAreArchived(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	a.writes(t, "kitchen", store.PersonID{}, "Hello.")
	if _, err := a.store.Pool().Exec(t.Context(), "update repairs set updated_at = now() - interval '25 hours'"); err != nil {
		t.Fatal(err)
	}
	if err := a.archiveChore().Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ses, err := a.store.RepairSession(t.Context(), "kitchen"); err != nil || ses.ArchivedAt == nil {
		t.Errorf("session = %+v, %v", ses, err)
	}
}

func TestCallsAboutAppliancesAreSnapshot(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	a.stock(t)
	ada := a.remembered(t, people.Person{})
	c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: calls.CallApplianceHelp, Direction: calls.Inbound, Phone: ada.Phone})
	if err != nil {
		t.Fatal(err)
	}
	line := calls.Line{Call: c, Person: ada}
	a.snapshotRepair(t.Context(), line) // nothing is known yet
	if _, err := a.store.RepairSession(t.Context(), c.ID.String()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("before the first turn: %v", err)
	}
	if _, err := a.appliance.Chat(t.Context(), appliance.Written{Session: c.ID.String(), Person: ada.ID, Seq: 1, Text: "My KDW482SS won't start.", Language: "en"}); err != nil {
		t.Fatal(err)
	}
	a.snapshotRepair(t.Context(), line)
	if ses, err := a.store.RepairSession(t.Context(), c.ID.String()); err != nil || ses.CallID != c.ID || !strings.Contains(string(ses.State), "KDW482SS") {
		t.Errorf("session = %+v, %v", ses, err)
	}
	if d := a.cfg.repairLimits(); d.Lease > repairLease || d.Lease < 30*time.Second {
		t.Errorf("lease = %v", d.Lease)
	}
}
