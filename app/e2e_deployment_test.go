package app_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// refusedToServe starts a process that must not come up, and returns what it said.
func (h *house) refusedToServe(env []string, args ...string) string {
	h.t.Helper()
	p := spawn(h.t, dataDir(h.t), env, args...)
	<-p.exited
	said := p.out.String()
	if p.code == 0 || strings.Contains(said, "msg=ready") {
		h.t.Errorf("%v ended with %d: %s", args, p.code, said)
	}
	return said
}

// A sandbox leaves production's database alone, also while production is on a
// call, and one without a mark, as an older version left it, that has data.
func TestSandboxLeavesProductionAlone(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	p := h.addPerson(nil)
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "Naiber")
	h.follow(id, "heard")
	env := append([]string{"DATABASE_URL=" + h.setting("DATABASE_URL"), "PORT=0"}, h.env[:0]...)
	for _, name := range []string{"PATH", "HOME"} {
		env = append(env, name+"="+h.setting(name))
	}
	people := func() map[string]string {
		sums := h.kept()
		for _, growing := range []string{
			"call_events", "calls", "turns", "utterances", "conversations", "checkpoint_threads",
			"job_starts", "deployment", "schema_migrations",
		} {
			delete(sums, growing) // the call goes on
		}
		return sums
	}
	before := people()
	if said := h.refusedToServe(env, "serve", "--sandbox"); !strings.Contains(said, "production's") || !strings.Contains(said, "DATABASE_URL") {
		t.Errorf("a sandbox on production's database says %s", said)
	}
	if _, err := h.db.Pool().Exec(t.Context(), "drop table deployment; delete from schema_migrations where version_id = 28"); err != nil {
		t.Fatal(err)
	}
	h.refusedToServe(env, "serve", "--sandbox")
	if after := people(); !maps.Equal(before, after) {
		t.Errorf("the database changed from %v to %v", before, after)
	}
	ada.answers(t, "Are you still there?")
	if c := h.call(id); c.EndedCause != "" {
		t.Errorf("the call was ended: %+v", c)
	}
	ada.says(t, "Goodbye now.")
	ada.listens(t)
	ada.waitsForEnd(t)
	h.settled(id)
}

// Production does not phone a sandbox's made-up people, but takes over what an
// older production left without a mark.
func TestProductionRefusesASandboxesDatabase(t *testing.T) {
	t.Parallel()
	h := newHouse(t, houseOptions{})
	if err := h.db.MarkDeployment(t.Context(), store.Sandbox); err != nil {
		t.Fatal(err)
	}
	before := h.kept()
	if said := h.refusedToServe(h.env, "serve"); !strings.Contains(said, "sandbox's") || !strings.Contains(said, "NAIBER_DATA_DIR") {
		t.Errorf("production on a sandbox's database says %s", said)
	}
	if after := h.kept(); !maps.Equal(before, after) {
		t.Errorf("the database changed from %v to %v", before, after)
	}
	if _, err := h.db.Pool().Exec(t.Context(), "delete from deployment"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.db.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "UTC", Language: "en"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	h.open()
	if err := storetest.Open(t, h.setting("DATABASE_URL")).CheckDeployment(t.Context(), store.Production, false); err != nil {
		t.Error(err)
	}
}
