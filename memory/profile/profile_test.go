package profile

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/survive"
)

// shelf is a source that counts how often it is asked.
type shelf struct {
	mu     sync.Mutex
	asked  int
	takes  time.Duration
	err    error
	scopes map[people.Scope]bool
}

func (s *shelf) Contacts(context.Context, store.PersonID) ([]people.Contact, error) {
	return []people.Contact{{Name: "Susan", Relation: "daughter", Phone: "+15550100009", Notes: "visits on Sundays"}}, nil
}

func (s *shelf) LastSummaries(context.Context, store.PersonID, int) ([]memories.Summary, error) {
	return []memories.Summary{
		{Text: "Margaret planted roses and slept badly.", CreatedAt: time.Now().Add(-24 * time.Hour)},
		{Text: "She was cheerful.", CreatedAt: time.Now().Add(-72 * time.Hour)},
	}, nil
}

func (s *shelf) Topics(context.Context, store.PersonID, int) ([]memories.Topic, error) {
	return []memories.Topic{{Label: "gardening", Mentions: 4, LastMentionedAt: time.Now()}}, nil
}

func (s *shelf) ConsentScopes(context.Context, store.PersonID) (map[people.Scope]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.takes > 0 {
		time.Sleep(s.takes) //nolint:forbidigo // fake time, in a synctest bubble
	}
	return s.scopes, s.err
}

func margaret() people.Person {
	return people.Person{
		ID: store.NewPersonID(), Name: "Margaret Ellis", PreferredName: "Margaret", Timezone: "America/New_York",
		Notes: "Was a teacher.", Conditions: []string{"arthritis"}, Medications: []string{"metformin"},
	}
}

func profile(t *testing.T, s *shelf, adjust func(*Config)) *Profile {
	t.Helper()
	cfg := Config{Source: s, Consents: s, Log: slog.New(slog.DiscardHandler)}
	if adjust != nil {
		adjust(&cfg)
	}
	p := New(cfg)
	t.Cleanup(p.Close)
	return p
}

func allowed() *shelf { return &shelf{scopes: map[people.Scope]bool{people.ScopeMemory: true}} }

func TestRecallRanks(t *testing.T) {
	t.Parallel()
	m := profile(t, allowed(), nil)
	p := margaret()
	for query, want := range map[string]string{
		"my daughter is coming":       "Susan is Margaret's daughter",
		"The roses are out":           "planted roses",
		"what about my arthritis?":    "lives with arthritis",
		"I was out in the garden":     "gardening",
		"did I take my metformin":     "takes metformin",
		"I taught; a teacher you see": "Was a teacher",
	} {
		got, err := m.Recall(t.Context(), p, query)
		if err != nil || len(got) == 0 || len(got) > recallLimit || !strings.Contains(got[0], want) {
			t.Errorf("Recall(%q) = %q, %v; want %q first", query, got, err, want)
		}
	}
	all, err := m.Recollect(t.Context(), p)
	if err != nil || len(all) != 8 || all[0] != "Last call, yesterday: Margaret planted roses and slept badly." {
		t.Errorf("Recollect = %q, %v", all, err)
	}
	if s := strings.Join(all, " "); strings.Contains(s, "+1555") {
		t.Errorf("a number reached a prompt: %s", s)
	}
}

func TestNoConsentNoMemory(t *testing.T) {
	t.Parallel()
	m := profile(t, &shelf{scopes: map[people.Scope]bool{people.ScopeCalls: true}}, nil)
	for _, p := range []people.Person{margaret(), {}} {
		if got, err := m.Recollect(t.Context(), p); err != nil || len(got) != 0 {
			t.Errorf("Recollect = %q, %v; want nothing", got, err)
		}
	}
}

func TestReadOnceAndAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := allowed()
		m := profile(t, s, func(c *Config) { c.Keep = time.Minute })
		p := margaret()
		ask := func(want int) {
			t.Helper()
			if _, err := m.Recall(t.Context(), p, "roses"); err != nil {
				t.Error(err)
			}
			if s.asked != want {
				t.Errorf("read %d times, want %d", s.asked, want)
			}
		}
		ask(1)
		ask(1)
		time.Sleep(2 * time.Minute) //nolint:forbidigo // fake time, in a synctest bubble
		ask(2)                      // it is old
		m.Invalidate(p.ID)
		ask(3)
		p.UpdatedAt = time.Now()
		ask(4) // the record has changed
		m.Close()
	})
}

func TestManyAskOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := allowed()
		s.takes = time.Second
		m := profile(t, s, nil)
		p := margaret()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if got, err := m.Recall(t.Context(), p, ""); err != nil || len(got) == 0 {
					t.Errorf("Recall = %q, %v", got, err)
				}
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := m.Recall(ctx, p, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an impatient caller: %v", err)
		}
		wg.Wait()
		if s.asked != 1 {
			t.Errorf("read %d times, want once", s.asked)
		}
		m.Close()
	})
}

func TestFailureIsNotKept(t *testing.T) {
	t.Parallel()
	s := allowed()
	s.err = errors.New("away")
	m := profile(t, s, nil)
	p := margaret()
	if _, err := m.Recall(t.Context(), p, ""); !errors.Is(err, s.err) {
		t.Errorf("Recall: %v", err)
	}
	m.Invalidate(p.ID) // the failed load may just be taking itself out
	s.err = nil
	if got, err := m.Recall(t.Context(), p, ""); err != nil || len(got) == 0 {
		t.Errorf("Recall afterwards = %q, %v", got, err)
	}
}

func TestBounded(t *testing.T) {
	t.Parallel()
	m := profile(t, allowed(), func(c *Config) { c.People = 3 })
	for range 20 {
		if _, err := m.Recall(t.Context(), margaret(), ""); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.entries); n > 3 {
		t.Errorf("%d profiles are kept, want at most 3", n)
	}
}

// broken panics where consents are asked for.
type broken struct{ *shelf }

func (broken) ConsentScopes(context.Context, store.PersonID) (map[people.Scope]bool, error) {
	panic("in ConsentScopes")
}

// A panic in a load that others wait for,
// is the failure of that alone.
func TestPanicInMemoryIsAFailure(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	p := New(Config{Source: allowed(), Consents: broken{allowed()}, Log: quiet})
	t.Cleanup(p.Close)
	for range 2 { // a failure is not kept
		if _, err := p.Recall(t.Context(), margaret(), "roses"); !errors.Is(err, survive.ErrPanic) {
			t.Errorf("recall: %v", err)
		}
	}
}
