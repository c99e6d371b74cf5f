package council_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var errCrash = errors.New("the process is gone")

// script is a model that says what was written for each voice, in pieces, and goes on
// where it is told what was said before.
type script struct {
	mu      sync.Mutex
	prompts []string
	asked   atomic.Int32
	mute    bool   // it comes to no conclusion
	another bool   // another round is asked for
	actions string // as JSON, what is proposed; empty: one question
	fail    func(persona string, n int) error
}

func (s *script) text(prompt string) string {
	r, p := "?", "?"
	for l := range strings.SplitSeq(prompt, "\n") {
		if n, ok := strings.CutPrefix(l, "ROUND "); ok {
			r = n
		}
		if n, ok := strings.CutPrefix(l, "You speak now, as the "); ok {
			p = strings.TrimSuffix(n, ".")
		}
	}
	switch p {
	case "analyzer":
		return "In round " + r + " Margaret slept badly twice [A1, A2]. Nothing is known of the reason. She named the café [C1:2]."
	case "solver":
		return "For round " + r + ", ask her about noise at night [A1]. Tell the daughter."
	}
	return "Agreed in round " + r + ": sleep is worse [A1]. Open: why."
}

func (s *script) Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error) {
	prompt := req.Messages[1].Content
	s.mu.Lock()
	s.prompts = append(s.prompts, prompt)
	s.mu.Unlock()
	text := s.text(prompt)
	rest := strings.TrimPrefix(text, req.Said)
	for n := 0; rest != ""; n++ {
		if s.fail != nil {
			if err := s.fail(text, n); err != nil {
				return llm.Result{Text: text[:len(text)-len(rest)]}, err
			}
		}
		i := min(len(rest), 9)
		if err := yield(llm.Delta{Text: rest[:i]}); err != nil {
			return llm.Result{}, err
		}
		rest = rest[i:]
	}
	return llm.Result{Text: text, FinishReason: llm.FinishStop}, ctx.Err()
}

func (s *script) Structured(_ context.Context, _ llm.Request, _ llm.Schema, out any) error {
	s.asked.Add(1)
	if s.mute {
		return llm.ErrAllModelsFailed
	}
	actions := cmp.Or(s.actions, `[{"kind":"health_question","text":"Ask about noise."}]`)
	return json.Unmarshal(fmt.Appendf(nil, `{"agreed":["Sleep is worse [A1, C9:4]."],"open":["Why."],"actions":%s,"anotherRound":%v,"askCarers":""}`, actions, s.another), out)
}

// house is a council over a real database.
type house struct {
	*council.Council
	st    *store.Store
	model *script
}

func open(t *testing.T, st *store.Store, model *script, threads graph.Store, change func(*council.Config)) *house {
	t.Helper()
	cfg := council.Config{
		Model: model, Store: st, Checkpoints: threads, Metrics: prometheus.NewRegistry(),
		Read: func(context.Context, people.Person) (council.Record, error) {
			return council.Record{Person: "Margaret", Language: "en", Evidence: []council.Evidence{
				{Label: "C1:2", Kind: council.KindLine, Text: "We went to the café.", Who: "Margaret"},
				{Label: "A1", Kind: council.KindAnswer, Text: "Sleep: 3"},
				{Label: "A2", Kind: council.KindAnswer, Text: "Sleep: 4"},
			}}, nil
		},
		Schedule: func(context.Context, store.Tx, uuid.UUID, int64) error { return nil },
	}
	if change != nil {
		change(&cfg)
	}
	c, err := council.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &house{Council: c, st: st, model: model}
}

func margaret(t *testing.T, st *store.Store) people.Person {
	t.Helper()
	p, err := st.CreatePerson(t.Context(), people.Person{ID: store.NewPersonID(), Name: "Margaret Hill", Phone: "+15550100123", Timezone: "Europe/London", Language: "en"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (h *house) start(t *testing.T, p people.Person, rounds int) uuid.UUID {
	t.Helper()
	d, err := h.Start(t.Context(), council.Wish{PersonID: p.ID, Question: "How does she sleep?", Rounds: rounds, By: "daughter"})
	if err != nil {
		t.Fatal(err)
	}
	return d.DiscussionID
}

// transcript is a whole discussion, one event a line.
func transcript(t *testing.T, st *store.Store, id uuid.UUID) string {
	t.Helper()
	events, err := st.DiscussionEvents(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	chunks := map[int]string{}
	for i, e := range events {
		if e.Seq != int64(i)+1 {
			t.Errorf("event %d has the number %d", i+1, e.Seq)
		}
		var d council.Data
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Fatal(err)
		}
		if e.Kind == council.EventChunk {
			chunks[d.Turn] += d.Text
			continue
		}
		if e.Kind == council.EventSaid && chunks[d.Turn] != d.Content {
			t.Errorf("turn %d: chunks %q, content %q", d.Turn, chunks[d.Turn], d.Content)
		}
		fmt.Fprintf(&b, "%s %d/%d %s %s %d\n", e.Kind, d.Round, d.Turn, d.Persona, d.Content, len(d.Citations))
	}
	return b.String()
}

func TestDiscussion(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	h := open(t, st, &script{another: true}, checkpoint.NewMemory(6), nil)
	id := h.start(t, margaret(t, st), 2)
	if err := h.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	const want = `discussion-start 0/0   0
round-start 1/0   0
message-start 1/1 analyzer  0
message-complete 1/1 analyzer In round 1 Margaret slept badly twice [A1, A2]. Nothing is known of the reason. She named the café [C1:2]. 3
message-start 1/2 solver  0
message-complete 1/2 solver For round 1, ask her about noise at night [A1]. Tell the daughter. 1
message-start 1/3 moderator  0
message-complete 1/3 moderator Agreed in round 1: sleep is worse [A1]. Open: why. 1
round-complete 1/0   0
round-start 2/0   0
message-start 2/4 analyzer  0
message-complete 2/4 analyzer In round 2 Margaret slept badly twice [A1, A2]. Nothing is known of the reason. She named the café [C1:2]. 3
message-start 2/5 solver  0
message-complete 2/5 solver For round 2, ask her about noise at night [A1]. Tell the daughter. 1
message-start 2/6 moderator  0
message-complete 2/6 moderator Agreed in round 2: sleep is worse [A1]. Open: why. 1
round-complete 2/0   0
discussion-complete 0/0   2
`
	if got := transcript(t, st, id); got != want {
		t.Errorf("discussion:\n%s", got)
	}
	d, shown, err := h.Show(t.Context(), id)
	if err != nil || d.Status != discussions.Complete || len(shown.Rounds) != 2 || shown.Rounds[1].State != council.Completed || len(shown.Agreed) != 1 {
		t.Errorf("%+v %+v %v", d.Status, shown, err)
	}
	if got := shown.Rounds[0].Messages[0].Unsupported; len(got) != 1 || got[0] != "Nothing is known of the reason." {
		t.Errorf("unsupported: %q", got)
	}
	if got := shown.Citations; len(got) != 2 || got[0].Text != "Sleep: 3" || !got[0].Resolves || got[1].Label != "C9:4" || got[1].Resolves {
		t.Errorf("what the conclusion cites: %+v", got)
	}
	actions, err := st.Actions(t.Context(), id)
	if err != nil || len(actions) != 1 || actions[0].Status != discussions.Proposed || actions[0].Text != "Ask about noise." {
		t.Errorf("actions %+v, %v", actions, err)
	}
	for i, p := range h.model.prompts {
		if strings.Contains(p, "EARLIER ROUNDS") != (i >= 3 && strings.Contains(p, "ROUND 2")) && strings.Contains(p, "You speak now") {
			t.Errorf("prompt %d: earlier rounds in the wrong place", i)
		}
	}
	round, err := h.Prolong(t.Context(), id, "She has a new bed.", "daughter")
	if err != nil || round != 3 {
		t.Fatalf("round %d, %v", round, err)
	}
	if _, err := h.Prolong(t.Context(), id, "And?", "daughter"); !errors.Is(err, council.ErrBusy) {
		t.Errorf("prolonged twice: %v", err)
	}
	if err := h.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := transcript(t, st, id); !strings.Contains(got, "round-complete 3/0") {
		t.Errorf("no third round:\n%s", got)
	}
	if last := h.model.prompts[len(h.model.prompts)-1]; !strings.Contains(last, "«She has a new bed.»") {
		t.Errorf("the carer was not heard:\n%s", last)
	}
}

// writes counts down to the write at which the process ends, before it or after.
type writes struct {
	left  atomic.Int32
	after bool
}

func (w *writes) do(write func() error) error {
	n := w.left.Add(-1)
	if n < 0 || n == 0 && !w.after {
		return errCrash
	}
	if err := write(); err != nil || n > 0 {
		return err
	}
	return errCrash
}

type crashingStore struct {
	council.Store

	w *writes
}

func (c crashingStore) AppendEvents(ctx context.Context, id uuid.UUID, last int64, also discussions.Appended, events ...discussions.NewEvent) (kept []discussions.Event, err error) {
	err = c.w.do(func() error {
		kept, err = c.Store.AppendEvents(ctx, id, last, also, events...)
		return err
	})
	return kept, err
}

type crashingThreads struct {
	graph.Store

	w *writes
}

func (c crashingThreads) Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error {
	return c.w.do(func() error { return c.Store.Put(ctx, thread, h, cp) })
}

// A process may end before and after each of its writes: the discussion goes on to the
// same end, and nobody is heard twice.
func TestCrashes(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := margaret(t, st)
	threads := checkpoint.NewMemory(6)
	whole := open(t, st, &script{another: true}, threads, nil)
	id := whole.start(t, p, 2)
	if err := whole.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	want := transcript(t, st, id)
	for _, after := range []bool{false, true} {
		for at, crashed := 1, true; crashed; at++ {
			id := whole.start(t, p, 2)
			w := &writes{after: after}
			w.left.Store(int32(at))
			h := open(t, st, &script{another: true}, crashingThreads{threads, w}, func(cfg *council.Config) { cfg.Store = crashingStore{st, w} })
			err := h.Run(t.Context(), id)
			if crashed = w.left.Load() <= 0; crashed && !errors.Is(err, errCrash) {
				t.Fatalf("write %d: %v", at, err)
			}
			if err := whole.Run(t.Context(), id); err != nil {
				t.Fatalf("write %d, after %v: %v", at, after, err)
			}
			if got := transcript(t, st, id); got != want {
				t.Fatalf("write %d, after %v:\n%s", at, after, got)
			}
		}
	}
}

// Two processes that carry one discussion on bring it to the same end as one does.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := margaret(t, st)
	threads := checkpoint.NewMemory(6)
	a, b := open(t, st, &script{another: true}, threads, nil), open(t, st, &script{another: true}, threads, nil)
	for range 10 {
		id := a.start(t, p, 2)
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i, h := range []*house{a, b} {
			both.Go(func() { errs[i] = h.Run(t.Context(), id) })
		}
		both.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if d, err := st.Discussion(t.Context(), id); err != nil || d.Status == discussions.Running {
			if err := a.Run(t.Context(), id); err != nil { // both had to give way: the job comes back
				t.Fatal(err)
			}
		}
		if got := transcript(t, st, id); strings.Count(got, "message-complete") != 6 || !strings.HasSuffix(got, "discussion-complete 0/0   2\n") {
			t.Fatalf("two processes:\n%s", got)
		}
	}
}

// A voice that fails in the middle fails the round, and is gone on with when it is tried
// again, be it after the round's thread is gone: what was heard of it stays.
func TestFailedRound(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := margaret(t, st)
	for _, late := range []bool{false, true} {
		model := &script{fail: func(text string, n int) error {
			if strings.HasPrefix(text, "For round") && n == 3 {
				return llm.ErrAllModelsFailed
			}
			return nil
		}}
		h := open(t, st, model, checkpoint.NewMemory(6), nil)
		id := h.start(t, p, 1)
		must(t, h.Run(t.Context(), id))
		d, shown, err := h.Show(t.Context(), id)
		if err != nil || d.Status != discussions.Failed || shown.Rounds[0].State != council.Failed || shown.Rounds[0].Messages[1].Status != council.Incomplete {
			t.Fatalf("%s %+v %v", d.Status, shown.Rounds, err)
		}
		model.fail = nil
		if late {
			h = open(t, st, model, checkpoint.NewMemory(6), nil)
		}
		if _, err := h.Prolong(t.Context(), id, "Is it the bed?", "daughter"); !errors.Is(err, council.ErrUnfinished) {
			t.Errorf("a question that nobody would hear: %v", err)
		}
		if round, err := h.Prolong(t.Context(), id, "", "daughter"); err != nil || round != 1 {
			t.Fatalf("tried again: round %d, %v", round, err)
		}
		must(t, h.Run(t.Context(), id))
		if got := transcript(t, st, id); strings.Count(got, "message-complete") != 3 || !strings.Contains(got, "error 1/2") || !strings.Contains(got, "Tell the daughter.") {
			t.Errorf("discussion, late %v:\n%s", late, got)
		}
		if d, err := st.Discussion(t.Context(), id); err != nil || d.Status != discussions.Complete {
			t.Errorf("late %v: %s, %v", late, d.Status, err)
		}
	}
}

// Where the voices have spoken and no conclusion is come to, that is tried again, and
// nobody speaks twice; a question begins another round.
func TestFailedConclusion(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := margaret(t, st)
	for question, rounds := range map[string]int{"": 1, "Is it the bed?": 2} {
		model := &script{mute: true}
		h := open(t, st, model, checkpoint.NewMemory(6), nil)
		id := h.start(t, p, 1)
		must(t, h.Run(t.Context(), id))
		if got := transcript(t, st, id); !strings.HasSuffix(got, "round-complete 1/0   0\nerror 1/0   0\n") {
			t.Errorf("without a conclusion:\n%s", got)
		}
		model.mute = false
		if n, err := h.Prolong(t.Context(), id, question, "daughter"); err != nil || n != rounds {
			t.Errorf("%q: round %d, %v", question, n, err)
		}
		must(t, h.Run(t.Context(), id))
		if got := transcript(t, st, id); strings.Count(got, "message-complete") != 3*rounds || !strings.HasSuffix(got, "discussion-complete 0/0   2\n") {
			t.Errorf("%q:\n%s", question, got)
		}
	}
}

// overtaken is a store in which something happens right after a discussion was read.
type overtaken struct {
	council.Store

	by func()
}

func (o *overtaken) Discussion(ctx context.Context, id uuid.UUID) (discussions.Discussion, error) {
	d, err := o.Store.Discussion(ctx, id)
	if by := o.by; by != nil {
		o.by = nil
		by()
	}
	return d, err
}

// A discussion that goes on while it is read is read as it was at one moment, and
// nothing is added to what it has become.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p, threads, o := margaret(t, st), checkpoint.NewMemory(6), &overtaken{Store: st}
	first := open(t, st, &script{}, threads, nil)
	late := open(t, st, &script{}, threads, func(cfg *council.Config) { cfg.Store = o })
	id := first.start(t, p, 1)
	o.by = func() { must(t, first.Run(t.Context(), id)) }
	if d, shown, err := late.Show(t.Context(), id); err != nil || d.LastSeq != 0 || len(shown.Rounds) > 0 {
		t.Errorf("event %d was the last of %+v, %v", d.LastSeq, shown.Rounds, err)
	}
	o.by = func() {
		_, err := first.Prolong(t.Context(), id, "And now?", "daughter")
		must(t, err)
	}
	if _, err := late.Prolong(t.Context(), id, "And then?", "daughter"); !errors.Is(err, discussions.ErrMoved) {
		t.Errorf("prolonged by two: %v", err)
	}
	must(t, first.Run(t.Context(), id))
	if d, shown, err := first.Show(t.Context(), id); err != nil || d.Status != discussions.Complete || len(shown.Rounds) != 2 || shown.Rounds[1].Question != "And now?" {
		t.Errorf("prolonged by two: %s %+v, %v", d.Status, shown.Rounds, err)
	}
	id = first.start(t, p, 1)
	o.by = func() { must(t, first.Stop(t.Context(), id, "daughter")) }
	must(t, late.Run(t.Context(), id))
	if d, err := st.Discussion(t.Context(), id); err != nil || d.Status != discussions.Stopped {
		t.Errorf("stopped as it is carried on: %s, %v", d.Status, err)
	}
}

// Who begins to follow a discussion that has more events than one read returns gets
// them all, though none is added.
func TestFollowLong(t *testing.T) {
	t.Parallel()
	const many = 4500
	st := storetest.New(t)
	h := open(t, st, &script{}, checkpoint.NewMemory(6), nil)
	id := h.start(t, margaret(t, st), 1)
	chunks := make([]discussions.NewEvent, many)
	for i := range chunks {
		chunks[i] = discussions.NewEvent{Kind: council.EventChunk, Data: council.Data{Turn: 1, Index: &i}}
	}
	_, err := st.AppendEvents(t.Context(), id, 0, discussions.Appended{}, chunks...)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	last := int64(0)
	err = h.Follow(ctx, id, 0, func(frames []council.Frame) error {
		for _, f := range frames {
			if f.Seq != last+1 {
				return fmt.Errorf("event %d follows event %d", f.Seq, last)
			}
			last = f.Seq
		}
		if last == many {
			return errCrash
		}
		return nil
	})
	if !errors.Is(err, errCrash) {
		t.Errorf("followed up to event %d: %v", last, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	var h *house
	var id uuid.UUID
	h = open(t, st, &script{fail: func(_ string, n int) error {
		if n == 2 {
			return h.Stop(t.Context(), id, "daughter")
		}
		return nil
	}}, checkpoint.NewMemory(6), nil)
	id = h.start(t, margaret(t, st), 1)
	if err := h.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	d, shown, err := h.Show(t.Context(), id)
	if err != nil || d.Status != discussions.Stopped || shown.Rounds[0].Messages[0].Status != council.Incomplete {
		t.Errorf("%s %+v %v", d.Status, shown, err)
	}
	if err := h.Stop(t.Context(), id, "daughter"); err != nil {
		t.Error(err)
	}
}
