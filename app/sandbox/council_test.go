package sandbox_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/app/sandbox/elders"
	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var update = flag.Bool("update", false, "rewrite the golden files")

// day is when the elders' records end.
var day = time.Date(2026, time.March, 20, 15, 0, 0, 0, time.UTC)

// recordOf is what an elder says on two calls, and answers in the health checks that
// the sandbox begins with.
func recordOf(t *testing.T, name string, subjects ...string) council.Record {
	t.Helper()
	cast, err := elders.Load()
	if err != nil {
		t.Fatal(err)
	}
	e, _ := elders.Find(cast, name)
	r := council.Record{Person: e.PreferredName, Language: "en"}
	for i, s := range subjects {
		call, line := i%2+1, i/2*2+1
		r.Evidence = append(r.Evidence,
			council.Evidence{Label: fmt.Sprintf("C%d:%d", call, line), Kind: council.KindLine, Who: "nAIber", Text: "How is that?", At: day.AddDate(0, 0, -call), Line: line},
			council.Evidence{Label: fmt.Sprintf("C%d:%d", call, line+1), Kind: council.KindLine, Who: e.PreferredName, Text: e.Answers[s][0], At: day.AddDate(0, 0, -call), Line: line + 1})
	}
	slices.SortStableFunc(r.Evidence, func(a, b council.Evidence) int { return b.At.Compare(a.At) })
	asked := map[string]string{
		"energy": "How is your energy today, on a scale from 1 to 10?", "sleep": "How well did you sleep last night, from 1 to 10?",
		"pain": "How much pain are you in right now, from 1 to 10?", "appetite": "How has your appetite been since yesterday? Would you say good, fair or poor?",
		"mood": "How are your spirits today, from 1 to 10?", "medication": "Have you taken your medicines today as you should?",
	}
	n := 0
	for _, c := range slices.Backward(e.Checks[max(0, len(e.Checks)-4):]) {
		for _, q := range []string{"energy", "sleep", "pain", "appetite", "mood", "medication"} {
			n++
			r.Evidence = append(r.Evidence, council.Evidence{
				Label: fmt.Sprintf("A%d", n), Kind: council.KindAnswer, QuestionID: q,
				Text: fmt.Sprintf("%s, %s: %v", day.AddDate(0, 0, -c.DaysAgo).Format("2 January"), asked[q], c.Answers[q]),
			})
		}
	}
	return r
}

// discussed holds a discussion and tells it: who said what, and what came of it.
func discussed(t *testing.T, st *store.Store, r council.Record, question string, carers ...string) string {
	t.Helper()
	srv := httptest.NewServer(model.New(model.Config{}))
	t.Cleanup(srv.Close)
	client, err := llm.New(llm.Config{BaseURL: srv.URL + "/v1", Models: []string{"gpt-4o"}, APIKey: "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	c, err := council.New(council.Config{
		Model: client, Store: st, Checkpoints: checkpoint.NewMemory(4), Schedule: func(context.Context, store.Tx, uuid.UUID, int64) error { return nil },
		Read: func(context.Context, people.Person) (council.Record, error) { return r, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.CreatePerson(t.Context(), people.Person{ID: store.NewPersonID(), Name: r.Person, Phone: "+1555010" + strconv.Itoa(len(r.Evidence)+1000), Timezone: "UTC", Language: "en"},
		nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: r.Person, How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Start(t.Context(), council.Wish{PersonID: p.ID, Question: question, By: "daughter"})
	for i := 0; err == nil && i <= len(carers); i++ {
		if err = c.Run(t.Context(), d.DiscussionID); err == nil && i < len(carers) {
			_, err = c.Prolong(t.Context(), d.DiscussionID, carers[i], "daughter")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	events, err := st.DiscussionEvents(t.Context(), d.DiscussionID, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, e := range events {
		var d council.Data
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case council.EventRound:
			fmt.Fprintf(&out, "\nROUND %d %s\n", d.Round, d.Question)
		case council.EventSaid:
			fmt.Fprintf(&out, "%s: %s\n", d.Persona, d.Content)
			for _, c := range d.Citations {
				if !c.Resolves {
					t.Errorf("turn %d: the record has no %s", d.Turn, c.Label)
				}
			}
			if len(d.Unbacked) > 0 && len(r.Evidence) > 0 {
				t.Errorf("turn %d: rests on nothing: %q", d.Turn, d.Unbacked)
			}
		case council.EventDone:
			fmt.Fprintf(&out, "\nagreed: %q\nopen: %q\nasks: %q\n", d.Agreed, d.Open, d.Question)
			for _, a := range d.Actions {
				fmt.Fprintf(&out, "%s: %s\n", a.Kind, a.Text)
			}
		case council.EventError, council.EventStopped:
			t.Errorf("error: %s", d.Message)
		}
	}
	return strings.TrimSpace(out.String()) + "\n"
}

// The three voices of the care council make sense of what sandbox elders told.
func TestCouncil(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	harold := recordOf(t, "harold", "sleep", "food", "mood", "family", "lonely", "spouse")
	harold.Evidence = append(harold.Evidence, council.Evidence{Label: "D1", Kind: council.KindDanger, Text: "self_harm"},
		council.Evidence{Label: "T1", Kind: council.KindTrend, Text: "Mood: Lower than usual for Harold: 2, where 4 to 6 would be expected from the last 9 answers. By chance alone that happens one time in 40."},
		council.Evidence{Label: "M1", Kind: council.KindMemory, Text: "Nora brings food when she comes."})
	for name, tt := range map[string]struct {
		record   council.Record
		question string
		carers   []string
	}{
		"margaret": {recordOf(t, "margaret", "pain", "sleep", "family", "lonely", "music", "fall"), "", []string{"She got a new mattress last week."}},
		"harold":   {harold, "Does he eat enough?", nil},
		"nobody":   {council.Record{Person: "Ada", Language: "en"}, "", nil},
	} {
		got := discussed(t, st, tt.record, tt.question, tt.carers...)
		file := filepath.Join("testdata", "council_"+name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != got {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}
