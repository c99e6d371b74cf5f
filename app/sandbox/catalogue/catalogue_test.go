package catalogue_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/naiber/naiber/app/sandbox/catalogue"
	"github.com/naiber/naiber/store/parts"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var (
	modelForm  = regexp.MustCompile(`^K[A-Z]{2}\d{3}[A-Z]{2,3}$`)
	numberForm = regexp.MustCompile(`^KP\d{7}$`)
)

func TestKestrel(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	done, err := st.ImportCatalogue(t.Context(), catalogue.Kestrel(), parts.ImportOptions{Invalid: func(e parts.RowError) { t.Error(e) }})
	if err != nil || done.Models != 6 || done.Parts < 40 {
		t.Fatalf("%+v, %v", done, err)
	}
	models := storetest.Column(t, st, "select model from catalogue_models order by 1")
	if !slices.Contains(models, "KDW482SS") || !slices.Contains(models, "KDW482SE") {
		t.Errorf("the twins are not there: %q", models)
	}
	for _, m := range models {
		if !modelForm.MatchString(m) {
			t.Errorf("model %s", m)
		}
	}
	for _, n := range storetest.Column(t, st, "select distinct number from catalogue_parts order by 1") {
		all, err := st.CatalogueParts(t.Context(), n, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if !numberForm.MatchString(n) || p.Name == "" || p.PriceCents == 0 || p.Description == "" || len(p.Symptoms) == 0 {
				t.Errorf("%+v", p)
			}
			for _, link := range []string{p.ImageURL, p.VideoURL} {
				if u, err := url.Parse(link); link != "" && (err != nil || u.Host != "parts.example" || !strings.Contains(link, n)) {
					t.Errorf("%s: %s", n, link)
				}
			}
		}
	}
}

func TestSymptomsFindParts(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	if _, err := st.ImportCatalogue(t.Context(), catalogue.Kestrel(), parts.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		model string
		said  string
		want  string // among those that are found; empty: none is
	}{
		{"KDW482SS", "my dishwasher won't start", "KP3406971"},
		{"KDW482SE", "it does not start any more", "KP3406917"},
		{"KDW482SS", "there's water standing in the bottom", "KP2184430"},
		{"KDW482SS", "it doesn't drain", "KP2184430"},
		{"KDW482SS", "water is leaking from the door", "KP2235518"},
		{"KDW482SS", "the plates are still dirty, it doesn't clean the dishes", "KP3406971"},
		{"KDW482SS", "the rack won't slide", "KP2212093"},
		{"KWM620WH", "it won't spin", "KP4162058"},
		{"KWM620WH", "it makes a loud banging noise when spinning", "KP4175880"},
		{"KWM620WH", "smells musty", "KP4150226"},
		{"KRF715SS", "the fridge isn't cold", "KP5207713"},
		{"KRF715SS", "the light is not working", "KP5240081"},
		{"KRF715SS", "no ice is made", "KP5219338"},
		{"KTD530WH", "it doesn't heat", "KP6310448"},
		{"KTD530WH", "there is a squeaking noise", "KP6322755"},
		{"KOV360BLK", "the oven won't heat up", "KP7408236"},
		{"KOV360BLK", "the door doesn't shut", "KP7419902"},
		{"KOV360BLK", "it won't spin", ""},
		{"KTD530WH", "not making ice", ""},
	} {
		got, err := st.MatchParts(t.Context(), tt.model, []string{tt.said}, 3)
		if err != nil {
			t.Fatal(err)
		}
		var numbers []string
		for _, m := range got {
			numbers = append(numbers, m.Number)
		}
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Contains(numbers, tt.want) {
			t.Errorf("%s, %q finds %q, want %q", tt.model, tt.said, numbers, tt.want)
		}
	}
}
