package api

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/naiber/naiber/orchestration/chat"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	before := r.do(200, http.MethodGet, "/settings", "")
	if before.get("recentEpisodeLimit").Int() != 10 || before.get("systemPrompt").String() != "Be kind." || before.get("modelsFolderPath").Value() != nil {
		t.Errorf("defaults = %s", before.body)
	}
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// For each field, what its rule lets in and what it does not.
	for name, tt := range map[string]struct{ good, bad []string }{
		"recentEpisodeLimit": {[]string{"1", "20", "7.0", "1e1"}, []string{"0", "21", "2.5", `"5"`, "null", "true", "-1", "[5]"}},
		"semanticLimit":      {[]string{"1", "20"}, []string{"0", "21", "2.5", `"5"`, "null"}},
		"scoreThreshold":     {[]string{"0", "0.5", "1"}, []string{"-0.1", "1.01", `"0.5"`, "null"}},
		"keywordWeight":      {[]string{"0", "0.5", "100"}, []string{"-0.1", `"1"`, "null", "1e999"}},
		"semanticWeight":     {[]string{"0", "2"}, []string{"-1", "null"}},
		"temperature":        {[]string{"0", "2"}, []string{"-0.1", "2.1", "null"}},
		"repeatPenalty":      {[]string{"1", "2"}, []string{"0.9", "2.1", "null"}},
		"topP":               {[]string{"0", "1"}, []string{"-0.1", "1.1", "null"}},
		"topK":               {[]string{"1", "100"}, []string{"0", "101", "1.5", "null"}},
		"modelsFolderPath":   {[]string{inQuotes(folder), "null"}, []string{inQuotes(folder + "/none"), inQuotes(file), `"models"`, `""`, "5", `"/a\u0000"`}},
		"systemPrompt":       {[]string{`"  Be brief.  "`, "null", `" "`}, []string{"5", `["a"]`, `"a\u0000"`}},
		"temprature":         {nil, []string{"1"}},
		"Temperature":        {nil, []string{"1"}},
	} {
		for _, v := range tt.good {
			r.do(200, http.MethodPatch, "/settings", `{"`+name+`":`+v+`}`)
		}
		now := r.do(200, http.MethodGet, "/settings", "").body
		for _, v := range tt.bad {
			// Beside a field that is right, which then does not change either.
			got := r.do(422, http.MethodPatch, "/settings", `{"topP":0.123,"`+name+`":`+v+`}`)
			if name != "topP" && got.get("errors.0.location").String() != "body."+name {
				t.Errorf("%s = %s: %s", name, v, got.body)
			}
		}
		if after := r.do(200, http.MethodGet, "/settings", "").body; after != now {
			t.Errorf("%s: refused patches changed %s to %s", name, now, after)
		}
	}
	for _, body := range []string{"[]", "null", "5", "{", `{"topP":1}x`} {
		r.do(400, http.MethodPatch, "/settings", body)
	}
}

func inQuotes(s string) string { return strconv.Quote(s) }

func TestSystemPromptPriority(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	p := r.project("Ward 3")
	hears := func(want string) {
		t.Helper()
		r.say("s", "Hello.", "projectId", p)
		if got := r.model.lastHeard().system(); got != want {
			t.Errorf("system prompt = %q, want %q", got, want)
		}
	}
	hears("Be kind.")
	r.do(200, http.MethodPatch, "/settings", `{"systemPrompt":" Be brief. "}`)
	hears("Be brief.")
	r.do(200, http.MethodPatch, "/projects/"+p, `{"systemPrompt":"Be a nurse."}`)
	hears("Be a nurse.")
	r.do(200, http.MethodPatch, "/projects/"+p, `{"systemPrompt":null}`)
	hears("Be brief.")
	r.do(200, http.MethodPatch, "/settings", `{"systemPrompt":null}`)
	hears("Be kind.")
}

// Patches at the same time do not undo each other.
func TestSettingsTogether(t *testing.T) {
	t.Parallel()
	r := newChatRig(t, nil)
	var wg sync.WaitGroup
	for _, body := range []string{`{"topK":50}`, `{"topP":0.5}`, `{"temperature":0.25}`, `{"semanticLimit":4}`} {
		wg.Go(func() {
			if _, err := r.st.PatchChatSettings(t.Context(), json.RawMessage(body), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got := r.do(200, http.MethodGet, "/settings", "")
	if got.get("topK").Int() != 50 || got.get("topP").Float() != 0.5 || got.get("temperature").Float() != 0.25 || got.get("semanticLimit").Int() != 4 {
		t.Errorf("settings = %s", got.body)
	}
}

// Whatever comes, a patch is taken whole or refused, and what is taken lies
// within the rules.
func FuzzDecodePatch(f *testing.F) {
	for _, seed := range []string{`{}`, `{"topK":40}`, `{"topK":null}`, `{"systemPrompt":null}`, `{"topP":1e400}`, `{"a":1}`, `null`, `[`, `{"scoreThreshold":-0}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := decodePatch(raw)
		if err != nil {
			if p.set != nil || p.remove != nil {
				t.Fatalf("%q: refused, and yet %+v", raw, p)
			}
			return
		}
		set, err := json.Marshal(p.set)
		if err != nil {
			t.Fatalf("%q: what was taken is no JSON: %v", raw, err)
		}
		var now chat.Settings
		if err := json.Unmarshal(set, &now); err != nil {
			t.Fatalf("%q: what was taken cannot be read: %v", raw, err)
		}
		again, err := decodePatch(set)
		if err != nil || len(again.set) != len(p.set) {
			t.Fatalf("%q: %s is not taken again: %v", raw, set, err)
		}
		for _, name := range p.remove {
			if name != "systemPrompt" && name != "modelsFolderPath" {
				t.Fatalf("%q takes %s away", raw, name)
			}
		}
	})
}
