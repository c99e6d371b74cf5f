package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/personas/cognitive/change"
	"github.com/naiber/naiber/personas/cognitive/tasks"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/cognition"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var (
	zone  = time.FixedZone("NDT", -(2*60+30)*60)
	now   = time.Date(2026, 9, 1, 12, 0, 0, 0, zone)
	walt  = Person{Name: "Walter <Hale>", BirthDate: "1941-03-29"}
	known = []tasks.Task{
		{ID: "story", Version: "1", Title: "Story, at once", Domain: "memory", Max: 16, SD: 1.5, Practice: 0.5, Method: "A story is retold.", Licence: "Ours.", Source: "None."},
		{ID: "category", Version: "2", Title: "Words of a kind", Domain: "language", SD: 2.5, Practice: 0.5, Method: "As many words as come to mind.", Licence: "Free.", Source: "None."},
	}
)

// months makes a check a month of scores of stories and of words.
func months(scores ...[2]int) []cognition.Check {
	var checks []cognition.Check
	for i, s := range scores {
		at := time.Date(2026, time.Month(i+1), 5, 14, 0, 0, 0, time.UTC)
		checks = append(checks, cognition.Check{
			CallID: store.CallID{UUID: uuid.NewSHA1(uuid.NameSpaceOID, fmt.Append(nil, i))}, Status: cognition.Complete, StartedAt: at,
			Tasks: []cognition.Task{
				{TaskID: "story", Version: "1", Title: "Story, at once", Form: "a", Status: cognition.TaskComplete, Raw: new(s[0]), Max: 16, Confidence: 1},
				{TaskID: "category", Version: "2", Title: "Words of a kind", Form: "b", Status: cognition.TaskComplete, Raw: new(s[1]), Confidence: 1},
			},
		})
	}
	return checks
}

func sample() []cognition.Check {
	checks := months([2]int{10, 17}, [2]int{11, 18}, [2]int{11, 17}, [2]int{10, 18}, [2]int{5, 10}, [2]int{4, 9}, [2]int{0, 10})
	c := &checks[6]
	c.Status = cognition.Partial
	c.Confounders = []cognition.Confounder{{Kind: "sleep"}, {Kind: "noise"}, {Kind: "sleep"}}
	c.Tasks[0].Correction = &cognition.Correction{Raw: 4, By: "M. Byrne", Note: "The <line> was poor.", At: c.StartedAt.Add(time.Hour)}
	c.Tasks[1].Status, c.Tasks[1].Why = cognition.TaskVoid, "line_dropped"
	later := c.StartedAt.AddDate(0, 1, 0)
	checks = append(checks, cognition.Check{
		Status: cognition.Postponed, StartedAt: later, Confounders: []cognition.Confounder{{Kind: cognition.Suits, Quote: "Tomorrow morning.", At: later}},
	})
	return checks
}

func render(t *testing.T, r Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPage(t *testing.T) {
	t.Parallel()
	got := render(t, Build(walt, sample(), known, now))
	const name = "testdata/report.html"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	r := Build(walt, sample(), known, now)
	got := map[string]string{}
	for _, m := range r.Measures {
		got[m.Title] = m.Phrase()
	}
	want := map[string]string{
		"Everything together": "A change worth discussing with a clinician",
		"Story, at once":      "A change worth discussing with a clinician",
		"Words of a kind":     "No reliable change",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Checks != 7 || len(r.Sessions) != 8 || r.From.Month() != time.January || r.To.Month() != time.August {
		t.Errorf("%d checks with scores, %d in all, from %s to %s", r.Checks, len(r.Sessions), r.From, r.To)
	}
	story := r.Measures[1]
	if story.Last != 4 || len(story.Points) != 7 {
		t.Errorf("the corrected score does not count: last %g of %d", story.Last, len(story.Points))
	}
	if words := r.Measures[2]; len(words.Points) != 6 {
		t.Errorf("a void task counts: %d points", len(words.Points))
	}
	wantSession := Session{
		At: sample()[6].StartedAt.In(zone), Status: cognition.Partial, Finished: 1, Of: 2,
		Unfinished: []string{"Words of a kind void (line dropped)"}, Confounders: []string{"sleep", "noise"}, Forms: "story a, category b",
	}
	if diff := gocmp.Diff(wantSession, r.Sessions[1]); diff != "" {
		t.Error(diff)
	}
	if k := r.Corrections; len(k) != 1 || *k[0].Rules != 0 || k[0].Corrected != 4 {
		t.Errorf("corrections %+v", k)
	}
}

// Another version of a task is another measure: its scores are no baseline for this one.
func TestVersionsAreNotCompared(t *testing.T) {
	t.Parallel()
	checks := months([2]int{15, 17}, [2]int{16, 18}, [2]int{15, 17}, [2]int{8, 18}, [2]int{7, 17}, [2]int{8, 18})
	for i := range checks[:3] {
		checks[i].Tasks[0].Version = "0"
	}
	r := Build(walt, checks, known, now)
	if r.Checks != 6 {
		t.Errorf("%d checks with scores, want 6", r.Checks)
	}
	for _, m := range r.Measures {
		if m.Measure == "story" && (len(m.Points) != 3 || m.Change != change.TooEarly) || m.Change == change.Decline {
			t.Errorf("%s: %s after %d points", m.Measure, m.Change, len(m.Points))
		}
	}
}

// What a page says of a measure is one of four phrases, and nothing on it is a diagnosis.
func TestWords(t *testing.T) {
	t.Parallel()
	want := map[change.Verdict]string{
		change.TooEarly: "Too early to say", change.None: "No reliable change", change.Decline: "A change worth discussing with a clinician",
		change.Improvement: "An improvement beyond chance", "": "Too early to say",
	}
	for v, phrase := range want {
		if got := Phrase(v); got != phrase {
			t.Errorf("%q: %q, want %q", v, got, phrase)
		}
	}
	got := strings.ToLower(render(t, Build(walt, sample(), known, now)))
	for _, word := range []string{"dementia", "alzheimer", "impair", "abnormal", "percentile", "failed"} {
		if strings.Contains(got, word) {
			t.Errorf("the page says %q", word)
		}
	}
}

// The page has no script and loads nothing, and what people wrote does not become markup.
func TestPageIsSelfContained(t *testing.T) {
	t.Parallel()
	got := render(t, Build(walt, sample(), known, now))
	for _, bad := range []string{"<script", "<Hale>", "<line> was", "src=", "url(", "@import", "<link", "ZgotmplZ"} {
		if strings.Contains(got, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	// Addresses in sources are text.
	if regexp.MustCompile(`(href|src)\s*=`).MatchString(got) {
		t.Error("the page refers to something")
	}
	if inside := got[strings.Index(got, "<style>")+len("<style>") : strings.Index(got, "</style>")]; inside != style {
		t.Error("the style is not the one that the policy allows")
	}
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(got, -1) {
		if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
			t.Errorf("%v: %s", err, svg)
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("no number in %s", svg)
		}
	}
}

func TestNothingYet(t *testing.T) {
	t.Parallel()
	got := render(t, Build(Person{Name: "Ada"}, nil, known, now))
	if !strings.Contains(got, "No check yet") || !strings.Contains(got, "born not known") || strings.Contains(got, "<table") {
		t.Error(got)
	}
	if got := render(t, Build(walt, months([2]int{3, 4}), known, now)); !strings.Contains(got, "Too early to say") {
		t.Error(got)
	}
}

func TestChart(t *testing.T) {
	t.Parallel()
	flat := Build(walt, months([2]int{0, 9}, [2]int{0, 9}, [2]int{0, 9}, [2]int{0, 9}, [2]int{0, 9}), known, now)
	for _, m := range flat.Measures {
		if c := m.Chart(); len(c.Dots) != 5 || c.Baseline == "" || c.Band == "" || c.Line == "" {
			t.Errorf("%s: %+v", m.Title, c)
		}
	}
	one := Build(walt, months([2]int{3, 4}), known, now)
	if c := one.Measures[len(one.Measures)-1].Chart(); len(c.Dots) != 1 || c.Line != "" || c.Dots[0].X != "140.0" || c.Dots[0].Y != "17.0" {
		t.Errorf("one point: %+v", c)
	}
	var outside int
	for _, d := range Build(walt, sample(), known, now).Measures[1].Chart().Dots {
		if d.Outside {
			outside++
		}
	}
	if outside != 3 {
		t.Errorf("%d stories lie outside the band, want 3", outside)
	}
}

// With every task that there is, many checks and corrections, it is one sheet of A4.
func TestPrintsOnOnePage(t *testing.T) {
	t.Parallel()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" { //nolint:forbidigo // a test says itself what CI must have
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	lib, err := tasks.Load()
	if err != nil {
		t.Fatal(err)
	}
	all := lib.Tasks("en")
	checks := months(make([][2]int, 14)...)
	for i := range checks {
		c := &checks[i]
		c.Tasks = nil
		c.Confounders = []cognition.Confounder{{Kind: "sleep"}, {Kind: "company"}}
		score := 0 // in the end, so that the longest phrase is said of everything
		for _, task := range all {
			if i < 4 {
				score = cmp.Or(task.Max, 20)
			}
			c.Tasks = append(c.Tasks, cognition.Task{
				TaskID: task.ID, Version: task.Version, Title: task.Title, Form: "a", Status: cognition.TaskComplete, Raw: new(score), Max: task.Max, Confidence: 1,
				Correction: &cognition.Correction{Raw: score, By: "M. Byrne", Note: "It was said, and not heard.", At: c.StartedAt},
			})
		}
		c.Tasks[i%len(all)].Status, c.Tasks[i%len(all)].Why = cognition.TaskVoid, "line_dropped"
	}
	dir, err := os.MkdirTemp("", "report") //nolint:usetesting // what Chromium leaves behind may still write there, which must not fail the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	html := render(t, Build(walt, checks, all, now))
	if n := strings.Count(html, `verdict decline`); n != len(all)+5 {
		t.Fatalf("%d declines, want one for each of %d tasks and 5 composites", n, len(all))
	}
	in, out := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.pdf")
	if err := os.WriteFile(in, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--user-data-dir="+dir+"/profile",
		"--print-to-pdf="+out, "file://"+in)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	pdf, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1)); n != 1 {
		t.Errorf("%d pages, want 1", n)
	}
}
