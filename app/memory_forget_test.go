package app

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/learn"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func TestForgetParts(t *testing.T) {
	t.Parallel()
	turn, lines, at := uuid.New(), []int64{7, 8}, time.Date(2026, time.November, 3, 15, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		asked learn.ForgetRequest
		want  []forget.Request
	}{
		"all":              {learn.ForgetRequest{All: true, At: at}, []forget.Request{{All: true}}},
		"a topic, said":    {learn.ForgetRequest{Topic: "Tom", Utterances: lines, Turns: []uuid.UUID{turn}, At: at}, []forget.Request{{Topic: "Tom", Lines: lines, Until: at}}},
		"a topic, written": {learn.ForgetRequest{Topic: "Tom", Turns: []uuid.UUID{turn}, At: at}, []forget.Request{{Topic: "Tom", Until: at}, {Memories: []uuid.UUID{turn}}}},
		"a day":            {learn.ForgetRequest{Day: "2026-11-02", Utterances: lines, At: at}, []forget.Request{{Day: "2026-11-02"}, {Lines: lines, Until: at}}},
		"lines":            {learn.ForgetRequest{Utterances: lines, At: at}, []forget.Request{{Lines: lines, Until: at}}},
	} {
		if diff := cmp.Diff(row.want, forgetParts(row.asked)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The command line forgets in a process of its own. A call that is under way here
// has copies, and knows the person as they were when it began.
func TestForgottenByAnotherProcess(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	ada, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "UTC", Language: "en"},
		nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: calls.CallGeneral, Direction: calls.Inbound, Phone: ada.Phone})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.store.SaveSummary(t.Context(), nil, memories.Summary{CallID: c.ID, PersonID: ada.ID, Text: "The bees swarmed."}); err != nil {
		t.Fatal(err)
	}
	recollects := func() bool {
		got, err := a.profile.Recollect(t.Context(), ada)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(strings.Join(got, "\n"), "bees")
	}
	if !recollects() {
		t.Fatal("there is nothing to forget")
	}
	other, err := service.New(service.Config{Store: a.store, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Forget(t.Context(), forget.Request{Person: ada.ID, All: true}); err != nil {
		t.Fatal(err)
	}
	until(t, "the copy is dropped", func() bool { return !recollects() })
}
