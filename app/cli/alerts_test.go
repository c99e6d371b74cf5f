package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/alerts"
)

func TestAlerts(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	ada := p.person(t, "Ada King", "Ada", "+15550100123")
	raise := func(n alerts.New) alerts.Alert {
		a, _, err := p.tools.Store.RaiseAlert(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	fall := raise(alerts.New{PersonID: ada.ID, Tier: alerts.Urgent, Kind: "fall_stuck", Quote: "I cannot\nget up.", Why: "lexicon"})
	house := raise(alerts.New{Tier: alerts.SameDay, Kind: "operator_queue"})
	soon := time.Now().Add(time.Hour)
	err := p.tools.Store.TakeStep(t.Context(), alerts.Due{ID: fall.ID, Run: 1}, time.Now(), func(alerts.Alert) (alerts.Taken, error) {
		n := alerts.Notice{ID: uuid.New(), Name: "Tom", Channel: alerts.SMS, Address: "+15550100124", Status: alerts.Failed, Detail: "no such channel", DueAt: time.Now()}
		return alerts.Taken{Notices: []alerts.Notice{n}, NextAt: soon}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	has := func(out string, want ...string) {
		t.Helper()
		flat := strings.Join(strings.Fields(out), " ")
		for _, w := range want {
			if not, absent := strings.CutPrefix(w, "!"); strings.Contains(flat, not) == absent {
				t.Errorf("%q in\n%s", w, out)
			}
		}
	}
	has(p.must(t, "alerts", "list"), "ID RAISED TIER KIND PERSON STATUS BY", house.ID.String(), "2 operator_queue - open", "3 fall_stuck Ada King open")
	has(p.must(t, "alerts", "list", "--person", "ada", "--tier", "3"), fall.ID.String(), "!"+house.ID.String())
	has(p.must(t, "alerts", "list", "--status", "closed"), "!"+fall.ID.String())
	has(p.must(t, "alerts", "show", fall.ID.String()), "Person Ada King", "What fall_stuck, tier 3", "Said I cannot get up.", "Why lexicon", "Status open", "others are told at", soon.In(ada.Location()).Format("2006-01-02 15:04:05 MST"),
		"Tom sms +15550100124 failed no such channel", "raised")
	out := p.must(t, "alerts", "acknowledge", fall.ID.String(), "--by", "Ruth Lamb", "--note", "driving there")
	has(out, "Status acknowledged", "acknowledged Ruth Lamb driving there", "!others are told")
	p.refused(t, "Ruth Lamb sees to it since", "alerts", "acknowledge", fall.ID.String(), "--by", "Tom")
	p.refused(t, "say who it is", "alerts", "acknowledge", house.ID.String(), "--by", " ")
	p.refused(t, "outcome", "alerts", "close", fall.ID.String())
	p.refused(t, "say who it is", "alerts", "close", fall.ID.String(), "--outcome", " ")
	var got struct{ Status, ClosedBy, Outcome string }
	if err := json.Unmarshal([]byte(p.must(t, "alerts", "close", fall.ID.String(), "--by", "Tom", "--outcome", "She is fine.", "--json")), &got); err != nil ||
		got.Status != "closed" || got.ClosedBy != "Tom" || got.Outcome != "She is fine." {
		t.Errorf("%+v, %v", got, err)
	}
	p.refused(t, "Tom has closed it: She is fine.", "alerts", "close", fall.ID.String(), "--by", "Ruth Lamb", "--outcome", "Hospital.")
	p.refused(t, "no alert has the id", "alerts", "show", uuid.NewString())
	p.refused(t, "is no id of an alert", "alerts", "show", "fall")
	p.refused(t, "--tier is", "alerts", "list", "--tier", "7")
	p.refused(t, "--status is", "alerts", "list", "--status", "lost")
	var list []struct{ ID string }
	if err := json.Unmarshal([]byte(p.must(t, "alerts", "list", "--json")), &list); err != nil || len(list) != 2 || list[0].ID != house.ID.String() {
		t.Errorf("%+v, %v", list, err)
	}
}
