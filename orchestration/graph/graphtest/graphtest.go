// Package graphtest is the contract of checkpoint stores, as a test that every
// implementation runs. It covers what a graph needs of a store and what keeping
// house needs: put, get, list, parents, work noted between checkpoints, copy,
// prune, delete, isolation, races, large states, odd names, ends.
package graphtest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store/checkpoint"
)

// Checkpoints is a store of checkpoints.
type Checkpoints interface {
	Load(ctx context.Context, thread string) (checkpoint.History, error)
	Put(ctx context.Context, thread string, cp checkpoint.Checkpoint, head checkpoint.ID) error
	Write(ctx context.Context, thread string, w checkpoint.Write) (checkpoint.Write, error)
	Get(ctx context.Context, thread string, id checkpoint.ID) (checkpoint.Checkpoint, error)
	List(ctx context.Context, thread string, q checkpoint.Query) ([]checkpoint.Checkpoint, error)
	Copy(ctx context.Context, from, to string) error
	Prune(ctx context.Context, thread string, keep int) error
	Delete(ctx context.Context, thread string) error
	Close() error
}

// Keep is how many checkpoints of a thread a store under test must keep: it is
// to be made with exactly this number.
const Keep = 6

// TestCheckpoints runs the contract over stores that open makes, each on the
// same or another ground; threads of the tests have names of their own. A store
// is open until its test ends.
func TestCheckpoints(t *testing.T, open func(t *testing.T) Checkpoints) { //nolint:tparallel // whether it is parallel is its caller's choice
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(t *testing.T, s Checkpoints)
	}{
		{"put and load", testPut},
		{"get by id", testGet},
		{"list", testList},
		{"parents", testParents},
		{"replaced turn", testReplaced},
		{"keep", testKeep},
		{"conflict", testConflict},
		{"told twice", testTwice},
		{"work", testWork},
		{"work before the first checkpoint", testRootWork},
		{"delete", testDelete},
		{"copy", testCopy},
		{"prune", testPrune},
		{"isolation", testIsolation},
		{"concurrent writers", testWriters},
		{"concurrent work", testWorkers},
		{"large state", testLarge},
		{"odd names", testNames},
		{"what cannot be stored", testInvalid},
		{"nobody's bytes", testAliasing},
		{"cancelled", testCancelled},
		{"closed", testClosed},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.run(t, open(t))
		})
	}
}

var threads atomic.Int64

// Thread returns the name of a thread that no other test uses.
func Thread(tb testing.TB) string {
	tb.Helper()
	return fmt.Sprintf("health_check:%s:conv_%d_%d", checkpoint.NewID(), threads.Add(1), time.Now().UnixNano())
}

// Next makes the checkpoint that follows parent (nil: the first of a thread),
// written over head.
func Next(parent, head *checkpoint.Checkpoint, state string) checkpoint.Checkpoint {
	now := time.Now().UTC().Truncate(time.Microsecond)
	cp := checkpoint.Checkpoint{
		ID: checkpoint.NewID(), At: now, Graph: "health", Schema: 3, Node: "wait",
		Turn:    checkpoint.Turn{Conversation: "conv_1", Place: 1, Key: "9f86d081", At: now.Add(-time.Millisecond)},
		Outcome: []byte(`{"said":"` + state + `?"}`), State: []byte(`{"q":"` + state + `"}`),
	}
	if parent != nil {
		cp.Parent, cp.Step, cp.Turn.Place = parent.ID, parent.Step+1, parent.Turn.Place+2
	}
	var rev int64
	if head != nil {
		rev = head.Rev
	}
	cp.Rev = checkpoint.NextRev(rev, now)
	return cp
}

// Grow puts n checkpoints one upon the other and returns them, oldest first.
func Grow(tb testing.TB, s Checkpoints, thread string, n int) []checkpoint.Checkpoint {
	tb.Helper()
	var line []checkpoint.Checkpoint
	var parent *checkpoint.Checkpoint
	for i := range n {
		cp := Next(parent, parent, fmt.Sprintf("s%d", i))
		var head checkpoint.ID
		if parent != nil {
			head = parent.ID
		}
		if err := s.Put(tb.Context(), thread, cp, head); err != nil {
			tb.Fatalf("put checkpoint %d: %v", i, err)
		}
		line = append(line, cp)
		parent = &line[i]
	}
	return line
}

func load(tb testing.TB, s Checkpoints, thread string) checkpoint.History {
	tb.Helper()
	h, err := s.Load(tb.Context(), thread)
	if err != nil {
		tb.Fatalf("load %q: %v", thread, err)
	}
	return h
}

func same(tb testing.TB, what string, got, want any) {
	tb.Helper()
	// No bytes and nil bytes are the same to a store.
	short := cmp.Transformer("bytes", func(b []byte) string {
		if len(b) > 200 {
			return fmt.Sprintf("%d bytes, %q…", len(b), b[:64])
		}
		return string(b)
	})
	equal := cmp.Comparer(bytes.Equal)
	if !cmp.Equal(got, want, equal) {
		tb.Fatalf("%s: got against want:\n%s", what, cmp.Diff(want, got, short))
	}
}

// newestFirst returns cps in the order in which stores give them.
func newestFirst(cps ...checkpoint.Checkpoint) []checkpoint.Checkpoint {
	out := []checkpoint.Checkpoint{}
	for i := range cps {
		out = append(out, cps[len(cps)-1-i])
	}
	return out
}

func large(seed string) []byte { return []byte(strings.Repeat(seed, 1<<20/len(seed)+1)[:1<<20]) }
