package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func raise(t *testing.T, s *store.Store, n alerts.New) alerts.Alert {
	t.Helper()
	if n.At.IsZero() {
		n.At = aDay
	}
	a, raised, err := s.RaiseAlert(t.Context(), n)
	if err != nil || !raised {
		t.Fatalf("raise %+v: %t, %v", n, raised, err)
	}
	return a
}

// told takes the alert's next step, which has one notice.
func told(t *testing.T, s *store.Store, a alerts.Alert, n alerts.Notice) uuid.UUID {
	t.Helper()
	n.ID, n.Status, n.DueAt = uuid.New(), alerts.Queued, aDay
	if n.Channel == "" {
		n.Name, n.Channel, n.Address, n.Language = "Tom", alerts.SMS, "+15550100124", "en"
	}
	err := s.TakeStep(t.Context(), alerts.Due{ID: a.ID, Run: a.Run, Step: a.Step}, aDay, func(alerts.Alert) (alerts.Taken, error) {
		return alerts.Taken{Notices: []alerts.Notice{n}, NextAt: aDay.Add(time.Minute)}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n.ID
}

func claim(t *testing.T, s *store.Store, id uuid.UUID, token string, at time.Time) error {
	t.Helper()
	_, _, err := s.ClaimNotice(t.Context(), id, alerts.Claim{At: at, Lapsed: at.Add(-time.Minute), Token: token, Expires: at.Add(time.Hour)})
	return err
}

func events(a alerts.Alert) string {
	var kinds []string
	for _, e := range a.Events {
		kinds = append(kinds, e.Kind)
	}
	return strings.Join(kinds, " ")
}

func TestAlertIsRaisedOnceForAKeyAndMoreUrgentlyAgain(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	c := newCall(t, s, p)
	var heard []alerts.Tier
	s.OnAlert(func(_ context.Context, _ store.Tx, a alerts.Alert) error { heard = append(heard, a.Tier); return nil })
	n := alerts.New{PersonID: p.ID, CallID: c.ID, Turn: 3, Tier: alerts.SameDay, Kind: "fall", Quote: "I fell.", Why: "lexicon", Key: "k", At: aDay}
	first := raise(t, s, n)
	if first.Status != alerts.Open || first.CallID != c.ID || first.Turn != 3 || first.Quote != "I fell." || !first.CreatedAt.Equal(aDay) {
		t.Errorf("raised %+v", first)
	}
	n.At = aDay.Add(time.Minute)
	for _, tier := range []alerts.Tier{alerts.SameDay, alerts.Digest} {
		n.Tier = tier
		if a, raised, err := s.RaiseAlert(t.Context(), n); err != nil || raised || a.ID != first.ID || a.Tier != alerts.SameDay || a.Run != 1 {
			t.Errorf("tier %d again: %+v, %t, %v; want the alert that there is", tier, a, raised, err)
		}
	}
	notice := told(t, s, first, alerts.Notice{})
	if _, err := s.CloseAlert(t.Context(), first.ID, alerts.Answer{By: "Tom", How: "api"}, "she is fine"); err != nil {
		t.Fatal(err)
	}
	n.Tier, n.Kind = alerts.Now, "chest_pain"
	a, raised, err := s.RaiseAlert(t.Context(), n)
	if err != nil || !raised || a.ID != first.ID || a.Tier != alerts.Now || a.Status != alerts.Open || a.Run != 2 || a.Step != 0 || a.AcknowledgedBy != "" {
		t.Errorf("more urgent: %+v, %t, %v; want the same alert, open again", a, raised, err)
	}
	if want := []alerts.Tier{alerts.SameDay, alerts.Now}; !slices.Equal(heard, want) {
		t.Errorf("OnAlert heard %v; want %v", heard, want)
	}
	if err := claim(t, s, notice, "old", aDay); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a notice of the ladder before: %v; want ErrNotFound", err)
	}
	if a, err = s.Alert(t.Context(), first.ID); err != nil || events(a) != "raised acknowledged closed tier_raised" || len(a.Notices) != 1 || a.Notices[0].Status != alerts.Failed {
		t.Errorf("%s, %+v, %v", events(a), a.Notices, err)
	}
	other := raise(t, s, alerts.New{Tier: alerts.Urgent, Kind: "operator_queue"})
	another := raise(t, s, alerts.New{Tier: alerts.Urgent, Kind: "operator_queue"})
	if other.PersonID.Known() || other.ID == another.ID {
		t.Errorf("without a key and a person: %+v, %+v", other, another)
	}
}

func TestAlertIsNotRaisedWithoutWhatFollowsIt(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	s.OnAlert(func(context.Context, store.Tx, alerts.Alert) error { return errors.New("queue is broken") })
	if _, raised, err := s.RaiseAlert(t.Context(), alerts.New{Tier: alerts.Now, Kind: "fire"}); err == nil || raised {
		t.Fatalf("raised %t, %v", raised, err)
	}
	if list, err := s.Alerts(t.Context(), alerts.Filter{Limit: 9}); err != nil || len(list) != 0 {
		t.Errorf("left %+v, %v", list, err)
	}
	for _, n := range []alerts.New{{Tier: 5, Kind: "fire"}, {Tier: alerts.Now}} {
		if _, _, err := storetest.New(t).RaiseAlert(t.Context(), n); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%+v: %v; want ErrConflict", n, err)
		}
	}
}

func TestAlertIsRaisedOnceByMany(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	var all sync.WaitGroup
	raised, ids := make([]bool, 8), make([]uuid.UUID, 8)
	for i := range raised {
		all.Go(func() {
			a, is, err := s.RaiseAlert(t.Context(), alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire", Key: "one"})
			if err != nil {
				t.Error(err)
			}
			raised[i], ids[i] = is, a.ID
		})
	}
	all.Wait()
	n := 0
	for _, is := range raised {
		if is {
			n++
		}
	}
	if ids = slices.Compact(ids); n != 1 || len(ids) != 1 {
		t.Errorf("raised %d times as %v", n, ids)
	}
}

func TestAlertIsAcknowledgedByOneAndClosedWithAnOutcome(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	tom, eve := alerts.Answer{By: "Tom", How: "api", Note: "driving there"}, alerts.Answer{By: "Eve", How: "cli"}
	a := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall_injury"})
	notice := told(t, s, a, alerts.Notice{})
	for _, c := range []struct {
		name    string
		do      func() (alerts.Alert, error)
		want    error
		status  alerts.Status
		by, end string
	}{
		{"nobody", func() (alerts.Alert, error) { return s.AcknowledgeAlert(t.Context(), a.ID, alerts.Answer{By: " "}) }, alerts.ErrUnsaid, alerts.Open, "", ""},
		{"acknowledge", func() (alerts.Alert, error) { return s.AcknowledgeAlert(t.Context(), a.ID, tom) }, nil, alerts.Acknowledged, "Tom", ""},
		{"again", func() (alerts.Alert, error) { return s.AcknowledgeAlert(t.Context(), a.ID, tom) }, nil, alerts.Acknowledged, "Tom", ""},
		{"somebody else", func() (alerts.Alert, error) { return s.AcknowledgeAlert(t.Context(), a.ID, eve) }, alerts.ErrTaken, alerts.Acknowledged, "Tom", ""},
		{"no outcome", func() (alerts.Alert, error) { return s.CloseAlert(t.Context(), a.ID, eve, " ") }, alerts.ErrUnsaid, alerts.Acknowledged, "Tom", ""},
		{"close", func() (alerts.Alert, error) { return s.CloseAlert(t.Context(), a.ID, eve, "she is fine") }, nil, alerts.Closed, "Tom", "she is fine"},
		{"close again", func() (alerts.Alert, error) { return s.CloseAlert(t.Context(), a.ID, eve, "she is fine") }, nil, alerts.Closed, "Tom", "she is fine"},
		{"close otherwise", func() (alerts.Alert, error) { return s.CloseAlert(t.Context(), a.ID, tom, "hospital") }, alerts.ErrClosed, alerts.Closed, "Tom", "she is fine"},
	} {
		if _, err := c.do(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v", c.name, err, c.want)
		}
		got, err := s.Alert(t.Context(), a.ID)
		if err != nil || got.Status != c.status || got.AcknowledgedBy != c.by || got.Outcome != c.end {
			t.Errorf("after %q: %+v, %v", c.name, got, err)
		}
	}
	if err := claim(t, s, notice, "late", aDay); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a notice after it: %v; want ErrNotFound", err)
	}
	err := s.TakeStep(t.Context(), alerts.Due{ID: a.ID, Run: 1, Step: 1}, aDay, func(alerts.Alert) (alerts.Taken, error) {
		t.Error("the ladder goes on")
		return alerts.Taken{}, nil
	})
	if !errors.Is(err, alerts.ErrPassed) {
		t.Errorf("the next step: %v; want ErrPassed", err)
	}
	got, err := s.Alert(t.Context(), a.ID)
	if err != nil || events(got) != "raised acknowledged closed" || got.Events[1].Detail != "driving there" || got.DueAt != nil {
		t.Errorf("%s, %+v, %v", events(got), got, err)
	}
	audit := storetest.Column(t, s, "select actor || ' ' || action || ' ' || (data ->> 'how') || (subject = '"+a.ID.String()+"')::text from audit order by id")
	if want := []string{"Tom alert.acknowledge apitrue", "Eve alert.close clitrue"}; !slices.Equal(audit, want) {
		t.Errorf("audit %q; want %q", audit, want)
	}
	fresh := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall_injury"})
	if got, err := s.CloseAlert(t.Context(), fresh.ID, eve, "a mistake"); err != nil || got.AcknowledgedBy != "Eve" || got.ClosedBy != "Eve" {
		t.Errorf("closed at once: %+v, %v; want it acknowledged, too", got, err)
	}
	if _, err := s.AcknowledgeAlert(t.Context(), uuid.New(), tom); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no such alert: %v", err)
	}
}

func TestAlertsAreListed(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	fall := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.SameDay, Kind: "fall"})
	fire := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire"})
	house := raise(t, s, alerts.New{Tier: alerts.Urgent, Kind: "operator_queue"})
	told(t, s, fire, alerts.Notice{})
	if _, err := s.AcknowledgeAlert(t.Context(), fall.ID, alerts.Answer{By: "Tom"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    alerts.Filter
		want []uuid.UUID
	}{
		{alerts.Filter{Limit: 9}, []uuid.UUID{house.ID, fire.ID, fall.ID}},
		{alerts.Filter{Limit: 1}, []uuid.UUID{house.ID}},
		{alerts.Filter{Limit: 9, Before: house.ID}, []uuid.UUID{fire.ID, fall.ID}},
		{alerts.Filter{Limit: 9, PersonID: p.ID}, []uuid.UUID{fire.ID, fall.ID}},
		{alerts.Filter{Limit: 9, Status: alerts.Acknowledged}, []uuid.UUID{fall.ID}},
		{alerts.Filter{Limit: 9, Tier: alerts.Now}, []uuid.UUID{fire.ID}},
	} {
		list, err := s.Alerts(t.Context(), c.f)
		var got []uuid.UUID
		for _, a := range list {
			got = append(got, a.ID)
			if (a.ID == fire.ID) != (len(a.Notices) == 1) {
				t.Errorf("%+v: notices %+v of %s", c.f, a.Notices, a.Kind)
			}
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, %v; want %v", c.f, got, err, c.want)
		}
	}
}

func TestNoticeIsClaimedByOneAndOnceMoreAfterACrash(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	a := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire"})
	id := told(t, s, a, alerts.Notice{})
	var all sync.WaitGroup
	won := make([]error, 6)
	for i := range won {
		all.Go(func() { won[i] = claim(t, s, id, fmt.Sprint("token", i), aDay) })
	}
	all.Wait()
	n := 0
	for _, err := range won {
		if err == nil {
			n++
		} else if !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Fatalf("%d have claimed it; want 1", n)
	}
	due := func(at time.Time) int {
		ids, err := s.DueNotices(t.Context(), at, at.Add(-time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return len(ids)
	}
	if n := due(aDay.Add(30 * time.Second)); n != 0 {
		t.Errorf("%d are due while one is being sent", n)
	}
	if n := due(aDay.Add(time.Hour)); n != 1 {
		t.Errorf("%d are due after the sender died; want 1", n)
	}
	if err := claim(t, s, id, "second", aDay.Add(time.Hour)); err != nil {
		t.Fatalf("after the sender died: %v", err)
	}
	for _, at := range []time.Time{aDay.Add(time.Hour), aDay.Add(5 * time.Hour)} {
		if err := claim(t, s, id, "third", at); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a third claim: %v; want ErrNotFound", err)
		}
	}
	if n := due(aDay.Add(5 * time.Hour)); n != 0 {
		t.Errorf("%d are due after two senders died", n)
	}
	lost, err := s.LoseNotices(t.Context(), aDay.Add(4*time.Hour))
	if err != nil || len(lost) != 1 || lost[0] != (alerts.Step{AlertID: a.ID, Run: 1, Step: 0}) {
		t.Errorf("lost %+v, %v", lost, err)
	}
	if all, err := s.StepFailed(t.Context(), lost[0]); err != nil || !all {
		t.Errorf("all of the step failed: %t, %v", all, err)
	}
}

func TestNoticeTellsWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	a := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire"})
	id := told(t, s, a, alerts.Notice{})
	if err := claim(t, s, id, "one", aDay); err != nil {
		t.Fatal(err)
	}
	if err := s.ReleaseNotice(t.Context(), id, "busy"); err != nil {
		t.Fatal(err)
	}
	if err := claim(t, s, id, "two", aDay); err != nil {
		t.Fatalf("after a release: %v", err)
	}
	if err := s.NoticeSent(t.Context(), id, "SM1", aDay); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, status, want string }{
		{"SM1", alerts.Delivered, alerts.Delivered}, {"SM1", alerts.Sent, ""}, {"SM2", alerts.Delivered, ""}, {"SM1", alerts.Failed, alerts.Failed},
	} {
		n, err := s.NoticeTold(t.Context(), c.id, c.status, "", aDay)
		if n.Status != c.want || (err == nil) != (c.want != "") {
			t.Errorf("told %+v: %q, %v", c, n.Status, err)
		}
	}
	got, err := s.Alert(t.Context(), a.ID)
	if err != nil || got.Status != alerts.Notified || got.Notices[0].Attempts != 2 || got.Notices[0].SentAt == nil || got.Notices[0].DeliveredAt == nil {
		t.Errorf("%+v, %v", got, err)
	}
	if _, all, err := s.NoticeFailed(t.Context(), id, "x"); err != nil || all {
		t.Errorf("failing what has failed: %t, %v", all, err)
	}
}

func TestAlertLinkAcknowledgesOnce(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	link := func(token string) alerts.Alert {
		a := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire"})
		if err := claim(t, s, told(t, s, a, alerts.Notice{}), token, aDay); err != nil {
			t.Fatal(err)
		}
		return a
	}
	at := func(d time.Duration) alerts.Answer { return alerts.Answer{By: "Tom", How: "link", At: aDay.Add(d)} }
	a := link("one")
	for range 2 {
		if err := s.OpenAlertLink(t.Context(), "one", aDay); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := s.AlertLink(t.Context(), "one"); err != nil || l.Name != "Tom" || l.UsedAt != nil || l.Alert.Status != alerts.Open || events(l.Alert) != "raised opened" {
		t.Errorf("opened: %+v, %v; want it to acknowledge nothing", l, err)
	}
	if _, err := s.CloseByLink(t.Context(), "one", at(0), "fine"); !errors.Is(err, alerts.ErrLink) {
		t.Errorf("closed before it was acknowledged: %v", err)
	}
	if got, err := s.AcknowledgeByLink(t.Context(), "one", at(0)); err != nil || got.ID != a.ID || got.AcknowledgedBy != "Tom" {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := s.AcknowledgeByLink(t.Context(), "one", at(0)); !errors.Is(err, alerts.ErrTaken) {
		t.Errorf("again: %v; want ErrTaken", err)
	}
	if _, err := s.CloseByLink(t.Context(), "one", at(2*time.Hour), "fine"); !errors.Is(err, alerts.ErrLink) {
		t.Errorf("closed when it has expired: %v", err)
	}
	if got, err := s.CloseByLink(t.Context(), "one", at(time.Minute), "fine"); err != nil || got.Outcome != "fine" || got.Status != alerts.Closed {
		t.Errorf("closed: %+v, %v", got, err)
	}
	if got, err := s.Alert(t.Context(), a.ID); err != nil || got.Notices[0].Status != alerts.Answered {
		t.Errorf("the notice: %+v, %v", got.Notices, err)
	}
	link("two")
	if _, err := s.AcknowledgeByLink(t.Context(), "two", at(time.Hour)); !errors.Is(err, alerts.ErrLink) {
		t.Errorf("expired: %v; want ErrLink", err)
	}
	if _, err := s.AlertLink(t.Context(), "three"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no such link: %v", err)
	}
	// An alert that became more urgent is acknowledged by a new link only.
	link("four")
	if l, err := s.AlertLink(t.Context(), "four"); err != nil || l.ExpiresAt.IsZero() {
		t.Errorf("%+v, %v", l, err)
	}
}

// Who saw to an alert before it became more urgent cannot close it for who sees to it now,
// but may take it again.
func TestLinksOfAnAlertThatBecameMoreUrgentAcknowledgeIt(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	n := alerts.New{PersonID: ada(t, s).ID, Tier: alerts.SameDay, Kind: "fall", Key: "k"}
	a := raise(t, s, n)
	if err := claim(t, s, told(t, s, a, alerts.Notice{}), "tom", aDay); err != nil {
		t.Fatal(err)
	}
	tom, ruth := alerts.Answer{By: "Tom", How: "link", At: aDay}, alerts.Answer{By: "Ruth", How: "api", At: aDay}
	if _, err := s.AcknowledgeByLink(t.Context(), "tom", tom); err != nil {
		t.Fatal(err)
	}
	n.Tier = alerts.Urgent
	raise(t, s, n)
	if _, err := s.AcknowledgeAlert(t.Context(), a.ID, ruth); err != nil {
		t.Fatal(err)
	}
	if got, err := s.CloseByLink(t.Context(), "tom", ruth, "fine"); !errors.Is(err, alerts.ErrLink) {
		t.Errorf("closed by who sees to it no more: %s, %v", got.Status, err)
	}
	n.Tier = alerts.Now
	raise(t, s, n)
	if _, err := s.AcknowledgeByLink(t.Context(), "tom", tom); err != nil {
		t.Errorf("taken again: %v", err)
	}
}

func TestLastOfManyToDeclineIsNoticed(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	for range 20 {
		a := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire"})
		var notices []alerts.Notice
		for _, name := range []string{"Tom", "Eve", "Flo"} {
			notices = append(notices, alerts.Notice{ID: uuid.New(), Name: name, Channel: alerts.Call, Address: name, Language: "en", Status: alerts.Queued, DueAt: aDay})
		}
		if err := s.TakeStep(t.Context(), alerts.Due{ID: a.ID, Run: a.Run}, aDay, func(alerts.Alert) (alerts.Taken, error) {
			return alerts.Taken{Notices: notices}, nil
		}); err != nil {
			t.Fatal(err)
		}
		var each sync.WaitGroup
		var last atomic.Int32
		for _, n := range notices {
			each.Go(func() {
				_, all, err := s.DeclineNotice(t.Context(), n.ID, alerts.Answer{By: n.Name, At: aDay}, []string{alerts.Call}, alerts.CannotHelp)
				if err != nil {
					t.Error(err)
				}
				if all {
					last.Add(1)
				}
			})
		}
		each.Wait()
		if last.Load() == 0 {
			t.Fatal("all have declined, and none of them learns that nobody is left")
		}
	}
}

// A notice whose sender died before the alert became more urgent waits for nobody.
func TestNoticeOfTheLadderBeforeIsGivenUp(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	n := alerts.New{PersonID: ada(t, s).ID, Tier: alerts.SameDay, Kind: "fall", Key: "k"}
	a := raise(t, s, n)
	if err := claim(t, s, told(t, s, a, alerts.Notice{}), "one", aDay); err != nil {
		t.Fatal(err)
	}
	n.Tier = alerts.Now
	raise(t, s, n)
	late := aDay.Add(time.Hour)
	if ids, err := s.DueNotices(t.Context(), late, late); err != nil || len(ids) != 0 {
		t.Errorf("due: %v, %v; want none, for nobody may claim it", ids, err)
	}
	if lost, err := s.LoseNotices(t.Context(), late); err != nil || len(lost) != 1 {
		t.Errorf("given up: %v, %v; want it", lost, err)
	}
}

func TestLastKnownOK(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	cause := "goodbye"
	end := func(outcome calls.Outcome, by string) calls.Call {
		t.Helper()
		c := newCall(t, s, p)
		if err := s.SetAnsweredBy(t.Context(), c.ID, by); err != nil {
			t.Fatal(err)
		}
		done, _, err := s.FinishCall(t.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: outcome, Cause: cause, By: "person"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	check := func(what string, want store.CallID) {
		t.Helper()
		ok, found, err := s.LastKnownOK(t.Context(), p.ID)
		if err != nil || found == (want == store.CallID{}) || ok.CallID != want || found && ok.At.IsZero() {
			t.Errorf("%s: %+v, %t, %v; want call %s", what, ok, found, err, want)
		}
	}
	check("no call", store.CallID{})
	end(calls.OutcomeVoicemail, "machine_end_beep")
	end(calls.OutcomeReached, "machine_start")
	end(calls.OutcomeNoAnswer, "")
	check("a machine", store.CallID{})
	well := end(calls.OutcomeReached, "human")
	cause = "silence"
	end(calls.OutcomeReached, "human")
	cause = "goodbye"
	check("spoken with", well.ID)
	ill := end(calls.OutcomeReached, "human")
	a := raise(t, s, alerts.New{PersonID: p.ID, CallID: ill.ID, Tier: alerts.SameDay, Kind: "fall"})
	check("an alert is open", well.ID)
	if _, err := s.CloseAlert(t.Context(), a.ID, alerts.Answer{By: "Tom"}, "she is fine"); err != nil {
		t.Fatal(err)
	}
	check("it is closed", ill.ID)
	if err := s.MarkDanger(t.Context(), ill.ID, "fall", aDay); err != nil {
		t.Fatal(err)
	}
	check("a danger is open", well.ID)
}

func TestContactsSayHowTheyAreTold(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	from, to := "07:30", "22:00"
	want := people.Contact{
		Name: "Eve", Relation: "niece", Phone: "+15550100125", Webhook: "https://example.org/h", Priority: 1, Channels: []string{alerts.SMS, alerts.Webhook},
		HoursFrom: &from, HoursTo: &to, Language: "es", MustNotBeTold: []string{"abuse"},
	}
	safe := people.Contact{Name: "Tom", Priority: 2, MustNotBeTold: []string{}}
	if _, err := s.UpdatePerson(t.Context(), p, []people.Contact{want, safe, {Name: "Zoe", Priority: 3}}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Contacts(t.Context(), p.ID)
	if err != nil || len(got) != 3 || *got[0].HoursTo != to || !slices.Equal(got[0].Channels, want.Channels) || !slices.Equal(got[0].MustNotBeTold, want.MustNotBeTold) ||
		got[0].Webhook != want.Webhook || got[0].Language != "es" {
		t.Errorf("%+v, %v", got, err)
	}
	if got[1].MustNotBeTold == nil || got[2].MustNotBeTold != nil {
		t.Errorf("an empty list %v and none %v look alike", got[1].MustNotBeTold, got[2].MustNotBeTold)
	}
	for name, c := range map[string]people.Contact{
		"an unknown channel": {Name: "X", Channels: []string{"pigeon"}}, "half of the hours": {Name: "X", HoursFrom: &from},
	} {
		if _, err := s.UpdatePerson(t.Context(), p, []people.Contact{c}); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v; want ErrConflict", name, err)
		}
	}
}

func TestAlertsGoWithThePerson(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	a := raise(t, s, alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire", Quote: "It burns."})
	if err := claim(t, s, told(t, s, a, alerts.Notice{}), "one", aDay); err != nil {
		t.Fatal(err)
	}
	if err := s.DeletePerson(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Alert(t.Context(), a.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("alert: %v", err)
	}
	if _, err := s.AlertLink(t.Context(), "one"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("link: %v", err)
	}
}

func TestMaskedAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ channel, address, want string }{
		{alerts.SMS, "+15550100124", "+15…124"},
		{alerts.Call, "+491", "…"},
		{alerts.Email, "tom@example.org", "t…@example.org"},
		{alerts.Email, "no address", "…"},
		{alerts.Webhook, "https://u:secret@example.org/hook?token=1", "https://example.org/…"},
		{alerts.Webhook, "", "…"},
	} {
		if got := alerts.Masked(c.channel, c.address); got != c.want {
			t.Errorf("%s %s: %s; want %s", c.channel, c.address, got, c.want)
		}
	}
}

// What was said in a call of which no word is kept is there for whoever sees to it, and no
// longer.
func TestQuoteOfAnUnrecordedCallGoesWhenTheAlertIsClosed(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	for _, unrecorded := range []bool{false, true} {
		c := checked(t, s, p, "")
		if _, err := s.Pool().Exec(t.Context(), "update calls set unrecorded = $1 where id = $2", unrecorded, c.UUID); err != nil {
			t.Fatal(err)
		}
		a := raise(t, s, alerts.New{PersonID: p.ID, CallID: c, Tier: alerts.Urgent, Kind: "fall_injury", Quote: "my hip", Why: `heard "my hip"`})
		if a, err := s.AcknowledgeAlert(t.Context(), a.ID, alerts.Answer{By: "Tom"}); err != nil || a.Quote != "my hip" {
			t.Errorf("acknowledged: %+v, %v", a, err)
		}
		if _, err := s.CloseAlert(t.Context(), a.ID, alerts.Answer{By: "Tom"}, "She is fine."); err != nil {
			t.Fatal(err)
		}
		got, err := s.Alert(t.Context(), a.ID)
		if said := got.Quote + got.Why + got.Events[0].Detail; err != nil || strings.Contains(said, "my hip") == unrecorded || events(got) != "raised acknowledged closed" {
			t.Errorf("unrecorded %t: closed with the words %q, %s, %v", unrecorded, said, events(got), err)
		}
	}
}
