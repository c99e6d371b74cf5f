package telephony

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

// A cap on costs holds chats back and no call for somebody's safety; the operator hears of it once.
func TestCostCaps(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) {
		c.DailyCap, c.TimeLimit, c.Costs = 100, 30*time.Minute, Costs{PerMinute: 0.5, Person: 5, Everybody: 12}
	})
	ask := func(p people.Person, safety bool) string {
		t.Helper()
		c, err := h.Place(t.Context(), PlaceRequest{PersonID: p.ID, Type: calls.CallGeneral, By: "test", Safety: safety})
		if no, ok := errors.AsType[*Refusal](err); ok {
			return no.Rule
		}
		if err != nil {
			t.Fatal(err)
		}
		h.status(c, "in-progress")
		h.status(c, "completed")
		if _, err := h.st.Pool().Exec(t.Context(), "update calls set answered_at = ended_at - interval '9 minutes 10 seconds' where id = $1", c.ID.UUID); err != nil {
			t.Fatal(err)
		}
		return ""
	}
	ada, bob, eve := h.person("Ada", "+15550100123"), h.person("Bob", "+15550100124"), h.person("Eve", "+15550100125")
	for i, step := range []struct {
		p      people.Person
		safety bool
		want   string
	}{
		{ada, false, ""}, {ada, false, RuleCostCap}, {ada, false, RuleCostCap}, {ada, true, ""}, {bob, false, ""}, {eve, false, RuleCostCap}, {eve, true, ""},
	} {
		if got := ask(step.p, step.safety); got != step.want {
			t.Errorf("call %d: refused by %q, want %q", i, got, step.want)
		}
	}
	list, err := h.st.Alerts(t.Context(), alerts.Filter{Limit: 10})
	if err != nil || len(list) != 2 || list[0].Kind != "operator_cost_cap" || list[1].Kind != list[0].Kind || list[0].PersonID.Known() {
		t.Errorf("alerts %+v, %v", list, err)
	}
}

// Of many that ask at once, no more are let through than the cap allows: each live call may become
// as long as calls may.
func TestCostCapIsKeptByMany(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) {
		c.TimeLimit, c.Costs = 10*time.Minute, Costs{PerMinute: 1, Everybody: 30}
	})
	var asks sync.WaitGroup
	var mu sync.Mutex
	placed := 0
	for i := range 8 {
		p := h.person("Ada", "+1555010013"+string(rune('0'+i)))
		asks.Go(func() {
			if _, err := h.Place(t.Context(), PlaceRequest{PersonID: p.ID, Type: calls.CallGeneral, By: "test"}); err == nil {
				mu.Lock()
				placed++
				mu.Unlock()
			}
		})
	}
	asks.Wait()
	if placed != 3 {
		t.Errorf("%d calls of at most 10 minutes were placed, of 30 minutes", placed)
	}
}

// Tries of essential calls neither count towards the daily cap nor are held back by it.
func TestSecondNumberAndSafety(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.DailyCap = 1 })
	ada := h.person("Ada", "+15550100123")
	ada.SecondPhone = "+15550100199"
	if _, err := h.st.UpdatePerson(t.Context(), ada, nil); err != nil {
		t.Fatal(err)
	}
	for i, r := range []struct {
		second, safety bool
		phone          string
	}{{false, true, "+15550100123"}, {false, false, "+15550100123"}, {true, true, "+15550100199"}, {false, false, ""}, {true, true, "+15550100199"}} {
		c, err := h.Place(t.Context(), PlaceRequest{PersonID: ada.ID, Type: calls.CallGeneral, By: "test", Second: r.second, Safety: r.safety})
		no, refused := errors.AsType[*Refusal](err)
		if refused != (r.phone == "") || refused && no.Rule != RuleDailyCap || !refused && c.Phone != r.phone {
			t.Fatalf("call %d: %s, %v", i, c.Phone, err)
		}
		if refused {
			continue
		}
		h.status(c, "no-answer")
		if i == 0 { // the only one that is no chat: as a schedule keys it
			if _, err := h.st.Pool().Exec(t.Context(), `with s as (insert into schedules (id, person_id, call_type, rrule, window_from, window_to, jitter_minutes, essential, grace_minutes, starts_on, since)
				values (gen_random_uuid(), $1, 'general', 'FREQ=DAILY', '09:00', '10:00', 0, true, 0, current_date, now()) returning id),
				o as (insert into occurrences (id, schedule_id, person_id, call_type, essential, local_date, window_start, due, window_end, deadline, next_at)
				select gen_random_uuid(), id, $1, 'general', true, current_date, now(), now(), now(), now(), now() from s returning id)
				update calls set idempotency_key = 'occurrence:' || o.id || ':1' from o where calls.id = $2`, ada.ID.UUID, c.ID.UUID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if list, err := h.st.PeopleByPhone(t.Context(), "+15550100199"); err != nil || len(list) != 1 {
		t.Errorf("by the second number: %+v, %v", list, err)
	}
}
