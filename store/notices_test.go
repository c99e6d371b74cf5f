package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestStopsOfTextMessages(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	const contact, stranger = "+15550100171", "+15550100172"
	p, err := s.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+15550100170", Timezone: "UTC", Language: "en"}, []people.Contact{{Name: "Tom", Phone: contact}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for phone, known := range map[string]bool{contact: true, stranger: false} {
		for range 2 {
			if got, err := s.StopTexts(t.Context(), phone, alerts.Answer{At: aDay}); err != nil || got != known {
				t.Errorf("%s: known %t, %v", phone, got, err)
			}
		}
		if got, err := s.TextsStopped(t.Context(), phone); err != nil || got != known {
			t.Errorf("%s: stopped %t, %v", phone, got, err)
		}
	}
	if err := s.DeletePerson(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	if got, err := s.TextsStopped(t.Context(), contact); err != nil || !got {
		t.Errorf("a stop is lost with the person: %v", err)
	}
	for _, want := range []bool{true, false} {
		if was, err := s.StartTexts(t.Context(), contact, alerts.Answer{}); err != nil || was != want {
			t.Errorf("start: %t, %v", was, err)
		}
	}
}

// What one contact declines is theirs alone, and of one step.
func TestDeclinedNotices(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	a := raise(t, s, alerts.New{PersonID: ada(t, s).ID, Tier: alerts.Now, Kind: "fire"})
	var ids []uuid.UUID
	take := func(names ...string) {
		t.Helper()
		var taken alerts.Taken
		for i, name := range names {
			id := uuid.New()
			ids = append(ids, id)
			taken.Notices = append(taken.Notices, alerts.Notice{ID: id, Name: name, Channel: []string{alerts.SMS, alerts.Call}[i%2], Address: "+1555010017" + name, Language: "en", Status: alerts.Queued, DueAt: aDay})
		}
		now, err := s.Alert(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.TakeStep(t.Context(), alerts.Due{ID: a.ID, Run: now.Run, Step: now.Step}, aDay, func(alerts.Alert) (alerts.Taken, error) { return taken, nil }); err != nil {
			t.Fatal(err)
		}
	}
	take("1", "1", "2")
	take("1")
	decline := func(i int, wantAll bool, channels ...string) {
		t.Helper()
		step, all, err := s.DeclineNotice(t.Context(), ids[i], alerts.Answer{By: "somebody", At: aDay}, channels, "cannot")
		if err != nil || all != wantAll || all && (step.AlertID != a.ID || step.Step != 0) {
			t.Errorf("%d: %+v, all %t, %v", i, step, all, err)
		}
	}
	decline(0, false, alerts.SMS)
	decline(0, false, alerts.SMS, alerts.Call)
	decline(0, false, alerts.SMS, alerts.Call) // it was before
	decline(2, true, alerts.SMS)
	now, err := s.Alert(t.Context(), a.ID)
	if err != nil || events(now) != "raised declined declined declined" {
		t.Errorf("%s, %v", events(now), err)
	}
	for _, n := range now.Notices {
		if (n.Status == alerts.Failed) != (n.Step == 0) {
			t.Errorf("%+v", n)
		}
	}
	if _, _, err := s.NoticeTo(t.Context(), "+15550100171", aDay.Add(-time.Hour)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a notice that was never sent has a reply: %v", err)
	}
}

// A reply from a number that was rung as well is one to the text message.
func TestReplyIsToTheTextMessage(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	a := raise(t, s, alerts.New{PersonID: ada(t, s).ID, Tier: alerts.Urgent, Kind: "fall_stuck"})
	const phone = "+15550100172"
	text, call := uuid.New(), uuid.New()
	err := s.TakeStep(t.Context(), alerts.Due{ID: a.ID, Run: 1}, aDay, func(alerts.Alert) (alerts.Taken, error) {
		return alerts.Taken{Notices: []alerts.Notice{
			{ID: text, Name: "Tom", Channel: alerts.SMS, Address: phone, Language: "en", Status: alerts.Queued, DueAt: aDay},
			{ID: call, Name: "Tom", Channel: alerts.Call, Address: phone, Language: "en", Status: alerts.Queued, DueAt: aDay},
		}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []uuid.UUID{text, call} {
		if _, _, err := s.ClaimNotice(t.Context(), id, alerts.Claim{At: aDay, Lapsed: aDay.Add(-time.Minute), Token: id.String(), Expires: aDay.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if err := s.NoticeSent(t.Context(), id, id.String(), aDay.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if n, _, err := s.NoticeTo(t.Context(), phone, aDay.Add(-time.Hour)); err != nil || n.ID != text {
		t.Errorf("a reply is taken for one to the %s, %v", n.Channel, err)
	}
}
