package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// tuesday is the day of the first call: 3 November 2026.
var tuesday = time.Date(2026, time.November, 3, 15, 0, 0, 0, time.UTC)

var errAway = errors.New("the model is away")

// script is a model that answers what a test says: by the task's name, from the
// task's text.
type script struct {
	mu      sync.Mutex // guards what follows
	answers map[string]func(Task) (any, error)
	asked   []Task
	fail    error
}

func (m *script) Ask(_ context.Context, t Task, out any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, t)
	if m.fail != nil {
		return m.fail
	}
	answer := m.answers[t.Name]
	if answer == nil {
		return nil // nothing worth telling
	}
	a, err := answer(t)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, out)
}

func (m *script) on(name string, answer func(Task) (any, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[name] = answer
}

func (m *script) away(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

func (m *script) times(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, t := range m.asked {
		if t.Name == name {
			n++
		}
	}
	return n
}

// eraser forgets turns, and what matches a topic, and notes what it was asked.
type eraser struct {
	svc *service.Service
	st  *store.Store
	mu  sync.Mutex // guards asked and err
	err error

	asked []ForgetRequest
}

func (e *eraser) Forget(ctx context.Context, r ForgetRequest) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return e.err
	}
	e.asked = append(e.asked, r)
	ids := r.Turns
	if r.Topic != "" {
		turns, err := e.svc.List(ctx, memory.Scope{Person: r.Person}, memory.Turn{}, 1000)
		if err != nil {
			return err
		}
		for _, t := range turns {
			if strings.Contains(strings.ToLower(t.Text), r.Topic) {
				ids = append(ids, t.ID)
			}
		}
	}
	_, err := e.svc.Delete(ctx, memory.Scope{Person: r.Person}, ids...)
	return err
}

// house is a learner with all that is around it.
type house struct {
	*Learner
	st     *store.Store
	svc    *service.Service
	model  *script
	eraser *eraser
	who    people.Person
}

func newHouse(t *testing.T, adjust ...func(*Config)) *house {
	t.Helper()
	h := &house{st: storetest.New(t), model: &script{answers: map[string]func(Task) (any, error){}}}
	log := slog.New(slog.DiscardHandler)
	h.model.on(TaskSummary, func(Task) (any, error) { return SummaryAnswer{Summary: "They talked."}, nil })
	var err error
	if h.svc, err = service.New(service.Config{Store: h.st, Log: log}); err != nil {
		t.Fatal(err)
	}
	h.eraser = &eraser{svc: h.svc, st: h.st}
	cfg := Config{Store: h.st, Memory: h.svc, Model: h.model, Forgetter: h.eraser, Log: log}
	for _, a := range adjust {
		a(&cfg)
	}
	if h.Learner, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	h.who = h.person(t, "Margaret", people.ScopeMemory)
	return h
}

func (h *house) person(t *testing.T, name string, scopes ...people.Scope) people.Person {
	t.Helper()
	var consents []people.Consent
	for _, s := range scopes {
		consents = append(consents, people.Consent{Scope: s, GivenBy: name, How: "by telephone"})
	}
	p, err := h.st.CreatePerson(t.Context(), people.Person{
		Name: name + " Miller", PreferredName: name, Phone: "+15550100123", Timezone: "America/New_York", Language: "en",
	}, nil, consents)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call makes a call with a transcript: "a: " begins what nAIber said.
func (h *house) call(t *testing.T, at time.Time, said ...string) calls.Call {
	t.Helper()
	return h.callOf(t, h.who, at, said...)
}

func (h *house) callOf(t *testing.T, who people.Person, at time.Time, said ...string) calls.Call {
	t.Helper()
	c, err := h.st.CreateCall(t.Context(), calls.NewCall{
		PersonID: who.ID, Type: "general", Direction: "outbound", Phone: who.Phone,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range said {
		role := calls.RoleUser
		if rest, ok := strings.CutPrefix(s, "a: "); ok {
			role, s = calls.RoleAssistant, rest
		}
		if _, err := h.st.AddUtterance(t.Context(), calls.Utterance{
			CallID: c.ID, Role: role, Text: s, ConversationID: "conv", At: at.Add(time.Duration(i) * 10 * time.Second),
		}); err != nil {
			t.Fatal(err)
		}
	}
	end := at.Add(time.Duration(len(said)) * 10 * time.Second)
	if _, _, err := h.st.FinishCall(t.Context(), c.ID, calls.Ending{Outcome: "completed", Cause: "hang_up", By: "person"}, nil); err != nil {
		t.Fatal(err)
	}
	c.CreatedAt, c.EndedAt = at, &end
	return c
}

func (h *house) learn(t *testing.T, c calls.Call) {
	t.Helper()
	if err := h.Learn(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// column returns the first column of a query, which has to be text.
func (h *house) column(t *testing.T, sql string, args ...any) []string {
	t.Helper()
	return storetest.Column(t, h.st, sql, args...)
}

// known are the open facts, as text.
func (h *house) known(t *testing.T) []string {
	t.Helper()
	return h.column(t, "select text from memory_facts where closed_at is null order by learned_at, text")
}

// everything is all that learning leaves behind, without ids and times of writing.
func (h *house) everything(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, q := range []string{
		`select 'turn ' || at || ' ' || seq || speaker || text from memory_turns`,
		`select 'window ' || text || '|' || extra from memory_windows`,
		`select 'fact ' || f.text || f.kind || f.topic || f.learned_at || coalesce(f.valid_from::text, '-') || coalesce(f.valid_to::text, '-')
			|| coalesce(f.closed_at::text, '-') || coalesce(c.text, '-') || coalesce(r.text, '-') || f.stale
			from memory_facts f left join memory_facts c on c.id = f.closed_by left join memory_facts r on r.id = f.replaces`,
		`select 'source ' || f.text || t.text from memory_fact_sources s join memory_facts f on f.id = s.fact_id join memory_turns t on t.id = s.turn_id`,
		`select 'link ' || f.text || d.text from memory_fact_links l join memory_facts f on f.id = l.fact_id join memory_facts d on d.id = l.depends_on`,
		`select 'entity ' || kind || name || notes || coalesce((select string_agg(alias, ',' order by alias) from memory_aliases where entity_id = e.id), '') from memory_entities e`,
		`select 'relation ' || f.name || label || t.name || coalesce(r.valid_to::text, '-') from memory_relations r
			join memory_entities f on f.id = r.from_id join memory_entities t on t.id = r.to_id`,
		`select 'promise ' || text || kind || coalesce(due_on::text, '-') || recurrence || status from memory_promises`,
		`select 'summary ' || text || turns || tokens from memory_summaries`,
		`select 'call summary ' || text from summaries`,
		`select 'event ' || kind from call_events`,
		`select 'limit ' || topic || rule from memory_limits`,
	} {
		rows := h.column(t, q)
		slices.Sort(rows)
		out = append(out, rows...)
	}
	return out
}

// fact is an answer with one line as its source.
func fact(text, kind string, turns ...int) FactAnswer {
	return FactAnswer{Text: text, Kind: kind, Topic: kind, Confidence: 0.9, Turns: turns}
}

func facts(list ...FactAnswer) func(Task) (any, error) {
	return func(Task) (any, error) { return FactsAnswer{Facts: list}, nil }
}

// calls runs a fake conversation of so many lines.
func chatter(n int) []string {
	var out []string
	for i := range n {
		if i%2 == 0 {
			out = append(out, fmt.Sprintf("a: Tell me more about flower number %d.", i))
		} else {
			out = append(out, fmt.Sprintf("I planted flower number %d in the garden last spring.", i))
		}
	}
	return out
}

// lines are the numbers of the lines of a task that have the text.
func lines(t Task, text string) []int {
	var out []int
	for l := range strings.Lines(t.User) {
		var n int
		if _, err := fmt.Sscanf(l, "[%d]", &n); err == nil && strings.Contains(l, text) {
			out = append(out, n)
		}
	}
	return out
}
