package forget_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/repairs"
)

// discussed keeps a discussion that had something before it, and said something.
func discussed(t *testing.T, l *memtest.Life, said string, sources ...uuid.UUID) uuid.UUID {
	t.Helper()
	var d discussions.Discussion
	l.Tx(t, func(tx store.Tx) (err error) {
		d, err = l.Store.CreateDiscussion(t.Context(), tx, discussions.NewDiscussion{PersonID: l.In.Person, AskedBy: "Ruth", Rounds: 1, Sources: sources})
		return err
	})
	if _, err := l.Store.AppendEvents(t.Context(), d.DiscussionID, 0, discussions.Appended{}, discussions.NewEvent{Kind: "message-complete", Data: map[string]string{"content": said}}); err != nil {
		t.Fatal(err)
	}
	return d.DiscussionID
}

// What is forgotten takes the discussions with it that had it before them.
func TestForgetReachesDiscussions(t *testing.T) {
	t.Parallel()
	const call, visit, dog, spoken, nothing = "of the call", "of the visit", "of the dog", "about cards", "about sleep"
	for name, row := range map[string]struct {
		request func(l *memtest.Life) forget.Request
		stays   []string
	}{
		"a turn": {func(l *memtest.Life) forget.Request { return forget.Request{Memories: l.Turns[5:6]} }, []string{visit, dog, spoken, nothing}},
		"a line": {func(l *memtest.Life) forget.Request { return forget.Request{Lines: l.Lines[:1]} }, []string{visit, dog, spoken, nothing}},
		"a fact": {func(l *memtest.Life) forget.Request {
			return forget.Request{Fact: l.Facts["Margaret's brother Karl visited her."], KeepWords: true}
		}, []string{call, dog, spoken, nothing}},
		"a topic":       {func(*memtest.Life) forget.Request { return forget.Request{Topic: "cards"} }, []string{visit, dog, nothing}},
		"another topic": {func(*memtest.Life) forget.Request { return forget.Request{Topic: "herons"} }, []string{call, visit, dog, spoken, nothing}},
		"a day":         {func(*memtest.Life) forget.Request { return forget.Request{Day: memtest.November.Format(time.DateOnly)} }, []string{spoken, nothing}},
		"all":           {func(*memtest.Life) forget.Request { return forget.Request{All: true} }, nil},
		"retention": {func(*memtest.Life) forget.Request {
			return forget.Request{Before: memtest.November.AddDate(0, 0, 1), By: "retention"}
		}, []string{spoken, nothing}},
		"an earlier time": {func(*memtest.Life) forget.Request { return forget.Request{Before: memtest.November.AddDate(0, 0, -9)} }, []string{call, visit, dog, spoken, nothing}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memtest.NewLife(t, memtest.New(t, nil))
			all := map[string]uuid.UUID{
				call:    discussed(t, l, "She was phoned.", l.Call.UUID),
				visit:   discussed(t, l, "She had company.", l.Facts["Margaret's brother Karl visited her."]),
				dog:     discussed(t, l, "She has a pet.", l.Facts["Margaret has a terrier called Biscuit."]),
				spoken:  discussed(t, l, "She may like\na game of cards."),
				nothing: discussed(t, l, "She sleeps well."),
			}
			f := l.MustForget(t, row.request(l))
			stays := map[string]bool{}
			for _, what := range row.stays {
				stays[what] = true
			}
			for what, id := range all {
				if _, err := l.Store.Discussion(t.Context(), id); (err == nil) != stays[what] {
					t.Errorf("discussion %s: %v", what, err)
				}
			}
			if f.Discussions != len(all)-len(row.stays) {
				t.Errorf("forgot %+v", f)
			}
			l.Verified(t, f)
		})
	}
}

// A call whose words are long gone takes no discussion with it: retention comes again
// and again.
func TestRetentionReachesDiscussionsOnce(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	before := forget.Request{Before: memtest.November.AddDate(0, 0, 1)}
	l.MustForget(t, before)
	discussed(t, l, "She was phoned.", l.Call.UUID)
	if f := l.MustForget(t, before); f.Discussions != 0 {
		t.Errorf("forgot %+v", f)
	}
}

// The words of an answer take the discussions of their check with them; carers'
// questions about a topic go with it, whether they wait or were put.
func TestForgetReachesAnswersAndQuestions(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	for _, text := range []string{"Does Karl come often?", "Did Karl sleep here?", "How is the new bed?", "How is the old chair?"} {
		l.Tx(t, func(tx store.Tx) error {
			return l.Store.AskInHealthCheck(t.Context(), tx, checks.Question{ID: uuid.New(), PersonID: l.In.Person, Text: text, AskedBy: "Ruth"})
		})
	}
	checked := l.Called(t)
	answer := func(id, question, pack, status, quote string) checks.Answer {
		a := checks.Answer{QuestionID: id, Question: question, Short: question, Pack: pack, Type: "boolean", Status: status, Quote: quote}
		if status == "answered" {
			a.Value, a.At = []byte("true"), memtest.November
		}
		return a
	}
	if err := l.Store.SaveHealthCheck(t.Context(), checks.Check{
		CallID: checked, PersonID: l.In.Person, Status: checks.Completed, StartedAt: memtest.November, EndedAt: memtest.November,
		Answers: []checks.Answer{
			answer("sleep", "How did you sleep?", "daily", "answered", "The owl woke me."), answer("carer.2", "Did Karl sleep here?", checks.CarerPack, "not_reached", ""),
			answer("carer.1", "Does Karl come often?", checks.CarerPack, "answered", "Yes."), answer("carer.3", "How is the new bed?", checks.CarerPack, "answered", "Soft."),
		},
	}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Column(t, "select n::text from health_questions where call_id is null order by n"), " "); got != "2 4" {
		t.Errorf("still to be put: %q", got)
	}
	l.Exec(t, "update health_answers set quote = 'The owl woke me.' where question_id = 'sleep'") // the call is not recorded
	id := discussed(t, l, "She was phoned.", checked.UUID)
	l.Verified(t, l.MustForget(t, forget.Request{Topic: "Karl"}))
	l.Gone(t, "karl")
	l.Stays(t, "how is the new bed?", "how is the old chair?", "a question that was forgotten")
	discussed(t, l, "She was phoned.", checked.UUID)
	f := l.MustForget(t, forget.Request{Topic: "owl"})
	l.Verified(t, f)
	if _, err := l.Store.Discussion(t.Context(), id); err == nil || f.Quotes != 1 {
		t.Errorf("the discussion is there; forgot %+v", f)
	}
	l.Verified(t, l.MustForget(t, forget.Request{All: true}))
	l.Gone(t, "new bed", "old chair")
}

// What is forgotten takes the sessions about appliances that it is of, and mails.
func TestForgetReachesRepairsAndMails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		request        func(l *memtest.Life) forget.Request
		repairs, mails int
	}{
		"a topic of a session": {func(*memtest.Life) forget.Request { return forget.Request{Topic: "dishwasher"} }, 1, 1},
		"a topic of a call":    {func(*memtest.Life) forget.Request { return forget.Request{Topic: "cards"} }, 1, 0},
		"a topic of a mail":    {func(*memtest.Life) forget.Request { return forget.Request{Topic: "pump"} }, 0, 1},
		"another topic":        {func(*memtest.Life) forget.Request { return forget.Request{Topic: "herons"} }, 0, 0},
		"a line":               {func(l *memtest.Life) forget.Request { return forget.Request{Lines: l.Lines[:1]} }, 1, 0},
		"today": {func(*memtest.Life) forget.Request {
			return forget.Request{Day: time.Now().In(memtest.November.Location()).Format(time.DateOnly)}
		}, 2, 2},
		"all":       {func(*memtest.Life) forget.Request { return forget.Request{All: true} }, 2, 2},
		"retention": {func(*memtest.Life) forget.Request { return forget.Request{Before: time.Now().Add(time.Minute)} }, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memtest.NewLife(t, memtest.New(t, nil))
			l.Exec(t, "update people set timezone = $1", memtest.November.Location().String())
			b, err := l.Store.BeginRepair(t.Context(), "kitchen", l.In.Person, "My dishwasher hums.", repairs.Limits{TTL: time.Hour, Lease: time.Minute, MaxMessages: 9})
			if err == nil {
				err = l.Store.AnswerRepair(t.Context(), b, repairs.Answer{Seq: 1, Text: "Yes.", State: []byte(`{"results":[{"data":{"mailId":"kitchen:1"}}]}`)})
			}
			if err == nil {
				b, err = l.Store.BeginRepair(t.Context(), "kitchen", l.In.Person, "Thank you.", repairs.Limits{TTL: time.Hour, Lease: time.Minute, MaxMessages: 9})
			}
			if err == nil {
				err = l.Store.SnapshotRepair(t.Context(), l.Call, []byte(`{"productModel":"KDW482SS"}`))
			}
			if err != nil {
				t.Fatal(err)
			}
			l.Tx(t, func(tx store.Tx) error {
				_, err := l.Store.AddMail(t.Context(), tx, mails.Mail{Key: "kitchen:1", PersonID: l.In.Person, Text: "Hello."})
				if err == nil {
					_, err = l.Store.AddMail(t.Context(), tx, mails.Mail{Key: "cellar:1", PersonID: l.In.Person, Text: "The pump."})
				}
				return err
			})
			f := l.MustForget(t, row.request(l))
			if f.Repairs != row.repairs || f.Mails != row.mails {
				t.Errorf("forgot %+v", f)
			}
			l.Verified(t, f)
			if _, err := l.Store.RepairSession(t.Context(), "kitchen"); (err == nil) != (row.repairs == 0 || name == "a line" || name == "a topic of a call") {
				t.Errorf("session: %v", err)
			}
			// Who still answers in a session that is forgotten brings nothing back.
			err = l.Store.AnswerRepair(t.Context(), b, repairs.Answer{Seq: 3, Text: "Hm.", State: []byte("{}")})
			if _, gone := l.Store.RepairSession(t.Context(), "kitchen"); gone != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("answer: %v", err)
			}
		})
	}
}
