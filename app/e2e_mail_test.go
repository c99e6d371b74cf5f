package app_test

import (
	"bytes"
	"net/http"
	"net/mail"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/mail/mailtest"
	"github.com/naiber/naiber/store/mails"
)

// mailHouse is a house with a mail server.
func mailHouse(t *testing.T) (*house, *mailtest.Server) {
	t.Helper()
	server := mailtest.New(t, "none", false)
	return openHouse(t, houseOptions{env: map[string]string{
		"EMAIL_HOST": server.Host, "EMAIL_PORT": strconv.Itoa(server.Port), "EMAIL_TLS": "none", "EMAIL_FROM": "nAIber <help@example.com>",
		"NAIBER_CHAT_DEADLINE": "3s", // and so long is a session left to who died
	}}), server
}

// wish asks for a summary by mail, and nothing else.
var wish = map[string]string{"sessionId": "kitchen", "message": "Please email me the summary. My address is ada@example.org."}

// writes sends the wish until it is answered.
func (h *house) writes() {
	h.t.Helper()
	body := await(h, "the answer", func() (string, bool) {
		code, body := h.request(http.MethodPost, "/api/chat", wish, nil)
		return body, code == http.StatusOK
	})
	if !strings.Contains(body, `"success":true`) {
		h.t.Fatalf("the wish was answered %s", body)
	}
}

// theMail waits for a mail to be in the database.
func (h *house) theMail() mails.Mail {
	h.t.Helper()
	return await(h, "the mail", func() (mails.Mail, bool) {
		list, err := h.db.Mails(h.t.Context(), time.Time{}, uuid.Nil, 2)
		if err != nil || len(list) != 1 {
			return mails.Mail{}, false
		}
		return list[0], true
	})
}

// pauseMail has no mail sent until the queue is resumed.
func (h *house) pauseMail() {
	h.t.Helper()
	await(h, "the queue", func() (n int, there bool) {
		err := h.db.Pool().QueryRow(h.t.Context(), "select count(*) from river_queue where name = 'mail'").Scan(&n)
		return n, err == nil && n == 1
	})
	h.command("jobs", "pause", "mail")
}

// sends wants one mail, sent by one job.
func (h *house) sends(server *mailtest.Server) {
	h.t.Helper()
	m := await(h, "the mail to be sent", func() (mails.Mail, bool) {
		m := h.theMail()
		return m, m.SentAt != nil
	})
	var done, all int
	await(h, "the job to end", func() (int, bool) {
		err := h.db.Pool().QueryRow(h.t.Context(), `select count(*) filter (where state in ('completed', 'cancelled')), count(*) from river_job where kind = 'send_mail'`).Scan(&done, &all)
		return done, err == nil && done == all
	})
	if got := server.Messages(); all != 1 || len(got) != 1 || got[0].To != "ada@example.org" {
		h.t.Errorf("%d jobs, %d messages for mail %+v", all, len(got), m)
	}
}

// The process dies when the tool has kept the mail and the conversation does not know
// of it. The same message again is answered, and one mail leaves.
func TestKillBetweenToolAndMail(t *testing.T) {
	t.Parallel()
	h, server := mailHouse(t)
	h.pauseMail()
	tx, err := h.db.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), "lock table checkpoint_threads in exclusive mode"); err != nil { // what is understood cannot be saved
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		body := `{"sessionId":"` + wish["sessionId"] + `","message":"` + wish["message"] + `"}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/api/chat", strings.NewReader(body))
		if err != nil {
			return
		}
		req.Header.Set("Authorization", "Bearer "+houseAPIToken)
		req.Header.Set("Content-Type", "application/json")
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}()
	h.theMail()
	h.process.kill()
	<-gone
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.writes()
	if n := len(server.Messages()); n != 0 {
		t.Fatalf("%d messages were sent while the queue was paused", n)
	}
	h.command("jobs", "resume", "mail")
	h.sends(server)
}

// The process dies when the conversation knows of the mail, and it was not sent.
func TestKillBeforeMailIsSent(t *testing.T) {
	t.Parallel()
	h, server := mailHouse(t)
	h.pauseMail()
	h.writes()
	h.theMail()
	h.process.kill()
	h.open()
	h.command("jobs", "resume", "mail")
	h.sends(server)
}

// The process dies when the server has the message and has not taken it yet: nobody
// knows what becomes of it. It is sent again, and who gets both can tell.
func TestKillWhileMailIsSent(t *testing.T) {
	t.Parallel()
	h, server := mailHouse(t)
	given, taken := make(chan struct{}, 9), make(chan struct{})
	server.Refuse(func(step string) error {
		if step == "data" {
			given <- struct{}{}
			<-taken
		}
		return nil
	})
	h.writes()
	<-given
	if m := h.theMail(); m.Attempts != 1 || m.SentAt != nil {
		t.Errorf("while it is sent: %+v", m)
	}
	h.process.kill()
	close(taken)
	await(h, "the server to take it", func() (int, bool) { n := len(server.Messages()); return n, n == 1 })
	// The queue gives a dead process's job to another when its time is up.
	if _, err := h.db.Pool().Exec(t.Context(), `update river_job set state = 'available' where kind = 'send_mail' and state = 'running'`); err != nil {
		t.Fatal(err)
	}
	h.open()
	await(h, "the mail to be sent", func() (mails.Mail, bool) { m := h.theMail(); return m, m.SentAt != nil && m.Attempts == 2 })
	var ids []string
	for _, got := range server.Messages() {
		m, err := mail.ReadMessage(bytes.NewReader(got.Data))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.Header.Get("Message-ID"))
	}
	if len(ids) != 2 || ids[0] == "" || ids[0] != ids[1] {
		t.Errorf("the messages are %q", ids)
	}
}
