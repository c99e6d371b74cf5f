package app_test

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

// Ada falls in a call; Tobias is called, takes care of it and talks with her; when he hangs up,
// nAIber is with her again.
func TestContactIsPutThrough(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: map[string]string{"NAIBER_ALERTS_URGENT": `["first by call every 10m"]`}})
	phone := newPhone()
	p := h.addPerson(object{"contacts": []object{{"name": "Tobias Winter", "relation": "son", "phone": phone}}})
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "Ada")
	<-ada.set.Say("I fell and I can't get up.")
	ring := h.ring()
	if ring.To != phone {
		t.Fatalf("%s rings", ring.To)
	}
	set, err := ring.Answer()
	if err != nil {
		t.Fatal(err)
	}
	tobias := listen(t, set)
	says := func(e *elder, text string) {
		t.Helper()
		e.until(t, text, func(ev carrier.HeardEvent) bool {
			return ev.Kind == carrier.HeardSay && strings.Contains(ev.Text, text)
		})
	}
	says(tobias, "This is nAIber, a computer.")
	if err := set.Press("1"); err != nil {
		t.Fatal(err)
	}
	says(tobias, "Ada Winter is still on the line with me. Press 3")
	if err := set.Press("3"); err != nil {
		t.Fatal(err)
	}
	says(ada, "Tobias Winter is on the telephone for you.")
	says(tobias, "I am putting you through.")
	meets := func(who *elder, other *elder, text string) {
		t.Helper()
		await(h, "their hearing each other", func() (string, bool) {
			<-other.set.Say(text)
			heard := who.transcript()
			return heard, strings.Contains(heard, text)
		})
	}
	meets(ada, tobias, "I am on my way")
	meets(tobias, ada, "The door is open")
	set.HangUp()
	ada.hears(t, "I'm with you again, Ada. Is help on its way to you?")
	<-ada.set.Say("Yes, he is coming.")
	ada.hears(t, "I stay on the line with you.")
	ada.set.HangUp()
	c := h.ended(id)
	if c.EndedCause != "hung_up" || c.EndedBy != "person" {
		t.Errorf("call %+v", c)
	}
	if said := strings.Join(c.said("user"), " "); strings.Contains(said, "door") {
		t.Errorf("what they told each other is written down: %q", said)
	}
	if kinds, _ := timeline(t, h.db, id); strings.Count(strings.Join(kinds, " ")+" ", "connected ") != 1 {
		t.Errorf("timeline %v", kinds)
	}
}
