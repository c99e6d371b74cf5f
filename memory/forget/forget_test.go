package forget_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/index"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

func TestForgetTopic(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	f := l.MustForget(t, forget.Request{Topic: "brother"})
	// The answer to a question about him goes, and what names him only by his name.
	if f.Turns != 4 || f.Facts != 1 || f.Entities != 1 || f.Lines != 4 {
		t.Errorf("forgot %+v", f)
	}
	l.Gone(t, "brother", "karl", "cards", "had a visit", "her brother came")
	l.Stays(t, "biscuit", "terrier", "hello, how are you")
	l.Verified(t, f)
	if got := l.Column(t, "select label from topics"); !slices.Equal(got, []string{"dog"}) {
		t.Errorf("topics = %q", got)
	}
	if got := memtest.Texts(l.Ask(t, l.In, "Biscuit terrier").Hits); !slices.Contains(got, "Biscuit is a terrier.") {
		t.Errorf("found %q", got)
	}
}

// Forgetting a topic reaches no further than what was said before.
func TestForgetTopicUntil(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	f := l.MustForget(t, forget.Request{Topic: "Biscuit", Until: memtest.November.Add(7 * time.Minute)})
	if f.Turns != 1 {
		t.Errorf("forgot %+v", f)
	}
	l.Stays(t, "biscuit is a terrier")
	l.Gone(t, "chewed a shoe")
}

func TestForgetOneMemory(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	both := l.Fact(t, "Biscuit is a terrier.", 6, 7)
	word := l.Fact(t, "Biscuit chewed.", 6, 7)
	f := l.MustForget(t, forget.Request{Memories: []uuid.UUID{l.Turns[6]}})
	if f.Turns != 1 || f.Lines != 1 || f.Summaries != 2 {
		t.Errorf("forgot %+v", f)
	}
	l.Gone(t, "chew", "shoe")
	l.Verified(t, f)
	if got := l.Column(t, "select id::text from memory_facts where id = $1", both); len(got) != 1 {
		t.Error("a fact is gone though somebody else says it")
	}
	if got := l.Column(t, "select turn_id::text from memory_fact_sources where fact_id = $1", both); !slices.Equal(got, []string{l.Turns[7].String()}) {
		t.Errorf("sources = %q", got)
	}
	if got := l.Column(t, "select id::text from memory_facts where id = $1", word); len(got) != 0 {
		t.Error("a fact is there whose words nobody said")
	}
	l.Stays(t, "brother", "karl", "a terrier")
}

func TestForgetFact(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		keep bool
		gone []string
	}{
		"with its words":     {false, []string{"biscuit", "terrier"}},
		"the sentence alone": {true, []string{"has a terrier called"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memtest.NewLife(t, memtest.New(t, nil))
			f := l.MustForget(t, forget.Request{Fact: l.Facts["Margaret has a terrier called Biscuit."], KeepWords: row.keep})
			if f.Facts != 1 || f.Turns != map[bool]int{false: 2, true: 0}[row.keep] {
				t.Errorf("forgot %+v", f)
			}
			l.Gone(t, row.gone...)
			l.Stays(t, "karl")
			l.Verified(t, f)
		})
	}
}

// A day is the person's own: in New York, three in the morning UTC is still the
// evening before.
func TestForgetDay(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	late := time.Date(2026, time.November, 4, 3, 0, 0, 0, time.UTC)
	l.MustKeep(t, memtest.Talk(l.In, "evening", late, "I heard an owl.")...)
	l.MustKeep(t, memtest.Talk(l.In, "next", late.Add(5*time.Hour), "I saw a heron.")...)
	f := l.MustForget(t, forget.Request{Day: "2026-11-03"})
	if f.Turns != 9 || f.Facts != 2 {
		t.Errorf("forgot %+v", f)
	}
	l.Gone(t, "owl", "karl", "biscuit", "cards")
	l.Stays(t, "heron")
	l.Verified(t, f)
}

func TestForgetAll(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	other := memtest.NewLife(t, l.House)
	l.Limit(t, l.In, memories.NeverRaise, "accident", nil)
	for _, p := range []store.PersonID{l.In.Person, other.In.Person} {
		if err := l.Store.SetPIN(t.Context(), p, "271828"); err != nil {
			t.Fatal(err)
		}
	}
	l.MustForget(t, forget.Request{Topic: "nobody ever spoke of this"})
	if pins := l.Column(t, "select person_id::text from person_pins"); len(pins) != 2 {
		t.Errorf("%d PINs are left after a topic was forgotten", len(pins))
	}
	f := l.MustForget(t, forget.Request{All: true})
	l.Verified(t, f)
	if pins := l.Column(t, "select person_id::text from person_pins"); !slices.Equal(pins, []string{other.In.Person.String()}) {
		t.Errorf("PINs of %q are left, want the other's", pins)
	}
	if n := l.Column(t, "select text from memory_turns where person_id = $1 union all select text from utterances where call_id = $2 and text <> ''",
		l.In.Person.UUID, l.Call.UUID); len(n) != 0 {
		t.Errorf("left %q", n)
	}
	if got := l.Column(t, "select topic from memory_limits"); !slices.Equal(got, []string{"accident"}) {
		t.Errorf("limits = %q: they are the person's wish", got)
	}
	if got := other.Ask(t, other.In, "Karl").Hits; len(got) == 0 {
		t.Error("somebody else forgot as well")
	}
}

// Whoever learns from a call, and read its transcript before it was forgotten,
// does not bring it back. Somebody who means it does.
func TestForgottenStaysForgotten(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	before, err := l.Store.MemoryTurns(t.Context(), nil, l.Turns)
	if err != nil {
		t.Fatal(err)
	}
	pending, err := l.Store.AddUtterance(t.Context(), calls.Utterance{CallID: l.Call, Role: calls.RoleUser, Text: "Karl rang again.", At: memtest.November})
	if err != nil {
		t.Fatal(err)
	}
	late := memory.Turn{
		Scope: l.In, Conversation: l.Call.String(), Speaker: calls.RoleUser, Text: pending.Text, At: memtest.November,
		Source: memories.FromCall, SourceKey: memory.CallKey(l.Call, pending.ID),
	}
	l.MustForget(t, forget.Request{Topic: "Karl"})
	kept := l.MustKeep(t, append(before, late)...)
	if kept.Added != 0 || kept.Left != 2 || kept.Unchanged != 7 {
		t.Errorf("kept %+v", kept)
	}
	l.Gone(t, "karl")
	late.Source, late.Text = memories.FromAPI, "Karl is back."
	l.MustKeep(t, late)
	l.Stays(t, "karl is back.")
}

// Vectors that cannot be deleted are deleted later, without any embedder.
func TestForgetWhileVectorsAreAway(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	l.Vectors.Fail(memtest.ErrAway)
	f := l.MustForget(t, forget.Request{All: true})
	if _, err := l.Verify(t.Context(), f); err == nil {
		t.Error("verified though vectors are away")
	}
	if n, err := l.EraseForgotten(t.Context()); err == nil {
		t.Errorf("erased %d while vectors are away", n)
	}
	if pending, err := l.Store.Erasures(t.Context(), 2); err != nil || len(pending) != 1 || pending[0].Person != l.In.Person {
		t.Errorf("erasure pending: %v, %v", pending, err)
	}
	l.Vectors.Fail(nil)
	l.Embedder.Fail(memtest.ErrAway)
	l.Exec(t, "update memory_queue set claimed_until = null")
	if _, err := l.EraseForgotten(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Embedder.Fail(nil)
	l.Verified(t, f)
	if pending, err := l.Store.Erasures(t.Context(), 2); err != nil || len(pending) != 0 {
		t.Errorf("erasure pending: %v, %v", pending, err)
	}
}

// A vector that nobody remembers having written goes with the next forgetting.
func TestStrayVectorsAreDeleted(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	l.Exec(t, "alter table memory_windows disable trigger memory_windows_queued")
	l.Exec(t, "delete from memory_windows")
	l.Exec(t, "alter table memory_windows enable trigger memory_windows_queued")
	f := l.MustForget(t, forget.Request{Memories: []uuid.UUID{l.Turns[0]}})
	l.Verified(t, f)
	ids, err := l.Vectors.IDs(t.Context(), index.Scope(l.In))
	if err != nil {
		t.Fatal(err)
	}
	if left := l.Column(t, "select id::text from memory_facts union select id::text from memory_entities union select id::text from memory_windows"); len(ids) > len(left) {
		t.Errorf("%d vectors for %d things", len(ids), len(left))
	}
}

func TestForgetPersonIsTold(t *testing.T) {
	t.Parallel()
	var told []store.PersonID
	h := memtest.New(t, func(c *service.Config) { c.Forgot = func(id store.PersonID) { told = append(told, id) } })
	h.Store.OnDelete(h.ForgetPerson)
	l := memtest.NewLife(t, h)
	if err := h.Store.DeletePerson(t.Context(), l.In.Person); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []store.PersonID{l.In.Person}) {
		t.Errorf("told of %v", told)
	}
	l.Gone(t, "karl", "biscuit")
	for _, table := range []string{"memory_vectors", "memory_queue", "memory_erasures", "memory_tombstones"} {
		if got := l.Column(t, "select x::text from "+table+" x"); len(got) != 0 {
			t.Errorf("%s has %q", table, got)
		}
	}
}

func TestForgetRefuses(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	l, other := memtest.NewLife(t, h), memtest.NewLife(t, h)
	before := l.Everything(t)
	for name, row := range map[string]struct {
		r    forget.Request
		want error
	}{
		"nobody":              {forget.Request{All: true}, memory.ErrEmptyScope},
		"nothing":             {forget.Request{Person: l.In.Person}, memory.ErrInvalid},
		"two things":          {forget.Request{Person: l.In.Person, All: true, Topic: "Karl"}, memory.ErrInvalid},
		"no day":              {forget.Request{Person: l.In.Person, Day: "yesterday"}, memory.ErrInvalid},
		"an endless topic":    {forget.Request{Person: l.In.Person, Topic: strings.Repeat("x", 101)}, memory.ErrInvalid},
		"unknown person":      {forget.Request{Person: store.NewPersonID(), All: true}, store.ErrNotFound},
		"unknown memory":      {forget.Request{Person: l.In.Person, Memories: []uuid.UUID{uuid.New()}}, store.ErrNotFound},
		"somebody else's":     {forget.Request{Person: l.In.Person, Memories: []uuid.UUID{l.Turns[0], other.Turns[0]}}, store.ErrNotFound},
		"unknown fact":        {forget.Request{Person: l.In.Person, Fact: uuid.New()}, store.ErrNotFound},
		"somebody else's one": {forget.Request{Person: l.In.Person, Fact: other.Facts["Margaret has a terrier called Biscuit."]}, store.ErrNotFound},
	} {
		if _, err := l.Forget(t.Context(), row.r); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
	if diff := cmp.Diff(before, l.Everything(t)); diff != "" {
		t.Error(diff)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	l, other := memtest.NewLife(t, h), memtest.NewLife(t, h)
	l.MustKeep(t, memtest.Talk(l.In, "later", memtest.November.AddDate(0, 1, 0), "The heron is back.")...)
	n, err := h.Sweep(t.Context(), memtest.November.AddDate(0, 0, 1))
	if err != nil || n != len(l.Turns)+len(other.Turns) {
		t.Errorf("swept %d, %v", n, err)
	}
	l.Gone(t, "biscuit", "karl", "cards")
	l.Stays(t, "heron")
	if n, err := h.Sweep(t.Context(), memtest.November.AddDate(0, 0, 1)); n != 0 || err != nil {
		t.Errorf("swept %d again, %v", n, err)
	}
}

// What belongs to nobody in particular, and what people said who are not
// remembered, is kept no longer than the rest.
func TestSweepReachesAllOwners(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	quiet := &memtest.Life{House: h, In: memory.Scope{Person: h.Person(t, "Rose", people.ScopeRecording).ID}}
	old, recent := memtest.November, memtest.November.AddDate(0, 1, 0)
	call := quiet.Called(t)
	for at, text := range map[time.Time]string{old: "A wren sang.", recent: "A heron came."} {
		if _, err := h.Store.AddUtterance(t.Context(), calls.Utterance{CallID: call, Role: calls.RoleUser, Text: text, At: at}); err != nil {
			t.Fatal(err)
		}
	}
	family := uuid.New()
	h.Exec(t, "insert into chat_projects (id, name) values ($1, 'family')", family)
	for i, in := range []memory.Scope{{Session: uuid.New()}, {Session: uuid.New(), Project: family}, {Person: quiet.In.Person, Session: uuid.New()}} {
		var person, project *uuid.UUID
		if in.Person.Known() {
			person = &in.Person.UUID
		}
		if in.Project != uuid.Nil {
			project = &in.Project
		}
		h.Exec(t, "insert into chat_sessions (id, external_id, name, person_id, project_id) values ($1, $2, 'On owls', $3, $4)", in.Session, strconv.Itoa(i), person, project)
		for at, text := range map[time.Time]string{old: "An owl hooted.", recent: "A heron flew."} {
			h.Exec(t, "insert into chat_episodes (session_id, message, response, tokens, created_at) values ($1, $2, 'I see.', 3, $3)", in.Session, text, at)
			if !in.Person.Known() {
				h.MustKeep(t, memory.Turn{Scope: in, Conversation: in.Session.String(), Speaker: calls.RoleUser, Text: text, At: at, Source: memories.FromChat})
			}
		}
	}
	n, err := h.Sweep(t.Context(), old.AddDate(0, 0, 1))
	if err != nil || n != 2 {
		t.Errorf("swept %d, %v", n, err)
	}
	quiet.Gone(t, "owl", "wren")
	quiet.Stays(t, "a heron came", "a heron flew")
	if got := h.Column(t, "select text from memory_turns"); len(got) != 2 {
		t.Errorf("left %q", got)
	}
	if n, err := h.Sweep(t.Context(), old.AddDate(0, 0, 1)); n != 0 || err != nil {
		t.Errorf("swept %d again, %v", n, err)
	}
}

// What is written by chat, and the words of health answers, go too.
func TestForgetReachesChatAndHealth(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	session := uuid.New()
	l.Exec(t, "insert into chat_sessions (id, external_id, name, person_id) values ($1, 'one', 'About Karl', $2)", session, l.In.Person.UUID)
	var episodes []int64
	for _, said := range []string{"Karl writes to me.", "I like soup."} {
		e, kept, err := l.Store.AddChatEpisode(t.Context(), chats.Episode{SessionID: session, Message: said, Response: "I see.", Tokens: 3})
		if err != nil || !kept {
			t.Fatal(kept, err)
		}
		episodes = append(episodes, e.ID)
	}
	key := memory.EpisodeKey(session, episodes[1], calls.RoleUser)
	soup := l.MustKeep(t, memory.Turn{
		Scope: memory.Scope{Person: l.In.Person, Session: session}, Conversation: session.String(), Speaker: calls.RoleUser, Text: "I like soup.",
		At: memtest.November, Source: memories.FromChat, SourceKey: key,
	}).IDs[0]
	l.Exec(t, "insert into health_checks (call_id, person_id, status, started_at, ended_at, questions) values ($1, $2, 'completed', $3, $3, '{\"x\": \"Karl\"}')",
		l.Call.UUID, l.In.Person.UUID, memtest.November)
	l.Exec(t, `insert into health_answers (call_id, person_id, seq, question_id, question, type, status, value, quote, confidence, attempts, at, carried, earlier)
		values ($1, $2, 0, 'sleep', 'How did you sleep?', 'boolean', 'answered', 'true', 'Karl snored.', 1, 1, $3, false, '[{"quote": "Karl did"}]')`,
		l.Call.UUID, l.In.Person.UUID, memtest.November)
	for i, said := range []string{"Karl comes for tea", "Sowing beans"} { // answers that are words themselves
		l.Exec(t, `insert into health_answers (call_id, person_id, seq, question_id, question, type, status, value, quote, confidence, attempts, at, carried, earlier)
			values ($1, $2, $3, $4, 'What are your plans?', 'text', 'answered', to_jsonb($5::text), '', 1, 1, $6, false, jsonb_build_array(jsonb_build_object('value', $5::text)))`,
			l.Call.UUID, l.In.Person.UUID, i+1, fmt.Sprint("plans", i), said, memtest.November)
	}
	l.Verified(t, l.MustForget(t, forget.Request{Topic: "Karl"}))
	l.Gone(t, "karl")
	l.Stays(t, `"value":"sowing beans"`)
	l.Stays(t, "i like soup", `"value":true`)
	l.Verified(t, l.MustForget(t, forget.Request{Memories: []uuid.UUID{soup}}))
	l.Gone(t, "soup")
}

// The words of cognitive checks go with what they speak of, and the scores stay.
func TestForgetReachesCognitiveChecks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		r     forget.Request
		stays []string
	}{
		"a topic": {forget.Request{Topic: "Karl"}, []string{"the owl", "a seagull"}},
		"a day":   {forget.Request{Day: memtest.November.In(memtest.NewYork(t)).Format(time.DateOnly)}, nil},
		"all":     {forget.Request{All: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memtest.NewLife(t, memtest.New(t, nil))
			l.Exec(t, `insert into cognitive_checks (call_id, person_id, language, form, status, started_at, ended_at, confounders)
				values ($1, $2, 'en', 'story a', 'complete', $3, $3, '[{"kind": "company", "quote": "Well,\nKarl is here", "at": "2025-11-03T10:00:00Z"}]')`,
				l.Call.UUID, l.In.Person.UUID, memtest.November)
			for i, quote := range []string{"It was\nKarl, who told me", "the owl, a seagull"} {
				l.Exec(t, `insert into cognitive_tasks (call_id, seq, task_id, version, title, form, status, raw, max, at, evidence, confidence)
					values ($1, $2, $3, '1', '', 'a', 'complete', 4, 6, $4, jsonb_build_array(jsonb_build_object('item', 'retell', 'quote', $5::text, 'counts', true)), 1)`,
					l.Call.UUID, i, fmt.Sprint("task", i), memtest.November, quote)
			}
			l.Exec(t, "insert into cognitive_corrections (call_id, task_id, raw, by_whom, note) values ($1, 'task0', 5, 'Dr Lamb', 'She named Karl.')", l.Call.UUID)
			f := l.MustForget(t, c.r)
			l.Verified(t, f)
			got := strings.Join(append(l.Column(t, "select evidence::text from cognitive_tasks order by seq"),
				l.Column(t, "select confounders::text || coalesce((select string_agg(note, '') from cognitive_corrections), '') from cognitive_checks")...), "\n")
			if strings.Contains(got, "Karl") || f.Quotes < 2 {
				t.Errorf("forgot %d quotes; there is still %s", f.Quotes, got)
			}
			for _, words := range c.stays {
				if !strings.Contains(got, words) {
					t.Errorf("%q is gone too: %s", words, got)
				}
			}
			if c.stays == nil && strings.Contains(got, "owl") {
				t.Errorf("there is still %s", got)
			}
			if n := l.Column(t, "select count(*)::text from cognitive_tasks where raw = 4 and evidence @> '[{\"counts\": true}]'"); n[0] != "2" {
				t.Errorf("%s scores are left, want 2", n[0])
			}
		})
	}
}

// The words of alerts go with what they speak of, and the alerts stay. One that nobody has
// acknowledged goes on being told.
func TestForgetReachesAlerts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forget func(l *memtest.Life) error
		stays  string
	}{
		"a topic": {func(l *memtest.Life) error { l.Verified(t, l.MustForget(t, forget.Request{Topic: "Karl"})); return nil }, "the oven burns"},
		"a day": {func(l *memtest.Life) error {
			l.Verified(t, l.MustForget(t, forget.Request{Day: memtest.November.In(memtest.NewYork(t)).Format(time.DateOnly)}))
			return nil
		}, "the oven burns"},
		"all": {func(l *memtest.Life) error { l.Verified(t, l.MustForget(t, forget.Request{All: true})); return nil }, ""},
		"retention": {func(l *memtest.Life) error {
			_, err := l.Sweep(t.Context(), memtest.November.AddDate(0, 0, 1))
			return err
		}, "the oven burns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memtest.NewLife(t, memtest.New(t, nil))
			for at, quote := range map[time.Time]string{memtest.November: "It was\nKarl who pushed me", memtest.November.AddDate(0, 0, 9): "the oven burns"} {
				if _, _, err := l.Store.RaiseAlert(t.Context(), alerts.New{PersonID: l.In.Person, CallID: l.Call, Tier: alerts.Urgent, Kind: "abuse", Quote: quote, Why: quote, At: at}); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.forget(l); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(append(l.Column(t, "select quote || why from alerts"), l.Column(t, "select detail from alert_events")...), "\n")
			if strings.Contains(got, "Karl") || (c.stays != "") != strings.Contains(got, "the oven burns") {
				t.Errorf("there is still %q; want %q", got, c.stays)
			}
			if n := l.Column(t, "select count(*)::text from alerts where status = 'open' and due_at is not null and kind = 'abuse'"); n[0] != "2" {
				t.Errorf("%s alerts are left; want 2", n[0])
			}
		})
	}
}

// What was noted on a schedule goes with what it speaks of, and the schedule stays.
func TestForgetReachesNotesOfSchedules(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]forget.Request{
		"a topic": {Topic: "Karl"}, "a day": {Day: memtest.November.In(memtest.NewYork(t)).Format(time.DateOnly)}, "all": {All: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memtest.NewLife(t, memtest.New(t, nil))
			for _, note := range []string{"not while\nKarl is there", "she naps after lunch"} {
				l.Exec(t, `insert into schedules (id, person_id, call_type, rrule, window_from, window_to, jitter_minutes, essential, grace_minutes, starts_on, note, since, updated_at)
					values (gen_random_uuid(), $1, 'general', 'FREQ=DAILY', '09:00', '10:00', 0, false, 0, '2025-11-01', $2, $3, $3)`, l.In.Person.UUID, note, memtest.November)
			}
			call := l.Called(t)
			for i, said := range []string{"not while Karl is there", "not on Sundays"} {
				l.Exec(t, `insert into schedule_changes (id, person_id, call_id, turn, said, confirmed, before, after, created_at)
					values (gen_random_uuid(), $1, $2, $3, $4, 'not on Sundays', '[]', '[]', $5)`, l.In.Person.UUID, call.UUID, i, said, memtest.November)
			}
			l.Verified(t, l.MustForget(t, r))
			asked := strings.Join(l.Column(t, "select said from schedule_changes order by said"), "|")
			if want := map[string]string{"a topic": "|not on Sundays"}[name]; asked != want && (want != "" || asked != "|") {
				t.Errorf("what was asked for is %q", asked)
			}
			notes := strings.Join(l.Column(t, "select note from schedules where removed_at is null order by note"), "|")
			if want := map[string]string{"a topic": "|she naps after lunch"}[name]; notes != want && (want != "" || notes != "|") {
				t.Errorf("notes are %q", notes)
			}
		})
	}
}

// An answer may wait in a check's thread while its words are forgotten: it is
// written without them later. What is answered afterwards has its words.
func TestForgetReachesChecksThatAreNotWritten(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]forget.Request{
		"a topic": {Topic: "Karl"}, "a day": {Day: time.Now().In(memtest.NewYork(t)).Format(time.DateOnly)}, "all": {All: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memtest.NewLife(t, memtest.New(t, nil))
			if _, err := l.Store.GiveConsent(t.Context(), l.In.Person, people.Consent{Scope: people.ScopeRecording, GivenBy: "Margaret", How: "on paper"}); err != nil {
				t.Fatal(err)
			}
			call := l.Called(t)
			l.Exec(t, "insert into checkpoint_threads (thread, head, rev, data) values ($1, gen_random_uuid(), 1, '')", "health_check:"+l.In.Person.String()+":conv")
			said := time.Now()
			f := l.MustForget(t, r)
			l.Verified(t, f)
			hc := checks.Check{CallID: call, PersonID: l.In.Person, Status: checks.Completed, StartedAt: said, EndedAt: said}
			for at, quote := range map[time.Time]string{said: "Karl snored.", said.Add(2 * time.Minute): "The owl woke me."} {
				hc.Answers = append(hc.Answers, checks.Answer{
					QuestionID: quote, Question: "Why?", Type: "text", Status: "answered", Value: fmt.Appendf(nil, "%q", quote), Quote: quote, At: at,
					Earlier: []checks.Reading{{Status: "answered", Value: []byte(`"Karl did"`), Quote: "Karl did", At: said}},
				})
			}
			if err := l.Store.SaveHealthCheck(t.Context(), hc); err != nil {
				t.Fatal(err)
			}
			got := l.Column(t, "select quote || value::text || earlier::text from health_answers order by quote")
			if len(got) != 2 || strings.Contains(strings.Join(got, ""), "Karl") || !strings.Contains(got[1], "owl") {
				t.Errorf("written: %q", got)
			}
			l.Exec(t, "update people set forgotten_until = null")
			if checks, err := l.Verify(t.Context(), f); err != nil || !slices.Contains(checks, forget.Check{Place: "checkpoints", Found: 1}) {
				t.Errorf("a thread whose words would be written is not told of: %v, %v", checks, err)
			}
		})
	}
}

// While somebody forgets, somebody learns: in whatever order, nothing is left of
// what was forgotten, and all of the rest is there.
func TestForgetWhileKeeping(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	all, err := l.Store.MemoryTurns(t.Context(), nil, l.Turns)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			if _, err := l.Keep(context.WithoutCancel(ctx), all); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	f := l.MustForget(t, forget.Request{Topic: "Biscuit"})
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	l.MustIndex(t)
	l.Verified(t, f)
	l.Gone(t, "biscuit", "terrier")
}
