package report_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/personas/health/fhir"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/report"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
)

var now = time.Date(2026, 3, 20, 9, 0, 0, 0, time.UTC)

func catalogue(t *testing.T) report.Catalogue {
	t.Helper()
	library, err := packs.Load()
	if err != nil {
		t.Fatal(err)
	}
	return report.Catalogue{Packs: library, Language: "en-GB"}
}

// points are daily answers to a question, the last one today.
func points(id, kind string, values ...float64) []checks.Point {
	out := make([]checks.Point, len(values))
	for i := range values {
		out[i] = checks.Point{QuestionID: id, Question: id + "?", Short: id, Type: kind, At: now.AddDate(0, 0, i+1-len(values)), Ordinal: &values[i], CallID: store.NewCallID()}
	}
	return out
}

func in(unit string, pts []checks.Point) []checks.Point {
	for i := range pts {
		pts[i].Unit = unit
	}
	return pts
}

// summed up is a trend in a line.
func summedUp(t report.Trend) string {
	values := []float64{}
	for _, p := range t.Points {
		values = append(values, p.Value)
	}
	b, _ := json.Marshal([]any{t.QuestionID, t.Type, t.Unit, t.Min, t.Max, t.Higher, values, t.Usual != nil, t.Latest.Status, t.Latest.Difference, t.Drift != nil})
	return string(b)
}

func TestTrends(t *testing.T) {
	t.Parallel()
	old := points("sleep", "scale", 7, 7, 7, 7, 7, 7, 2)
	for i := range old {
		old[i].At = old[i].At.AddDate(0, 0, -40)
	}
	apart := points("sleep", "scale", 7, 7, 7, 7, 7, 7, 7)
	slices.Reverse(apart)
	for _, tt := range []struct {
		name   string
		points []checks.Point
		want   []string
	}{
		{"nothing", nil, nil},
		{"words are not followed", []checks.Point{{QuestionID: "plans", Type: "text", At: now, Value: json.RawMessage(`"tea"`)}}, nil},
		{"too few", points("sleep", "scale", 7, 2), []string{`["sleep","scale","",1,10,"better",[7,2],false,"too_few",0,true]`}},
		{"a worse night", points("sleep", "scale", 7, 7, 7, 7, 7, 7, 2), []string{`["sleep","scale","",1,10,"better",[7,7,7,7,7,7,2],true,"lower",-5,true]`}},
		{"as usual, in any order", apart, []string{`["sleep","scale","",1,10,"better",[7,7,7,7,7,7,7],true,"usual",0,true]`}},
		{"nothing of these days", old, []string{`["sleep","scale","",1,10,"better",[7,7,7,7,7,7,2],false,"stale",0,false]`}},
		{"a fall", points("falls", "boolean", 0, 0, 0, 0, 0, 0, 0, 0, 1), []string{`["falls","boolean","",0,1,"worse",[0,0,0,0,0,0,0,0,1],true,"higher",1,false]`}},
		{
			"one unit at a time", append(in("lb", points("heart.weight", "number", 150, 151, 150)[:2]), in("KG ", points("heart.weight", "number", 68.5))...),
			[]string{`["heart.weight","number","kg",25,600,"",[68.5],false,"too_few",0,true]`},
		},
		{"a choice", points("phq.interest", "choice", 0, 1, 3), []string{`["phq.interest","choice","",0,3,"worse",[0,1,3],false,"too_few",0,true]`}},
		{"a question of old", points("teeth", "scale", 4), []string{`["teeth","scale","",null,null,"",[4],false,"too_few",0,true]`}},
		{
			"in the order of the packs", slices.Concat(points("teeth", "scale", 4), points("phq.down", "choice", 1), points("aches", "scale", 4), points("heart.weight", "number", 60), points("sleep", "scale", 5), points("energy", "scale", 5)),
			[]string{
				`["energy","scale","",1,10,"better",[5],false,"too_few",0,true]`, `["sleep","scale","",1,10,"better",[5],false,"too_few",0,true]`,
				`["heart.weight","number","",25,600,"",[60],false,"too_few",0,true]`, `["phq.down","choice","",0,3,"worse",[1],false,"too_few",0,true]`,
				`["aches","scale","",null,null,"",[4],false,"too_few",0,true]`, `["teeth","scale","",null,null,"",[4],false,"too_few",0,true]`,
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, tr := range report.Trends(tt.points, report.Of{Name: "Ada", Catalogue: catalogue(t), Now: now}) {
				got = append(got, summedUp(tr))
				if tr.Latest.Words == "" || tr.Drift != nil && tr.Drift.Words == "" {
					t.Errorf("no words: %+v", tr)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is shown does not change what is usual.
func TestTrendsShowAPart(t *testing.T) {
	t.Parallel()
	pts := points("sleep", "scale", 7, 6, 7, 8, 7, 7, 2)
	of := report.Of{Name: "Ada", Catalogue: catalogue(t), Now: now}
	all := report.Trends(pts, of)[0]
	of.Since = now.AddDate(0, 0, -1)
	part := report.Trends(pts, of)[0]
	if len(part.Points) != 2 {
		t.Errorf("points = %+v", part.Points)
	}
	part.Points = all.Points
	if diff := cmp.Diff(all, part); diff != "" {
		t.Errorf("(-all +part):\n%s", diff)
	}
	of.Since = now.Add(time.Second)
	if got := report.Trends(pts, of); len(got) != 0 {
		t.Errorf("nothing to show = %+v", got)
	}
	if !strings.HasPrefix(all.Latest.Words, "Lower than usual for Ada: 2") {
		t.Errorf("words = %q", all.Latest.Words)
	}
}

// A question that is told in halves may change by one.
func TestTrendsKnowHalves(t *testing.T) {
	t.Parallel()
	of := report.Of{Name: "Ada", Catalogue: catalogue(t), Now: now}
	for _, tt := range []struct {
		values []float64
		want   string
	}{
		{[]float64{68, 68, 68, 68, 68, 68, 68, 68, 69}, "usual"},
		{[]float64{68.5, 68.5, 68.5, 68.5, 68.5, 68.5, 68.5, 68.5, 70}, "higher"},
	} {
		if got := report.Trends(points("heart.weight", "number", tt.values...), of)[0].Latest; string(got.Status) != tt.want {
			t.Errorf("%v: %+v, want %s", tt.values, got, tt.want)
		}
	}
}

func answered(id, kind, value string) checks.Answer {
	return checks.Answer{QuestionID: id, Question: id + "?", Pack: "daily", Type: kind, Status: "answered", Value: json.RawMessage(value), At: now}
}

func TestExport(t *testing.T) {
	t.Parallel()
	newfoundland := time.FixedZone("NST", -3*3600-1800)
	weight, interest := answered("heart.weight", "number", "68.5"), answered("phq.interest", "choice", `"nearly_every_day"`)
	weight.Unit, interest.Pack = "kg", "phq2"
	total := 4
	hc := checks.Check{
		CallID: store.NewCallID(), PersonID: store.NewPersonID(), Status: checks.Stopped, StartedAt: now,
		Answers: []checks.Answer{
			weight, interest, answered("falls", "boolean", "true"), answered("plans", "text", `"tea"`), answered("medicine.time", "time", `"16:30"`),
			answered("odd.choice", "choice", `"purple"`),
			{QuestionID: "mood", Type: "scale", Status: "not_reached", Pack: "lost"},
		},
		Scores: []checks.Score{{Pack: "phq2", Version: "1.0.0", Title: "PHQ-2", Total: &total, Band: "positive", Answered: 2, Of: 2}},
	}
	got := report.Export(hc, catalogue(t), newfoundland)
	if got.CallID != hc.CallID || got.PersonID != hc.PersonID || got.Status != checks.Stopped || got.StartedAt.Format(time.RFC3339) != "2026-03-20T05:30:00-03:30" || !got.EndedAt.IsZero() {
		t.Errorf("check = %+v", got)
	}
	var values []fhir.Value
	for _, a := range got.Answers {
		values = append(values, a.Value)
	}
	want := []fhir.Value{
		{Number: 68.5, Unit: "kg"}, {Text: "nearly_every_day", Label: "nearly every day", LOINC: "LA6571-9"}, {Bool: true}, {Text: "tea"}, {Text: "16:30"}, {Text: "purple"}, {},
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if a := got.Answers[1]; a.LOINC != "44250-9" || a.PackTitle != "Patient Health Questionnaire-2 (PHQ-2)" {
		t.Errorf("answer = %+v", a)
	}
	if a := got.Answers[6]; a.Status != fhir.NotReached || a.PackTitle != "lost" || !a.At.IsZero() {
		t.Errorf("answer = %+v", a)
	}
	if s := got.Scores[0]; s.LOINC != "55758-7" || s.Panel != "55757-9" || *s.Total != 4 || s.Band != "positive" {
		t.Errorf("score = %+v", s)
	}
}

// TestExports: what a later check holds is exported once, and nothing is lost.
func TestExports(t *testing.T) {
	t.Parallel()
	chain := func(answers ...[]checks.Answer) []checks.Check {
		checkList := make([]checks.Check, len(answers))
		for i := range checkList {
			checkList[i] = checks.Check{CallID: store.NewCallID(), Answers: answers[i]}
			if i > 0 {
				checkList[i].Resumes, checkList[i-1].ContinuedBy = checkList[i-1].CallID, checkList[i].CallID
			}
		}
		return checkList
	}
	sleep, mood := answered("sleep", "scale", "7"), answered("mood", "scale", "5")
	refused, missed := checks.Answer{QuestionID: "sleep", Status: "refused"}, checks.Answer{QuestionID: "sleep", Status: "not_reached"}
	for name, tt := range map[string]struct {
		checks []checks.Check
		want   []int
	}{
		"one":                      {chain([]checks.Answer{sleep}), []int{0}},
		"gone on with, twice":      {chain([]checks.Answer{sleep}, []checks.Answer{sleep}, []checks.Answer{sleep, mood}), []int{2}},
		"taken back":               {chain([]checks.Answer{sleep}, []checks.Answer{refused}), []int{1}},
		"not carried on":           {chain([]checks.Answer{sleep}, []checks.Answer{missed, mood}), []int{0, 1}},
		"the later one is missing": {chain([]checks.Answer{sleep}, []checks.Answer{sleep})[:1], []int{0}},
	} {
		var want, got []string
		for _, i := range tt.want {
			want = append(want, tt.checks[i].CallID.String())
		}
		for _, c := range report.Exports(tt.checks, report.Catalogue{}, time.UTC) {
			got = append(got, c.CallID.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestCheckOfUnknownQuestions(t *testing.T) {
	t.Parallel()
	hc := checks.Check{CallID: store.NewCallID(), Status: checks.InProgress, StartedAt: now, Answers: []checks.Answer{
		answered("odd", "choice", `"purple"`), answered("broken", "scale", `{`),
	}}
	got := report.Check(hc, report.Catalogue{})
	if got.EndedAt != nil || got.Resumes != "" || got.Answers[0].Value != "purple" || got.Answers[0].Label != "" || got.Answers[1].Value != nil {
		t.Errorf("check = %+v", got)
	}
	b, err := json.Marshal(got)
	if err != nil || !strings.Contains(string(b), `"scores":[]`) || strings.Contains(string(b), "0001-01-01") {
		t.Errorf("JSON = %s, %v", b, err)
	}
}

// A choice is followed by its place, and told by its name.
func TestTrendsNameChoices(t *testing.T) {
	t.Parallel()
	of := report.Of{Name: "Ada", Catalogue: catalogue(t), Now: now}
	often := []report.TrendLabel{{Value: 0, Label: "not at all"}, {Value: 1, Label: "several days"}, {Value: 2, Label: "more than half the days"}, {Value: 3, Label: "nearly every day"}}
	for _, tt := range []struct {
		id, kind string
		values   []float64
		labels   []report.TrendLabel
		words    string
	}{
		{"phq.down", "choice", []float64{0, 0, 0, 0, 0, 0, 0, 3}, often, "Higher than usual for Ada: “nearly every day”, where “not at all” to “more than half the days” would be expected"},
		{"phq.down", "choice", []float64{1, 2, 1, 2, 0, 1, 2, 1}, often, "As usual for Ada: “several days”, where “not at all” to “nearly every day” would be expected"},
		{"phq.down", "choice", []float64{2}, often, "“more than half the days”. Too few"},
		{"phq.down", "choice", []float64{1.5}, often, "between “several days” and “more than half the days”. Too few"},
		{"phq.down", "choice", []float64{9}, often, "9. Too few"},                  // of an earlier version
		{"phq.down", "scale", []float64{2}, nil, "2. Too few"},                     // asked otherwise then
		{"teeth", "choice", []float64{2}, nil, "2. Too few"},                       // no longer asked
		{"sleep", "scale", []float64{7, 7, 7, 7, 7, 7, 7}, nil, "7, where 5 to 9"}, // a number has no name
	} {
		got := report.Trends(points(tt.id, tt.kind, tt.values...), of)[0]
		if diff := cmp.Diff(tt.labels, got.Labels); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.id, tt.values, diff)
		}
		if !strings.Contains(got.Latest.Words, tt.words) {
			t.Errorf("%s %v: %q", tt.id, tt.values, got.Latest.Words)
		}
	}
}
