package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/cognition"
)

// checkedOn keeps a cognitive check of p that was held at a time.
func (h *house) checkedOn(p person, at time.Time, six int) string {
	h.t.Helper()
	id, err := store.ParsePersonID(p.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	c, err := h.db.CreateCall(h.t.Context(), calls.NewCall{PersonID: id, Type: calls.CallCognitive, Direction: calls.Outbound, Phone: p.Phone})
	if err != nil {
		h.t.Fatal(err)
	}
	ending := calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "naiber"}
	if _, _, err := h.db.FinishCall(h.t.Context(), c.ID, ending, nil); err != nil {
		h.t.Fatal(err)
	}
	err = h.db.SaveCognitiveCheck(h.t.Context(), cognition.Check{
		CallID: c.ID, PersonID: id, Language: "en", Form: "six_item a", Status: cognition.Partial, StartedAt: at, EndedAt: at.Add(9 * time.Minute),
		Confounders: []cognition.Confounder{{Kind: "noise", Quote: "they are <b>drilling</b>", At: at}},
		Tasks: []cognition.Task{
			{
				TaskID: "six_item", Version: "1", Title: "Six words", Form: "a", Status: cognition.TaskComplete, Raw: &six, Max: 6, At: at, Confidence: 0.9,
				Evidence: []cognition.Evidence{{Item: "recall", Quote: "tabel", Counts: true, Why: "variant"}, {Item: "recall", Quote: "harbour", Why: "intrusion"}},
			},
			{TaskID: "story", Version: "1.0.0", Title: "A story", Form: "a", Status: cognition.TaskVoid, Why: "prompted", Max: 12, At: at},
		},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return c.ID.String()
}

// Carers record a consent to cognitive checks, read how they went, correct a score and
// follow a call, in a browser and on a telephone's width.
func TestCognitionInABrowser(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_ADMIN_PASSWORD": "admin-password-for-tests"}})
	p := h.addPerson(nil)
	var last string
	for i, six := range []int{6, 6, 5, 6, 2, 1, 1, 1} {
		last = h.checkedOn(p, time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC).AddDate(0, i, 0), six)
	}
	b := browse(h)
	b.asks("Emulation.setDeviceMetricsOverride", object{"width": 360, "height": 780, "deviceScaleFactor": 1, "mobile": true}, nil)
	b.enter(h.url)
	b.do(`document.querySelector("#people a[href$='/cognition']").click()`)
	b.until("the consent to be asked for", `document.getElementById("cognition-asked").checkVisibility()`)
	b.do(`document.getElementById("cognition-given-by").value = "Ada"; document.getElementById("cognition-how").value = "on paper"; document.getElementById("cognition-asked").requestSubmit()`)
	b.until("the consent", `document.getElementById("cognition-consent-words").textContent.startsWith("Ada agreed to cognitive checks")`)
	b.do(`document.getElementById("born").value = "1941-03-29"; document.getElementById("cognition-born").requestSubmit()`)
	b.until("the date of birth", `document.getElementById("born-told").textContent === "Kept."`)
	var kept struct {
		BirthDate string
		Consent   struct{ Cognitive bool }
	}
	h.must(http.MethodGet, "/api/v1/people/"+p.ID, nil, &kept)
	if kept.BirthDate != "1941-03-29" || !kept.Consent.Cognitive {
		t.Errorf("on record: %+v", kept)
	}

	trend := `document.querySelector("#cognition-trends [data-key=six_item]")`
	b.until("the trend", trend+`?.textContent.includes("A change worth discussing with a clinician")`)
	b.until("its chart", trend+`.querySelector("canvas") != null`)
	check := fmt.Sprintf(`document.querySelector("#cognition-checks details[data-key='%s']")`, last)
	b.until("the last check", check+` != null`)
	for _, want := range []string{"1 of 2 tasks", "noise: they are <b>drilling</b>", "1 of 6", "tabelyes, another form of the word", "harbourno, not among what was asked for", "void: somebody helped with the answers"} {
		if b.do(fmt.Sprintf(`%s.textContent.includes(%q)`, check, want)) != "true" {
			t.Errorf("no %q in %q", want, b.do(check+".textContent"))
		}
	}
	b.do(`for (const d of document.querySelectorAll("#cognition-section details")) d.open = true`)
	if wide := b.do(`document.documentElement.scrollWidth`); wide != "360" {
		t.Errorf("the page is %s wide, of 360", wide)
	}

	b.do(`(() => {
		const form = ` + check + `.querySelector("[data-key=six_item] form");
		const [raw, by, note] = form.querySelectorAll("input");
		[raw.value, by.value, note.value] = ["5", "Tobias", "she said table"];
		form.requestSubmit();
	})()`)
	b.until("both scores", check+`.textContent.includes("By the rules 1 of 6; corrected to 5 of 6 by Tobias")`)
	b.until("the trend to follow", trend+`.querySelector("tbody tr").children[1].textContent === "5"`)
	type task struct {
		TaskID     string
		Raw        *int
		Correction *struct {
			Raw      int
			By, Note string
		}
	}
	var got struct{ Tasks []task }
	h.must(http.MethodGet, "/api/v1/calls/"+last+"/cognitive-check", nil, &got)
	one := 1
	want := []task{{"six_item", &one, &struct {
		Raw      int
		By, Note string
	}{5, "Tobias", "she said table"}}, {TaskID: "story"}}
	if diff := cmp.Diff(want, got.Tasks); diff != "" {
		t.Errorf("the tasks on record (-want +got):\n%s", diff)
	}

	call := h.placeAs(p, "cognitive")
	ada := h.answer()
	ada.listens(t)
	ada.answers(t, "Yes, this is a good moment.")
	b.do("location.hash = '#/calls/" + call + "'")
	b.until("how far the check is", `document.getElementById("tasks-part").checkVisibility() && /^0 of [1-9]\d* tasks done$/.test(document.getElementById("tasks-count").textContent)`)
	ada.says(t, "I want to stop now. Goodbye.")
	h.must(http.MethodPost, "/api/v1/calls/"+call+"/hangup", nil, nil)
	b.until("the end", `document.getElementById("tasks-now").textContent === "The call is over."`)
	h.settled(call)
	b.do("location.hash = '#/people/" + p.ID + "/cognition/" + last + "'")
	b.until("the check of a call", fmt.Sprintf(`document.querySelector("#cognition-checks .pointed")?.dataset.key === %q`, last))

	b.do("window.confirm = () => true")
	b.do(`document.getElementById("cognition-consent").requestSubmit()`)
	b.until("the consent to be gone", `document.getElementById("cognition-asked").checkVisibility()`)
	var refused struct{ Rule string }
	code, text := h.request(http.MethodPost, "/call", object{"userId": p.ID, "callType": "cognitive"}, nil)
	if err := json.Unmarshal([]byte(text), &refused); err != nil || code != http.StatusUnprocessableEntity || refused.Rule != "no_consent" {
		t.Errorf("without a consent: %d %s (%v)", code, text, err)
	}
}
