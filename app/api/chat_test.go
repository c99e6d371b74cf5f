package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/naiber/naiber/store/people"
)

func TestChat(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	got := r.say("letters-1", "Good morning, I am Margaret.")
	if got.get("response").String() != "Good morning." || got.get("sessionId").String() != "letters-1" || got.get("episodeId").Int() == 0 ||
		got.get("model").String() != "kind-7b" || got.get("usage.totalTokens").Int() != 16 || !got.get("remembered").Bool() || got.get("finishReason").String() != "stop" {
		t.Errorf("answer = %s", got.body)
	}
	first := r.model.lastHeard()
	if first.system() != "Be kind." || first.last() != "Good morning, I am Margaret." || len(first.Messages) != 2 {
		t.Errorf("first prompt = %+v", first.Messages)
	}
	for name, want := range map[string]float64{"temperature": 0.7, "top_p": 0.9, "top_k": 40, "repeat_penalty": 1.1} {
		if got := first.raw.Get(name).Float(); got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	r.say("letters-1", "Do you know my name?", "model", "calm-3b")
	second := r.model.lastHeard()
	var roles []string
	for _, m := range second.Messages {
		roles = append(roles, m.Role)
	}
	if strings.Join(roles, " ") != "system user assistant user" || second.Messages[2].Content != "Good morning." || second.Model != "calm-3b" {
		t.Errorf("second prompt = %s %+v", second.Model, second.Messages)
	}
	r.settle()
	if ses := r.do(200, http.MethodGet, "/sessions/letters-1", ""); ses.get("name").String() != "A walk in Bonavista" {
		t.Errorf("session = %s", ses.body)
	}
	if r.model.names != 1 {
		t.Errorf("a name was asked for %d times, want once", r.model.names)
	}
}

func TestChatMakesSessions(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	one := r.say("", "Hello.").get("sessionId").String()
	if one == "" || one == r.say("", "Hello.").get("sessionId").String() {
		t.Error("two messages without a session did not get one each")
	}
	p := r.project("The Collins family")
	person := r.person("Margaret", true)
	r.say("s", "Hello.", "projectId", p, "userId", person.String())
	ses := r.do(200, http.MethodGet, "/sessions/s", "")
	if ses.get("projectId").String() != p || ses.get("userId").String() != person.String() {
		t.Errorf("session = %s", ses.body)
	}
	r.say("s", "Again, as personId.", "personId", person.String())
}

func TestChatIsRefused(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	margaret, walter := r.person("Margaret", true), r.person("Walter", true)
	p, q := r.project("P"), r.project("Q")
	r.say("hers", "Hello.", "userId", margaret.String(), "projectId", p)
	r.say("nobodys", "Hello.")
	before := r.count("chat_sessions")
	const none = `"00000000-0000-7000-8000-000000000000"`
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"no message", `{}`, 422},
		{"a blank message", `{"message":" \n"}`, 422},
		{"a message that is too long", `{"message":"` + strings.Repeat("a", 32_001) + `"}`, 422},
		{"a body that is too long", `{"message":"` + strings.Repeat("a", maxChatBody) + `"}`, 413},
		{"no JSON", `{"message":`, 400},
		{"a NUL character", `{"message":"a\u0000b"}`, 400},
		{"an unknown field", `{"message":"Hello.","sesionId":"s"}`, 422},
		{"a session id with a slash", `{"message":"Hello.","sessionId":"a/b"}`, 422},
		{"an unknown person", `{"message":"Hello.","userId":` + none + `}`, 404},
		{"a person that is no id", `{"message":"Hello.","userId":"Margaret"}`, 404},
		{"two persons", `{"message":"Hello.","userId":"` + margaret.String() + `","personId":"` + walter.String() + `"}`, 422},
		{"an unknown project", `{"message":"Hello.","projectId":` + none + `}`, 404},
		{"another person's session", `{"message":"Hello.","sessionId":"hers","userId":"` + walter.String() + `"}`, 409},
		{"nobody's session for a person", `{"message":"Hello.","sessionId":"nobodys","userId":"` + walter.String() + `"}`, 409},
		{"another project's session", `{"message":"Hello.","sessionId":"hers","projectId":"` + q + `"}`, 409},
	} {
		for _, path := range []string{"/chat", "/chat/stream"} {
			t.Run(tt.name+path, func(t *testing.T) {
				on := *r
				on.t = t
				on.do(tt.want, http.MethodPost, path, tt.body)
			})
		}
	}
	if got := r.count("chat_sessions"); got != before {
		t.Errorf("%d sessions, want %d as before", got, before)
	}
	r.do(http.StatusUnauthorized, http.MethodPost, "/chat", `{"message":"Hello."}`, "Authorization", "Bearer wrong")
	r.do(http.StatusNotFound, http.MethodGet, "/chat/nowhere", "")
	if got := r.do(http.StatusMethodNotAllowed, http.MethodDelete, "/chat", "").header.Get("Allow"); got != "POST" {
		t.Errorf("Allow = %q", got)
	}
}

func TestChatWithoutAModel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		talk  func(http.ResponseWriter, asked)
		model string
		want  int
	}{
		{"it fails", fails(500), "", 502},
		{"it says nothing", says(), "", 502},
		{"it says only blanks", says(" ", "\n"), "", 502},
		{"it does not know the model", fails(404), "gone-1b", 422},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newChatRig(t, nil)
			r.model.will(tt.talk)
			body := `{"message":"Hello.","sessionId":"s","model":"` + tt.model + `"}`
			r.do(tt.want, http.MethodPost, "/chat", body)
			r.do(tt.want, http.MethodPost, "/chat/stream", body)
			if n := r.count("chat_episodes"); n != 0 {
				t.Errorf("%d episodes are kept of replies without text", n)
			}
			r.model.will(says("There you are."))
			r.say("s", "Hello?")
		})
	}
}

// Without consent the talk goes on, and nothing of it is kept or used.
func TestChatWithoutConsent(t *testing.T) {
	t.Parallel()
	mem := &bigMouth{}
	r := newChatRig(t, func(c *chatConfig) { c.Memory = mem })
	person := r.person("Margaret", false)
	got := r.say("s", "My sister is Ruth.", "userId", person.String())
	if got.get("response").String() != "Good morning." || got.get("remembered").Bool() || got.get("episodeId").Exists() {
		t.Errorf("answer = %s", got.body)
	}
	if _, err := r.st.GiveConsent(t.Context(), person, people.Consent{Scope: people.ScopeMemory, GivenBy: "Margaret", How: "in writing"}); err != nil {
		t.Fatal(err)
	}
	if !r.say("s", "You may remember me.").get("remembered").Bool() {
		t.Error("with consent the talk is not remembered")
	}
	r.rest()
	if mem.kept() != 1 {
		t.Errorf("memory holds %d episodes, want the one after the consent", mem.kept())
	}
	if _, err := r.st.RevokeConsent(t.Context(), person, people.ScopeMemory, "Margaret", "in writing"); err != nil {
		t.Fatal(err)
	}
	r.say("s", "Forget it again.")
	if msgs := r.model.lastHeard().Messages; len(msgs) != 2 || strings.Contains(msgs[0].Content, "remember") {
		t.Errorf("after the consent was taken back the prompt holds %+v", msgs)
	}
	if r.count("chat_episodes") != 1 {
		t.Error("an episode is kept without consent")
	}
}
