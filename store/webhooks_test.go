package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
	"github.com/naiber/naiber/store/storetest"
	"github.com/naiber/naiber/store/webhooks"
)

// hookTold is what a webhook was told, the oldest first, and forgets it.
func hookTold(t *testing.T, s *store.Store, hook uuid.UUID) (types []string, data []map[string]any) {
	t.Helper()
	list, err := s.Deliveries(t.Context(), hook, webhooks.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(list)
	for _, d := range list {
		var m map[string]any
		if err := json.Unmarshal(d.Event.Data, &m); err != nil {
			t.Fatal(err)
		}
		types, data = append(types, d.Event.Type), append(data, m)
	}
	storetest.Column(t, s, "delete from webhook_events returning ''")
	return types, data
}

func TestEventsAreWrittenWithWhatHappened(t *testing.T) {
	t.Parallel()
	s, ctx := storetest.New(t), t.Context()
	p, err := s.CreatePerson(ctx, people.Person{Name: "Ada King", Phone: "+15550100123", Timezone: "UTC"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ok := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	// Before there is a webhook, nothing is written.
	_, _, err = s.RaiseAlert(ctx, alerts.New{Kind: "fall", Tier: alerts.SameDay})
	ok(nil, err)
	all, err := s.AddWebhook(ctx, "https://example.org/all", webhooks.Events)
	ok(nil, err)
	some, err := s.AddWebhook(ctx, "https://example.org/some", []string{"alert.closed", "person.opted_out"})
	ok(nil, err)
	if n := storetest.Column(t, s, "select id::text from webhook_events"); len(n) != 0 {
		t.Errorf("%d events without a webhook", len(n))
	}
	want := func(data map[string]any, types ...string) {
		t.Helper()
		got, all := hookTold(t, s, all.ID)
		if !slices.Equal(got, types) {
			t.Fatalf("told %q; want %q", got, types)
		}
		last := all[len(all)-1]
		for k, v := range data {
			if last[k] != v {
				t.Errorf("%s: %s is %v; want %v", types[0], k, last[k], v)
			}
		}
		if user, named := last["userId"]; named && user != p.ID.String() {
			t.Errorf("%s is of %v", types[0], user)
		}
	}

	a, _, err := s.RaiseAlert(ctx, alerts.New{PersonID: p.ID, Kind: "fall", Tier: alerts.SameDay, Key: "k", Quote: "I fell.", Why: "said so"})
	ok(nil, err)
	want(map[string]any{"alertId": a.ID.String(), "kind": "fall", "tier": 2.0, "status": "open", "quote": nil, "why": nil}, "alert.raised")
	_, _, err = s.RaiseAlert(ctx, alerts.New{PersonID: p.ID, Kind: "fall", Tier: alerts.SameDay, Key: "k"})
	ok(nil, err)
	_, _, err = s.RaiseAlert(ctx, alerts.New{PersonID: p.ID, Kind: "fall_stuck", Tier: alerts.Urgent, Key: "k"})
	ok(nil, err)
	want(map[string]any{"tier": 3.0}, "alert.raised") // the same again is none
	n := alerts.Notice{ID: uuid.New(), Name: "Tom", Channel: alerts.SMS, Address: "+15550100124", Status: alerts.Queued, DueAt: time.Now()}
	ok(nil, s.TakeStep(ctx, alerts.Due{ID: a.ID, Run: 2}, time.Now(), func(alerts.Alert) (alerts.Taken, error) { return alerts.Taken{Notices: []alerts.Notice{n}}, nil }))
	ok(nil, s.NoticeSent(ctx, n.ID, "SM1", time.Now()))
	ok(s.NoticeTold(ctx, "SM1", alerts.Delivered, "", time.Now()))
	want(map[string]any{"noticeId": n.ID.String(), "channel": "sms", "status": "delivered", "address": nil}, "alert.notice", "alert.notice")
	ok(s.AcknowledgeAlert(ctx, a.ID, alerts.Answer{By: "Tom", How: "api"}))
	want(map[string]any{"status": "acknowledged"}, "alert.acknowledged")
	ok(s.CloseAlert(ctx, a.ID, alerts.Answer{By: "Tom", How: "api"}, "She is fine."))
	if types, _ := hookTold(t, s, some.ID); !slices.Equal(types, []string{"alert.closed"}) {
		t.Errorf("the other webhook is told %q", types)
	}
	ok(nil, s.InTx(ctx, func(tx store.Tx) error {
		return s.RestoreAlert(ctx, tx, alerts.Alert{ID: uuid.New(), PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall", Status: alerts.Open, CreatedAt: time.Now()})
	}))

	c, err := s.CreateCall(ctx, calls.NewCall{PersonID: p.ID, Type: calls.CallGeneral, Direction: calls.Outbound, Phone: p.Phone})
	ok(nil, err)
	for _, status := range []calls.CallStatus{calls.StatusRinging, calls.StatusInProgress, calls.StatusInProgress, calls.StatusRinging} {
		_, _, err := s.FoldStatus(ctx, c.ID, status, time.Now())
		ok(nil, err)
	}
	want(map[string]any{"callId": c.ID.String(), "callType": "general", "direction": "outbound"}, "call.started")
	_, _, err = s.FinishCall(ctx, c.ID, calls.Ending{Verified: calls.Presumed, Outcome: "reached", Cause: "goodbye", By: "person"}, nil)
	ok(nil, err)
	want(map[string]any{"outcome": "reached", "cause": "goodbye"}, "call.ended")
	_, err = s.AddEvent(ctx, c.ID, "post_call_done", []byte(`{}`), "")
	ok(nil, err)
	want(map[string]any{"callId": c.ID.String()}, "call.analysed")

	ok(s.GiveConsent(ctx, p.ID, people.Consent{Scope: people.ScopeMemory, GivenBy: "Ada", How: "paper"}))
	want(map[string]any{"scope": "memory", "given": true, "givenBy": nil}, "consent.changed")
	ok(s.RevokeConsent(ctx, p.ID, people.ScopeMemory, "Ada", "letter"))
	want(map[string]any{"given": false}, "consent.changed")
	ok(nil, s.OptOut(ctx, p.ID, "sms"))
	ok(nil, s.OptOut(ctx, p.ID, "sms"))
	want(nil, "person.opted_out")
	ok(s.OptIn(ctx, p.ID, "api", "Ada"))
	want(nil, "person.opted_in")

	sc, err := s.CreateSchedule(ctx, schedules.Schedule{
		PersonID: p.ID, CallType: calls.CallHealthCheck, RRule: "FREQ=DAILY", Window: schedules.Window{From: "09:00", To: "10:00"}, Essential: true,
		StartsOn: time.Date(2027, 1, 4, 0, 0, 0, 0, time.UTC),
	}, time.Now())
	ok(nil, err)
	storetest.Column(t, s, `insert into occurrences (id, schedule_id, person_id, call_type, essential, local_date, window_start, due, window_end, deadline, next_at)
		values (gen_random_uuid(), '`+sc.ID.String()+`', '`+p.ID.String()+`', 'health_check', true, '2027-01-04', '2027-01-04 09:00Z', '2027-01-04 09:00Z', '2027-01-04 10:00Z', '2027-01-04 11:00Z', '2027-01-04 09:00Z') returning ''`)
	_, err = s.ExpireOccurrences(ctx, time.Date(2027, 1, 4, 12, 0, 0, 0, time.UTC), 10, func(schedules.Expired) schedules.Verdict {
		return schedules.Verdict{Status: schedules.Missed, Why: "late"}
	})
	ok(nil, err)
	want(map[string]any{"scheduleId": sc.ID.String(), "due": "2027-01-04T09:00:00Z", "essential": true}, "schedule.missed")
}

// What is undone was told to nobody, and what was told of somebody goes with them.
func TestEventsGoWithTheirTransactionAndTheirPerson(t *testing.T) {
	t.Parallel()
	s, ctx := storetest.New(t), t.Context()
	hook, err := s.AddWebhook(ctx, "https://example.org", webhooks.Events)
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no")
	s.OnAlert(func(_ context.Context, _ store.Tx, a alerts.Alert) error {
		if a.Kind == "gas" {
			return failed
		}
		return nil
	})
	if _, _, err := s.RaiseAlert(ctx, alerts.New{Kind: "gas", Tier: alerts.Now}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	p, err := s.CreatePerson(ctx, people.Person{Name: "Ada King", Phone: "+15550100123", Timezone: "UTC"}, nil, []people.Consent{{Scope: people.ScopeCalls, GivenBy: "Ada", How: "paper"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.RaiseAlert(ctx, alerts.New{PersonID: p.ID, Kind: "fire", Tier: alerts.Now}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.RaiseAlert(ctx, alerts.New{Kind: "operator_queue", Tier: alerts.Urgent}); err != nil {
		t.Fatal(err)
	}
	if err := s.DeletePerson(ctx, p.ID); err != nil {
		t.Fatal(err)
	}
	if types, data := hookTold(t, s, hook.ID); !slices.Equal(types, []string{"alert.raised"}) || data[0]["kind"] != "operator_queue" {
		t.Errorf("told %q, %v", types, data)
	}
}
