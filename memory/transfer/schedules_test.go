package transfer_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// Schedules are exported with what became of their days, and pauses; on another machine they
// come in paused, with nothing left to be done, and the rest as it was.
func TestSchedulesAreExportedAndComeInPaused(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	at, who := memtest.November, l.In.Person
	sc, err := l.Store.CreateSchedule(t.Context(), schedules.Schedule{
		PersonID: who, CallType: "health_check", RRule: "FREQ=DAILY", Window: schedules.Window{From: "09:00", To: "10:30"}, JitterMinutes: 15,
		Essential: true, GraceMinutes: 60, StartsOn: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Note: "Karl opens the door.", CreatedBy: "Ruth",
	}, at)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := l.Store.CreateSchedule(t.Context(), schedules.Schedule{
		PersonID: who, CallType: "general", RRule: "FREQ=WEEKLY", Window: schedules.Window{From: "09:00", To: "10:30"}, StartsOn: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
	}, at)
	if err == nil {
		err = l.Store.RemoveSchedule(t.Context(), removed.ID, at)
	}
	if err != nil {
		t.Fatal(err)
	}
	const day = `insert into occurrences (id, schedule_id, person_id, call_type, essential, local_date, window_start, due, window_end, deadline, next_at, status, why, attempts, settled_at)
		values (gen_random_uuid(), $1, $2, 'health_check', true, $3, $4, $4, $4, $4, $4, $5, $6, $7, $8)`
	l.Exec(t, day, sc.ID, who, at, at, "done", "", 1, at)
	l.Exec(t, day, sc.ID, who, at.AddDate(0, 0, 1), at, "missed", "nobody answered", 0, at)
	l.Exec(t, day, sc.ID, who, at.AddDate(0, 0, 2), at.AddDate(5, 0, 0), "due", "", 0, nil)
	l.Exec(t, `insert into occurrence_attempts (occurrence_id, n, call_id, started_at, ended_at, result) select id, 1, $1, $2, $2, 'reached' from occurrences where status = 'done'`, l.Call, at)
	if _, err := l.Store.AddPause(t.Context(), who, people.Pause{StartsAt: at, EndsAt: new(at.AddDate(0, 0, 7)), Reason: "hospital", CreatedBy: "Ruth"}); err != nil {
		t.Fatal(err)
	}
	file := l.MustExport(t, l.In)
	if strings.Count(file, `"type":"schedule"`) != 2 || strings.Count(file, `"type":"pause"`) != 1 || strings.Count(file, `"result":"reached"`) != 1 {
		t.Fatalf("exported %s", file)
	}
	if im := l.MustImport(t, l.In, file); im.BadLines != 0 || cmp.Diff(file, l.MustExport(t, l.In)) != "" {
		t.Errorf("what is here was changed by what came from here: %+v", im)
	}

	l.Exec(t, "delete from schedules")
	l.Exec(t, "delete from pauses") // as on another machine
	for range 2 {
		if im := l.MustImport(t, l.In, file); im.BadLines != 0 {
			t.Errorf("imported %+v", im)
		}
	}
	list, err := l.Store.PersonSchedules(t.Context(), nil, who)
	if err != nil || len(list) != 2 || !list[0].Paused || list[0].RemovedAt != nil || list[1].RemovedAt == nil || len(list[0].Days) != 3 || time.Since(list[0].Since) > time.Hour {
		t.Fatalf("came in as %+v, %v", list, err)
	}
	for i, want := range []schedules.Status{schedules.Done, schedules.Skipped, schedules.Skipped} {
		if o := list[0].Days[i]; o.Status != want || o.SettledAt == nil || (want == schedules.Skipped) != (o.Why == "not at its end where it was exported") {
			t.Errorf("day %d came in as %+v, want %s", i, o, want)
		}
	}
	if untold := l.Column(t, "select id::text from occurrences where status in ('due', 'calling', 'missed')"); len(untold) != 0 {
		t.Errorf("%d days are left to be called or told of", len(untold))
	}
	again := l.MustExport(t, l.In)
	if diff := cmp.Diff(linesOf(t, file, "turn", "pause"), linesOf(t, again, "turn", "pause")); diff != "" {
		t.Error(diff)
	}
	if was, is := linesOf(t, file, "schedule")[0], linesOf(t, again, "schedule")[0]; is["note"] != was["note"] || is["rrule"] != was["rrule"] || is["createdAt"] != was["createdAt"] || cmp.Diff(is["occurrences"].([]any)[0], was["occurrences"].([]any)[0]) != "" { //nolint:forcetypeassert // a panic fails the test as well
		t.Errorf("came in as %v, was %v", is, was)
	}
	if err := l.Store.DeletePerson(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	if left := l.Column(t, "select 'x' from schedules union all select 'x' from occurrences union all select 'x' from occurrence_attempts union all select 'x' from pauses union all select 'x' from alerts"); len(left) != 0 {
		t.Errorf("%d rows are left of a person who was deleted", len(left))
	}
}

// What a person changed about their calls in a call, and where else they answer, are exported
// and come back as they were; what is known here is not overwritten.
func TestChangesAndSecondPhoneAreExportedAndComeBack(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	at, who := memtest.November, l.In.Person
	made, err := l.Store.ChangeCalls(t.Context(), schedules.Change{PersonID: who, CallID: l.Call, Turn: 3, Said: "Not while Karl is here.", Confirmed: "I'll ring at three."}, at, func([]schedules.Schedule) (schedules.Edit, error) {
		return schedules.Edit{
			Schedules: []schedules.Schedule{{PersonID: who, CallType: "general", RRule: "FREQ=DAILY", Window: schedules.Window{From: "15:00", To: "16:00"}, StartsOn: at}},
			Pause:     &people.Pause{StartsAt: at, EndsAt: new(at.AddDate(0, 0, 7)), CreatedBy: "Ruth"},
		}, nil
	})
	if err != nil || len(made.After) != 1 {
		t.Fatalf("changed %+v, %v", made, err)
	}
	l.Exec(t, "update people set second_phone = '+15550100188' where id = $1", who)
	file := l.MustExport(t, l.In)
	if strings.Count(file, `"type":"schedule_change"`) != 1 || !strings.Contains(file, `"secondPhone":"+15550100188"`) {
		t.Fatalf("exported %s", file)
	}
	l.Exec(t, "delete from schedule_changes") // as on another machine
	l.Exec(t, "update people set second_phone = ''")
	for range 2 {
		if im := l.MustImport(t, l.In, file); im.BadLines != 0 {
			t.Errorf("imported %+v", im)
		}
		if diff := cmp.Diff(file, l.MustExport(t, l.In)); diff != "" {
			t.Error(diff)
		}
	}
	l.Exec(t, "update people set second_phone = '+15550100199' where id = $1", who)
	l.MustForget(t, forget.Request{Topic: "Karl"})
	l.MustImport(t, l.In, file)
	if again := l.MustExport(t, l.In); strings.Contains(again, "Karl") || !strings.Contains(again, `"secondPhone":"+15550100199"`) || !strings.Contains(again, "I'll ring at three.") {
		t.Errorf("a file from before changed what is here: %s", again)
	}
}

// linesOf are the lines of some types of a file.
func linesOf(t *testing.T, file string, types ...string) (out []map[string]any) {
	t.Helper()
	for text := range strings.Lines(file) {
		var l map[string]any
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		for _, kind := range types {
			if l["type"] == kind {
				out = append(out, l)
			}
		}
	}
	return out
}
