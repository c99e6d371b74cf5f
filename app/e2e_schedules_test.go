package app_test

import (
	"net/http"
	"testing"
	"time"
)

type occurrenceView struct {
	ID, ScheduleID, Status, Why string
	Attempts                    int
	CallIDs                     []string
}

// A scheduled call is placed by itself, and tried again when the line is busy.
func TestScheduledCall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_SCHEDULES_RETRIES": "busy=1s*3"}})
	p := h.addPerson(nil)
	var made struct {
		ID   string
		Next []string
	}
	h.must(http.MethodPost, "/api/v1/people/"+p.ID+"/schedules", object{
		"callType": "general", "rrule": "FREQ=DAILY", "window": object{"from": "09:00", "to": "10:00"}, "essential": true,
	}, &made)
	if len(made.Next) != 3 {
		t.Fatalf("schedule %+v", made)
	}
	// The day that is planned first comes now. A day whose time is over is not planned again, as a new
	// schedule's are for a minute.
	if _, err := h.db.Pool().Exec(t.Context(), `update occurrences set window_start = now() - interval '1 hour', due = now() - interval '1 hour', next_at = now(), window_end = now() + interval '1 hour', deadline = now() + interval '2 hours'
		where id = (select id from occurrences order by due limit 1)`); err != nil {
		t.Fatal(err)
	}
	if err := h.ring().Reject(); err != nil {
		t.Fatal(err)
	}
	ada := h.answer()
	ada.hears(t, "Naiber")
	ada.answers(t, "The roses are out this morning.")
	ada.says(t, "Well, I must go now. Goodbye.")
	ada.listens(t)
	ada.waitsForEnd(t)
	o := await(h, "the occurrence to be done", func() (occurrenceView, bool) {
		var list struct{ Items []occurrenceView }
		h.must(http.MethodGet, "/api/v1/occurrences?limit=1&userId="+p.ID, nil, &list)
		return list.Items[0], list.Items[0].Status == "done"
	})
	if o.Attempts != 2 || len(o.CallIDs) != 2 || o.ScheduleID != made.ID {
		t.Errorf("occurrence %+v", o)
	}
	if c := h.call(o.CallIDs[0]); c.Outcome != "busy" {
		t.Errorf("first call %+v", c)
	}
	if c := h.settled(o.CallIDs[1]); c.Outcome != "reached" {
		t.Errorf("call %+v", c)
	}
}

// A person changes their calls in one of them: it is read back, confirmed, kept, and planned.
func TestScheduleChangedInACall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	p := h.addPerson(nil)
	var made struct{ ID string }
	h.must(http.MethodPost, "/api/v1/people/"+p.ID+"/schedules", object{
		"callType": "general", "rrule": "FREQ=DAILY", "window": object{"from": "10:00", "to": "11:00"},
	}, &made)
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "Naiber")
	ada.says(t, "Please don't ring me on Sundays.")
	ada.hears(t, "So not on Sundays any more, and the other days as before. Is that right?")
	ada.says(t, "Yes, that's right.")
	ada.hears(t, "I've changed it: not on Sundays any more")
	var s struct {
		RRule string
		Next  []time.Time
	}
	h.must(http.MethodGet, "/api/v1/schedules/"+made.ID, nil, &s)
	if s.RRule != "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA" {
		t.Errorf("schedule %+v", s)
	}
	var changes struct {
		Items []struct {
			CallID, Confirmed string
			Before, After     []struct{ RRule string }
		}
	}
	h.must(http.MethodGet, "/api/v1/people/"+p.ID+"/schedules/changes", nil, &changes)
	if len(changes.Items) != 1 || changes.Items[0].CallID != id || changes.Items[0].Before[0].RRule != "FREQ=DAILY" || changes.Items[0].After[0].RRule != s.RRule {
		t.Errorf("changes %+v", changes)
	}
	var planned int
	if err := h.db.Pool().QueryRow(t.Context(), "select count(*) from occurrences where extract(isodow from local_date) = 7 and due > now()").Scan(&planned); err != nil || planned != 0 {
		t.Errorf("%d Sundays are planned, %v", planned, err)
	}
	ada.says(t, "I must go now. Goodbye.")
	ada.waitsForEnd(t)
}
