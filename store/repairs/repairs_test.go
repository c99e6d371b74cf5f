package repairs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/repairs"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var limits = repairs.Limits{TTL: time.Hour, Lease: time.Minute, MaxMessages: 3}

func person(t *testing.T, st *store.Store, name string, scopes ...people.Scope) store.PersonID {
	t.Helper()
	var consents []people.Consent
	for _, s := range scopes {
		consents = append(consents, people.Consent{Scope: s, GivenBy: name, How: "on paper"})
	}
	p, err := st.CreatePerson(t.Context(), people.Person{Name: name, Phone: "+15550100123", Timezone: "UTC", Language: "en"}, nil, consents)
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

func begin(t *testing.T, st *store.Store, session string, p store.PersonID, text string) repairs.Begun {
	t.Helper()
	b, err := st.BeginRepair(t.Context(), session, p, text, limits)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func answer(t *testing.T, st *store.Store, b repairs.Begun, text string) {
	t.Helper()
	err := st.AnswerRepair(t.Context(), b, repairs.Answer{Seq: b.Seq, Text: text, State: []byte(`{"productModel":"KDW482SS"}`), Tool: []byte(`{"toolName":"diagnose_repair"}`)})
	if err != nil {
		t.Fatal(err)
	}
}

// said is what is kept of a session: numbers, roles and words.
func said(t *testing.T, st *store.Store, session string) (out []string) {
	t.Helper()
	messages, err := st.RepairMessages(t.Context(), nil, session)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		out = append(out, fmt.Sprint(m.Seq, m.Role, " ", m.Content))
	}
	return out
}

func exec(t *testing.T, st *store.Store, sql string, args ...any) {
	t.Helper()
	if _, err := st.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func TestMessagesAreAnsweredInTurn(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	first := begin(t, st, "s", store.PersonID{}, "It won't start.")
	if _, err := st.BeginRepair(t.Context(), "s", store.PersonID{}, "Hello?", limits); !errors.Is(err, repairs.ErrBusy) {
		t.Errorf("second message: %v, want ErrBusy", err)
	}
	begin(t, st, "other", store.PersonID{}, "Mine neither.") // sessions do not wait for each other
	answer(t, st, first, "Which model?")
	second := begin(t, st, "s", store.PersonID{}, "KDW482SS")
	if second.Seq != 3 || second.Unanswered != nil || string(second.Session.State) != `{"productModel": "KDW482SS"}` {
		t.Errorf("begun = %+v", second)
	}
	if err := st.AnswerRepair(t.Context(), first, repairs.Answer{Seq: 1, Text: "Again.", State: []byte(`{}`)}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("answer under an old claim: %v", err)
	}
	answer(t, st, second, "Thank you.")
	if diff := cmp.Diff([]string{"1user It won't start.", "2assistant Which model?", "3user KDW482SS", "4assistant Thank you."}, said(t, st, "s")); diff != "" {
		t.Error(diff)
	}
}

// Of a process that died while it answered, another takes over when its time is up.
func TestUnansweredMessages(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	dead := begin(t, st, "s", store.PersonID{}, "It won't start.")
	exec(t, st, "update repairs set claimed_until = now()")
	same := begin(t, st, "s", store.PersonID{}, "It won't start.")
	if same.Seq != dead.Seq || same.Unanswered != nil {
		t.Errorf("written again = %+v, want number %d", same, dead.Seq)
	}
	if err := st.AnswerRepair(t.Context(), dead, repairs.Answer{Seq: 1, State: []byte(`{}`)}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the dead one answers: %v", err)
	}
	if err := st.ReleaseRepair(t.Context(), same); err != nil {
		t.Fatal(err)
	}
	next := begin(t, st, "s", store.PersonID{}, "Hello?")
	if next.Seq != 3 || next.Unanswered == nil || next.Unanswered.Seq != 1 || next.Unanswered.Content != "It won't start." {
		t.Fatalf("begun = %+v", next)
	}
	if err := st.AnswerRepair(t.Context(), next, repairs.Answer{Seq: 1, Text: "Which model?", State: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.BeginRepair(t.Context(), "s", store.PersonID{}, "Hello?", limits); !errors.Is(err, repairs.ErrBusy) {
		t.Errorf("after the reply to the earlier one: %v, want ErrBusy", err)
	}
	answer(t, st, next, "Hello.")
	begin(t, st, "s", store.PersonID{}, "third")
	exec(t, st, "update repairs set claimed_until = now()")
	if _, err := st.BeginRepair(t.Context(), "s", store.PersonID{}, "fourth", limits); !errors.Is(err, repairs.ErrFull) {
		t.Errorf("fourth: %v, want ErrFull", err)
	}
	if b := begin(t, st, "s", store.PersonID{}, "third"); b.Seq != 5 {
		t.Errorf("third again = %+v", b)
	}
}

func TestSessionsAreSomebodys(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p, other := person(t, st, "Margaret", people.ScopeMemory), person(t, st, "Rose")
	answer(t, st, begin(t, st, "hers", p, "Hello."), "Hello.")
	answer(t, st, begin(t, st, "hers", store.PersonID{}, "It is me."), "Hello.")
	answer(t, st, begin(t, st, "nobodys", store.PersonID{}, "Hello."), "Hello.")
	for session, p := range map[string]store.PersonID{"hers": other, "nobodys": p} {
		if _, err := st.BeginRepair(t.Context(), session, p, "Hello.", limits); !errors.Is(err, repairs.ErrOtherPerson) {
			t.Errorf("%s: %v, want ErrOtherPerson", session, err)
		}
	}
	if got, err := st.RepairSession(t.Context(), "hers"); err != nil || got.PersonID != p {
		t.Errorf("session = %+v, %v", got, err)
	}
	if _, err := st.BeginRepair(t.Context(), "s", store.NewPersonID(), "Hello.", limits); !errors.Is(err, store.ErrConflict) {
		t.Errorf("person who is not there: %v", err)
	}
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	answer(t, st, begin(t, st, "s", store.PersonID{}, "Hello."), "Hello.")
	answer(t, st, begin(t, st, "hers", person(t, st, "Rose"), "Hello."), "Hello.")
	exec(t, st, "update repairs set updated_at = now() - interval '61 minutes'")
	answer(t, st, begin(t, st, "new", store.PersonID{}, "Hello."), "Hello.")
	for want := 2; want >= 0; want -= 2 { // before it is archived, and after
		if _, err := st.BeginRepair(t.Context(), "s", store.PersonID{}, "Still there?", limits); !errors.Is(err, repairs.ErrExpired) {
			t.Errorf("message = %v, want ErrExpired", err)
		}
		if n, err := st.ArchiveRepairs(t.Context(), limits.TTL); err != nil || n != want {
			t.Errorf("archived %d, %v; want %d", n, err, want)
		}
	}
	ses, err := st.RepairSession(t.Context(), "s")
	if err != nil || ses.ArchivedAt == nil || string(ses.State) != `{"productModel": "KDW482SS"}` || len(said(t, st, "s")) != 2 {
		t.Errorf("session = %+v, %v", ses, err)
	}
	if ses, err = st.RepairSession(t.Context(), "hers"); err != nil || string(ses.State) != `{}` {
		t.Errorf("of one who does not consent = %s, %v", ses.State, err)
	}
}

// Of who does not consent to being remembered no word is kept beyond the reply.
func TestWordsNeedConsent(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := person(t, st, "Rose")
	b := begin(t, st, "s", p, "It won't start.")
	if got := said(t, st, "s"); len(got) != 1 {
		t.Errorf("while it is answered: %q", got)
	}
	answer(t, st, b, "Which model?")
	if got := said(t, st, "s"); len(got) != 0 {
		t.Errorf("kept %q", got)
	}
	var n int
	if err := st.Pool().QueryRow(t.Context(), "select count(*) from repair_messages where content <> '' or tool is not null").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d messages have words, %v", n, err)
	}
	if b := begin(t, st, "s", p, "KDW482SS"); b.Seq != 3 || b.Unanswered != nil {
		t.Errorf("begun = %+v", b)
	}
}

func TestCallsHaveSnapshots(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := person(t, st, "Margaret")
	c, err := st.Dial(t.Context(), time.Now(), calls.NewCall{PersonID: p, Type: calls.CallApplianceHelp, Direction: calls.Outbound}, func(calls.DialFacts) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{`{"productModel": "A"}`, `{"productModel": "B"}`} {
		if err := st.SnapshotRepair(t.Context(), c.ID, json.RawMessage(state)); err != nil {
			t.Fatal(err)
		}
		if got, err := st.RepairSession(t.Context(), c.ID.String()); err != nil || string(got.State) != state || got.PersonID != p || got.CallID != c.ID {
			t.Errorf("session = %+v, %v", got, err)
		}
	}
	if _, err := st.BeginRepair(t.Context(), c.ID.String(), p, "Hello.", limits); !errors.Is(err, repairs.ErrOfCall) {
		t.Errorf("message: %v, want ErrOfCall", err)
	}
	if err := st.SnapshotRepair(t.Context(), store.NewCallID(), json.RawMessage(`{}`)); err != nil {
		t.Errorf("a call that is gone: %v", err)
	}
}

// Many sessions at once, over few connections: none waits for another for ever, and no
// two messages of one session are answered together.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	var wg sync.WaitGroup
	var mu sync.Mutex // guards what follows
	busy, done := 0, 0
	for i := range 60 {
		wg.Go(func() {
			b, err := st.BeginRepair(t.Context(), fmt.Sprint("s", i%20), store.PersonID{}, fmt.Sprint("message ", i), limits)
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, repairs.ErrBusy) {
				busy++
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			if b.Seq != 1 {
				t.Errorf("message %d has the number %d", i, b.Seq)
			}
			done++
		})
	}
	wg.Wait()
	if done != 20 || busy != 40 {
		t.Errorf("%d are answered and %d refused, want 20 and 40", done, busy)
	}
}

func TestForgetRepairs(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, row := range map[string]struct {
		forget   repairs.Forgetting
		sessions []string
		mails    int
	}{
		"nothing":         {repairs.Forgetting{}, nil, 0},
		"all":             {repairs.Forgetting{Until: now.AddDate(1, 0, 0)}, []string{"leak", "old", "start"}, 3},
		"a day":           {repairs.Forgetting{Since: now.AddDate(0, 0, -10), Until: now.AddDate(0, 0, -8)}, []string{"old"}, 1},
		"a topic":         {repairs.Forgetting{Topics: []string{"puddle"}, Until: now.AddDate(1, 0, 0)}, []string{"leak"}, 2},
		"a topic's tool":  {repairs.Forgetting{Topics: []string{"gasket"}, Until: now.AddDate(1, 0, 0)}, []string{"leak", "old", "start"}, 3},
		"a state's topic": {repairs.Forgetting{Topics: []string{"KDW482SS"}, Until: now.AddDate(1, 0, 0)}, []string{"leak", "old", "start"}, 3},
		"not yet":         {repairs.Forgetting{Topics: []string{"puddle"}, Until: now.AddDate(0, 0, -1)}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := storetest.New(t)
			p, other := person(t, st, "Margaret", people.ScopeMemory), person(t, st, "Rose", people.ScopeMemory)
			for session, who := range map[string]store.PersonID{"start": p, "leak": p, "old": p, "hers": other, "nobodys": {}} {
				text := map[string]string{"leak": "There is a puddle.", "hers": "There is a puddle."}[session]
				b := begin(t, st, session, who, text+" Hello.")
				if err := st.AnswerRepair(t.Context(), b, repairs.Answer{Seq: 1, Text: "Hm.", State: []byte(`{"productModel":"KDW482SS"}`), Tool: []byte(`{"data":{"name":"Door gasket","mailId":"` + session + `:1"}}`)}); err != nil {
					t.Fatal(err)
				}
				at := now
				if session == "old" {
					at = now.AddDate(0, 0, -9)
					exec(t, st, "update repairs set created_at = $1, updated_at = $1 where session_id = 'old'", at)
				}
				body := map[string]string{"start": "A puddle, too."}[session]
				err := st.InTx(t.Context(), func(tx store.Tx) error {
					_, err := st.AddMail(t.Context(), tx, mails.Mail{Key: session + ":1", PersonID: who, To: "a@example.org", Subject: "Summary", Text: body, CreatedAt: at})
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			row.forget.Person, row.forget.Config = p, "english"
			var gone []string
			var letters int
			err := st.InTx(t.Context(), func(tx store.Tx) error {
				sessions, ids, err := st.ForgetRepairs(t.Context(), tx, row.forget)
				gone, letters = sessions, len(ids)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{"hers": true, "nobodys": true, "start": true, "leak": true, "old": true}
			for _, s := range row.sessions {
				delete(want, s)
			}
			for _, s := range []string{"hers", "nobodys", "start", "leak", "old"} {
				if _, err := st.RepairSession(t.Context(), s); (err == nil) != want[s] {
					t.Errorf("session %s: %v", s, err)
				}
			}
			if len(gone) != len(row.sessions) || letters != row.mails {
				t.Errorf("forgot %q and %d mails, want %q and %d", gone, letters, row.sessions, row.mails)
			}
		})
	}
}

// What belongs to nobody goes by its age alone; what belongs to a person goes with them.
func TestSweepAndDelete(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := person(t, st, "Margaret", people.ScopeMemory)
	for session, who := range map[string]store.PersonID{"hers": p, "nobodys": {}} {
		answer(t, st, begin(t, st, session, who, "Hello."), "Hello.")
		err := st.InTx(t.Context(), func(tx store.Tx) error {
			_, err := st.AddMail(t.Context(), tx, mails.Mail{Key: session + ":1", PersonID: who, To: "a@example.org"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	left := func() (n int) {
		t.Helper()
		if err := st.Pool().QueryRow(t.Context(), "select (select count(*) from repairs) + (select count(*) from repair_messages) + (select count(*) from mails)").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, step := range []struct {
		do   func() error
		want int
	}{
		{func() error { return st.SweepRepairs(t.Context(), time.Now().AddDate(0, 0, -1)) }, 8},
		{func() error { return st.SweepRepairs(t.Context(), time.Now().AddDate(0, 0, 1)) }, 4},
		{func() error { return st.DeletePerson(t.Context(), p) }, 0},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != step.want {
			t.Errorf("%d rows are left, want %d", got, step.want)
		}
	}
}
