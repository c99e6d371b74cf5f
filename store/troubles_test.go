package store_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/storetest"
)

// A trouble is one alert while it lasts, whoever sees it and however the alert is answered;
// once it has passed, the same is another one.
func TestTroubleIsOneAlertWhileItLasts(t *testing.T) {
	t.Parallel()
	s, at := storetest.New(t), time.Date(2027, 3, 4, 12, 0, 0, 0, time.UTC)
	see := func(cause string) bool {
		t.Helper()
		raised, err := s.SeeTrouble(t.Context(), alerts.Trouble{Cause: cause, Kind: "operator_queue", Tier: alerts.Urgent, Why: "stuck"}, at)
		if err != nil {
			t.Error(err)
		}
		return raised
	}
	list := func() []alerts.Alert {
		t.Helper()
		all, err := s.Alerts(t.Context(), alerts.Filter{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	end := func() {
		t.Helper()
		if err := s.EndTroubles(t.Context(), at.Add(-10*time.Minute), at); err != nil {
			t.Fatal(err)
		}
	}
	var processes sync.WaitGroup
	var raised atomic.Int32
	for range 5 {
		processes.Go(func() {
			if see("operator_queue:dial") {
				raised.Add(1)
			}
		})
	}
	processes.Wait()
	if all := list(); len(all) != 1 || raised.Load() != 1 || all[0].Tier != alerts.Urgent || all[0].PersonID.Known() || all[0].Why != "stuck" || !all[0].CreatedAt.Equal(at) {
		t.Fatalf("%d raised, %+v", raised.Load(), all)
	}
	if !see("operator_queue:mail") || len(list()) != 2 {
		t.Error("another cause is no other alert")
	}
	first := list()[1].ID
	if _, err := s.CloseAlert(t.Context(), first, alerts.Answer{By: "Ruth"}, "restarted it"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		at = at.Add(9 * time.Minute)
		if see("operator_queue:dial") {
			t.Error("raised again while it lasts")
		}
		end()
	}
	recovered := func(a alerts.Alert) string {
		for _, e := range a.Events {
			if e.Kind == "recovered" {
				return e.Detail
			}
		}
		return ""
	}
	if all := list(); len(all) != 2 || recovered(all[1]) != "" || !strings.HasPrefix(recovered(all[0]), "last seen at 2027-03-04T12:00:00Z") || all[0].Status != alerts.Open {
		t.Errorf("%+v", all)
	}
	at = at.Add(11 * time.Minute)
	end()
	if all := list(); recovered(all[1]) == "" {
		t.Errorf("that it has passed is not noted: %+v", all[1])
	}
	if !see("operator_queue:dial") || len(list()) != 3 {
		t.Error("what comes again is told to nobody")
	}
}
