package transfer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/store/alerts"
)

// Alerts are exported with all that happened to them, and come back as they were, but
// that nobody is told of them again: what was open elsewhere is closed here.
func TestAlertsAreExportedAndComeBack(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	at := memtest.November
	a, _, err := l.Store.RaiseAlert(t.Context(), alerts.New{PersonID: l.In.Person, CallID: l.Call, Turn: 2, Tier: alerts.Urgent, Kind: "fall_stuck", Quote: "Karl fell on me.", Why: "lexicon", Unsure: true, At: at})
	if err != nil {
		t.Fatal(err)
	}
	err = l.Store.TakeStep(t.Context(), alerts.Due{ID: a.ID, Run: 1}, at, func(alerts.Alert) (alerts.Taken, error) {
		return alerts.Taken{NextAt: at.Add(time.Hour), Notices: []alerts.Notice{
			{ID: uuid.New(), Name: "Tom", Channel: alerts.SMS, Address: "+15550100124", Status: alerts.Failed, Detail: "no such channel", DueAt: at},
		}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Exec(t, "update alert_notices set delivered_at = created_at")
	if _, err := l.Store.CloseAlert(t.Context(), a.ID, alerts.Answer{By: "Ruth", How: "api", At: at.Add(time.Minute)}, "Karl is up again."); err != nil {
		t.Fatal(err)
	}
	open, _, err := l.Store.RaiseAlert(t.Context(), alerts.New{PersonID: l.In.Person, Tier: alerts.Now, Kind: "fire", At: at.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	file := l.MustExport(t, l.In)
	if strings.Count(file, `"type":"alert"`) != 2 || !strings.Contains(file, "no such channel") || !strings.Contains(file, `"deliveredAt"`) || strings.Count(file, `"unsure":true`) != 1 || !strings.Contains(file, "Karl is up again.") {
		t.Fatalf("exported %s", file)
	}
	l.Exec(t, "delete from alerts where id = $1", a.ID) // as on another machine
	if im := l.MustImport(t, l.In, file); im.BadLines != 0 {
		t.Errorf("imported %+v", im)
	}
	if diff := cmp.Diff(file, l.MustExport(t, l.In)); diff != "" {
		t.Error(diff)
	}
	if got, err := l.Store.Alert(t.Context(), open.ID); err != nil || !got.Awaited() || got.DueAt == nil {
		t.Errorf("an open alert that is here was changed: %+v, %v", got, err)
	}
	l.Exec(t, "delete from alerts where id = $1", open.ID)
	l.MustImport(t, l.In, file)
	if got, err := l.Store.Alert(t.Context(), open.ID); err != nil || got.Status != alerts.Closed || got.ClosedBy != "import" || got.DueAt != nil {
		t.Errorf("an open alert came back as %+v, %v; want it closed", got, err)
	}
	f := l.MustForget(t, forget.Request{Topic: "Karl"})
	l.Verified(t, f)
	if left := l.MustExport(t, l.In); strings.Contains(left, "Karl") || strings.Count(left, `"type":"alert"`) != 2 {
		t.Errorf("forgotten, and there is %s", left)
	}
	before := l.MustExport(t, l.In)
	l.MustImport(t, l.In, file)
	if diff := cmp.Diff(before, l.MustExport(t, l.In)); diff != "" {
		t.Errorf("a file from before brought words back: %s", diff)
	}
}
