package mails_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func add(t *testing.T, st *store.Store, m mails.Mail) bool {
	t.Helper()
	var added bool
	err := st.InTx(t.Context(), func(tx store.Tx) (err error) {
		added, err = st.AddMail(t.Context(), tx, m)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func TestMailIsSentOnce(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	m := mails.Mail{Key: "s:3", To: "ada@example.org", Subject: "Your dishwasher", HTML: "<p>Hello.</p>", Text: "Hello."}
	if !add(t, st, m) {
		t.Fatal("the mail is not kept")
	}
	m.Text = "Another."
	if add(t, st, m) {
		t.Error("a second mail of the key is kept")
	}
	id := mails.ID("s:3")
	for n := 1; n <= 2; n++ {
		got, err := st.TryMail(t.Context(), id)
		if err != nil || got.Attempts != n || got.Text != "Hello." || got.To != m.To || got.ID != id || got.Error != "" {
			t.Fatalf("try %d: %+v, %v", n, got, err)
		}
		if err := st.MailFailed(t.Context(), id, "550"); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := st.MailSent(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.MailFailed(t.Context(), id, "late"); err != nil {
		t.Fatal(err)
	}
	got, err := st.Mail(t.Context(), id)
	if err != nil || got.SentAt == nil || got.Error != "550" {
		t.Errorf("mail = %+v, %v", got, err)
	}
	if _, err := st.TryMail(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("try of what was sent: %v", err)
	}
	if _, err := st.Mail(t.Context(), uuid.New()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("mail that is not there: %v", err)
	}
}

func TestMailsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	at := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	for i := range 5 {
		add(t, st, mails.Mail{Key: fmt.Sprint("s:", i), To: "a@example.org", CreatedAt: at.Add(time.Duration(i/2) * time.Minute)})
	}
	var got []mails.Mail
	var before time.Time
	var id uuid.UUID
	for {
		page, err := st.Mails(t.Context(), before, id, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, page...)
		before, id = page[len(page)-1].CreatedAt, page[len(page)-1].ID
	}
	if len(got) != 5 {
		t.Fatalf("%d mails, want 5", len(got))
	}
	for i, m := range got[1:] {
		if m.CreatedAt.After(got[i].CreatedAt) {
			t.Errorf("%s comes after %s", m.CreatedAt, got[i].CreatedAt)
		}
	}
}
