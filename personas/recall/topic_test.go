package recall

import (
	"log/slog"
	"testing"

	"github.com/naiber/naiber/internal/leaktest"
	"github.com/naiber/naiber/store"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestTopicsAreBounded(t *testing.T) {
	t.Parallel()
	r := New(Config{Log: slog.New(slog.DiscardHandler)})
	first, walter := store.NewCallID(), store.NewPersonID()
	r.remember(first, walter, r.ask(first), []string{"first"}, true)
	second := store.NewCallID()
	r.remember(second, walter, r.ask(second), []string{"second"}, true)
	for range keptCalls - 2 {
		id := store.NewCallID()
		r.remember(id, walter, r.ask(id), []string{"more"}, true)
	}
	r.ask(first) // it goes on
	r.ask(store.NewCallID())
	if len(r.topics) > keptCalls || r.Before(first) == nil || r.Before(second) != nil {
		t.Errorf("%d topics; first %v, second %v", len(r.topics), r.Before(first), r.Before(second))
	}
	// A search that was overtaken changes nothing.
	slow, fast := r.ask(first), r.ask(first)
	r.remember(first, walter, fast, []string{"newer"}, true)
	r.remember(first, walter, slow, []string{"older"}, true)
	if got := r.Before(first); len(got) != 1 || got[0] != "newer" {
		t.Errorf("after an overtaken search: %v", got)
	}
	// What is forgotten stays so, even where a search was under way.
	running := r.ask(first)
	r.Forgotten(walter)
	r.remember(first, walter, running, []string{"forgotten"}, true)
	if got := r.Before(first); got != nil {
		t.Errorf("after forgetting: %v", got)
	}
	fresh := store.NewCallID()
	early := r.ask(fresh) // nobody knows yet whose call it is
	r.Forgotten(walter)
	r.remember(fresh, walter, early, []string{"forgotten"}, true)
	if got := r.Before(fresh); got != nil {
		t.Errorf("after forgetting during the first search: %v", got)
	}
	next := r.ask(first)
	r.remember(first, walter, next, []string{"told anew"}, true)
	if got := r.Before(first); len(got) != 1 {
		t.Errorf("a later search: %v", got)
	}
	r.Forgotten(store.PersonID{})
	if got := r.Before(first); got != nil {
		t.Errorf("after somebody forgot, who is not known: %v", got)
	}
}
