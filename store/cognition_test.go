package store_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func saveCognitive(t *testing.T, s *store.Store, list ...cognition.Check) {
	t.Helper()
	for _, c := range list {
		if err := s.SaveCognitiveCheck(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func cognitive(p people.Person, id store.CallID, at time.Time) cognition.Check {
	five, eleven, seconds := 5, 11, 12.5
	return cognition.Check{
		CallID: id, PersonID: p.ID, Language: "en", Form: "six_item b, category a", Status: cognition.Partial,
		StartedAt: at, EndedAt: at.Add(9 * time.Minute),
		Confounders: []cognition.Confounder{{Kind: "sleep", Quote: "I hardly slept.", At: at}, {Kind: "noise", At: at.Add(time.Minute)}},
		Tasks: []cognition.Task{
			{
				TaskID: "six_item", Version: "1.0.0", Title: "Six words", Form: "b", Status: cognition.TaskComplete, Raw: &five, Max: 6, Seconds: &seconds,
				At: at.Add(time.Minute), Confidence: 0.9, Evidence: []cognition.Evidence{
					{Item: "weekday", Quote: "it's Monday", Counts: true}, {Item: "recall", Quote: "tabel", Counts: true, Why: "variant"},
				},
			},
			{TaskID: "category", Version: "1.0.0", Title: "Animals", Form: "a", Status: cognition.TaskPartial, Raw: &eleven, At: at.Add(3 * time.Minute), Confidence: 0.5, Evidence: []cognition.Evidence{}},
			{TaskID: "story", Version: "1.0.0", Title: "A story", Form: "a", Status: cognition.TaskVoid, Why: "line_dropped", Max: 12, At: at.Add(5 * time.Minute), Evidence: []cognition.Evidence{}},
			{TaskID: "story_later", Version: "1.0.0", Title: "Later", Form: "a", Status: cognition.TaskNotReached, Max: 12, Evidence: []cognition.Evidence{}},
		},
	}
}

func TestCognitiveCheckRoundTrip(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	allows(t, s, p)
	c := cognitive(p, checked(t, s, p, "conv_1"), aDay)
	saveCognitive(t, s, c, c)
	got, err := s.CognitiveCheckOfCall(t.Context(), c.CallID)
	if diff := cmp.Diff(c, got, instants); err != nil || diff != "" {
		t.Errorf("saved twice: %v (-want +got):\n%s", err, diff)
	}
	c.Status, c.Tasks, c.Confounders = cognition.Declined, nil, []cognition.Confounder{}
	saveCognitive(t, s, c)
	got, err = s.CognitiveCheckOfCall(t.Context(), c.CallID)
	if diff := cmp.Diff(c, got, instants); err != nil || diff != "" {
		t.Errorf("replaced: %v (-want +got):\n%s", err, diff)
	}
	if _, err := s.CognitiveCheckOfCall(t.Context(), store.NewCallID()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a call without a check: %v; want ErrNotFound", err)
	}
}

func TestCognitiveChecksNewestFirst(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p, other := ada(t, s), ada(t, s)
	var want []store.CallID
	for i := range 4 {
		c := cognitive(p, checked(t, s, p, ""), aDay.AddDate(0, 0, 7*i))
		c.Tasks[0].Form = string(rune('a' + i))
		saveCognitive(t, s, c)
		want = append(want, c.CallID)
	}
	saveCognitive(t, s, cognitive(other, checked(t, s, other, ""), aDay))
	slices.Reverse(want)
	for _, c := range []struct {
		q    cognition.Query
		want []store.CallID
	}{
		{cognition.Query{Limit: 9}, want},
		{cognition.Query{Limit: 2}, want[:2]},
		{cognition.Query{Limit: 9, Since: aDay.AddDate(0, 0, 7)}, want[:3]},
		{cognition.Query{Limit: 2, Before: &cognition.Cursor{At: aDay.AddDate(0, 0, 14), CallID: want[1]}}, want[2:]},
		{cognition.Query{}, nil},
	} {
		list, err := s.CognitiveChecks(t.Context(), p.ID, c.q)
		var got []store.CallID
		for _, k := range list {
			got = append(got, k.CallID)
			if len(k.Tasks) != 4 {
				t.Errorf("check of %s has %d tasks", k.CallID, len(k.Tasks))
			}
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, %v; want %v", c.q, got, err, c.want)
		}
	}
	past, err := s.CognitivePast(t.Context(), p.ID)
	var forms []string
	for _, u := range past {
		if u.TaskID == "six_item" {
			forms = append(forms, u.Form)
		}
		if u.TaskID == "story_later" {
			t.Error("what the check did not come to counts as put")
		}
	}
	if err != nil || strings.Join(forms, "") != "abcd" || len(past) != 12 || !past[0].At.Equal(aDay.Add(time.Minute)) {
		t.Errorf("past %+v, %v", past, err)
	}
}

func TestCognitiveCheckThatBreaksARuleChangesNothing(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p, other := ada(t, s), ada(t, s)
	allows(t, s, p)
	c := cognitive(p, checked(t, s, p, "conv_1"), aDay)
	saveCognitive(t, s, c)
	seven := 7
	for name, change := range map[string]func(*cognition.Check){
		"somebody else's call":   func(c *cognition.Check) { c.PersonID = other.ID },
		"no such call":           func(c *cognition.Check) { c.CallID = store.NewCallID() },
		"unknown status":         func(c *cognition.Check) { c.Status = "lost" },
		"unknown task status":    func(c *cognition.Check) { c.Tasks[0].Status = "perhaps" },
		"a task twice":           func(c *cognition.Check) { c.Tasks[1] = c.Tasks[0] },
		"more points than there": func(c *cognition.Check) { c.Tasks[0].Raw = &seven },
		"a score of what is not put": func(c *cognition.Check) {
			c.Tasks[3].Raw = &seven
		},
		"surer than sure": func(c *cognition.Check) { c.Tasks[0].Confidence = 1.1 },
	} {
		broken := c
		broken.Tasks = slices.Clone(c.Tasks)
		change(&broken)
		if err := s.SaveCognitiveCheck(t.Context(), broken); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v; want ErrConflict", name, err)
		}
	}
	got, err := s.CognitiveCheckOfCall(t.Context(), c.CallID)
	if diff := cmp.Diff(c, got, instants); err != nil || diff != "" {
		t.Errorf("after all that: %v\n%s", err, diff)
	}
}

func TestCognitiveCheckWithoutWords(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s) // has never agreed to be recorded
	c := cognitive(p, checked(t, s, p, "conv_1"), aDay)
	c.EndedAt = time.Time{}
	saveCognitive(t, s, c)
	got, err := s.CognitiveCheckOfCall(t.Context(), c.CallID)
	if err != nil {
		t.Fatal(err)
	}
	six := got.Tasks[0]
	if *six.Raw != 5 || len(six.Evidence) != 2 || six.Evidence[0].Quote+six.Evidence[1].Quote != "" || !six.Evidence[1].Counts || six.Evidence[1].Why != "variant" {
		t.Errorf("%+v; want the score and what it rests on without words", six)
	}
	if f := got.Confounders[0]; f.Quote != "" || f.Kind != "sleep" {
		t.Errorf("confounder %+v; want its kind without words", f)
	}
	k, err := s.Call(t.Context(), c.CallID)
	if err != nil || !got.EndedAt.Equal(*k.EndedAt) {
		t.Errorf("ended at %v, want the call's ending %v (%v)", got.EndedAt, k.EndedAt, err)
	}
	if c.Tasks[0].Evidence[0].Quote == "" || c.Confounders[0].Quote == "" {
		t.Error("the caller's own copy lost its words")
	}
}

// PostgreSQL knows no NUL: a check must not be lost by what was heard.
func TestCognitiveCheckOfAnyWords(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	allows(t, s, p)
	c := cognitive(p, checked(t, s, p, ""), aDay)
	c.Confounders[0].Quote, c.Tasks[0].Evidence[0].Quote = "I hardly\x00 slept", "Mon\x00day\xff"
	saveCognitive(t, s, c)
	got, err := s.CognitiveCheckOfCall(t.Context(), c.CallID)
	if err != nil || got.Confounders[0].Quote != "I hardly slept" || got.Tasks[0].Evidence[0].Quote != "Monday\uFFFD" {
		t.Errorf("kept %+v, %v", got, err)
	}
}

func TestCorrectCognitiveTask(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	c := cognitive(p, checked(t, s, p, ""), aDay)
	saveCognitive(t, s, c)
	for _, k := range []struct {
		name, task string
		raw        int
		want       error
	}{
		{"once", "six_item", 4, nil},
		{"again", "six_item", 6, nil},
		{"open ended", "category", 40, nil},
		{"too much", "six_item", 7, store.ErrConflict},
		{"less than nothing", "category", -1, store.ErrConflict},
		{"nothing to correct", "story", 3, store.ErrConflict},
		{"no such task", "letter", 3, store.ErrNotFound},
	} {
		if err := s.CorrectCognitiveTask(t.Context(), c.CallID, k.task, cognition.Correction{Raw: k.raw, By: "Dr Lamb", Note: k.name}); !errors.Is(err, k.want) {
			t.Errorf("%s: %v; want %v", k.name, err, k.want)
		}
	}
	saveCognitive(t, s, c) // a retry keeps them
	got, err := s.CognitiveCheckOfCall(t.Context(), c.CallID)
	if err != nil {
		t.Fatal(err)
	}
	six, category, story := got.Tasks[0], got.Tasks[1], got.Tasks[2]
	if six.Correction == nil || six.Correction.Note != "again" || six.Correction.By != "Dr Lamb" || six.Correction.At.IsZero() || *six.Raw != 5 || *six.Score() != 6 {
		t.Errorf("six_item %+v, %+v; want the last correction, and the score by rules", six, six.Correction)
	}
	if *category.Score() != 40 || story.Score() != nil {
		t.Errorf("category %v, story %v", *category.Score(), story.Score())
	}
	var kept, told int
	if err := s.Pool().QueryRow(t.Context(), "select (select count(*) from cognitive_corrections), (select count(*) from audit where action = 'cognitive.correct' and actor = 'Dr Lamb')").
		Scan(&kept, &told); err != nil || kept != 3 || told != 3 {
		t.Errorf("%d corrections and %d lines of audit, %v; want 3 of each", kept, told, err)
	}
}

// A check that is being written again is corrected as soon as it is.
func TestCorrectCognitiveTaskThatIsWrittenAgain(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, pooled(t, storetest.URL(t), "6")) // one waits for another
	p := ada(t, s)
	c := cognitive(p, checked(t, s, p, ""), aDay)
	saveCognitive(t, s, c)
	written, enough := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := pgx.BeginFunc(t.Context(), s.Pool(), func(tx pgx.Tx) error {
			defer func() { <-enough }()
			defer close(written)
			_, err := tx.Exec(t.Context(), `do $$ begin
				update cognitive_checks set status = status;
				create temporary table again on commit drop as select * from cognitive_tasks;
				delete from cognitive_tasks;
				insert into cognitive_tasks select * from again;
			end $$`)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-written
	all.Go(func() {
		if err := s.CorrectCognitiveTask(t.Context(), c.CallID, "six_item", cognition.Correction{Raw: 4, By: "Dr Lamb"}); err != nil {
			t.Error(err)
		}
	})
	waiting(t, s, 1)
	close(enough)
	all.Wait()
}

func TestCognitiveChecksGoWithTheirPerson(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	c := cognitive(p, checked(t, s, p, ""), aDay)
	saveCognitive(t, s, c)
	if err := s.CorrectCognitiveTask(t.Context(), c.CallID, "six_item", cognition.Correction{Raw: 1, By: "Dr Lamb"}); err != nil {
		t.Fatal(err)
	}
	if err := s.DeletePerson(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"cognitive_checks", "cognitive_tasks", "cognitive_corrections"} {
		var n int
		if err := s.Pool().QueryRow(t.Context(), "select count(*) from "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s holds %d rows, %v", table, n, err)
		}
	}
}

func TestBirthDate(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	p := ada(t, s)
	for _, c := range [][2]string{{"1941-03-29", "1941-03-29"}, {"1940-02-29", "1940-02-29"}, {"", ""}, {"1941-02-30", ""}} {
		p.BirthDate = c[0]
		if _, err := s.UpdatePerson(t.Context(), p, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Person(t.Context(), p.ID); err != nil || got.BirthDate != c[1] {
			t.Errorf("born %q is kept as %q, %v", c[0], got.BirthDate, err)
		}
	}
}
