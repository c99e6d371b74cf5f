package escalation_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/jobs/mail/mailtest"
	"github.com/naiber/naiber/jobs/webhook"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func notice(address string) escalation.Notice {
	return escalation.Notice{
		ID: uuid.New(), Alert: alerts.Alert{ID: uuid.New(), Tier: alerts.Urgent, Kind: "fall_injury", Quote: "my hip"}, Person: people.Person{Name: "Ada King"},
		Name: "Tom", Address: address, Language: "en", Subject: "Ada King: a fall", Text: "Ada King: a fall (noon).", Link: "https://naiber.example/a/token", At: noon,
	}
}

func TestEmailIsSentOnceThoughTheSenderDies(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	srv := mailtest.New(t, mail.StartTLS, false)
	sender, err := mail.New(mail.Config{Host: srv.Host, Port: srv.Port, From: "nAIber <help@example.org>", RootCAs: srv.RootCAs}, st, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	email, n := escalation.Email{Store: st, Sender: sender}, notice("tom@example.org")
	for range 2 { // the second time as by who found it claimed and not noted as sent
		if _, err := email.Send(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	got := srv.Messages()
	if len(got) != 1 || got[0].To != "tom@example.org" {
		t.Fatalf("got %d messages", len(got))
	}
	text := string(got[0].Data)
	for _, want := range []string{"Subject: Ada King: a fall", "text/plain", "Ada King: a fall (noon).", n.Link, "If a life may be in danger"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "hip") || strings.Contains(text, "text/html") {
		t.Errorf("it says too much:\n%s", text)
	}
	if _, err := email.Send(t.Context(), notice("nobody")); !errors.Is(err, escalation.ErrRefused) {
		t.Errorf("no address: %v; want ErrRefused", err)
	}
	srv.Refuse(func(string) error { return errors.New("not now") })
	if _, err := email.Send(t.Context(), notice("eve@example.org")); err == nil || errors.Is(err, escalation.ErrRefused) {
		t.Errorf("a server that is down: %v; want it tried again", err)
	}
}

func TestEmailWithoutAServerIsKeptToBeLookedAt(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	if _, err := (escalation.Email{Store: st}).Send(t.Context(), notice("tom@example.org")); err != nil {
		t.Fatal(err)
	}
	if list, err := st.Mails(t.Context(), time.Time{}, uuid.Nil, 9); err != nil || len(list) != 1 || list[0].SentAt == nil {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestWebhookIsSigned(t *testing.T) {
	t.Parallel()
	n := notice("")
	answer, asked := http.StatusNoContent, 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Naiber-Signature") != webhook.Sign("sesame", noon, body) {
			t.Errorf("signature %q of %s", r.Header.Get("Naiber-Signature"), body)
		}
		var got struct {
			ID, Type string
			At       time.Time
			Data     struct{ AlertID, UserID, Name, Kind, Text, Link, To string }
		}
		if err := json.Unmarshal(body, &got); err != nil || got.ID != n.ID.String() || got.Type != "alert.notice" || !got.At.Equal(noon) ||
			got.Data.AlertID != n.Alert.ID.String() || got.Data.UserID != "" || got.Data.Link != n.Link || got.Data.To != "Tom" || strings.Contains(string(body), "hip") {
			t.Errorf("%s, %v", body, err)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(answer)
	}))
	t.Cleanup(srv.Close)
	n.Address = srv.URL + "/hook?key=secret"
	hook := escalation.Webhook{Secret: "sesame", HTTP: webhook.Client()}
	for _, c := range []struct {
		answer       int
		sent, refuse bool
	}{{204, true, false}, {200, true, false}, {302, false, true}, {410, false, true}, {429, false, false}, {408, false, false}, {500, false, false}} {
		answer = c.answer
		_, err := hook.Send(t.Context(), n)
		if (err == nil) != c.sent || errors.Is(err, escalation.ErrRefused) != c.refuse {
			t.Errorf("answer %d: %v; want sent %t, refused %t", c.answer, err, c.sent, c.refuse)
		}
	}
	if asked != 7 {
		t.Errorf("asked %d times; want 7, for no redirect is followed", asked)
	}
	srv.Close()
	if _, err := hook.Send(t.Context(), n); err == nil || errors.Is(err, escalation.ErrRefused) || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody there: %v; want it tried again, and the URL kept to us", err)
	}
	n.Address = "http://[::1"
	if _, err := hook.Send(t.Context(), n); !errors.Is(err, escalation.ErrRefused) {
		t.Errorf("no URL: %v", err)
	}
}

func FuzzParseLadder(f *testing.F) {
	for _, line := range []string{"contacts every 2m times 5", "each every 10m", "first by email,sms in hours every 4h", "on_call", "on_call times 2", "first by", "each every -1s", ""} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		l, err := escalation.ParseLadder([]string{line})
		if err != nil {
			return
		}
		if r := l[0]; len(l) != 1 || r.Times < 1 || r.Times > 100 || r.Every < 0 || r.Times > 1 && r.Every < time.Second {
			t.Errorf("%q is read as %+v", line, r)
		}
	})
}

func TestLadderMistakesAreTold(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"": "must begin with", "everybody": "must begin with", "each every": "there is nothing after", "each every soon": "must be a duration",
		"each every 1ms": "from 1s", "on_call times 3": "times needs every", "on_call every 1m times 0": "from 1 to 100", "first by pigeon": "by must be",
		"first in time": "in must be hours", "first at noon": "is none of",
	} {
		if _, err := escalation.ParseLadder([]string{"on_call", line}); err == nil || !strings.Contains(err.Error(), "rung 2") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", line, err, want)
		}
	}
}

func TestEveryLanguageSaysEverything(t *testing.T) {
	t.Parallel()
	hole := regexp.MustCompile(`\{\w+\}`)
	texts := func(language string) map[string]string {
		w := escalation.WordsIn(language)
		data, err := json.Marshal(w)
		if err != nil || w.Language != language {
			t.Fatal(w.Language, err)
		}
		var parts map[string]json.RawMessage
		all := map[string]string{}
		if err := json.Unmarshal(data, &parts); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"Kinds", "Notice", "Page"} {
			var of map[string]string
			if err := json.Unmarshal(parts[part], &of); err != nil {
				t.Fatal(err)
			}
			for k, v := range of {
				all[part+"."+k] = v
			}
		}
		return all
	}
	english := texts("en")
	for kind := range strings.FieldsSeq(`chest_pain breathing stroke collapse bleeding overdose fire gas intruder suicide_attempt silence_after_distress fall_stuck
		fall_injury suicidal confusion abuse no_food no_heat no_medicine no_answer fall severe_pain scam neglect`) {
		if english["Kinds."+kind] == "" {
			t.Errorf("no words for %s", kind)
		}
	}
	for _, language := range []string{"en", "es", "de"} {
		got := texts(language)
		for key, want := range english {
			if got[key] == "" || strings.Join(hole.FindAllString(got[key], -1), "") != strings.Join(hole.FindAllString(want, -1), "") {
				t.Errorf("%s %s: %q; in English %q", language, key, got[key], want)
			}
		}
		if len(got) != len(english) {
			t.Errorf("%s has %d texts; English %d", language, len(got), len(english))
		}
	}
	if w := escalation.WordsIn("fr-CA"); w.Language != "en" || escalation.WordsIn("es-MX").Language != "es" || w.Kind("operator_x") != w.Kinds["other"] {
		t.Error("other languages are not English")
	}
}

func TestNoticeOfSomebodyDeletedGoesNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	p := w.person("UTC", tom)
	w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall_stuck"})
	if err := w.st.DeletePerson(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	for _, j := range w.queue {
		if err := j.do(t.Context()); err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	}
	if len(w.sent) > 0 {
		t.Errorf("told %v", w.told())
	}
}
