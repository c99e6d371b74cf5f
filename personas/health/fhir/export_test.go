package fhir

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/r4"
	"github.com/naiber/naiber/internal/r4/r4test"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	newfoundland = time.FixedZone("NDT", -(2*60+30)*60)
	started      = time.Date(2026, 6, 1, 9, 30, 0, 0, newfoundland)
)

var (
	checkID  = store.CallID{UUID: uuid.MustParse("0197a0de-1111-7000-8000-000000000001")}
	personID = store.PersonID{UUID: uuid.MustParse("0197a0de-2222-7000-8000-000000000002")}
)

// sample holds every type and every status once.
func sample() Check {
	at := func(minute int) time.Time { return started.Add(time.Duration(minute) * time.Minute) }
	daily := func(a Answer) Answer {
		a.Pack, a.PackTitle, a.PackVersion = "daily", "Daily check", "1.0.0"
		return a
	}
	phq := func(a Answer) Answer {
		a.Pack, a.PackTitle, a.PackVersion, a.Type = "phq2", "Patient Health Questionnaire-2 (PHQ-2)", "1.0.0", "choice"
		return a
	}
	return Check{
		Check: checks.Check{CallID: checkID, PersonID: personID, Status: checks.Completed, StartedAt: started, EndedAt: started.Add(9 * time.Minute)},
		Answers: []Answer{
			daily(Answer{Answer: checks.Answer{QuestionID: "sleep", Question: "How well did you sleep?", Type: "scale", Status: "answered", At: at(1), Quote: "a seven", Confidence: 0.95, Attempts: 1}, Value: Value{Number: 7}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "pain", Question: "How much pain?", Type: "scale", Status: "keypad", At: at(2), Confidence: 1, Attempts: 3}, Value: Value{Number: 10}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "falls", Question: "Have you had a fall?", Type: "boolean", Status: "answered", At: at(3), Confidence: 1, Attempts: 1}, Value: Value{Bool: false}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "heart.weight", Question: "What do you weigh?", Type: "number", Status: "answered", At: at(4)}, Value: Value{Number: 150.5, Unit: "pounds"}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "diabetes.sugar", Question: "What was your blood sugar?", Type: "number", Status: "answered", At: at(4)}, Value: Value{Number: 6.1}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "diabetes.meal", Question: "When did you last eat?", Type: "time", Status: "answered", At: at(4)}, Value: Value{Text: "07:45"}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "plans", Question: "What are your plans?", Type: "text", Status: "answered", At: at(5), Quote: "-1 and then the market"}, Value: Value{Text: "=SUM(A1:A9), \"the\tmarket\"\nand a nap\x00"}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "mood", Question: "How is your mood?", Type: "scale", Status: "refused", At: at(5)}, Value: Value{Number: 3}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "energy", Question: "How is your energy?", Type: "scale", Status: "unclear", At: at(6), Attempts: 3}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "appetite", Question: "How is your appetite?", Type: "choice", Status: "skipped", At: at(6)}}),
			daily(Answer{Answer: checks.Answer{QuestionID: "other", Question: "Anything else?", Type: "text", Status: NotReached}}),
			phq(Answer{Answer: checks.Answer{QuestionID: "phq.interest", Question: "Little interest or pleasure in doing things", Status: "answered", At: at(7)}, Value: Value{Text: "several_days", Label: "several days", LOINC: "LA6569-3"}, LOINC: "44250-9"}),
			phq(Answer{Answer: checks.Answer{QuestionID: "phq.down", Question: "Feeling down, depressed, or hopeless", Status: "answered", At: at(8)}, Value: Value{Text: "nearly_every_day", Label: "nearly every day", LOINC: "LA6571-9"}, LOINC: "44255-8"}),
		},
		Scores: []Score{{
			Score: checks.Score{
				Pack: "phq2", Title: "Patient Health Questionnaire-2 (PHQ-2)", Version: "1.0.0", Total: new(4), Band: "positive", Answered: 2, Of: 2,
			},
			LOINC: "55758-7", Panel: "55757-9",
		}},
	}
}

func TestBundleIsValidR4(t *testing.T) {
	t.Parallel()
	b := NewBundle([]Check{sample()}, started.Add(time.Hour), r4.Options{})
	r4test.Valid(t, b)
	response, ok := b.Entry[0].Resource.(QuestionnaireResponse)
	if !ok {
		t.Fatalf("the first entry is a %T", b.Entry[0].Resource)
	}
	agree(t, response)
	golden(t, "testdata/bundle.json", b)
}

func golden(t *testing.T, name string, resource any) {
	t.Helper()
	got, err := json.MarshalIndent(resource, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(name, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A status decides alone whether there is a value: a refusal that carries one by
// mistake does not let it out.
func TestStatuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"answered": "", "keypad": "", "refused": "asked-declined", "unclear": "asked-unknown", "skipped": "asked-unknown", NotReached: "not-asked",
		"": "asked-unknown", "surprise": "asked-unknown",
	}
	for status, want := range tests {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			c := sample()
			c.Answers = []Answer{{
				Answer: checks.Answer{QuestionID: "sleep", Question: "Sleep?", Pack: "daily", Type: "scale", Status: status}, PackTitle: "Daily", Value: Value{Number: 7},
			}}
			r, o := Response(c, r4.Options{}), Observations(c, r4.Options{})[0]
			r4test.Valid(t, r)
			r4test.Valid(t, o)
			a := r.Item[0].Item[0].Answer[0]
			if want == "" {
				if a.ValueInteger == nil || *a.ValueInteger != 7 || o.ValueInteger == nil || o.DataAbsentReason != nil {
					t.Errorf("got %+v, %+v; want 7", a, o)
				}
				return
			}
			if a.ValueInteger != nil || o.ValueInteger != nil {
				t.Fatal("a value got out")
			}
			if a.Extension[0].ValueCode != want || o.DataAbsentReason.Coding[0].Code != want {
				t.Errorf("absent because %q and %q, want %q", a.Extension[0].ValueCode, o.DataAbsentReason.Coding[0].Code, want)
			}
		})
	}
}

func TestCheckStatuses(t *testing.T) {
	t.Parallel()
	tests := map[checks.Status]struct{ response, observation string }{
		checks.Completed: {"completed", "final"}, checks.Stopped: {"stopped", "final"}, checks.InProgress: {"in-progress", "preliminary"},
		"partial": {"in-progress", "preliminary"}, "": {"in-progress", "preliminary"},
	}
	for status, want := range tests {
		c := sample()
		c.Status = status
		r, o := Response(c, r4.Options{}), Observations(c, r4.Options{})[0]
		if r.Status != want.response || o.Status != want.observation {
			t.Errorf("%q: %s, %s; want %+v", status, r.Status, o.Status, want)
		}
	}
}

func TestAwkwardValues(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer Answer
		want   string // of the answer in the response
	}{
		"half a point":          {Answer{Answer: checks.Answer{Type: "scale"}, Value: Value{Number: 6.5}}, `{"valueDecimal":6.5}`},
		"not a number":          {Answer{Answer: checks.Answer{Type: "number"}, Value: Value{Number: math.NaN()}}, "asked-unknown"},
		"infinite":              {Answer{Answer: checks.Answer{Type: "scale"}, Value: Value{Number: math.Inf(1)}}, "asked-unknown"},
		"too large for integer": {Answer{Answer: checks.Answer{Type: "scale"}, Value: Value{Number: 1e12}}, `{"valueDecimal":1000000000000}`},
		"negative":              {Answer{Answer: checks.Answer{Type: "number"}, Value: Value{Number: -2}}, `{"valueDecimal":-2}`},
		"weight in stone":       {Answer{Answer: checks.Answer{Type: "number"}, Value: Value{Number: 11, Unit: "stone"}}, `"code":"[stone_av]"`},
		"a unit of nobody's":    {Answer{Answer: checks.Answer{Type: "number"}, Value: Value{Number: 3, Unit: "glasses"}}, `{"value":3,"unit":"glasses"}`},
		"no words":              {Answer{Answer: checks.Answer{Type: "text"}, Value: Value{Text: " \n "}}, "asked-unknown"},
		"control characters":    {Answer{Answer: checks.Answer{Type: "text"}, Value: Value{Text: "a\x00b\x1bc"}}, `{"valueString":"abc"}`},
		"broken UTF-8":          {Answer{Answer: checks.Answer{Type: "text"}, Value: Value{Text: "a\xffb"}}, `{"valueString":"ab"}`},
		"no time of day":        {Answer{Answer: checks.Answer{Type: "time"}, Value: Value{Text: "after lunch"}}, `{"valueString":"after lunch"}`},
		"midnight":              {Answer{Answer: checks.Answer{Type: "time"}, Value: Value{Text: "00:00"}}, `{"valueTime":"00:00:00"}`},
		"short time":            {Answer{Answer: checks.Answer{Type: "time"}, Value: Value{Text: "7:45"}}, `{"valueString":"7:45"}`},
		"an empty choice":       {Answer{Answer: checks.Answer{Type: "choice"}}, "asked-unknown"},
		"a choice of our own":   {Answer{Answer: checks.Answer{Type: "choice"}, Value: Value{Text: "good", Label: "good"}}, `"code":"good"`},
		"no":                    {Answer{Answer: checks.Answer{Type: "boolean"}}, `{"valueBoolean":false}`},
		"an unknown type":       {Answer{Answer: checks.Answer{Type: "song"}, Value: Value{Text: "la"}}, `{"valueString":"la"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := tt.answer
			a.QuestionID, a.Pack, a.Status = "q", "daily", "answered"
			c := Check{Check: checks.Check{CallID: checkID, StartedAt: started}, Answers: []Answer{a}}
			r := Response(c, r4.Options{Base: "https://care.example.org/"})
			r4test.Valid(t, r)
			agree(t, r)
			for _, o := range Observations(c, r4.Options{}) {
				r4test.Valid(t, o)
			}
			data, err := json.Marshal(r.Item[0].Item[0].Answer[0])
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), tt.want) {
				t.Errorf("got %s, want %s", data, tt.want)
			}
		})
	}
}

func TestPartialScoreHasNoTotal(t *testing.T) {
	t.Parallel()
	c := sample()
	c.Answers[len(c.Answers)-1].Status = "refused"
	c.Scores[0].Total, c.Scores[0].Answered = nil, 1
	for _, item := range Response(c, r4.Options{}).Item[1].Item {
		if item.LinkID == "total:phq2" {
			t.Error("the response has a total")
		}
	}
	all := Observations(c, r4.Options{})
	o := all[len(all)-1]
	r4test.Valid(t, o)
	if o.ValueQuantity != nil || o.DataAbsentReason.Coding[0].Code != "unknown" || o.DataAbsentReason.Text != "1 of 2 items answered" || o.Interpretation != nil {
		t.Errorf("got %+v", o)
	}
}

func TestScoreObservation(t *testing.T) {
	t.Parallel()
	all := Observations(sample(), r4.Options{})
	o := all[len(all)-1]
	want := []r4.Coding{{System: "http://loinc.org", Code: "55758-7"}, {System: r4.DefaultBase + "/codes/score", Code: "phq2"}}
	if diff := cmp.Diff(want, o.Code.Coding); diff != "" {
		t.Error(diff)
	}
	if o.ValueQuantity.Value != 4 || o.ValueQuantity.Code != "{score}" || o.Interpretation[0].Text != "positive" || len(o.HasMember) != 2 {
		t.Errorf("got %+v", o)
	}
	for _, member := range o.HasMember {
		found := false
		for _, other := range all {
			found = found || member.Reference == "Observation/"+other.ID
		}
		if !found {
			t.Errorf("%s is not among the observations", member.Reference)
		}
	}
}

func TestSameCheckSameIDs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i, o := range Observations(sample(), r4.Options{}) {
		if again := Observations(sample(), r4.Options{})[i]; again.ID != o.ID {
			t.Errorf("%s became %s", o.ID, again.ID)
		}
		if seen[o.ID] {
			t.Errorf("%s is there twice", o.ID)
		}
		seen[o.ID] = true
	}
}

func TestCorrectionReplacesTheEarlierAnswer(t *testing.T) {
	t.Parallel()
	c := sample()
	again := c.Answers[0]
	again.Value.Number = 4
	c.Answers = append(c.Answers, again)
	r := Response(c, r4.Options{})
	r4test.Valid(t, r)
	n := 0
	for _, g := range r.Item {
		for _, it := range g.Item {
			if it.LinkID == "sleep" {
				n++
				if *it.Answer[0].ValueInteger != 4 {
					t.Errorf("sleep is %d", *it.Answer[0].ValueInteger)
				}
			}
		}
	}
	if n != 1 {
		t.Errorf("sleep is there %d times", n)
	}
}

func TestEmptyCheck(t *testing.T) {
	t.Parallel()
	r4test.Valid(t, NewBundle([]Check{{Check: checks.Check{CallID: checkID}}}, started, r4.Options{}))
	r4test.Valid(t, NewBundle(nil, started, r4.Options{}))
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := WriteCSV(&out, []Check{sample()}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ReplaceAll(out.String(), "\r\n", ""), "\n") {
		t.Error("a line ends without CRLF")
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+13+1 {
		t.Fatalf("%d rows", len(rows))
	}
	col := map[string]int{}
	for i, name := range rows[0] {
		col[name] = i
	}
	byID := map[string][]string{}
	for _, row := range rows[1:] {
		byID[row[col["question_id"]]] = row
	}
	tests := []struct{ id, column, want string }{
		{"sleep", "value", "7"},
		{"sleep", "started_at", "2026-06-01T09:30:00-02:30"},
		{"sleep", "confidence", "0.95"},
		{"falls", "value", "false"},
		{"heart.weight", "value", "150.5"},
		{"heart.weight", "unit", "pounds"},
		{"plans", "value", "'=SUM(A1:A9), \"the\tmarket\"\nand a nap"},
		{"plans", "quote", "'-1 and then the market"},
		{"mood", "value", ""},
		{"mood", "status", "refused"},
		{"other", "status", "not_reached"},
		{"other", "answered_at", ""},
		{"phq.down", "label", "nearly every day"},
		{"phq.down", "loinc", "44255-8"},
		{"total:phq2", "value", "4"},
		{"total:phq2", "status", "complete"},
		{"total:phq2", "label", "positive"},
	}
	for _, tt := range tests {
		if got := byID[tt.id][col[tt.column]]; got != tt.want {
			t.Errorf("%s of %s is %q, want %q", tt.column, tt.id, got, tt.want)
		}
	}
}

func TestCSVPartialScore(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := WriteCSV(&out, []Check{{Scores: []Score{{Score: checks.Score{Pack: "phq8", Answered: 5, Of: 8}}}}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "total:phq8,,score,partial,,") || !strings.Contains(out.String(), "5 of 8 items answered") {
		t.Errorf("got %q", out.String())
	}
}

func TestCSVReportsAWriterThatFails(t *testing.T) {
	t.Parallel()
	if err := WriteCSV(broken{}, []Check{sample()}); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

type broken struct{}

var errBroken = errors.New("the pipe is broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestSafe(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+44 20": "'+44 20", "-1": "'-1", "@me": "'@me", "\t=1": "'=1", "\r=1": "'=1", " =1": "'=1", "＝1": "'＝1",
		"|cmd": "'|cmd", "%0A": "'%0A", "a=1": "a=1", "": "", "  ": "", "7": "7", "'quoted": "'quoted",
	} {
		if got := safe(in); got != want {
			t.Errorf("safe(%q) is %q, want %q", in, got, want)
		}
	}
}

// Whatever was said: the cells come back as they were written, and none begins like
// a formula.
func FuzzCSV(f *testing.F) {
	f.Add("=cmd|' /C calc'!A0", "a \"quote\", and more\r\nlines")
	f.Add("-1", "＋1")
	f.Fuzz(func(t *testing.T, said, quote string) {
		c := Check{Answers: []Answer{{Answer: checks.Answer{QuestionID: "q", Pack: "p", Type: "text", Status: "answered", Quote: quote}, Value: Value{Text: said}}}}
		var out bytes.Buffer
		if err := WriteCSV(&out, []Check{c}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, cell := range rows[1] {
			if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "+") || strings.HasPrefix(cell, "-") || strings.HasPrefix(cell, "@") {
				t.Fatalf("cell %q", cell)
			}
		}
		r4test.Valid(t, Response(c, r4.Options{}))
	})
}

// agree compares a response with the questionnaire that it contains: the same
// links, and values of the types that were asked for.
func agree(t *testing.T, r QuestionnaireResponse) {
	t.Helper()
	kinds := map[string]string{}
	for _, g := range r.Contained[0].Item {
		kinds[g.LinkID] = g.Type
		for _, q := range g.Item {
			kinds[q.LinkID] = q.Type
		}
	}
	for _, g := range r.Item {
		if kinds[g.LinkID] != "group" {
			t.Errorf("%s is no group of the questionnaire", g.LinkID)
		}
		for _, it := range g.Item {
			a := it.Answer[0]
			written := map[string]bool{
				"boolean": a.ValueBoolean != nil, "integer": a.ValueInteger != nil, "decimal": a.ValueDecimal != nil, "time": a.ValueTime != "",
				"text": a.ValueString != "", "choice": a.ValueCoding != nil, "quantity": a.ValueQuantity != nil,
			}
			kind, ok := kinds[it.LinkID]
			if !ok || len(a.Extension) == 0 && !written[kind] {
				t.Errorf("%s: asked as %q, answered with %+v", it.LinkID, kind, a)
			}
		}
	}
}
