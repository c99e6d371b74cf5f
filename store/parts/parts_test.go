package parts_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/parts"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// catalogue is in the form of the file that the program comes from.
const catalogue = `{
  "WDT780SAEM1": {"brand": "any", "parts": {
    "PS3406971": {"name": "Control Board", "price": 249.99, "description": "Runs the cycles.", "image_url": "https://images.example/a.jpg",
      "repair_video_url": "https://Videos.Example:8443/embed/a", "solves_symptoms": ["Will Not Start", "Not cleaning dishes properly"]},
    "PS3406972": {"name": "Door Gasket", "price": "33.4", "solves_symptoms": ["Leaking from the door"], "colour": {"inside": ["grey"]},
      "steps": ["Pull the old one out.", "Press the new one in."]},
    "PS3406973": {"name": "Door Latch", "price": "$1,029.90", "solves_symptoms": ["Door will not close", "will not start", "Stops mid-cycle"]},
    "PS3406974": {"name": "Drain Pump", "price": null, "solves_symptoms": ["Not draining", "Loud noise when draining"]},
    "PS3406975": {"name": "Heater", "solves_symptoms": ["Does not turn off", "Dishes stay wet"]},
    "PS3406976": {"name": "Screw", "solves_symptoms": []}}},
  "wdt780saem2": {"parts": {
    "PS-340 6971": {"name": "Control Board", "price": 259, "description": "Of the second model.", "solves_symptoms": ["Will Not Start"]}}},
  "KDW482SS": {"parts": {}}
}`

// stocked is a store with a catalogue.
func stocked(tb testing.TB, file string) *store.Store {
	tb.Helper()
	st := storetest.New(tb)
	_, err := st.ImportCatalogue(tb.Context(), strings.NewReader(file), parts.ImportOptions{Invalid: func(e parts.RowError) { tb.Error(e) }})
	if err != nil {
		tb.Fatal(err)
	}
	return st
}

func TestLookups(t *testing.T) {
	t.Parallel()
	st, ctx := stocked(t, catalogue), t.Context()
	for said, want := range map[string]string{
		"WDT780SAEM1": "WDT780SAEM1", "wdt780saem2": "WDT780SAEM2", "KDW482SS": "KDW482SS",
		"WDT780SAEM3": "", "": "", "é": "",
	} {
		got, err := st.CatalogueModel(ctx, said)
		if got != want || errors.Is(err, store.ErrNotFound) != (want == "") {
			t.Errorf("model %q = %q, %v, want %q", said, got, err, want)
		}
	}
	got, err := st.CataloguePart(ctx, "wdt780-saem1", "ps 3406971")
	want := parts.Part{
		Model: "WDT780SAEM1", Number: "PS3406971", Name: "Control Board", PriceCents: 24999, Description: "Runs the cycles.",
		ImageURL: "https://images.example/a.jpg", VideoURL: "https://Videos.Example:8443/embed/a",
		Symptoms: []string{"Will Not Start", "Not cleaning dishes properly"}, Steps: []string{},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("part: %v\n%s", err, diff)
	}
	if _, err := st.CataloguePart(ctx, "WDT780SAEM2", "PS3406972"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a part that does not fit: %v", err)
	}
	all, err := st.CatalogueParts(ctx, "ps3406971", 10)
	if len(all) != 2 || err != nil || all[0].Model != "WDT780SAEM1" || all[1].Number != "PS-340 6971" || all[1].PriceCents != 25900 {
		t.Errorf("of any model: %+v, %v", all, err)
	}
	if all, err = st.CatalogueParts(ctx, "ps3406971", 1); len(all) != 1 || err != nil {
		t.Errorf("of one model: %+v, %v", all, err)
	}
	if all, err = st.CatalogueParts(ctx, "PS0000000", 10); len(all) != 0 || err != nil {
		t.Errorf("unknown: %+v, %v", all, err)
	}
	for host, want := range map[string]bool{
		"images.example": true, "Images.Example": true, "videos.example": true, "example": false, "evil.example": false, "": false, "images.example:443": false,
	} {
		if got, err := st.CatalogueHost(ctx, host); got != want || err != nil {
			t.Errorf("host %q = %v, %v", host, got, err)
		}
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	st := stocked(t, catalogue)
	for number, want := range map[string]int64{"PS3406972": 3340, "PS3406973": 102990, "PS3406974": 0, "PS3406975": 0} {
		if p, err := st.CataloguePart(t.Context(), "WDT780SAEM1", number); p.PriceCents != want || err != nil {
			t.Errorf("%s costs %d, %v, want %d", number, p.PriceCents, err, want)
		}
	}
}

func TestMatchParts(t *testing.T) {
	t.Parallel()
	st := stocked(t, catalogue)
	for _, tt := range []struct {
		name string
		said []string
		want []string // number: symptoms that were matched
	}{
		{"as it is written", []string{"Will Not Start"}, []string{"PS3406971: Will Not Start", "PS3406973: Will Not Start"}},
		{"case, marks and space", []string{" will  NOT start!"}, []string{"PS3406971:  will  NOT start!", "PS3406973:  will  NOT start!"}},
		{"a curly quote", []string{"it won’t start"}, []string{"PS3406971: it won’t start", "PS3406973: it won’t start"}},
		{"other words", []string{"it does not turn on"}, []string{"PS3406971: it does not turn on", "PS3406973: it does not turn on"}},
		{"the opposite", []string{"it starts"}, nil},
		{"another direction", []string{"won't turn off"}, []string{"PS3406975: won't turn off"}},
		{"a form of a word", []string{"leaks"}, []string{"PS3406972: leaks"}},
		{"more than the catalogue says", []string{"the dishwasher leaks water when it starts"}, []string{"PS3406972: the dishwasher leaks water when it starts"}},
		{"a slip of the pen", []string{"leeking from the door"}, []string{"PS3406972: leeking from the door"}},
		{"a synonym", []string{"the dishes come out dirty"}, []string{"PS3406971: the dishes come out dirty"}},
		{"a name alone", []string{"dishes"}, []string{"PS3406975: dishes"}},
		{"what stopped", []string{"It stopped draining"}, []string{"PS3406974: It stopped draining"}},
		{"the more the better", []string{"stops mid-cycle", "won't start"}, []string{"PS3406973: stops mid-cycle|won't start", "PS3406971: won't start"}},
		{"exact before more", []string{"not draining", "leaks", "from the door it leaks water"}, []string{"PS3406974: not draining", "PS3406972: leaks|from the door it leaks water"}},
		{
			"a symptom counts once",
			[]string{"Won't start", "won’t start", "it will not start", "not draining"},
			[]string{"PS3406974: not draining", "PS3406971: Won't start", "PS3406973: Won't start"},
		},
		{"another thing of the door", []string{"the door won't open"}, nil},
		{"nothing like it", []string{"the moon is full", "", "!?"}, nil},
		{"nothing", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := st.MatchParts(t.Context(), "wdt780saem1", tt.said, 3)
			if err != nil || got == nil {
				t.Fatal(got, err)
			}
			var lines []string
			for _, m := range got {
				lines = append(lines, m.Number+": "+strings.Join(m.Matched, "|"))
			}
			if !slices.Equal(lines, tt.want) {
				t.Errorf("%q finds %q, want %q", tt.said, lines, tt.want)
			}
		})
	}
	if got, err := st.MatchParts(t.Context(), "WDT780SAEM1", []string{"won't start"}, 1); len(got) != 1 || err != nil || got[0].Name != "Control Board" {
		t.Errorf("the first: %+v, %v", got, err)
	}
	for _, model := range []string{"KDW482SS", "unknown"} {
		if got, err := st.MatchParts(t.Context(), model, []string{"won't start"}, 3); len(got) != 0 || got == nil || err != nil {
			t.Errorf("%s: %+v, %v", model, got, err)
		}
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	st := stocked(t, catalogue)
	for _, tt := range []struct {
		of, said string
		want     string
	}{
		{"models", "WDT780SAEM1", "WDT780SAEM1 WDT780SAEM2"},
		{"models", "wdt 780-saemz", "WDT780SAEM2 WDT780SAEM1"}, // the nearer in looks
		{"models", "WDT780", "WDT780SAEM1 WDT780SAEM2"},
		{"models", "WTD780SAEM1", "WDT780SAEM1 WDT780SAEM2"},
		{"models", "WBT78OSAEN1", "WDT780SAEM1 WDT780SAEM2"},
		{"models", "KDW482FS", "KDW482SS"},
		{"models", "KDW42SS", "KDW482SS"},
		{"models", "XYZ", ""},
		{"models", "", ""},
		{"models", "!", ""},
		{"models", strings.Repeat("WDT780SAEM1", 100), ""},
		{"WDT780SAEM1", "PS3406972", "PS3406972 PS3406970"},
		{"", "PS3406917", "PS3406971"},
		{"", "3406974", "PS3406974"},
		{"", "BS3406974", "PS3406974"},
		{"", "Q", ""},
		{"KDW482SS", "PS3406971", ""},
		{"unknown", "PS3406971", ""},
	} {
		var got []string
		var err error
		if tt.of == "models" {
			got, err = st.NearModels(t.Context(), tt.said, 2)
		} else {
			got, err = st.NearParts(t.Context(), tt.of, tt.said, 1)
			tt.want, _, _ = strings.Cut(tt.want, " ")
		}
		if err != nil || got == nil || strings.Join(got, " ") != tt.want {
			t.Errorf("near %q of %q = %q, %v, want %q", tt.said, tt.of, got, err, tt.want)
		}
	}
}

// large is a catalogue of so many parts of a hundred a model.
func large(n int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		if i%100 == 0 {
			if i > 0 {
				b.WriteString("}},\n")
			}
			fmt.Fprintf(&b, `"KDW%04dSS": {"parts": {`, i/100)
		} else {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `"KP%07d": {"name": "Part %d", "price": %d.50, "solves_symptoms": ["Symptom %d"]}`, i*7919%10_000_000, i, i%500, i%37)
	}
	b.WriteString("}}}")
	return b.String()
}

func TestNearInALargeCatalogue(t *testing.T) {
	t.Parallel()
	st := stocked(t, large(6000))
	if _, err := st.Pool().Exec(t.Context(), "analyze"); err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]string{
		"KP0007919": "KP0007919", // as it is
		"BP0007919": "KP0007919",
		"KP0007991": "KP0007919", // neighbours
		"KP000719":  "KP0007919", // one is missing
		"0007919":   "KP0007919", // the end
		"KT00O7919": "KP0007919", // two letters that sound or look alike
		"XX0999999": "",
	} {
		got, err := st.NearParts(t.Context(), "", said, 3)
		if err != nil || want != strings.Join(got[:min(1, len(got))], "") {
			t.Errorf("near %q = %q, %v, want %q", said, got, err, want)
		}
	}
}

func TestSearchCatalogue(t *testing.T) {
	t.Parallel()
	st := stocked(t, catalogue)
	for _, tt := range []struct{ words, model, want string }{
		{"pump", "", "PS3406974"},
		{"leaking door", "", "PS3406972"},
		{"door", "", "PS3406973 PS3406972"},
		{"control", "", "PS3406971 PS-340 6971"},
		{"control", "wdt780saem2", "PS-340 6971"},
		{"pump gasket", "", "PS3406972 PS3406974"}, // no part has both
		{"nothing of the kind", "", ""},
		{"' & | !", "", ""},
		{"pump\x00\xff", "", "PS3406974"},
		{"the", "", ""},
	} {
		got, err := st.SearchCatalogue(t.Context(), tt.words, tt.model, 5)
		var numbers []string
		for _, p := range got {
			numbers = append(numbers, p.Number)
		}
		slices.Sort(numbers)
		want := strings.Fields(strings.ReplaceAll(tt.want, "PS-340 6971", "PS-340_6971"))
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "_", " ")
		}
		slices.Sort(want)
		if err != nil || !slices.Equal(numbers, want) {
			t.Errorf("search %q of %q = %q, %v, want %q", tt.words, tt.model, numbers, err, want)
		}
	}
}
