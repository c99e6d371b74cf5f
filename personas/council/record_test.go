package council_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/profile"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// The record has memories only with the person's consent to memory, and nothing that
// speaks of what is not to be brought up: no line, answer, trend or fact.
func TestRecordHasConsentAndLimits(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	p, err := l.Store.Person(t.Context(), l.In.Person)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Store.SaveHealthCheck(t.Context(), checks.Check{
		CallID: l.Call, PersonID: p.ID, Status: checks.Completed, StartedAt: memtest.November, EndedAt: memtest.November,
		Answers: []checks.Answer{
			{QuestionID: "sleep", Question: "How did you sleep?", Type: "scale", Status: "answered", Value: json.RawMessage("3"), At: memtest.November},
			{QuestionID: "visits", Question: "Did your brother come?", Type: "boolean", Status: "answered", Value: json.RawMessage("true"), At: memtest.November},
		},
	}); err != nil {
		t.Fatal(err)
	}
	if err := l.Store.MarkDanger(t.Context(), l.Call, "fall", memtest.November); err != nil {
		t.Fatal(err)
	}
	known := profile.New(profile.Config{Source: l.Store, Consents: l.Store})
	t.Cleanup(known.Close)
	reader := council.Reader{
		Library: l.Store, Now: time.Now, Raisable: service.NewRecaller(known, l.Service).Raisable,
		Trends: func(context.Context, people.Person) (questions, sentences []string, err error) {
			return []string{"sleep", "visits"}, []string{"Sleep is lower than usual.", "Her brother comes less."}, nil
		},
	}
	read := func() (kinds map[string]int, all string) {
		t.Helper()
		rec, err := reader.Read(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		kinds = map[string]int{}
		for _, e := range rec.Evidence {
			kinds[e.Kind]++
		}
		return kinds, rec.Prompt(time.UTC)
	}
	kinds, all := read()
	for kind, n := range map[string]int{council.KindLine: 8, council.KindAnswer: 2, council.KindTrend: 2, council.KindMemory: 2, council.KindDanger: 1} {
		if kinds[kind] != n {
			t.Errorf("%d of %s, want %d:\n%s", kinds[kind], kind, n, all)
		}
	}

	l.Limit(t, l.In, memories.NeverRaise, "brother", nil)
	kinds, all = read()
	if strings.Contains(all, "brother") || strings.Contains(all, "Karl") {
		t.Errorf("the record speaks of what is not to be brought up:\n%s", all)
	}
	for kind, n := range map[string]int{council.KindLine: 5, council.KindAnswer: 1, council.KindTrend: 1, council.KindMemory: 1, council.KindDanger: 1} {
		if kinds[kind] != n {
			t.Errorf("within limits %d of %s, want %d:\n%s", kinds[kind], kind, n, all)
		}
	}

	if had, err := l.Store.RevokeConsent(t.Context(), p.ID, people.ScopeMemory, "Margaret", "by telephone"); err != nil || !had {
		t.Fatal(had, err)
	}
	if kinds, all = read(); kinds[council.KindMemory] != 0 || kinds[council.KindLine] == 0 {
		t.Errorf("without consent to memory:\n%s", all)
	}
}
