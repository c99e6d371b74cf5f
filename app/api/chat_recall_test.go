package api

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/people"
)

func TestRecallInThePrompt(t *testing.T) {
	t.Parallel()
	mem := &bigMouth{graph: "- Thomas (person): Margaret's son", degraded: []string{"vectors"}}
	r := newChatRig(t, func(c *chatConfig) { c.Memory = mem })
	person := r.person("Margaret", true)
	first := r.say("one", "Thomas came home.", "userId", person.String())
	r.rest()
	if mem.scope(first.get("episodeId").Int()).Person != person {
		t.Error("the episode is not remembered as hers")
	}
	r.do(200, http.MethodPatch, "/settings", `{"keywordWeight":0,"semanticWeight":2,"semanticLimit":3,"scoreThreshold":0.6}`)
	got := r.say("two", "How is my boy?", "userId", person.String())
	system := r.model.lastHeard().system()
	if !strings.Contains(system, "Thomas (person)") || !strings.Contains(system, "Thomas came home.") {
		t.Errorf("system = %s", system)
	}
	if got.get("degraded.0").String() != "vectors" {
		t.Errorf("answer = %s", got.body)
	}
	q := mem.asked[len(mem.asked)-1]
	if q.KeywordWeight != 0 || q.SemanticWeight != 2 || q.Limit != 3 || q.MinScore != 0.6 || q.Text != "How is my boy?" || q.Now.IsZero() {
		t.Errorf("memory was asked %+v", q)
	}
	// What stands in the prompt as a recent episode is not recalled beside it.
	r.say("one", "Are you glad?")
	if system := r.model.lastHeard().system(); strings.Contains(system, "Thomas came home.") {
		t.Errorf("a recent episode is recalled too: %s", system)
	}
	mem.fail(errDown)
	if got := r.say("two", "And now?"); got.get("degraded.0").String() != "memory" || got.get("response").String() == "" || !got.get("remembered").Bool() {
		t.Errorf("without memory: %s", got.body)
	}
	// What memory missed it gets later.
	r.rest()
	if err := r.chat.CatchUp(t.Context(), time.Now()); !errors.Is(err, errDown) {
		t.Errorf("catch up while memory is down: %v", err)
	}
	mem.fail(nil)
	if err := r.chat.CatchUp(t.Context(), time.Now()); err != nil || mem.kept() != 4 {
		t.Errorf("after catching up memory holds %d episodes, %v", mem.kept(), err)
	}
	if err := r.chat.CatchUp(t.Context(), time.Now()); err != nil || mem.kept() != 4 {
		t.Errorf("again: %d, %v", mem.kept(), err)
	}
}

// An episode that memory cannot take does not keep it from those after it.
func TestCatchUpGoesOn(t *testing.T) {
	t.Parallel()
	mem := &bigMouth{fails: errDown}
	r := newChatRig(t, func(c *chatConfig) { c.Memory = mem })
	for _, text := range []string{"First.", "Bad.", "Last."} {
		r.say("one", text)
	}
	r.rest()
	mem.fail(nil)
	mem.refuses = "Bad."
	if err := r.chat.CatchUp(t.Context(), time.Now()); !errors.Is(err, errDown) || mem.kept() != 2 {
		t.Errorf("memory holds %d episodes, %v", mem.kept(), err)
	}
}

// Whatever memory lets out, a session is told only what is its own, its
// person's, or of a session that shares its project now and may be recalled.
func TestIsolation(t *testing.T) {
	t.Parallel()
	mem := &bigMouth{}
	r := newChatRig(t, func(c *chatConfig) { c.Memory = mem })
	rng := rand.New(rand.NewPCG(4, 20))
	people := []store.PersonID{{}, r.person("Ann", true), r.person("Ben", true), r.person("Cy", true)}
	projects := []string{"", r.project("P"), r.project("Q")}
	type session struct {
		name, project string
		person        store.PersonID
		words         []string
	}
	var all []*session
	for i := range 10 {
		all = append(all, &session{name: fmt.Sprintf("s%d", i), person: people[rng.IntN(len(people))], project: projects[rng.IntN(len(projects))]})
	}
	r.do(200, http.MethodPatch, "/settings", `{"semanticLimit":20,"recentEpisodeLimit":20}`)
	for step := range 90 {
		s := all[rng.IntN(len(all))]
		if step%15 == 14 && len(s.words) > 0 { // now and then one moves, and memory has not heard of it
			s.project = projects[rng.IntN(len(projects))]
			to := "null"
			if s.project != "" {
				to = inQuotes(s.project)
			}
			r.do(200, http.MethodPatch, "/sessions/"+s.name, `{"projectId":`+to+`}`)
			continue
		}
		word := fmt.Sprintf("secret%03dx", step)
		more := []string{}
		if s.person.Known() {
			more = append(more, "userId", s.person.String())
		}
		if s.project != "" {
			more = append(more, "projectId", s.project)
		}
		r.say(s.name, "My word is "+word, more...)
		prompt := fmt.Sprint(r.model.lastHeard().Messages)
		for _, o := range all {
			mine := o == s || (s.person.Known() && o.person == s.person) || (s.project != "" && o.project == s.project)
			for _, w := range o.words {
				if !mine && strings.Contains(prompt, w) {
					t.Fatalf("step %d: %+v was told %s of %+v", step, s, w, o)
				}
			}
		}
		s.words = append(s.words, word)
		if step%10 == 0 {
			r.rest()
		}
	}
	shared := 0
	for _, scope := range mem.scopes {
		if scope.Session == uuid.Nil {
			t.Fatalf("memory was asked without a session: %+v", scope)
		}
		if scope.Project != uuid.Nil {
			shared++
		}
	}
	if shared == 0 {
		t.Error("no session shared anything: the test shows nothing")
	}
}

// Siblings share, until consent is taken back or the session leaves.
func TestProjectShares(t *testing.T) {
	t.Parallel()
	mem := &bigMouth{}
	r := newChatRig(t, func(c *chatConfig) { c.Memory = mem })
	p := r.project("The Collins family")
	ann, ben := r.person("Ann", true), r.person("Ben", true)
	id := r.say("ann", "The cat is called Misty.", "userId", ann.String(), "projectId", p).get("episodeId").Int()
	r.rest()
	knows := func() bool {
		t.Helper()
		r.say("ben", "What is the cat called?", "userId", ben.String(), "projectId", p)
		r.rest()
		return strings.Contains(r.model.lastHeard().system(), "Misty")
	}
	if !knows() {
		t.Error("siblings do not share")
	}
	if _, err := r.st.RevokeConsent(t.Context(), ann, people.ScopeMemory, "Ann", "in writing"); err != nil {
		t.Fatal(err)
	}
	if knows() {
		t.Error("a sibling is told what may not be recalled any more")
	}
	if _, err := r.st.GiveConsent(t.Context(), ann, people.Consent{Scope: people.ScopeMemory, GivenBy: "Ann", How: "in writing"}); err != nil {
		t.Fatal(err)
	}
	if !knows() {
		t.Error("siblings do not share again")
	}
	r.do(200, http.MethodPatch, "/sessions/ann", `{"projectId":null}`)
	r.rest()
	if knows() {
		t.Error("a sibling is told of a session that left")
	}
	if got := mem.scope(id); got.Project != uuid.Nil {
		t.Errorf("memory still holds the episode under %+v", got)
	}
	r.do(200, http.MethodPatch, "/sessions/ann", `{"projectId":"`+p+`"}`)
	r.rest()
	if !knows() || mem.scope(id).Project.String() != p {
		t.Error("a session that came back does not share")
	}
	r.do(204, http.MethodDelete, "/projects/"+p, "")
	r.rest()
	if mem.scope(id).Project != uuid.Nil || r.do(200, http.MethodGet, "/sessions/ann", "").get("projectId").Exists() {
		t.Error("a session is still in a project that is gone")
	}
}

// In the evening the day is still the person's, though it is tomorrow in Greenwich.
func TestDaysAreThePersons(t *testing.T) {
	t.Parallel()
	evening := time.Date(2026, 11, 4, 1, 0, 0, 0, time.UTC)
	mem := &bigMouth{episodes: []heldEpisode{{Episode: chat.Episode{ID: 7, Message: "Thomas came home.", At: evening}}}}
	r := newChatRig(t, func(c *chatConfig) { c.Memory = mem })
	person := r.person("Margaret", true)
	mem.episodes[0].Person = person
	r.say("one", "How is my boy?", "userId", person.String())
	if system := r.model.lastHeard().system(); !strings.Contains(system, "[Tue 3 Nov 2026]") {
		t.Errorf("system = %s", system)
	}
	if zone := mem.asked[0].Now.Location().String(); zone != "Canada/Newfoundland" {
		t.Errorf("memory was asked in %s", zone)
	}
}
