package tasks

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func library(t *testing.T) *Library {
	t.Helper()
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestShipped(t *testing.T) {
	t.Parallel()
	want := map[string]struct{ forms, max int }{
		"six_item": {7, 6}, "digits_forward": {6, 8}, "digits_back": {6, 7}, "story": {6, 20}, "category": {6, 0}, "letter": {6, 0},
		"reasoning": {6, 6}, "orientation": {1, 5}, "amt4": {1, 4}, "story_later": {6, 20},
	}
	list := library(t).Tasks("en-GB")
	if len(list) != len(want) {
		t.Errorf("%d tasks, want %d", len(list), len(want))
	}
	for _, task := range list {
		if w := want[task.ID]; len(task.Forms) != w.forms || task.Max != w.max {
			t.Errorf("%s has %d forms and %d points at most, want %d and %d", task.ID, len(task.Forms), task.Max, w.forms, w.max)
		}
	}
	if list := library(t).Tasks("fi"); len(list) != len(want) || list[0].Language != "en" {
		t.Errorf("%d tasks for who speaks Finnish, want the English ones", len(list))
	}
	if _, ok := library(t).Task("moca", "en"); ok {
		t.Error("a task that there is not was found")
	}
}

// What is read out has its pace in it, and nobody is told how they did.
func TestSpoken(t *testing.T) {
	t.Parallel()
	for _, task := range library(t).Tasks("en") {
		said := []string{task.Lead}
		for _, f := range task.Forms {
			for _, it := range f.Items {
				said = append(said, it.Say, it.Repeat)
				if pauses := strings.Count(it.Say, " … "); it.Kind == Register && pauses != len(it.Words)-1 || it.Kind == Digits && pauses != it.Level-1 {
					t.Errorf("%s %s %s is not read out word by word: %q", task.ID, f.ID, it.ID, it.Say)
				}
				if n := len(strings.Fields(strings.ReplaceAll(it.Say, "…", ""))); it.Kind == Story && !it.Later && (n < 52 || n > 68) {
					t.Errorf("story %s has %d words", f.ID, n)
				}
			}
		}
		for _, s := range said {
			for _, w := range []string{"score", "wrong", "right", "correct", "test", "exam", "dementia", "mistake", "points", "well done", "normal"} {
				if slices.Contains(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r < 'a' || r > 'z' }), w) {
					t.Errorf("%s says %q: %q", task.ID, w, s)
				}
			}
		}
	}
}

// A wording that its own story does not bear out would give points for what was not told.
func TestStoriesTellTheirIdeas(t *testing.T) {
	t.Parallel()
	task, _ := library(t).Task("story", "en")
	later, _ := library(t).Task("story_later", "en")
	for _, f := range task.Forms {
		it := f.Items[0]
		if len(it.Ideas) != 20 {
			t.Errorf("story %s has %d ideas", f.ID, len(it.Ideas))
		}
		for _, i := range it.Ideas {
			if !slices.ContainsFunc(i.Any, func(w string) bool { return strings.Contains(strings.ToLower(it.Say), w) }) {
				t.Errorf("story %s does not tell of %s in any of %q", f.ID, i.ID, i.Any)
			}
		}
		again, _ := later.Form(f.ID)
		if got, ok := again.Item(it.ID); !ok || len(got.Ideas) != 20 || got.Say == it.Say {
			t.Errorf("story %s is not asked for again: %+v", f.ID, got)
		}
	}
}

// Each mistake is refused at the start, and named.
func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct{ file, from, to, want string }{
		{"six_item", "id: six_item", "id: sixitem", "is in file"},
		{"six_item", "max: 6", "max: 7", "items come to 6, max is 7"},
		{"six_item", "licence: Published", "licences: Published", "unknown field"},
		{"six_item", "rule: sum", "rule: average", "unknown rule"},
		{"six_item", "domain: memory", "domain: mind", "unknown domain"},
		{"six_item", "words: [river, candle, boot]", "words: [river, candle, penny]", `"penny" is in form a too`},
		{"six_item", "Candle. …", "Candles, …", `"candle" is not said by itself`},
		{"six_item", "ask: year", "ask: age_group", "unknown"},
		{"six_item", "of: words", "of: word", "want a register item"},
		{"six_item", "  - id: b", "  - id: a", `form "a": not an id, or twice`},
		{"six_item", "kind: recall", "kind: recollect", "unknown kind"},
		{"digits_back", `"29", level: 2`, `"29", level: 3`, "want as many as the level"},
		{"digits_back", `digits: "29"`, `digits: "99"`, "is easy"},
		{"digits_back", `digits: "29"`, `digits: "23"`, "is easy"},
		{"digits_back", `digits: "29"`, `digits: "49"`, "is in form a too"},
		{"digits_back", `level: 2, backward: true`, `level: 2, backward: false`, "are not like those of form"},
		{"letter", "letter: p,", "letter: p, category: food,", "want a category or a letter"},
		{"letter", "letter: p, seconds: 60", "letter: p, seconds: 45", "are not like those of form"},
		{"letter", "sd: 3.2", "sd: 0", "sd and seconds are above 0"},
		{"story", "id: friday, any", "id: morning, any", `idea "morning": not an id, or twice`},
		{"story", `any: ["friday"]`, `any: ["morning"]`, `wording "morning": empty, or twice`},
		{"story", `any: ["friday"]`, `any: ["friday"], points: 2`, "ideas come to 21"},
		{"story_later", "with: story", "with: tale", `no task "tale"`},
		{"story_later", "- id: a\n", "- id: z\n", "the forms are not the same"},
		{"reasoning", "points: 2", "points: 3", "the best idea gives 3"},
		{"amt4", "insteadOf: orientation", "insteadOf: none", `no task "none"`},
	}
	for _, tt := range tests {
		t.Run(tt.file+" "+tt.want, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			names, _ := fs.Glob(shipped, "en/*.yaml")
			for _, name := range names {
				data, err := shipped.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if name == "en/"+tt.file+".yaml" {
					changed := strings.Replace(string(data), tt.from, tt.to, 1)
					if changed == string(data) {
						t.Fatalf("%s has no %q", name, tt.from)
					}
					data = []byte(changed)
				}
				files[name] = &fstest.MapFile{Data: data}
			}
			if _, err := LoadFS(files); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
