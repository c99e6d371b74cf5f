package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

// An alert appears on a page that is open, is acknowledged and closed there, and what the
// page sends is on record; a schedule that is made there is planned.
func TestAlertsInABrowser(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_ADMIN_PASSWORD": "admin-password-for-tests"}})
	p, err := h.db.CreatePerson(t.Context(), people.Person{Name: "Ada King", Phone: noticesElder, Timezone: "Europe/London", Language: "en"},
		nil, []people.Consent{{Scope: people.ScopeCalls, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	b := browse(h)
	b.enter(h.url)
	b.until("no alert", `document.getElementById("alert-live").textContent == "" && document.getElementById("people").textContent.includes("Ada King")`)
	a := h.raise(p.ID, "fall_stuck")
	b.until("the alert on a page that is open", `document.getElementById("alert-live").textContent.includes("Tier 3: urgent Ada King: a fall, and cannot get up. Nobody sees to it yet.")`)
	b.do(`document.querySelector("#alert-live a").click()`)
	b.until("the form", `document.getElementById("alert-acknowledge").checkVisibility()`)
	b.do(`document.getElementById("alert-by").value = "Ruth Lamb"; document.getElementById("alert-acknowledge").requestSubmit()`)
	b.until("who sees to it", `document.getElementById("alert-status").textContent == "Ruth Lamb sees to it."`)
	b.do(`document.getElementById("alert-outcome").value = "She is fine."; document.getElementById("alert-close").requestSubmit()`)
	b.until("the end", `document.getElementById("alert-status").textContent == "Closed by Ruth Lamb: She is fine." && document.getElementById("alert-live").textContent == ""`)
	if got := h.becomes(a, "closed", func(a alerts.Alert) bool { return a.Status == alerts.Closed }); got.AcknowledgedBy != "Ruth Lamb" || got.Outcome != "She is fine." {
		t.Errorf("on record is %+v", got)
	}

	b.do(fmt.Sprintf(`location.hash = "#/people/%s/schedules"`, p.ID))
	b.until("the form", `document.getElementById("schedule-form").checkVisibility()`)
	fill := func(to string) {
		b.do(fmt.Sprintf(`(() => { const f = document.getElementById("schedule-form"); f.elements.from.value = "09:00"; f.elements.to.value = "%s"; f.requestSubmit(); return ""; })()`, to))
	}
	fill("08:00")
	b.until("what is wrong, at its field", `document.getElementById("schedule-form").elements.to.nextElementSibling?.textContent.includes("over midnight")`)
	fill("10:30")
	b.until("the schedule", `document.getElementById("schedules-list").textContent.includes("every day, 09:00 to 10:30")`)
	b.until("a week of calls", `document.querySelectorAll("#coming-rows tr").length >= 6`)
	var made struct{ Items []struct{ RRule string } }
	h.must(http.MethodGet, "/api/v1/people/"+p.ID.String()+"/schedules", nil, &made)
	if len(made.Items) != 1 || !strings.EqualFold(made.Items[0].RRule, "FREQ=DAILY") {
		t.Errorf("the schedules are %+v", made)
	}
}
