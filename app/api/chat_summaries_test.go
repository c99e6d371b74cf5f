package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/store/chats"
	"github.com/naiber/naiber/store/people"
)

// talk writes n messages in a session, one after the other, and waits for what
// follows each.
func (r *chatRig) talk(session string, n int, more ...string) {
	r.t.Helper()
	for i := range n {
		r.say(session, fmt.Sprintf("Message %d of %s. %s", i, session, strings.Repeat("word ", 40)), more...)
		r.rest()
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, func(c *chatConfig) { c.Summaries = chat.Summaries{ThresholdTokens: 100, MinEpisodes: 3, MaxTokens: 20} })
	texts := func() []string {
		t.Helper()
		var all []string
		for _, s := range r.do(200, http.MethodGet, "/summaries/session/s", "").get("items.#.episodeRange").Array() {
			all = append(all, s.String())
		}
		return all
	}
	r.talk("s", 2) // long enough, but too few
	if got := texts(); len(got) != 0 {
		t.Errorf("summed up too early: %q", got)
	}
	r.talk("s", 1)
	if got := texts(); len(got) != 1 || got[0] != "1-3" {
		t.Errorf("ranges = %q", got)
	}
	r.talk("s", 2) // the guard: too few since
	if got := texts(); len(got) != 1 {
		t.Errorf("summed up again too soon: %q", got)
	}
	r.model.mu.Lock()
	r.model.sum = strings.Repeat("They spoke at length of the sea. ", 10) // longer than a summary may grow
	r.model.mu.Unlock()
	r.talk("s", 1)
	if got := texts(); len(got) != 2 || got[0] != "1-6" {
		t.Errorf("ranges = %q", got)
	}
	second := r.model.summaries()[1].last()
	if !strings.HasPrefix(second, "The summary so far:\n«They spoke of the sea.»") {
		t.Errorf("the second summary does not go on from the first: %s", second)
	}
	r.talk("s", 3)
	if third := r.model.summaries()[2].last(); strings.Contains(third, "The summary so far") || strings.Count(third, "Person: ") != 9 {
		t.Errorf("a summary that is too long is not written afresh: %s", third)
	}
	// An episode takes the summaries along that it went into.
	r.do(204, http.MethodDelete, "/episodes/8", "")
	if got := texts(); len(got) != 2 || got[0] != "1-6" {
		t.Errorf("after deleting episode 8: %q", got)
	}
	r.do(204, http.MethodDelete, "/episodes/2", "")
	if got := texts(); len(got) != 0 {
		t.Errorf("after deleting episode 2: %q", got)
	}
	r.do(404, http.MethodGet, "/summaries/session/none", "")
}

func TestProjectSummaries(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	p := r.project("The Collins family")
	path := "/summaries/project/" + p
	r.do(422, http.MethodPost, path+"/generate", "")
	ann, ben := r.person("Ann", true), r.person("Ben", true)
	r.say("ann", "The cat is called Misty.", "projectId", p, "userId", ann.String())
	r.say("ben", "My leg hurts.", "projectId", p, "userId", ben.String())
	if _, err := r.st.RevokeConsent(t.Context(), ben, people.ScopeMemory, "Ben", "in writing"); err != nil {
		t.Fatal(err)
	}
	got := r.do(201, http.MethodPost, path+"/generate", "")
	if got.get("text").String() != "They spoke of the sea." || got.get("episodeRange").String() != "1-1" {
		t.Errorf("summary = %s", got.body)
	}
	if asked := r.model.summaries()[0].last(); !strings.Contains(asked, "Misty") || strings.Contains(asked, "leg") {
		t.Errorf("it was made from %s", asked)
	}
	over := r.do(200, http.MethodGet, path+"/overview", "")
	if over.get("sessions.#").Int() != 2 || over.get("episodes").Int() != 2 || over.get("summary.text").String() == "" || over.get("project.name").String() != "The Collins family" {
		t.Errorf("overview = %s", over.body)
	}
	if n := r.do(200, http.MethodGet, path, "").get("items.#").Int(); n != 1 {
		t.Errorf("%d summaries", n)
	}
	r.do(200, http.MethodPatch, "/sessions/ann", `{"projectId":null}`) // and what the project knew of it goes
	if n := r.do(200, http.MethodGet, path, "").get("items.#").Int(); n != 0 {
		t.Errorf("%d summaries hold what left the project", n)
	}
	r.model.Close()
	r.do(200, http.MethodPatch, "/sessions/ann", `{"projectId":"`+p+`"}`)
	r.do(502, http.MethodPost, path+"/generate", "")
	for _, path := range []string{"/summaries/project/x", "/summaries/project/x/overview"} {
		r.do(404, http.MethodGet, path, "")
	}
}

// What was forgotten does not come back through a summary that was being written.
func TestSummaryOfWhatIsGone(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	one := r.say("s", "One.").get("episodeId").Int()
	two := r.say("s", "Two.").get("episodeId").Int()
	ses, err := r.st.ChatSession(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	from := chats.Sources{Sessions: []uuid.UUID{ses.ID}, Episodes: []int64{one, two}}
	sum := chats.Summary{SessionID: ses.ID, Text: "One and two.", Tokens: 3, From: one, To: two}
	base, err := r.st.AddChatSummary(t.Context(), sum, from)
	if err != nil {
		t.Fatal(err)
	}
	r.do(204, http.MethodDelete, fmt.Sprintf("/episodes/%d", one), "")
	if _, err := r.st.AddChatSummary(t.Context(), sum, from); !errors.Is(err, chats.ErrSourceGone) {
		t.Errorf("from an episode that is gone: %v", err)
	}
	from.Episodes, from.Summaries = []int64{two}, []uuid.UUID{base.ID}
	if _, err := r.st.AddChatSummary(t.Context(), sum, from); !errors.Is(err, chats.ErrSourceGone) {
		t.Errorf("from a summary that is gone: %v", err)
	}
	if r.count("chat_summaries") != 0 {
		t.Error("a summary is left")
	}
}
