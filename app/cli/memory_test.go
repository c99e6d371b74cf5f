package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/naiber/naiber/store/people"
)

// remembered is somebody who allows being remembered.
func (p *program) remembered(t *testing.T, name string) people.Person {
	t.Helper()
	who := p.person(t, name, "", "+15550100123")
	if _, err := p.tools.Store.GiveConsent(t.Context(), who.ID, people.Consent{Scope: people.ScopeMemory, GivenBy: name, How: "on paper"}); err != nil {
		t.Fatal(err)
	}
	return who
}

func TestMemoryCommands(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.remembered(t, "Ada King")
	p.must(t, "memory", "add", "ada", "My cat is called Whiskers.", "--at", "2026-11-03T15:00:00Z")
	id := strings.TrimSpace(p.must(t, "memory", "add", "ada", "I like tea.", "--by", "Susan"))
	if out := p.must(t, "memory", "search", "ada", "Whiskers"); !strings.Contains(out, "2026-11-03 11:30") || !strings.Contains(out, "My cat is called Whiskers.") {
		t.Errorf("search printed %q", out)
	}
	newest := gjson.Parse(p.must(t, "memory", "search", "ada", "--json"))
	if newest.Get("#").Int() != 2 || newest.Get("0.text").String() != "I like tea." || newest.Get("0.name").String() != "Susan" {
		t.Errorf("the newest: %s", newest)
	}
	out := p.must(t, "memory", "forget", "ada", "--memory", id, "--verify")
	if !strings.Contains(out, "forgot 1 turns") || !strings.Contains(out, "Nothing resurfaces.") || !strings.Contains(out, "transcripts") {
		t.Errorf("forget printed %q", out)
	}
	if out := p.must(t, "memory", "reembed"); out != "0 vectors are made.\n" {
		t.Errorf("reembed printed %q", out)
	}
}

func TestMemoryLimits(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.remembered(t, "Ada King")
	id := strings.TrimSpace(p.must(t, "memory", "limits", "add", "ada", "brother", "--by", "Ada"))
	p.must(t, "memory", "limits", "add", "ada", "arthritis", "--rule", "cool_down", "--until", "2100-02-01", "--by", "Susan", "--how", "by letter")
	if out := p.must(t, "memory", "limits", "list", "ada"); !strings.Contains(out, "brother    never_raise  for good          Ada") ||
		!strings.Contains(out, "arthritis  cool_down    2100-02-01 00:00  Susan  by letter") {
		t.Errorf("listed %q", out)
	}
	p.refused(t, "not set", "memory", "limits", "add", "ada", "war", "--rule", "never", "--by", "Ada")
	p.refused(t, "without an end", "memory", "limits", "add", "ada", "war", "--rule", "cool_down", "--by", "Ada")
	p.refused(t, "YYYY-MM-DD", "memory", "limits", "add", "ada", "war", "--until", "tomorrow", "--by", "Ada")
	p.refused(t, "by", "memory", "limits", "add", "ada", "war")
	p.refused(t, "named by its id", "memory", "limits", "remove", "ada", "brother")
	p.must(t, "memory", "limits", "remove", "ada", id)
	p.refused(t, "has no limit", "memory", "limits", "remove", "ada", id)
	if left := gjson.Parse(p.must(t, "memory", "limits", "list", "ada", "--json")); left.Get("#").Int() != 1 || left.Get("0.topic").String() != "arthritis" {
		t.Errorf("left %s", left)
	}
}

func TestMemoryFiles(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	ada := p.remembered(t, "Ada King")
	dir := t.TempDir()
	plain, exported := filepath.Join(dir, "plain.jsonl"), filepath.Join(dir, "ada.jsonl")
	lines := `{"text": "My cat is called Whiskers.", "at": "2026-11-03T15:00:00Z"}` + "\n" + `{"text": "I like tea.", "at": "2026-11-03T15:01:00Z"}` + "\n"
	if err := os.WriteFile(plain, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := p.must(t, "memory", "import", ada.ID.String(), plain); !strings.Contains(out, "2 turns are new") {
		t.Errorf("import printed %q", out)
	}
	if out := p.must(t, "memory", "export", "ada", "--out", exported); !strings.HasPrefix(out, "2 lines in ") {
		t.Errorf("export printed %q", out)
	}
	p.refused(t, "file exists", "memory", "export", "ada", "--out", exported)
	whole, err := os.ReadFile(exported)
	if err != nil {
		t.Fatal(err)
	}
	p.refused(t, "Ada King", "people", "forget", "ada", "--all") // a script must say --yes
	out := p.must(t, "people", "forget", "ada", "--all", "--yes", "--verify", "--json")
	if got := gjson.Parse(out); !got.Get("verified").Bool() || got.Get("forgotten.turns").Int() != 2 || got.Get("checks.#").Int() < 19 {
		t.Errorf("forget printed %s", out)
	}
	if out, err := p.runWith(t, t.Context(), string(whole), "memory", "import", "ada", "-"); err != nil || !strings.Contains(out, "2 skipped because forgotten") {
		t.Errorf("import printed %q, %v", out, err)
	}
	if again := p.must(t, "memory", "export", "ada"); strings.Count(again, "\n") != 1 {
		t.Errorf("after the import there is %s", again)
	}
	bad := lines + "{}\n"
	if _, err := p.runWith(t, t.Context(), bad, "memory", "import", "ada", "-"); err == nil || !strings.Contains(err.Error(), "line 3: ") {
		t.Errorf("a bad line: %v", err)
	}
	if out, err := p.runWith(t, t.Context(), bad, "memory", "import", "ada", "-", "--skip-bad"); err != nil || !strings.Contains(out, "1 bad") {
		t.Errorf("a bad line left out: %q, %v", out, err)
	}
}

func TestMemoryCommandsRefuse(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.person(t, "Ada King", "", "+15550100123")
	p.refused(t, "does not allow being remembered", "memory", "add", "ada", "I like tea.")
	p.refused(t, "does not allow being remembered", "memory", "search", "ada", "tea")
	p.refused(t, "nobody is called", "memory", "search", "bo", "tea")
	p.refused(t, "--limit", "memory", "search", "ada", "tea", "--limit", "0")
	p.refused(t, "--at", "memory", "add", "ada", "tea", "--at", "yesterday")
	p.refused(t, "no such file", "memory", "import", "ada", "/nowhere.jsonl")
	p.refused(t, "at least one of the flags", "memory", "forget", "ada")
	p.refused(t, "at least one of the flags", "people", "forget", "ada", "--verify")
	p.refused(t, "none of the others can be", "memory", "forget", "ada", "--all", "--topic", "tea")
	p.refused(t, "Ada King has nothing like that", "people", "forget", "ada", "--memory", "x")
	p.refused(t, "YYYY-MM-DD", "people", "forget", "ada", "--day", "yesterday")
}
