package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/store/people"
)

func TestSchedules(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	ada := p.person(t, "Ada King", "Ada", "+15550100123")
	p.person(t, "Bo Example", "", "+15550100124")
	id := strings.TrimSpace(p.must(t, "schedules", "add", "ada", "--rule", "FREQ=DAILY", "--from", "09:00", "--to", "10:30", "--jitter", "0"))
	p.must(t, "schedules", "add", "bo", "--type", "general", "--rule", "FREQ=WEEKLY;BYDAY=MO,TH", "--from", "15:00", "--to", "17:00", "--jitter", "0")

	lines := strings.Split(strings.TrimSpace(p.must(t, "schedules", "list")), "\n")
	if len(lines) != 3 || !strings.Contains(strings.Join(strings.Fields(lines[1]), " "), "Ada King health_check FREQ=DAILY 09:00-10:30 yes") || !strings.Contains(lines[1], id) {
		t.Errorf("list = %q", lines)
	}
	if out := p.must(t, "schedules", "list", "bo"); strings.Contains(out, "Ada") || !strings.Contains(out, "15:00-17:00") {
		t.Errorf("of Bo: %s", out)
	}
	var shown struct {
		Schedule    struct{ RRule string }
		Occurrences []struct{ Status, ScheduleID string }
	}
	if err := json.Unmarshal([]byte(p.must(t, "schedules", "show", id)), &shown); err != nil || shown.Schedule.RRule != "FREQ=DAILY" || len(shown.Occurrences) < 3 || shown.Occurrences[0].Status != "due" {
		t.Errorf("show = %+v, %v", shown, err)
	}

	var week []api.Coming
	if err := json.Unmarshal([]byte(p.must(t, "schedules", "next", "--json")), &week); err != nil || len(week) != 9 {
		t.Errorf("a week has %d calls, %v, want 9: %+v", len(week), err, week)
	}
	end := time.Now().AddDate(0, 0, 30)
	if _, err := p.tools.Store.AddPause(t.Context(), ada.ID, people.Pause{StartsAt: time.Now().AddDate(0, 0, -1), EndsAt: &end, Reason: "hospital"}); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(p.must(t, "schedules", "next", "--days", "7")), "\n")
	if strings.Join(strings.Fields(rows[0]), " ") != "PERSON LOCAL TIME TYPE ESSENTIAL LEFT OUT" || len(rows) != 10 {
		t.Errorf("next = %q", rows)
	}
	for _, row := range rows[1:] {
		if ours := strings.HasPrefix(row, "Ada King"); ours != strings.Contains(row, "calls are paused: hospital") {
			t.Errorf("row %q", row)
		}
	}

	if out := p.must(t, "schedules", "pause", id); out != "Ada King: the schedule is paused.\n" {
		t.Errorf("printed %q", out)
	}
	if out := p.must(t, "schedules", "list", "ada"); !strings.Contains(out, "paused") {
		t.Errorf("list = %s", out)
	}
	p.must(t, "schedules", "resume", id)
	p.must(t, "schedules", "remove", id)
	p.refused(t, "there is no schedule", "schedules", "show", id)
}

func TestSchedulesThatCannotBe(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.person(t, "Ada King", "Ada", "+15550100123")
	for want, args := range map[string][]string{
		"finer than daily": {"--rule", "FREQ=HOURLY", "--from", "09:00", "--to", "10:00"},
		"over midnight":    {"--rule", "FREQ=DAILY", "--from", "22:00", "--to", "01:00"},
		"--type is":        {"--rule", "FREQ=DAILY", "--from", "09:00", "--to", "10:00", "--type", "prank"},
		"--starts is":      {"--rule", "FREQ=DAILY", "--from", "09:00", "--to", "10:00", "--starts", "soon"},
		`"rule"`:           {"--from", "09:00", "--to", "10:00"},
	} {
		p.refused(t, want, append([]string{"schedules", "add", "ada"}, args...)...)
	}
	p.refused(t, "named by its id", "schedules", "remove", "ada")
	p.refused(t, "--days", "schedules", "next", "--days", "0")
}
