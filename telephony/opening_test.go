package telephony

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/prompts"
)

type recollection func(context.Context, calls.Call, people.Person) (Recollected, error)

func (r recollection) Recollect(ctx context.Context, c calls.Call, p people.Person) (Recollected, error) {
	return r(ctx, c, p)
}

// forgetful has no memories of anybody.
var forgetful = recollection(func(context.Context, calls.Call, people.Person) (Recollected, error) { return Recollected{}, nil })

// Raisable leaves nothing out.
func (recollection) Raisable(_ context.Context, _ store.PersonID, texts []string) ([]string, error) {
	return texts, nil
}

// reserved is what somebody does not want brought up, as it is on record.
type reserved struct {
	recollection
	st  *store.Store
	err error
}

func (r reserved) Raisable(ctx context.Context, id store.PersonID, texts []string) ([]string, error) {
	topics, err := r.st.MemoryLimitTopics(ctx, nil, []store.PersonID{id}, time.Now(), memories.NeverRaise, memories.CoolDown)
	if err != nil {
		return nil, err
	}
	met, err := r.st.MatchTopics(ctx, nil, memories.DefaultTextConfig, texts, topics)
	var may []string
	for i, text := range texts {
		if !met[i] {
			may = append(may, text)
		}
	}
	return may, errors.Join(err, r.err)
}

func TestOpening(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.OpeningDeadline = time.Minute }) // a busy machine is slow
	var topics []string
	h.dep.Recollection = recollection(func(_ context.Context, c calls.Call, _ people.Person) (Recollected, error) {
		if !c.PersonID.Known() {
			t.Error("recollected for a call of nobody")
		}
		return Recollected{
			Topics: topics, Memories: []string{"Her cat is called Biscuit."}, Promises: []string{"how the eye visit went (yesterday)"},
		}, nil
	})
	ada := h.person("Ada", "+15550100123")
	open := func(c calls.Call, p people.Person, reconnect bool) (prompt, first string) {
		t.Helper()
		in, _, err := h.opening(t.Context(), calls.Line{Call: c, Person: p}, reconnect)
		if err != nil {
			t.Fatal(err)
		}
		if in.ExtraBody["call"] != c.ID.String() || in.ExtraBody["token"] != "token-of-"+c.ID.String() {
			t.Errorf("extra body %v", in.ExtraBody)
		}
		if p.ID.Known() && in.UserID != p.ID.String() || !p.ID.Known() && in.UserID != "" {
			t.Errorf("user id %q", in.UserID)
		}
		return in.Prompt, *in.FirstMessage
	}
	expect := func(what, text string, yes []string, no ...string) {
		t.Helper()
		for _, s := range yes {
			if !strings.Contains(text, s) {
				t.Errorf("%s lacks %q:\n%s", what, s, text)
			}
		}
		for _, s := range no {
			if strings.Contains(text, s) {
				t.Errorf("%s holds %q:\n%s", what, s, text)
			}
		}
	}

	c := h.place(ada)
	prompt, first := open(c, ada, false)
	expect("first call", prompt, []string{
		"conversation {{system__conversation_id}}\nuserId: " + ada.ID.String() + "\nphone: " + ada.Phone + "\n", "Ada", "Biscuit",
	}, "THE LINE BROKE")
	expect("first call", prompt, []string{"WHAT YOU MEANT TO COME BACK TO\n- «how the eye visit went (yesterday)»\n"})
	expect("first call", first, []string{"Ada", "computer", "is recorded"}, "again", "Biscuit", "eye visit")
	h.says(c.ID, calls.RoleUser, "The tulips are up.")
	h.says(c.ID, calls.RoleAssistant, "How lovely.")

	prompt, first = open(c, ada, true)
	expect("picked up", prompt, []string{"THE LINE BROKE", "«Ada»: «The tulips are up.»\nYou: «How lovely.»"})
	expect("picked up", first, []string{"sorry"}, "Good", "computer")

	h.status(c, "completed")
	topics = []string{"tulips"}
	c = h.place(ada)
	prompt, first = open(c, ada, false)
	expect("second call", first, []string{"Naiber again", "earlier today", "computer"}, "tulips")
	expect("second call", prompt, []string{"tulips"})
	h.status(c, "no-answer")

	if _, err := h.st.RevokeConsent(t.Context(), ada.ID, people.ScopeMemory, "Ada", "by telephone"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.st.RevokeConsent(t.Context(), ada.ID, people.ScopeRecording, "Ada", "by telephone"); err != nil {
		t.Fatal(err)
	}
	prompt, first = open(h.place(ada), ada, false)
	expect("without consents", first, []string{"not recorded"})
	expect("without consents", prompt, []string{"has not agreed to be remembered"}, "Biscuit", "tulips", "eye visit")

	unknown, err := h.st.CreateCall(t.Context(), calls.NewCall{Type: calls.CallGeneral, Direction: calls.Inbound, Phone: "+15550100777", SID: "CA7"})
	if err != nil {
		t.Fatal(err)
	}
	prompt, first = open(unknown, people.Person{}, false)
	expect("unknown caller", prompt, []string{"phone: +15550100777"}, "userId", "Ada", "Biscuit")
	expect("unknown caller", first, []string{"Naiber", "computer", "I don't know who you are"}, "Ada")
}

// What is on file is not brought up either where the person does not want it.
func TestOpeningKeepsToLimits(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.OpeningDeadline = time.Minute }) // a busy machine is slow
	h.dep.Recollection = reserved{recollection: forgetful, st: h.st}
	ada := h.person("Ada", "+15550100123")
	ada.Conditions, ada.Medications = []string{"arthritis", "angina"}, []string{"ointment for arthritis", "aspirin"}
	ada.Notes = "She grows tulips. Her brother owes her money!\nShe sings."
	contacts := []people.Contact{{Name: "Karl", Relation: "brother", Phone: "+15550100124", Priority: 1}, {Name: "Ben", Relation: "son", Phone: "+15550100125", Priority: 2}}
	ada, err := h.st.UpdatePerson(t.Context(), ada, contacts)
	if err != nil {
		t.Fatal(err)
	}
	line := calls.Line{Call: h.place(ada), Person: ada}
	data := func() prompts.Data { return h.openingData(t.Context(), line) }
	d := data()
	if d.Notes != ada.Notes || len(d.Conditions) != 2 || len(d.Medications) != 2 || len(d.Contacts) != 2 {
		t.Errorf("without limits: %+v", d)
	}
	until := time.Now().Add(time.Hour)
	for _, l := range []memories.Limit{{Topic: "brother", Rule: memories.NeverRaise}, {Topic: "arthritis", Rule: memories.CoolDown, Until: &until}} {
		l.PersonID, l.By = ada.ID, "Ada"
		if _, err := h.st.ReplaceMemoryLimit(t.Context(), nil, l); err != nil {
			t.Fatal(err)
		}
	}
	d = data()
	if d.Notes != "She grows tulips. She sings." || !slices.Equal(d.Conditions, []string{"angina"}) || !slices.Equal(d.Medications, []string{"aspirin"}) ||
		!slices.Equal(d.Contacts, []prompts.Contact{{Name: "Ben", Relation: "son"}}) {
		t.Errorf("with limits: %+v", d)
	}
	h.dep.Recollection = reserved{recollection: forgetful, st: h.st, err: errors.New("no limits today")}
	if d = data(); d.Name != "Ada" || d.Notes != "" || len(d.Conditions)+len(d.Medications)+len(d.Contacts) != 0 {
		t.Errorf("without knowing the limits: %+v", d)
	}
}

func TestOpeningSpeaksTheirLanguage(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil) // its agent speaks German, not Spanish
	for tag, want := range map[string][2]string{
		"de-AT": {"de", "Computer"}, "es": {"", "computer"}, "en-GB": {"", "computer"}, "fi": {"", "computer"},
	} {
		p := people.Person{ID: store.NewPersonID(), Name: "Ada", Language: tag, Timezone: "Europe/Vienna"}
		in, _, err := h.opening(t.Context(), calls.Line{Call: calls.Call{ID: store.NewCallID(), Type: calls.CallGeneral}, Person: p}, false)
		if err != nil {
			t.Fatal(err)
		}
		if in.Language != want[0] || !strings.Contains(*in.FirstMessage, want[1]) {
			t.Errorf("%s: language %q, %q", tag, in.Language, *in.FirstMessage)
		}
	}
	if got := h.sayTwiML("voicemail", "de"); !strings.Contains(got, `language="de-DE"`) {
		t.Errorf("voicemail in German: %s", got)
	}
}

// A memory that does not answer costs the call its memories and 300 ms.
func TestOpeningDoesNotWait(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ada := h.person("Ada", "+15550100123")
	h.dep.Recollection = recollection(func(ctx context.Context, _ calls.Call, _ people.Person) (Recollected, error) {
		deadline, ok := ctx.Deadline()
		if left := time.Until(deadline); !ok || left > openingDeadline {
			t.Errorf("deadline in %v", left)
		}
		<-ctx.Done()
		return Recollected{}, ctx.Err()
	})
	c := h.place(ada)
	in, _, err := h.opening(t.Context(), calls.Line{Call: c, Person: ada}, false)
	if err != nil || !strings.Contains(in.Prompt, "Ada Example") || strings.Contains(in.Prompt, "WHAT YOU REMEMBER") {
		t.Errorf("%v:\n%s", err, in.Prompt)
	}
	if !strings.Contains(h.log.String(), "opening goes without") {
		t.Error("nothing logged")
	}
}

func TestKeyed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var k keyed
		unlock, err := k.lock(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if other, err := k.lock(t.Context(), "b"); err != nil {
			t.Fatal(err)
		} else {
			other()
		}
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := k.lock(late, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		got := make(chan func())
		go func() {
			again, err := k.lock(t.Context(), "a")
			if err != nil {
				t.Error(err)
			}
			got <- again
		}()
		synctest.Wait()
		unlock()
		(<-got)()
		if len(k.held) != 0 {
			t.Errorf("held: %v", k.held)
		}
	})
}
