package checkpoint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/checkpoint/redistest"
	"github.com/naiber/naiber/store/storetest"
)

// threads is what every store does.
type threads interface {
	Load(ctx context.Context, thread string) (checkpoint.History, error)
	Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error
	Delete(ctx context.Context, thread string) error
}

func TestMemoryContract(t *testing.T) {
	t.Parallel()
	contract(t, checkpoint.NewMemory(keep))
}

func TestPostgresContract(t *testing.T) {
	t.Parallel()
	contract(t, open(t, storetest.New(t), ""))
}

func TestRedisContract(t *testing.T) {
	t.Parallel()
	contract(t, open(t, storetest.New(t), redistest.New(t).URL()))
}

func TestRedisIsAwayContract(t *testing.T) {
	t.Parallel()
	srv := redistest.New(t)
	srv.Stop()
	contract(t, open(t, storetest.New(t), srv.URL()))
}

// keep is how many checkpoints of a thread the stores under test keep.
const keep = 6

// contract is what a graph may rely on, whatever store it has.
func contract(t *testing.T, s threads) {
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(t *testing.T, s threads)
	}{
		{"put and load", testPut},
		{"parents", testParents},
		{"replaced turn", testReplaced},
		{"keep", testKeep},
		{"conflict", testConflict},
		{"told twice", testTwice},
		{"delete", testDelete},
		{"isolation", testIsolation},
		{"concurrent writers", testWriters},
		{"large state", testLarge},
		{"odd names", testNames},
		{"what cannot be stored", testInvalid},
		{"nobody's bytes", testAliasing},
		{"cancelled", testCancelled},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.run(t, s)
		})
	}
}

var count atomic.Int64

// newThread returns the name of a thread that no other test uses.
func newThread() string {
	return fmt.Sprintf("health_check:%s:conv_%d", checkpoint.NewID(), count.Add(1))
}

// next returns a checkpoint that follows parent; nil: the first of a thread.
func next(parent *checkpoint.Checkpoint, state string) checkpoint.Checkpoint {
	now := time.Now().UTC().Truncate(time.Microsecond)
	cp := checkpoint.Checkpoint{
		ID: checkpoint.NewID(), At: now, Graph: "health", Schema: 3, Node: "wait",
		Turn:    checkpoint.Turn{Conversation: "conv_1", Place: 1, Key: "9f86d081", At: now.Add(-time.Millisecond)},
		Outcome: []byte(`{"said":"` + state + `?"}`), State: []byte(`{"q":"` + state + `"}`),
	}
	if parent != nil {
		cp.Parent, cp.Step, cp.Turn.Place = parent.ID, parent.Step+1, parent.Turn.Place+2
	}
	return cp
}

// put loads a thread, puts cp and returns it as it is stored.
func put(tb testing.TB, s threads, thread string, cp checkpoint.Checkpoint) checkpoint.Checkpoint {
	tb.Helper()
	if err := s.Put(tb.Context(), thread, load(tb, s, thread), cp); err != nil {
		tb.Fatal(err)
	}
	return head(tb, s, thread)
}

// grow puts n checkpoints one upon the other and returns them, oldest first.
func grow(tb testing.TB, s threads, thread string, n int) []checkpoint.Checkpoint {
	tb.Helper()
	var line []checkpoint.Checkpoint
	var last *checkpoint.Checkpoint
	for i := range n {
		line = append(line, put(tb, s, thread, next(last, "s"+strconv.Itoa(i))))
		last = &line[i]
	}
	return line
}

func load(tb testing.TB, s threads, thread string) checkpoint.History {
	tb.Helper()
	h, err := s.Load(tb.Context(), thread)
	if err != nil {
		tb.Fatalf("load %q: %v", thread, err)
	}
	return h
}

func head(tb testing.TB, s threads, thread string) checkpoint.Checkpoint {
	tb.Helper()
	h := load(tb, s, thread)
	cp, ok := h.Head()
	if !ok {
		tb.Fatalf("thread %q is empty", thread)
	}
	return cp
}

// holds wants a thread to be those checkpoints, given oldest first.
func holds(tb testing.TB, what string, got []checkpoint.Checkpoint, want ...checkpoint.Checkpoint) {
	tb.Helper()
	newestFirst := []checkpoint.Checkpoint{}
	for i := range want {
		newestFirst = append(newestFirst, want[len(want)-1-i])
	}
	if !cmp.Equal(append([]checkpoint.Checkpoint{}, got...), newestFirst, cmp.Comparer(bytes.Equal)) { // no bytes and nil bytes are the same to a store
		short := cmp.Transformer("bytes", func(b []byte) string { return fmt.Sprintf("%d bytes, %.64q", len(b), b) })
		tb.Fatalf("%s (-want +got):\n%s", what, cmp.Diff(newestFirst, got, short))
	}
}

func testPut(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	if h := load(t, s, thread); len(h.Checkpoints) != 0 {
		t.Fatalf("a thread nobody wrote to: got %v, want nothing", h)
	}
	first := next(nil, "energy")
	first.Done = true
	if first.Rev = put(t, s, thread, first).Rev; first.Rev <= 0 {
		t.Errorf("revision %d", first.Rev)
	}
	holds(t, "every field", load(t, s, thread).Checkpoints, first)

	second := next(&first, "sleep")
	second.State, second.Outcome, second.Turn = nil, nil, checkpoint.Turn{At: second.Turn.At}
	if second.Rev = put(t, s, thread, second).Rev; second.Rev <= first.Rev {
		t.Errorf("revision %d after %d", second.Rev, first.Rev)
	}
	holds(t, "newest first", load(t, s, thread).Checkpoints, first, second)
	got := head(t, s, thread)
	for _, at := range []time.Time{got.At, got.Turn.At} {
		if at.Location() != time.UTC {
			t.Errorf("time %v is not in UTC", at)
		}
	}

	// Bytes come back as they were, whatever they are.
	third := next(&second, "")
	third.State, third.Outcome = []byte("{\"nul\":\"\x00\\u0000\", \"b\": 1 ,\"a\":2}\xff\xfe\n"), []byte{0}
	third.Rev = put(t, s, thread, third).Rev
	holds(t, "bytes", load(t, s, thread).Checkpoints, first, second, third)
}

func testParents(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	line := grow(t, s, thread, 4)
	h := load(t, s, thread)
	holds(t, "line", h.Line(), line...)
	for _, want := range line {
		got, ok := h.Find(want.ID)
		if !ok {
			t.Fatalf("%s is not found", want.ID)
		}
		holds(t, "by id", []checkpoint.Checkpoint{got}, want)
	}
	if _, ok := h.Find(checkpoint.NewID()); ok {
		t.Error("an unknown id is found")
	}
}

func testReplaced(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	line := grow(t, s, thread, 2)
	// The turn that led to line[1] is asked again with other words, and again.
	again := put(t, s, thread, next(&line[0], "again"))
	h := load(t, s, thread)
	holds(t, "line", h.Line(), line[0], again)
	holds(t, "all", h.Checkpoints, line[0], line[1], again)

	// However often that is, the way back stays.
	var last checkpoint.Checkpoint
	for range 2 * keep {
		last = put(t, s, thread, next(&line[0], "once more"))
	}
	h = load(t, s, thread)
	holds(t, "line", h.Line(), line[0], last)

	// The first turn is replaced as well: its parent is none.
	thread = newThread()
	grow(t, s, thread, 1)
	other := put(t, s, thread, next(nil, "other"))
	h = load(t, s, thread)
	holds(t, "line of a replaced first turn", h.Line(), other)
}

func testKeep(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	line := grow(t, s, thread, 3*keep)
	holds(t, "the newest stay", load(t, s, thread).Checkpoints, line[2*keep:]...)
}

func testConflict(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	seen := []checkpoint.History{load(t, s, thread)}
	var line []checkpoint.Checkpoint
	var last *checkpoint.Checkpoint
	for i := range 3 {
		line = append(line, put(t, s, thread, next(last, "x")))
		last = &line[i]
		seen = append(seen, load(t, s, thread))
	}
	for i, h := range seen[:3] {
		if err := s.Put(t.Context(), thread, h, next(last, "late")); !errors.Is(err, checkpoint.ErrConflict) {
			t.Errorf("onto what there was %d turns ago: got %v, want ErrConflict", 3-i, err)
		}
	}
	holds(t, "after conflicts", load(t, s, thread).Checkpoints, line...)
	// A clock that is behind does no harm.
	slow := next(last, "slow")
	slow.At = slow.At.Add(-time.Hour)
	if got := put(t, s, thread, slow); got.Rev != last.Rev+1 {
		t.Errorf("revision %d after %d by a slow clock", got.Rev, last.Rev)
	}
}

func testTwice(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	first := grow(t, s, thread, 1)[0]
	h, cp := load(t, s, thread), next(&first, "x")
	for range 2 { // the answer was lost
		if err := s.Put(t.Context(), thread, h, cp); err != nil {
			t.Fatal(err)
		}
	}
	second := head(t, s, thread)
	holds(t, "told twice", load(t, s, thread).Checkpoints, first, second)
	third := put(t, s, thread, next(&second, "y"))
	if err := s.Put(t.Context(), thread, h, cp); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("one further down again: got %v, want ErrConflict", err)
	}
	holds(t, "told a third time", load(t, s, thread).Checkpoints, first, second, third)
}

func testDelete(t *testing.T, s threads) {
	t.Helper()
	thread, other := newThread(), newThread()
	line, kept := grow(t, s, thread, 3), grow(t, s, other, 2)
	before := load(t, s, thread)
	for range 2 { // the second time there is nothing
		if err := s.Delete(t.Context(), thread); err != nil {
			t.Fatal(err)
		}
		holds(t, "deleted", load(t, s, thread).Checkpoints)
	}
	if err := s.Put(t.Context(), thread, before, next(&line[2], "late")); !errors.Is(err, checkpoint.ErrConflict) {
		t.Errorf("a turn that comes after the deletion: got %v, want ErrConflict", err)
	}
	holds(t, "after a late turn", load(t, s, thread).Checkpoints)
	holds(t, "the other thread", load(t, s, other).Checkpoints, kept...)
	started := grow(t, s, thread, 2)
	holds(t, "started again", load(t, s, thread).Checkpoints, started...)
}

func testIsolation(t *testing.T, s threads) {
	t.Helper()
	base := newThread()
	// Names that a careless pattern, prefix or separator would mix up.
	names := []string{base, base + ":", base + ":x", base + "*", base + "?", base + "[a]", ":" + base, base + " ", strings.ToUpper(base), base + "%", base + "_"}
	lines := map[string][]checkpoint.Checkpoint{}
	for i, name := range names {
		lines[name] = grow(t, s, name, 1+i%3)
	}
	for _, name := range names[3:6] {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		delete(lines, name)
	}
	for name, line := range lines {
		holds(t, fmt.Sprintf("thread %q after others were deleted", name), load(t, s, name).Checkpoints, line...)
	}
}

// testWriters has several writers advance one thread, each over what it sees:
// every checkpoint that was put is the parent of exactly one that was put.
func testWriters(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	const writers, rounds = 8, 12
	var mu sync.Mutex // guards parents
	parents := map[checkpoint.ID]int{}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for won := 0; won < rounds; {
				h, err := s.Load(t.Context(), thread)
				if err != nil {
					t.Error(err)
					return
				}
				var last *checkpoint.Checkpoint
				if cp, ok := h.Head(); ok {
					last = &cp
				}
				cp := next(last, "writer "+strconv.Itoa(w))
				err = s.Put(t.Context(), thread, h, cp)
				if errors.Is(err, checkpoint.ErrConflict) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				won++
				mu.Lock()
				parents[cp.Parent]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for parent, children := range parents {
		if children != 1 {
			t.Errorf("checkpoint %s was advanced %d times", parent, children)
		}
	}
	if got := head(t, s, thread); len(parents) != writers*rounds || got.Step != writers*rounds-1 {
		t.Errorf("got %d advances and step %d, want %d", len(parents), got.Step, writers*rounds)
	}
}

func testLarge(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	var line []checkpoint.Checkpoint
	var last *checkpoint.Checkpoint
	for i, seed := range []string{"a", "wide \u00e9 \xff\x00 ", "0123456789"} {
		cp := next(last, "large")
		cp.State = []byte(strings.Repeat(seed, 1<<20/len(seed)+1)[:1<<20])
		cp.Rev = put(t, s, thread, cp).Rev
		line = append(line, cp)
		last = &line[i]
	}
	holds(t, "megabytes", load(t, s, thread).Checkpoints, line...)
}

// oddNames are threads that people and systems have come up with.
var oddNames = []string{
	"health_check::", "health_check:user:", "health_check::conv", "::", " ", "with spaces in  it", " leading", "trailing ",
	"percent %s %d %% %00", "line\nbreak", "carriage\r\nreturn", "tab\there", "ünï çødé", "日本語", "👵🏽 élan", "e\u0301 is not é",
	`quotes "'` + "`", `back\slash\0`, "{hash}tag", "health_check:{u}:{c}", "a*b?c[d]e^f", "$1; drop table checkpoint_threads; --", "null", "NULL", "0", "-1",
	"\u202eright to left", "zero\u200bwidth", "\ufeffbom", "\x01\x7f", strings.Repeat("long ", 200),
}

func testNames(t *testing.T, s threads) {
	t.Helper()
	suffix := newThread()
	lines := map[string][]checkpoint.Checkpoint{}
	for _, name := range oddNames {
		thread := name
		if len(name) < 900 {
			thread += suffix
		}
		cp := next(nil, "odd")
		cp.Node, cp.Graph, cp.Turn.Conversation, cp.Turn.Key = name, name, name, name
		cp.Rev = put(t, s, thread, cp).Rev
		lines[thread] = []checkpoint.Checkpoint{cp, put(t, s, thread, next(&cp, "x"))}
	}
	for thread, line := range lines {
		holds(t, fmt.Sprintf("thread %q", thread), load(t, s, thread).Checkpoints, line...)
		if err := s.Delete(t.Context(), thread); err != nil {
			t.Fatal(err)
		}
	}
}

func testInvalid(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	first := grow(t, s, thread, 1)[0]
	for _, name := range []string{"", "nul \x00", "not \xff UTF-8", strings.Repeat("x", 2000)} {
		if err := s.Put(t.Context(), name, checkpoint.History{}, next(nil, "x")); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("put into thread %.20q: got %v, want ErrInvalid", name, err)
		}
		if _, err := s.Load(t.Context(), name); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("load thread %.20q: got %v, want ErrInvalid", name, err)
		}
		if err := s.Delete(t.Context(), name); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("delete thread %.20q: got %v, want ErrInvalid", name, err)
		}
	}
	for what, spoil := range map[string]func(*checkpoint.Checkpoint){
		"no id":          func(cp *checkpoint.Checkpoint) { cp.ID = checkpoint.ID{} },
		"huge revision":  func(cp *checkpoint.Checkpoint) { cp.At = cp.At.AddDate(300, 0, 0) },
		"negative step":  func(cp *checkpoint.Checkpoint) { cp.Step = -1 },
		"negative place": func(cp *checkpoint.Checkpoint) { cp.Turn.Place = -1 },
		"node with NUL":  func(cp *checkpoint.Checkpoint) { cp.Node = "\x00" },
		"key not UTF-8":  func(cp *checkpoint.Checkpoint) { cp.Turn.Key = "\xff" },
	} {
		cp := next(&first, "x")
		spoil(&cp)
		if err := s.Put(t.Context(), thread, load(t, s, thread), cp); !errors.Is(err, checkpoint.ErrInvalid) {
			t.Errorf("%s: got %v, want ErrInvalid", what, err)
		}
	}
	holds(t, "after all that", load(t, s, thread).Checkpoints, first)
}

// testAliasing changes bytes after they were put and after they were loaded.
func testAliasing(t *testing.T, s threads) {
	t.Helper()
	thread, cp := newThread(), next(nil, "mine")
	want := string(cp.State)
	if err := s.Put(t.Context(), thread, checkpoint.History{}, cp); err != nil {
		t.Fatal(err)
	}
	clear(cp.State)
	clear(cp.Outcome)
	for range 2 {
		h := load(t, s, thread)
		if got := string(h.Checkpoints[0].State); got != want {
			t.Fatalf("state: got %q, want %q", got, want)
		}
		clear(h.Checkpoints[0].State)
		h.Checkpoints[0].Node = "other"
	}
}

func testCancelled(t *testing.T, s threads) {
	t.Helper()
	thread := newThread()
	first := grow(t, s, thread, 1)[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, loaded := s.Load(ctx, thread)
	for what, err := range map[string]error{
		"load": loaded, "put": s.Put(ctx, thread, load(t, s, thread), next(&first, "x")), "delete": s.Delete(ctx, thread),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", what, err)
		}
	}
	holds(t, "nothing has happened", load(t, s, thread).Checkpoints, first)
}
