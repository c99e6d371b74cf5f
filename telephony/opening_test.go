package telephony

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/store"
)

type recollection func(context.Context, store.Call, store.Person) (Recollected, error)

func (r recollection) Recollect(ctx context.Context, c store.Call, p store.Person) (Recollected, error) {
	return r(ctx, c, p)
}

func TestOpening(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *Config) { c.OpeningDeadline = time.Minute }) // a busy machine is slow
	var topics []string
	h.dep.Recollection = recollection(func(_ context.Context, c store.Call, _ store.Person) (Recollected, error) {
		if !c.PersonID.Known() {
			t.Error("recollected for a call of nobody")
		}
		return Recollected{
			Topics: topics, Memories: []string{"Her cat is called Biscuit."}, Promises: []string{"how the eye visit went (yesterday)"},
		}, nil
	})
	ada := h.person("Ada", "+15550100123")
	open := func(c store.Call, p store.Person, reconnect bool) (prompt, first string) {
		t.Helper()
		in, err := h.opening(t.Context(), store.Line{Call: c, Person: p}, reconnect)
		if err != nil {
			t.Fatal(err)
		}
		if in.ExtraBody["call"] != c.ID.String() || in.ExtraBody["token"] != "token-of-"+c.ID.String() || len(in.DynamicVariables) != 0 {
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
	expect("first call", prompt, []string{"WHAT YOU MEANT TO COME BACK TO\n- how the eye visit went (yesterday)\n"})
	expect("first call", first, []string{"Ada", "computer", "is recorded"}, "again", "Biscuit", "eye visit")
	h.says(c.ID, store.RoleUser, "The tulips are up.")
	h.says(c.ID, store.RoleAssistant, "How lovely.")

	prompt, first = open(c, ada, true)
	expect("picked up", prompt, []string{"THE LINE BROKE", "Ada: The tulips are up.\nYou: How lovely."})
	expect("picked up", first, []string{"sorry"}, "Good", "computer")

	h.status(c, "completed")
	topics = []string{"tulips"}
	c = h.place(ada)
	prompt, first = open(c, ada, false)
	expect("second call", first, []string{"Naiber again", "earlier today", "computer"}, "tulips")
	expect("second call", prompt, []string{"tulips"})
	h.status(c, "no-answer")

	if _, err := h.st.RevokeConsent(t.Context(), ada.ID, store.ScopeMemory, "Ada", "by telephone"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.st.RevokeConsent(t.Context(), ada.ID, store.ScopeRecording, "Ada", "by telephone"); err != nil {
		t.Fatal(err)
	}
	prompt, first = open(h.place(ada), ada, false)
	expect("without consents", first, []string{"not recorded"})
	expect("without consents", prompt, []string{"has not agreed to be remembered"}, "Biscuit", "tulips", "eye visit")

	unknown, err := h.st.CreateCall(t.Context(), store.NewCall{Type: store.CallGeneral, Direction: store.Inbound, Phone: "+15550100777", SID: "CA7"})
	if err != nil {
		t.Fatal(err)
	}
	prompt, first = open(unknown, store.Person{}, false)
	expect("unknown caller", prompt, []string{"phone: +15550100777"}, "userId", "Ada", "Biscuit")
	expect("unknown caller", first, []string{"Naiber", "computer", "I don't know who you are"}, "Ada")
}

func TestOpeningSpeaksTheirLanguage(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil) // its agent speaks German, not Spanish
	for tag, want := range map[string][2]string{
		"de-AT": {"de", "Computer"}, "es": {"", "computer"}, "en-GB": {"", "computer"}, "fi": {"", "computer"},
	} {
		p := store.Person{ID: store.NewPersonID(), Name: "Ada", Language: tag, Timezone: "Europe/Vienna"}
		in, err := h.opening(t.Context(), store.Line{Call: store.Call{ID: store.NewCallID(), Type: store.CallGeneral}, Person: p}, false)
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
	h.dep.Recollection = recollection(func(ctx context.Context, _ store.Call, _ store.Person) (Recollected, error) {
		deadline, ok := ctx.Deadline()
		if left := time.Until(deadline); !ok || left > openingDeadline {
			t.Errorf("deadline in %v", left)
		}
		<-ctx.Done()
		return Recollected{}, ctx.Err()
	})
	c := h.place(ada)
	in, err := h.opening(t.Context(), store.Line{Call: c, Person: ada}, false)
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
