package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
)

// pages reads a list to its end.
func (r *chatRig) pages(path, field string) (all []string) {
	r.t.Helper()
	cursor := ""
	for range 50 {
		got := r.do(200, http.MethodGet, path+cursor, "")
		for _, item := range got.get("items.#." + field).Array() {
			all = append(all, item.String())
		}
		if !got.get("nextCursor").Exists() {
			return all
		}
		cursor = "&cursor=" + url.QueryEscape(got.get("nextCursor").String())
	}
	r.t.Fatalf("%s has no end", path)
	return nil
}

func TestSessions(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	p, person := r.project("P"), r.person("Margaret", true)
	for i := range 5 {
		r.say(fmt.Sprintf("s%d", i), "Hello.", "projectId", p)
	}
	r.say("hers", "Hello.", "userId", person.String())
	r.say("s1", "I am back.") // and so the first in the list
	if got := r.pages("/sessions?limit=2", "sessionId"); !slices.Equal(got, []string{"s1", "hers", "s4", "s3", "s2", "s0"}) {
		t.Errorf("sessions = %q", got)
	}
	if got := r.pages("/sessions?limit=4&projectId="+p, "sessionId"); len(got) != 5 || slices.Contains(got, "hers") {
		t.Errorf("sessions of the project = %q", got)
	}
	if got := r.pages("/sessions?userId="+person.String(), "sessionId"); !slices.Equal(got, []string{"hers"}) {
		t.Errorf("sessions of the person = %q", got)
	}
	if got := r.pages("/sessions/s1/history?limit=1", "message"); !slices.Equal(got, []string{"I am back.", "Hello."}) {
		t.Errorf("history = %q", got)
	}
	r.rest() // else a name may come in between
	if got := r.do(200, http.MethodPatch, "/sessions/s1", `{"name":" The garden "}`); got.get("name").String() != "The garden" || got.get("projectId").String() != p {
		t.Errorf("renamed = %s", got.body)
	}
	if got := r.do(200, http.MethodPatch, "/sessions/s1", `{"name":null,"projectId":null}`); got.get("name").Exists() || got.get("projectId").Exists() {
		t.Errorf("cleared = %s", got.body)
	}
	for _, tt := range []struct {
		want               int
		method, path, body string
	}{
		{404, http.MethodGet, "/sessions/none", ""},
		{404, http.MethodGet, "/sessions/none/history", ""},
		{404, http.MethodPatch, "/sessions/none", `{}`},
		{404, http.MethodDelete, "/sessions/none", ""},
		{404, http.MethodPatch, "/sessions/s1", `{"projectId":"00000000-0000-7000-8000-000000000000"}`},
		{422, http.MethodPatch, "/sessions/s1", `{"userId":"x"}`},
		{422, http.MethodPatch, "/sessions/s1", `{"name":5}`},
		{422, http.MethodGet, "/sessions?limit=0", ""},
		{422, http.MethodGet, "/sessions?cursor=12", ""},
		{422, http.MethodGet, "/sessions?cursor=99999999999999999999.0", ""},
		{422, http.MethodGet, "/sessions?offset=3", ""},
		{422, http.MethodGet, "/sessions/s1/history?cursor=-1", ""},
		{400, http.MethodGet, "/sessions?userId=%00", ""},
		{404, http.MethodGet, "/sessions?userId=Margaret", ""},
	} {
		r.do(tt.want, tt.method, tt.path, tt.body)
	}
}

func TestEpisodes(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	p := r.project("P")
	r.say("a", "Thomas walked to the harbour.", "projectId", p)
	r.say("b", "The roses want water.")
	r.say("b", "Harbours are cold in winter, and harbours are loud.")
	// Any of the words, in any form.
	if got := r.pages("/episodes?limit=1&q=what+about+harbour+and+walking", "message"); len(got) != 2 || slices.Contains(got, "The roses want water.") {
		t.Errorf("found = %q", got)
	}
	if got := r.pages("/episodes?limit=2", "sessionId"); !slices.Equal(got, []string{"b", "b", "a"}) {
		t.Errorf("episodes = %q", got)
	}
	for query, want := range map[string]int{
		"sessionId=b": 2, "projectId=" + p: 1, "q=harbour&sessionId=b": 1, "q=harbour&projectId=" + p: 1, "q=the+and": 0, "q=%27%29%3B--+%26%7C%21": 0,
	} {
		if got := r.pages("/episodes?"+query, "id"); len(got) != want {
			t.Errorf("%s finds %d, want %d", query, len(got), want)
		}
	}
	r.do(404, http.MethodGet, "/episodes?sessionId=none", "")
	r.do(422, http.MethodGet, "/episodes?cursor=x", "")
	r.do(404, http.MethodDelete, "/episodes/999999", "")
	r.do(422, http.MethodDelete, "/episodes/x", "")
}

// What is deleted is forgotten: first by memory, and where memory does not
// answer nothing is deleted at all.
func TestDeleting(t *testing.T) {
	t.Parallel()
	mem := &bigMouth{}
	r := newChatRig(t, func(c *chatConfig) { c.Memory = mem })
	id := r.say("a", "One.").get("episodeId").String()
	r.say("a", "Two.")
	r.say("b", "Three.")
	r.rest()
	mem.fail(errDown)
	r.do(503, http.MethodDelete, "/episodes/"+id, "")
	r.do(503, http.MethodDelete, "/sessions/a", "")
	if r.count("chat_episodes") != 3 {
		t.Error("something was deleted that memory still holds")
	}
	mem.fail(nil)
	r.do(204, http.MethodDelete, "/episodes/"+id, "")
	if mem.kept() != 2 || r.count("chat_episodes") != 2 {
		t.Errorf("memory holds %d, the table %d", mem.kept(), r.count("chat_episodes"))
	}
	r.do(204, http.MethodDelete, "/sessions/a", "")
	r.do(404, http.MethodGet, "/sessions/a", "")
	if mem.kept() != 1 || r.count("chat_episodes") != 1 {
		t.Errorf("memory holds %d, the table %d", mem.kept(), r.count("chat_episodes"))
	}
}

func TestProjects(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	for i := range 3 {
		r.project(fmt.Sprintf("P%d", i))
	}
	if got := r.pages("/projects?limit=2", "name"); !slices.Equal(got, []string{"P2", "P1", "P0"}) {
		t.Errorf("projects = %q", got)
	}
	made := r.do(201, http.MethodPost, "/projects", `{"name":" Ward ","description":"Third floor","systemPrompt":"Be a nurse."}`)
	id := made.get("id").String()
	if made.get("name").String() != "Ward" || made.get("systemPrompt").String() != "Be a nurse." {
		t.Errorf("made = %s", made.body)
	}
	if got := r.do(200, http.MethodPatch, "/projects/"+id, `{"name":"Ward 4","description":null,"systemPrompt":" "}`); got.get("name").String() != "Ward 4" || got.get("description").Exists() || got.get("systemPrompt").Value() != nil {
		t.Errorf("changed = %s", got.body)
	}
	r.do(422, http.MethodPost, "/projects", `{"name":" "}`)
	r.do(422, http.MethodPost, "/projects", `{}`)
	r.do(422, http.MethodPatch, "/projects/"+id, `{"name":null}`)
	r.do(422, http.MethodGet, "/projects?cursor=x", "")
	r.do(204, http.MethodDelete, "/projects/"+id, "")
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r.do(404, method, "/projects/"+id, "")
		r.do(404, method, "/projects/x", "")
	}
}
