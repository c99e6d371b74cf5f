package council_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// effects note in the person's file what was confirmed.
type effects struct {
	st  *store.Store
	err error
}

func (e *effects) Effect(ctx context.Context, tx store.Tx, about people.Person, a discussions.Action) error {
	if err := e.st.AddNote(ctx, tx, about.ID, a.Kind+": "+a.Text); err != nil {
		return err
	}
	return e.err
}

// concluded is a discussion that has come to an end, with what it proposes.
func concluded(t *testing.T, st *store.Store, e council.Effects, actions string) (*house, uuid.UUID, []discussions.Action) {
	t.Helper()
	h := open(t, st, &script{actions: actions}, checkpoint.NewMemory(6), func(cfg *council.Config) { cfg.Effects = e })
	id := h.start(t, margaret(t, st), 1)
	if err := h.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	list, err := st.Actions(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return h, id, list
}

func TestDecide(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	e := &effects{st: st}
	h, id, actions := concluded(t, st, e, `[{"kind":"note","text":"She has a new bed."},{"kind":"tell","text":"Tell the daughter."}]`)
	note, tell := actions[0].ActionID, actions[1].ActionID
	decide := func(action uuid.UUID, confirm bool, by string) (discussions.Action, error) {
		return h.Decide(t.Context(), id, action, council.Decision{Confirm: confirm, By: by, Note: "as agreed"})
	}
	notes := func() []string { return storetest.Column(t, st, "select notes from people") }

	e.err = council.ErrRefused
	if _, err := decide(note, true, "Ruth"); !errors.Is(err, council.ErrRefused) {
		t.Errorf("refused: %v", err)
	}
	if a, err := st.Action(t.Context(), nil, id, note); err != nil || a.Status != discussions.Proposed || notes()[0] != "" {
		t.Errorf("after a failure: %+v, %v, %q", a, err, notes())
	}
	e.err = nil

	// Any number of confirmations have one effect.
	var all sync.WaitGroup
	errs := make([]error, 5)
	for i := range errs {
		all.Go(func() { _, errs[i] = decide(note, true, fmt.Sprint("carer ", i)) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := notes(); got[0] != "note: She has a new bed." {
		t.Errorf("notes: %q", got)
	}
	if _, err := decide(note, false, "Ruth"); !errors.Is(err, council.ErrDecided) {
		t.Errorf("dismissed after it was confirmed: %v", err)
	}
	for range 2 {
		if a, err := decide(tell, false, "Ruth"); err != nil || a.Status != discussions.Dismissed || *a.DecidedBy != "Ruth" || *a.Note != "as agreed" {
			t.Errorf("dismissed: %+v, %v", a, err)
		}
	}
	if _, err := decide(tell, true, "Ruth"); !errors.Is(err, council.ErrDecided) {
		t.Errorf("confirmed after it was dismissed: %v", err)
	}
	for _, unknown := range [][2]uuid.UUID{{id, uuid.New()}, {uuid.New(), note}} {
		if _, err := h.Decide(t.Context(), unknown[0], unknown[1], council.Decision{Confirm: true, By: "Ruth"}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("unknown: %v", err)
		}
	}
	if len(notes()) != 1 || strings.Contains(notes()[0], "daughter") {
		t.Errorf("notes: %q", notes())
	}

	_, shown, err := h.Show(t.Context(), id)
	if err != nil || len(shown.Actions) != 2 || shown.Actions[0].Status != discussions.Confirmed || !strings.HasPrefix(shown.Actions[0].By, "carer ") ||
		shown.Actions[1].Status != discussions.Dismissed || shown.Actions[1].By != "Ruth" || shown.Actions[1].Note != "as agreed" {
		t.Errorf("shown: %+v, %v", shown.Actions, err)
	}
	audit := storetest.Column(t, st, "select action || ' ' || subject || ' ' || (actor = 'Ruth')::text from audit order by id")
	if !slices.Equal(audit, []string{"council.start " + id.String() + " false", "council.confirm " + note.String() + " false", "council.dismiss " + tell.String() + " true"}) {
		t.Errorf("audit: %q", audit)
	}
}

// What is proposed can be done as it stands: a pause has an end, and a question is one.
func TestProposals(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("so ", 70)
	_, _, got := concluded(t, storetest.New(t), nil, fmt.Sprintf(`[{"kind":"pause","text":"She is away.","days":14},{"kind":"pause","text":"She is away.","days":400},
		{"kind":"pause","text":"She is away.","days":-1},{"kind":"health_question","text":"What wakes you\nat night [A2, C1:2]? [A1]","days":3},
		{"kind":"health_question","text":"Ask about noise."},{"kind":"health_question","text":"Why is it %s?"},{"kind":"tell","text":"One too many."}]`, long))
	var lines []string
	for _, a := range got {
		lines = append(lines, fmt.Sprintf("%s %d %s", a.Kind, a.Days, a.Text[:min(len(a.Text), 24)]))
	}
	want := []string{
		"pause 14 She is away.", "pause 60 She is away.", "pause 7 She is away.", "health_question 0 What wakes you at night?", "tell 0 Ask about noise.", "tell 0 Why is it so so so so so",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("proposed: %q", lines)
	}
}

// A discussion that has memories before it ends where the person takes their consent
// back, and one that was forgotten is not carried on.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := margaret(t, st)
	if _, err := st.GiveConsent(t.Context(), p.ID, people.Consent{Scope: people.ScopeMemory, GivenBy: "Margaret", How: "on paper"}); err != nil {
		t.Fatal(err)
	}
	remembers := true
	h := open(t, st, &script{another: true}, checkpoint.NewMemory(6), func(cfg *council.Config) {
		cfg.Read = func(context.Context, people.Person) (council.Record, error) {
			e := council.Evidence{Label: "A1", Kind: council.KindAnswer, Text: "Sleep: 3"}
			if remembers {
				e.Kind = council.KindMemory
			}
			return council.Record{Person: "Margaret", Language: "en", Evidence: []council.Evidence{e}}, nil
		}
	})
	had := h.start(t, p, 2)
	remembers = false
	hadNone, forgotten := h.start(t, p, 2), h.start(t, p, 2)
	if had, err := st.RevokeConsent(t.Context(), p.ID, people.ScopeMemory, "Margaret", "by telephone"); err != nil || !had {
		t.Fatal(had, err)
	}
	if err := st.InTx(t.Context(), func(tx store.Tx) error {
		_, err := tx.Exec(t.Context(), "delete from discussions where discussion_id = $1", forgotten)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[uuid.UUID]string{had: discussions.Stopped, hadNone: discussions.Complete, forgotten: ""} {
		if err := h.Run(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if d, err := st.Discussion(t.Context(), id); d.Status != want || (err != nil) != (want == "") {
			t.Errorf("%q, want %q; %v", d.Status, want, err)
		}
	}
	if got := transcript(t, st, had); strings.Contains(got, "message") {
		t.Errorf("discussed all the same:\n%s", got)
	}
}

// What is forgotten while the record is read is not in it.
func TestStartWhileForgetting(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	p := margaret(t, st)
	reads := 0
	h := open(t, st, &script{}, checkpoint.NewMemory(6), func(cfg *council.Config) {
		cfg.Read = func(ctx context.Context, _ people.Person) (council.Record, error) {
			reads++
			text := "Karl came."
			if reads == 1 { // it is forgotten after it was read
				err := st.InTx(ctx, func(tx store.Tx) error { return st.TouchPerson(ctx, tx, p.ID) })
				if err != nil {
					return council.Record{}, err
				}
			} else {
				text = "Nobody came."
			}
			return council.Record{Person: "Margaret", Evidence: []council.Evidence{{Label: "A1", Kind: council.KindAnswer, Text: text}}}, nil
		}
	})
	d, err := st.Discussion(t.Context(), h.start(t, p, 1))
	if err != nil || reads != 2 || strings.Contains(string(d.Record), "Karl") {
		t.Errorf("read %d times: %s, %v", reads, d.Record, err)
	}
}

// What has become not to be brought up since a discussion began is not before the
// rounds that follow.
func TestBarredLater(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	barred := "nothing"
	h := open(t, st, &script{}, checkpoint.NewMemory(6), func(cfg *council.Config) {
		cfg.Raisable = func(_ context.Context, _ store.PersonID, texts []string) ([]string, error) {
			return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.Contains(s, barred) }), nil
		}
	})
	id := h.start(t, margaret(t, st), 1)
	if err := h.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	barred = "We went to the café."
	first := len(h.model.prompts)
	if _, err := h.Prolong(t.Context(), id, "And now?", "daughter"); err != nil {
		t.Fatal(err)
	}
	if err := h.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for i, p := range h.model.prompts {
		if strings.Contains(p, barred) != (i < first) || !strings.Contains(p, "Sleep: 3") {
			t.Errorf("prompt %d of %d:\n%s", i, len(h.model.prompts), p)
		}
	}
}
