package checkpoint_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/orchestration/graph/graphtest"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

// copyOf is a copy of a thread whose head has the revision rev, zero for one with
// work alone. What tells copies apart is the work's value.
func copyOf(rev int64, mark string) checkpoint.History {
	w := checkpoint.Write{Task: "task", Value: []byte(mark), At: graphtest.Next(nil, nil, "").At}
	h := checkpoint.History{Writes: []checkpoint.Write{w}}
	if rev > 0 {
		cp := graphtest.Next(nil, nil, mark)
		cp.Rev = rev
		h.Checkpoints = []checkpoint.Checkpoint{cp}
	}
	return h
}

// Of two copies of a thread the newer one counts, by the revision of its head,
// which Redis' script puts together from two halves of 32 bits. Where both are as
// new, the one that comes counts: it was joined from both.
func TestRedisMergeTakesWhatIsNewer(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	r := openRedis(t, srv.URL())
	const now = int64(1_790_000_000_000_000) // microseconds: in the autumn of 2026
	for _, tt := range []struct {
		name        string
		here, comes int64 // revisions; -1: there is none
		taken       bool
	}{
		{"nothing is here", -1, now, true},
		{"older is here", now - 1, now, true},
		{"newer is here", now + 1, now, false},
		{"as new", now, now, true},
		{"only work is here", 0, 1, true},
		{"only work comes", 1, 0, false},
		{"only work on both sides", 0, 0, true},
		{"newer by the upper half", 1<<32 - 1, 1 << 32, true},
		{"older by the upper half", 1 << 32, 1<<32 - 1, false},
		{"upper half newer, lower half older", 5<<32 | 9, 6<<32 | 1, true},
		{"upper half older, lower half newer", 6<<32 | 1, 5<<32 | 9, false},
		{"lower half of which the top bit is set", 7<<32 | 1<<31, 7<<32 | 1<<31 - 1, false},
		{"the largest there may be", 1<<53 - 1, 1<<53 - 2, false},
		{"the largest comes", 1<<53 - 2, 1<<53 - 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			thread := graphtest.Thread(t)
			here, comes := checkpoint.History{}, copyOf(tt.comes, "comes")
			if tt.here >= 0 {
				here = copyOf(tt.here, "here")
				if err := r.Merge(t.Context(), thread, here); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Merge(t.Context(), thread, comes); err != nil {
				t.Fatal(err)
			}
			want := here
			if tt.taken {
				want = comes
			}
			got, err := r.Load(t.Context(), thread)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

// A copy that comes takes the place of what is no thread of ours: no revision can
// be read of it, and PostgreSQL knows better.
func TestRedisMergeOverForeignValue(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	r := openRedis(t, srv.URL())
	thread := graphtest.Thread(t)
	srv.Do(t, "SET", thread, `{"v":1}`)
	h := copyOf(1, "comes")
	if err := r.Merge(t.Context(), thread, h); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Load(t.Context(), thread); err != nil || !cmp.Equal(got, h) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Forget deletes by the beginning of a name, taken as it stands, and no copy from
// elsewhere brings back what was there or was named.
func TestPostgresForget(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := checkpoint.NewPostgres(st, 0)
	const mine, alike, elsewhere = "check:a_%:1", "check:abc:1", "check:a_%:2"
	heads := map[string]checkpoint.Checkpoint{}
	for _, thread := range []string{mine, alike} {
		heads[thread] = graphtest.Grow(t, p, thread, 2)[1]
	}
	heads[elsewhere] = graphtest.Next(nil, nil, "x")
	var dead []string
	forget := func(ctx context.Context, tx store.Tx) (err error) {
		dead, err = p.Forget(ctx, tx, "check:a_%:", []string{elsewhere, mine})
		return err
	}
	for range 2 { // the second time changes nothing
		if err := st.InTx(t.Context(), func(tx store.Tx) error { return forget(t.Context(), tx) }); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(dead); !slices.Equal(dead, []string{mine, elsewhere}) {
			t.Errorf("forgotten: %q", dead)
		}
	}
	for thread, want := range map[string]bool{mine: false, elsewhere: false, alike: true} {
		if err := p.Merge(t.Context(), thread, checkpoint.History{Checkpoints: []checkpoint.Checkpoint{heads[thread]}}); err != nil {
			t.Fatal(err)
		}
		h, err := p.Load(t.Context(), thread)
		if _, there := h.Head(); err != nil || there != want {
			t.Errorf("%s is there: %v, %v; want %v", thread, there, err, want)
		}
	}
}
