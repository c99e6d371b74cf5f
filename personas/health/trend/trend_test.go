package trend

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden series")

// Each file is a series: why it is there, the points as day:value, and what is said
// about it.
func TestGoldenSeries(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d golden series, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			points, o := series(t, string(a.Files[0].Data))
			got := describe(points, o)
			if *update {
				a.Files = []txtar.File{a.Files[0], {Name: "want", Data: []byte(got)}}
				if err := os.WriteFile(name, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if found := diagnosis.FindString(got); found != "" {
				t.Errorf("the words hold %q", found)
			}
		})
	}
}

// Words that would make a sentence about a change into a finding about health.
var diagnosis = regexp.MustCompile(`(?i)depress|disease|disorder|diagnos|symptom|ill|risk|abnormal|patholog|decline|worse|should|danger|infection|dementia|frail`)

func series(t *testing.T, text string) ([]Point, Options) {
	t.Helper()
	o := Options{Min: 1, Max: 10}
	var points []Point
	for field := range strings.FieldsSeq(text) {
		switch field {
		case "binary":
			o = Options{Binary: true}
			continue
		case "unbounded":
			o = Options{}
			continue
		case "tenths":
			o = Options{Resolution: 0.1}
			continue
		}
		d, v, ok := strings.Cut(field, ":")
		days, err1 := strconv.Atoi(d)
		value, err2 := strconv.ParseFloat(v, 64)
		if !ok || err1 != nil || err2 != nil {
			t.Fatalf("point %q: want day:value", field)
		}
		points = append(points, Point{At: start.AddDate(0, 0, days), Value: value})
	}
	return points, o
}

func describe(points []Point, o Options) string {
	c, d := Latest(points, o), Slope(points, o)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", c.Words("Margaret"))
	fmt.Fprintf(&b, "%s\n", d.Words("Margaret"))
	fmt.Fprintf(&b, "status %s, median %s, mad %s, spread %.2f, z %.2f, chance %.4f, n %d\n",
		c.Status, number(c.Baseline.Median), number(c.Baseline.MAD), c.Baseline.Spread, c.Z, c.Chance, c.Baseline.N)
	fmt.Fprintf(&b, "drift %s, %.2f a week (%.2f to %.2f), n %d\n", d.Status, d.PerWeek, d.Low, d.High, d.N)
	return b.String()
}

// The order in which points are handed over, and points that are no number, change
// nothing; and the arguments are left as they were.
func TestOrderAndRubbishChangeNothing(t *testing.T) {
	t.Parallel()
	points, o := series(t, "0:7 1:8 2:6 3:7 4:7 5:8 6:6 8:7 9:7 10:3")
	want := describe(points, o)
	random := rand.New(rand.NewPCG(1, 1))
	messy := append(slices.Clone(points), Point{start, math.NaN()}, Point{start.AddDate(0, 0, 40), math.Inf(1)})
	for range 20 {
		random.Shuffle(len(messy), func(i, j int) { messy[i], messy[j] = messy[j], messy[i] })
		before := slices.Clone(messy)
		if diff := cmp.Diff(want, describe(messy, o)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if !slices.EqualFunc(messy, before, func(a, b Point) bool {
			return a.At.Equal(b.At) && math.Float64bits(a.Value) == math.Float64bits(b.Value)
		}) {
			t.Fatal("the points were moved")
		}
	}
}

func TestCorrectionAtTheSameMomentCounts(t *testing.T) {
	t.Parallel()
	points, o := series(t, "0:7 1:8 2:6 3:7 4:7 5:3 5:7")
	if c := Latest(points, o); c.Value != 7 || c.Baseline.N != 5 {
		t.Errorf("got %+v", c)
	}
}

func TestUsual(t *testing.T) {
	t.Parallel()
	points, o := series(t, "0:7 1:8 2:6 3:7 4:7")
	b, ok := usual(points, points[4].At, o)
	if !ok || b.N != 5 || b.Median != 7 || b.Low >= 7 || b.High <= 7 || b.High > 10 {
		t.Errorf("got %+v, %v", b, ok)
	}
	if _, ok := usual(points[:4], points[3].At, o); ok {
		t.Error("four answers are a baseline")
	}
	if _, ok := usual(nil, start, o); ok {
		t.Error("nothing is a baseline")
	}
	points, o = series(t, "binary 0:0 1:1 2:0 3:0 4:0")
	b, ok = usual(points, points[4].At, o)
	if !ok || b.Yes != 1 || b.Low <= 0 || b.High >= 1 {
		t.Errorf("yes/no: got %+v, %v", b, ok)
	}
}

func TestStatusWords(t *testing.T) {
	t.Parallel()
	seen := map[Status]bool{}
	for _, text := range []string{"", "0:7", "0:7 1:7 2:7 3:7 4:7 5:7", "0:7 1:7 2:7 3:7 4:7 5:2", "0:3 1:3 2:3 3:3 4:3 5:9", "0:7 1:7 2:7 3:7 4:7 60:2"} {
		points, o := series(t, text)
		c := Latest(points, o)
		seen[c.Status] = true
		if c.Words("her") == "" || c.Flagged() != (c.Status == StatusLower || c.Status == StatusHigher) {
			t.Errorf("%s: %+v", text, c)
		}
	}
	if got := slices.Sorted(maps.Keys(seen)); len(got) != 6 {
		t.Errorf("only %v came up", got)
	}
}

func FuzzLatest(f *testing.F) {
	f.Add([]byte{7, 8, 6, 7, 7, 3}, false)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1}, true)
	f.Fuzz(func(t *testing.T, values []byte, binary bool) {
		points := make([]Point, len(values))
		for i, v := range values {
			points[i] = Point{At: start.AddDate(0, 0, i*int(v%3)), Value: float64(int8(v)) / 4}
		}
		o := Options{Binary: binary}
		c, d := Latest(points, o), Slope(points, o)
		if math.IsNaN(c.Chance) || c.Chance < 0 || c.Chance > 1 || math.IsNaN(c.Z) || math.IsNaN(d.PerWeek) || d.Low > d.High {
			t.Fatalf("%+v %+v", c, d)
		}
		if c.Flagged() && c.Baseline.N < 5 {
			t.Fatalf("flagged after %d answers", c.Baseline.N)
		}
		if c.Words("her") == "" || d.Words("her") == "" {
			t.Fatal("no words")
		}
	})
}

func ExampleLatest() {
	var points []Point
	for i, energy := range []float64{7, 8, 7, 6, 7, 8, 7, 7, 3} {
		points = append(points, Point{At: start.AddDate(0, 0, i), Value: energy})
	}
	fmt.Println(Latest(points, Options{Min: 1, Max: 10}).Words("Margaret"))
	// Output:
	// Lower than usual for Margaret: 3, where 5 to 9 would be expected from the last 8 answers. By chance alone that happens about once in 230 answers.
}
