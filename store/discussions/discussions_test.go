package discussions_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func person(t *testing.T, st *store.Store, name string) people.Person {
	t.Helper()
	p, err := st.CreatePerson(t.Context(), people.Person{Name: name, Phone: "+15550100123", Timezone: "UTC", Language: "en"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func create(t *testing.T, st *store.Store, n discussions.NewDiscussion) (discussions.Discussion, error) {
	t.Helper()
	var d discussions.Discussion
	err := st.InTx(t.Context(), func(tx store.Tx) (err error) {
		d, err = st.CreateDiscussion(t.Context(), tx, n)
		return err
	})
	return d, err
}

type record map[string]any

func TestForgetDiscussions(t *testing.T) {
	t.Parallel()
	call, fact := uuid.New(), uuid.New()
	for name, row := range map[string]struct {
		forget discussions.Forgetting
		gone   []string
	}{
		"nothing":                  {discussions.Forgetting{}, nil},
		"all":                      {discussions.Forgetting{All: true}, []string{"asked", "none", "said", "sources"}},
		"a source":                 {discussions.Forgetting{Sources: []uuid.UUID{uuid.New(), call}}, []string{"sources"}},
		"a topic of a question":    {discussions.Forgetting{Topics: []string{"garden"}}, []string{"asked"}},
		"a topic of the record":    {discussions.Forgetting{Topics: []string{"terrier"}}, []string{"sources"}},
		"a word across two chunks": {discussions.Forgetting{Topics: []string{"brother"}}, []string{"said"}},
		"after a line break":       {discussions.Forgetting{Topics: []string{"piano"}}, []string{"said"}},
		"a topic of an action":     {discussions.Forgetting{Topics: []string{"daughter"}}, []string{"said"}},
		"a topic, until before":    {discussions.Forgetting{Topics: []string{"garden"}, Until: time.Now().Add(-time.Hour)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := storetest.New(t)
			p, other := person(t, st, "Margaret"), person(t, st, "Rose")
			ids := map[uuid.UUID]string{}
			for what, n := range map[string]discussions.NewDiscussion{
				"asked": {PersonID: p.ID, Question: "How is the garden?"}, "said": {PersonID: p.ID}, "none": {PersonID: p.ID},
				"sources": {PersonID: p.ID, Sources: []uuid.UUID{call, fact, call}, Record: record{"evidence": []record{{"text": "Her terrier."}}}},
				"hers":    {PersonID: other.ID, Question: "Her garden, terrier, brother, piano and daughter.", Sources: []uuid.UUID{call}},
			} {
				n.Rounds, n.AskedBy = 2, "Ruth"
				d, err := create(t, st, n)
				if err != nil {
					t.Fatal(err)
				}
				ids[d.DiscussionID] = what
				if what == "said" {
					_, err = st.AppendEvents(t.Context(), d.DiscussionID, 0, discussions.Appended{Actions: []discussions.Action{{ActionID: uuid.New(), Kind: "tell", Text: "Tell the daughter."}}},
						discussions.NewEvent{Kind: "chunk", Data: record{"text": "Her broth"}}, discussions.NewEvent{Kind: "chunk", Data: record{"text": "er came."}},
						discussions.NewEvent{Kind: "done", Data: record{"agreed": []string{"Nothing.\npiano"}}})
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			f := row.forget
			if f.Person, f.Config = p.ID, "english"; f.Until.IsZero() {
				f.Until = time.Now().Add(time.Minute)
			}
			var gone []string
			if err := st.InTx(t.Context(), func(tx store.Tx) error {
				found, err := st.ForgetDiscussions(t.Context(), tx, f)
				for _, id := range found {
					gone = append(gone, ids[id])
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if slices.Sort(gone); !slices.Equal(gone, row.gone) {
				t.Errorf("gone: %q, want %q", gone, row.gone)
			}
			left, err := st.Discussions(t.Context(), discussions.Filter{Limit: 10})
			if err != nil || len(left) != len(ids)-len(gone) {
				t.Errorf("%d are left, %v", len(left), err)
			}
		})
	}
}

// The threads of a discussion go with it, and a process that still holds one does not
// bring it back: when it is forgotten as when its person is deleted.
func TestThreadsGo(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(t *testing.T, st *store.Store, p people.Person){
		"forgotten": func(t *testing.T, st *store.Store, p people.Person) {
			t.Helper()
			if err := st.InTx(t.Context(), func(tx store.Tx) error {
				_, err := st.ForgetDiscussions(t.Context(), tx, discussions.Forgetting{Person: p.ID, All: true, Config: "english"})
				return err
			}); err != nil {
				t.Fatal(err)
			}
		},
		"with the person": func(t *testing.T, st *store.Store, p people.Person) {
			t.Helper()
			if err := st.DeletePerson(t.Context(), p.ID); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := storetest.New(t)
			p := person(t, st, "Margaret")
			d, err := create(t, st, discussions.NewDiscussion{PersonID: p.ID, AskedBy: "Ruth", Rounds: 2})
			if err != nil {
				t.Fatal(err)
			}
			threads, err := checkpoint.New(st, checkpoint.Config{})
			if err != nil {
				t.Fatal(err)
			}
			held := map[string]checkpoint.History{}
			for round := range 2 {
				thread := fmt.Sprintf("council:%s:%s:%d", p.ID, d.DiscussionID, round+1)
				put(t, threads, thread, checkpoint.History{})
				if held[thread], err = threads.Load(t.Context(), thread); err != nil || len(held[thread].Checkpoints) != 1 {
					t.Fatal(len(held[thread].Checkpoints), err)
				}
			}
			put(t, threads, "council:other", checkpoint.History{})
			remove(t, st, p)
			for thread, h := range held {
				cp := checkpoint.Checkpoint{ID: checkpoint.NewID(), At: time.Now(), Parent: h.Checkpoints[0].ID}
				if err := threads.Put(t.Context(), thread, h, cp); !errors.Is(err, checkpoint.ErrConflict) {
					t.Errorf("put again: %v", err)
				}
				if h, err := threads.Load(t.Context(), thread); err != nil || len(h.Checkpoints) != 0 {
					t.Errorf("%d checkpoints are left, %v", len(h.Checkpoints), err)
				}
			}
			if h, err := threads.Load(t.Context(), "council:other"); err != nil || len(h.Checkpoints) != 1 {
				t.Errorf("another thread has %d checkpoints, %v", len(h.Checkpoints), err)
			}
		})
	}
}

func put(t *testing.T, threads *checkpoint.Store, thread string, h checkpoint.History) {
	t.Helper()
	if err := threads.Put(t.Context(), thread, h, checkpoint.Checkpoint{ID: checkpoint.NewID(), At: time.Now()}); err != nil {
		t.Fatal(err)
	}
}

// A record that was read before something was forgotten is not kept.
func TestRecordOutOfDate(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := person(t, st, "Margaret")
	n := discussions.NewDiscussion{PersonID: p.ID, AskedBy: "Ruth", Rounds: 1, AsOf: p.UpdatedAt}
	if _, err := create(t, st, n); err != nil {
		t.Fatal(err)
	}
	if err := st.InTx(t.Context(), func(tx store.Tx) error { return st.TouchPerson(t.Context(), tx, p.ID) }); err != nil {
		t.Fatal(err)
	}
	if _, err := create(t, st, n); !errors.Is(err, discussions.ErrMoved) {
		t.Errorf("out of date: %v", err)
	}
	if left, err := st.Discussions(t.Context(), discussions.Filter{Limit: 10}); err != nil || len(left) != 1 {
		t.Errorf("%d are kept, %v", len(left), err)
	}
}

// Events of many discussions are added together, and each addition has its own error:
// of two that know the same last event one is too late, and what the server refuses
// keeps nobody else's out.
func TestAppendTogether(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := person(t, st, "Margaret")
	const many, rounds = 30, 5
	var ids []uuid.UUID
	for range many {
		d, err := create(t, st, discussions.NewDiscussion{PersonID: p.ID, Rounds: 1, AskedBy: "Ruth"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.DiscussionID)
	}
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			for n := range rounds {
				last := int64(2 * n)
				late := make(chan error)
				add := func(text string) error {
					_, err := st.AppendEvents(t.Context(), id, last, discussions.Appended{},
						discussions.NewEvent{Kind: "chunk", Data: record{"text": text}}, discussions.NewEvent{Kind: "chunk", Data: record{"more": n}})
					return err
				}
				go func() { late <- add("b") }()
				if a, b := add("a"), <-late; (a == nil) == (b == nil) || !errors.Is(errors.Join(a, b), discussions.ErrMoved) {
					t.Errorf("discussion %d: of two that add behind event %d: %v and %v", i, last, a, b)
				}
				if _, err := st.AppendEvents(t.Context(), id, last+2, discussions.Appended{}, discussions.NewEvent{Kind: "\x00"}); err == nil || errors.Is(err, discussions.ErrMoved) {
					t.Errorf("discussion %d: a kind that cannot be kept: %v", i, err)
				}
			}
		})
	}
	all.Wait()
	for i, id := range ids {
		events, err := st.DiscussionEvents(t.Context(), id, 0)
		if err != nil || len(events) != 2*rounds || events[len(events)-1].Seq != 2*rounds {
			t.Errorf("discussion %d has %d events, %v", i, len(events), err)
		}
	}
}
