package packs

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/store/checks"
)

// newfoundland has half-hour offsets and summer time: days are the person's own.
var (
	newfoundland = mustLoad("Canada/Newfoundland")
	monday       = time.Date(2026, 3, 2, 9, 30, 0, 0, newfoundland)
)

func mustLoad(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return loc
}

func daysAgo(n int) time.Time { return monday.AddDate(0, 0, -n) }

// done is a history in which every screen was asked so long ago.
func done(age map[string]int) History {
	all := map[string]int{"phq2": 1, "gad2": 1, "ucla3": 1, "steadi3": 1, "frail": 1}
	maps.Copy(all, age)
	var h History
	for _, id := range []string{"phq2", "gad2", "ucla3", "steadi3", "frail"} {
		if all[id] >= 0 {
			h.Screens = append(h.Screens, checks.Screen{Pack: id, At: daysAgo(all[id]), Outcome: checks.ScreenComplete})
		}
	}
	return h
}

// none is a history in which no screen is due.
var none = done(nil)

func ids(s Session) []string {
	var out []string
	for _, q := range s.Questions {
		out = append(out, q.ID)
	}
	return out
}

var dailyIDs = []string{"energy", "sleep", "pain", "mood", "appetite", "medication", "falls", "breathing", "plans", "other"}

// with is the daily questions with others before the last two.
func with(others ...string) []string {
	return slices.Concat(dailyIDs[:8], others, dailyIDs[8:])
}

func without(all []string, dropped ...string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(dropped, id) })
}

func TestSelectByProfile(t *testing.T) {
	t.Parallel()
	discharged := func(n int) []string {
		return []string{"discharged from hospital, " + daysAgo(n).Format(time.DateOnly)}
	}
	tests := map[string]struct {
		profile Profile
		want    []string
	}{
		"nothing known":            {Profile{}, dailyIDs},
		"nothing that matters":     {Profile{Conditions: []string{"macular degeneration"}}, dailyIDs},
		"another language":         {Profile{Language: "cy"}, dailyIDs},
		"diabetes":                 {Profile{Conditions: []string{"type 2 diabetes"}}, with("diabetes.sugar", "diabetes.feet")},
		"diabetes by its medicine": {Profile{Medications: []string{"dapagliflozin when told"}}, with("diabetes.sugar", "medicines.missed")},
		"heart failure":            {Profile{Conditions: []string{"Heart failure (mild)"}}, with("heart.swelling", "heart.weight")},
		"COPD":                     {Profile{Conditions: []string{"COPD"}}, with("lungs.breath")},
		"COPD with an inhaler":     {Profile{Conditions: []string{"copd"}, Medications: []string{"inhaler when needed"}}, with("lungs.breath", "lungs.reliever")},
		"arthritis":                {Profile{Conditions: []string{"arthritis in both knees"}}, with("joints.stopped")},
		"a blood thinner first":    {Profile{Conditions: []string{"arthritis"}, Medications: []string{"warfarin 5 mg in the evening"}}, with("blood.thinner", "joints.stopped")},
		"blood pressure":           {Profile{Medications: []string{"lisinopril 10 mg in the morning"}}, with("pressure.dizzy", "medicines.missed")},
		"one medicine by name":     {Profile{Medications: []string{"vitamin D"}}, with("medicines.missed", "medicine.vitamin_d")},
		"home from hospital":       {Profile{Conditions: discharged(5)}, with("discharge.worse", "discharge.instructions")},
		"home since thirty days":   {Profile{Conditions: discharged(30)}, with("discharge.worse", "discharge.instructions")},
		"home for long":            {Profile{Conditions: discharged(31)}, dailyIDs},
		"home tomorrow":            {Profile{Conditions: discharged(-1)}, dailyIDs},
		"denied":                   {Profile{Conditions: []string{"no diabetes", "not diabetic", "family history of heart failure", "at risk of diabetes"}}, dailyIDs},
		"denied, then named":       {Profile{Conditions: []string{"no diabetes, arthritis"}}, with("joints.stopped")},
		"part of a word":           {Profile{Conditions: []string{"prediabetes", "goutte"}}, dailyIDs},
		"urgent ones push out an optional one": {
			Profile{Conditions: []string{"heart failure"}, Medications: []string{"apixaban 5 mg twice a day"}},
			without(with("heart.swelling", "heart.weight", "blood.thinner"), "plans"),
		},
		"and no more than twelve": {
			Profile{Conditions: append(discharged(2), "heart failure", "diabetes", "copd"), Medications: []string{"apixaban 5 mg twice a day", "insulin"}},
			without(with("discharge.worse", "heart.swelling", "heart.weight", "blood.thinner"), "energy", "plans"),
		},
	}
	l := library(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := l.Select(tt.profile, none, monday)
			if diff := cmp.Diff(tt.want, ids(s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.Screen != "" {
				t.Errorf("screen %q, though none is due", s.Screen)
			}
		})
	}
}

func TestSelectScreen(t *testing.T) {
	t.Parallel()
	fell := func(n int) Profile { return Profile{Events: map[string]time.Time{EventFall: daysAgo(n)}} }
	far := map[string]int{"phq2": 4, "gad2": 4, "ucla3": 4, "steadi3": 40, "frail": 40}
	but := func(id string, n int) History {
		age := map[string]int{}
		maps.Copy(age, far)
		age[id] = n
		return done(age)
	}
	partial := func(id string, n int, o checks.Outcome) History {
		h := but(id, -1)
		h.Screens = append(h.Screens, checks.Screen{Pack: id, At: daysAgo(n), Outcome: o})
		return h
	}
	tests := map[string]struct {
		profile Profile
		history History
		want    string
	}{
		"never asked: by rank":              {Profile{}, History{}, "steadi3"},
		"none due":                          {Profile{}, done(far), ""},
		"PHQ-2 after thirteen days":         {Profile{}, but("phq2", 13), ""},
		"PHQ-2 after fourteen days":         {Profile{}, but("phq2", 14), "phq2"},
		"GAD-2 after thirteen days":         {Profile{}, but("gad2", 13), ""},
		"GAD-2 after fourteen days":         {Profile{}, but("gad2", 14), "gad2"},
		"UCLA-3 after twenty-nine days":     {Profile{}, but("ucla3", 29), ""},
		"UCLA-3 after thirty days":          {Profile{}, but("ucla3", 30), "ucla3"},
		"STEADI within the year":            {Profile{}, but("steadi3", 364), ""},
		"STEADI after a year":               {Profile{}, but("steadi3", 365), "steadi3"},
		"FRAIL within the year":             {Profile{}, but("frail", 364), ""},
		"FRAIL after a year":                {Profile{}, but("frail", 365), "frail"},
		"STEADI after a fall":               {fell(1), but("steadi3", 100), "steadi3"},
		"the fall was before the last time": {fell(101), but("steadi3", 100), ""},
		"a fall, but asked a month ago":     {fell(1), but("steadi3", 29), ""},
		"a fall, and never asked":           {fell(1), but("steadi3", -1), "steadi3"},
		"a fall in the future is no fall":   {fell(-1), but("steadi3", 100), ""},
		"the last one is not known":         {Profile{NoScreens: true}, but("phq2", 90), ""},
		"another screen the day before":     {Profile{}, done(map[string]int{"phq2": 90, "gad2": 1, "ucla3": 4}), ""},
		"another screen three days before":  {Profile{}, done(map[string]int{"phq2": 90, "gad2": 3, "ucla3": 4, "steadi3": 9, "frail": 9}), "phq2"},
		"a fall goes before the gap":        {fell(0), done(map[string]int{"phq2": 90, "gad2": 1, "ucla3": 4, "steadi3": 100}), "steadi3"},
		"nothing answered: after three":     {Profile{}, partial("phq2", 3, checks.ScreenUnanswered), "phq2"},
		"nothing answered: not after two":   {Profile{}, partial("phq2", 2, checks.ScreenUnanswered), ""},
		"broken off: not after thirteen":    {Profile{}, partial("phq2", 13, checks.ScreenPartial), ""},
		"broken off: after fourteen":        {Profile{}, partial("phq2", 14, checks.ScreenPartial), "phq2"},
		"refused: not after three days":     {Profile{}, partial("phq2", 3, checks.ScreenRefused), ""},
		"refused: after fourteen":           {Profile{}, partial("phq2", 14, checks.ScreenRefused), "phq2"},
		"the longest ago first":             {Profile{}, done(map[string]int{"phq2": 20, "gad2": 21, "ucla3": 40, "steadi3": 9, "frail": 9}), "ucla3"},
		"PHQ-8 counts as PHQ-2":             {Profile{}, History{Screens: append(but("phq2", 20).Screens, checks.Screen{Pack: "phq8", At: daysAgo(5), Outcome: checks.ScreenComplete})}, ""},
		"a clock set back":                  {Profile{}, History{Screens: []checks.Screen{{Pack: "gad2", At: daysAgo(-1), Outcome: checks.ScreenComplete}}}, ""},
		"unknown packs are of no account":   {Profile{}, History{Screens: []checks.Screen{{Pack: "old", At: daysAgo(0), Outcome: checks.ScreenComplete}}}, "steadi3"},
	}
	l := library(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := l.Select(tt.profile, tt.history, monday)
			if s.Screen != tt.want {
				t.Errorf("screen %q, want %q", s.Screen, tt.want)
			}
			checkOneScreen(t, s)
		})
	}
}

func checkOneScreen(t *testing.T, s Session) {
	t.Helper()
	for _, q := range s.Questions {
		if q.Screen && q.Pack != s.Screen {
			t.Errorf("question %s of %s in a session with screen %q", q.ID, q.Pack, s.Screen)
		}
	}
}

func TestCadenceCountsDaysWhereThePersonLives(t *testing.T) {
	t.Parallel()
	l := library(t)
	h := done(map[string]int{"gad2": 4, "ucla3": 4, "steadi3": 40, "frail": 40})
	h.Screens[0].At = time.Date(2026, 2, 16, 23, 50, 0, 0, newfoundland).UTC() // already the 17th in UTC
	if s := l.Select(Profile{}, h, time.Date(2026, 3, 2, 8, 0, 0, 0, newfoundland)); s.Screen != "phq2" {
		t.Errorf("screen %q, fourteen days after an evening call", s.Screen)
	}
	if s := l.Select(Profile{}, h, time.Date(2026, 3, 1, 23, 59, 0, 0, newfoundland)); s.Screen != "" {
		t.Errorf("screen %q, thirteen days after", s.Screen)
	}
}

func TestScreenStandsBeforeTheClosingQuestions(t *testing.T) {
	t.Parallel()
	l := library(t)
	p := Profile{Conditions: []string{"heart failure"}, Medications: []string{"warfarin 5 mg"}}
	h := done(map[string]int{"phq2": 14, "gad2": 4, "ucla3": 4, "steadi3": 40, "frail": 40})
	want := without(with("heart.swelling", "heart.weight", "blood.thinner", "phq.interest", "phq.down"), "plans")
	if diff := cmp.Diff(want, ids(l.Select(p, h, monday))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	h = done(map[string]int{"phq2": 4, "gad2": 4, "ucla3": 4, "steadi3": 40, "frail": 400})
	s := l.Select(p, h, monday)
	want = without(with("heart.swelling", "frail.tired", "frail.stairs", "frail.walking", "frail.illnesses", "frail.weight_now",
		"frail.weight_before"), "energy", "plans")
	if diff := cmp.Diff(want, ids(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"heart.weight", "blood.thinner", "medicines.missed", "medicine.warfarin"}, s.Left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	last := s.Questions[slices.IndexFunc(s.Questions, func(q Question) bool { return q.ID == "frail.weight_before" })]
	if want := "One year ago, in March 2025, how much did you weigh without your shoes and with your clothes on?"; last.Wording(0) != want {
		t.Errorf("wording %q, want %q", last.Wording(0), want)
	}
}

// Over a month of daily calls every question that applies gets its turn.
func TestProfileQuestionsTakeTurns(t *testing.T) {
	t.Parallel()
	l := library(t)
	p := Profile{
		Conditions:  []string{"type 2 diabetes", "arthritis", "copd"},
		Medications: []string{"metformin 500 mg twice a day", "lisinopril 10 mg", "paracetamol when the knees hurt", "eye drops at bedtime"},
	}
	h := History{Screens: none.Screens, Asked: map[string]time.Time{}}
	asked := map[string]int{}
	for day := range 28 {
		now := monday.AddDate(0, 0, day)
		s := l.Select(p, h, now)
		for _, q := range s.Questions {
			if q.Pack == "profile" {
				h.Asked[q.ID] = now
				asked[q.ID]++
			}
			if q.Screen {
				h.Screens = append(h.Screens, checks.Screen{Pack: q.Pack, At: now, Outcome: checks.ScreenComplete})
			}
		}
	}
	for _, id := range []string{
		"diabetes.sugar", "diabetes.feet", "joints.stopped", "lungs.breath", "pressure.dizzy", "medicines.missed",
		"medicine.metformin", "medicine.lisinopril", "medicine.eye_drops",
	} {
		if asked[id] == 0 {
			t.Errorf("%s was never asked in four weeks: %v", id, asked)
		}
	}
	if asked["diabetes.feet"] > 4 {
		t.Errorf("the weekly question was asked %d times in four weeks", asked["diabetes.feet"])
	}
	if asked["medicine.paracetamol"] > 0 {
		t.Error("a medicine that is taken when needed was asked about as if it had been due")
	}
}

// A year of daily calls, for many people: the promises that hold for every call.
func TestSelectHoldsItsPromises(t *testing.T) {
	t.Parallel()
	l := library(t)
	random := rand.New(rand.NewPCG(1, 2))
	conditions := []string{"heart failure", "diabetes", "copd", "arthritis", "stroke", "recent discharge"}
	medicines := []string{"warfarin 5 mg", "furosemide 40 mg", "insulin", "salbutamol", "vitamin D", "amlodipine"}
	minDays := map[string]int{"phq2": 14, "gad2": 14, "ucla3": 30, "steadi3": 30, "frail": 365}
	for range 5 {
		p := Profile{Events: map[string]time.Time{}}
		for _, c := range conditions {
			if random.IntN(3) == 0 {
				p.Conditions = append(p.Conditions, c)
			}
		}
		for _, m := range medicines {
			if random.IntN(3) == 0 {
				p.Medications = append(p.Medications, m)
			}
		}
		h := History{Asked: map[string]time.Time{}}
		last := map[string]time.Time{}
		for day := range 365 {
			now := monday.AddDate(0, 0, day).Add(time.Duration(random.IntN(180)) * time.Minute)
			if random.IntN(60) == 0 {
				p.Events[EventFall] = now.Add(-time.Hour)
			}
			s := l.Select(p, h, now)
			if again := l.Select(p, h, now); !reflect.DeepEqual(s, again) {
				t.Fatal("the same arguments gave another session")
			}
			n := count(s.Questions, func(q Question) bool { return !q.Screen })
			if n < minDaily || n > maxDaily {
				t.Fatalf("%d questions without the screen: %q", n, ids(s))
			}
			if len(s.Questions) > maxWithScreen+1 {
				t.Fatalf("%d questions: %q", len(s.Questions), ids(s))
			}
			checkOneScreen(t, s)
			if all := ids(s); len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
				t.Fatalf("a question is there twice: %q", all)
			}
			if s.Screen != "" {
				if before, ok := last[s.Screen]; ok && days(before, now) < minDays[s.Screen] {
					t.Fatalf("%s again after %d days", s.Screen, days(before, now))
				}
				last[s.Screen] = now
				h.Screens = append(h.Screens, checks.Screen{Pack: s.Screen, At: now, Outcome: checks.ScreenComplete})
			}
			for _, q := range s.Questions {
				h.Asked[q.ID] = now
			}
		}
		if len(last) != 5 {
			t.Errorf("in a year only %v were asked", last)
		}
	}
}

func TestMedicineNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ entry, want string }{
		{"lisinopril 10 mg in the morning", "lisinopril"},
		{"paracetamol when the knees hurt", ""},
		{"ibuprofen, if needed", ""},
		{"codeine PRN", ""},
		{"vitamin tablets for the eyes", "vitamin tablets"},
		{"eye drops at bedtime", "eye drops"},
		{"inhaler twice a day", "inhaler"},
		{"vitamin D", "vitamin D"},
		{"Metformin 500 mg twice a day", "Metformin"},
		{"warfarin (5 mg)", "warfarin"},
		{"5 mg warfarin", ""},
		{"  ", ""},
	}
	for _, tt := range tests {
		var got string
		if found := regular([]string{tt.entry}); len(found) > 0 {
			got = found[0].name
		}
		if got != tt.want {
			t.Errorf("%q is asked about as %q, want %q", tt.entry, got, tt.want)
		}
	}
	if got := regular([]string{"aspirin 75 mg", "Aspirin in the evening", "statin"}); len(got) != 2 {
		t.Errorf("twice the same medicine: %v", got)
	}
}

func TestMedicineQuestionNamesTheMedicine(t *testing.T) {
	t.Parallel()
	l := library(t)
	h := History{Screens: none.Screens, Asked: map[string]time.Time{"medicines.missed": daysAgo(1)}}
	s := l.Select(Profile{Medications: []string{"vitamin D"}}, h, monday)
	q := s.Questions[8]
	if q.ID != "medicine.vitamin_d" || strings.Contains(q.Text+strings.Join(q.Alternatives, "")+q.FollowUps[0].Text, "{") {
		t.Errorf("got %+v", q)
	}
	if q.FollowUps[0].ID != "medicine.vitamin_d.why" {
		t.Errorf("follow-up id %q", q.FollowUps[0].ID)
	}
	if strings.Contains(mustPack(t, "profile").Items[13].FollowUps[0].Text, "vitamin") {
		t.Error("the library was written to")
	}
}

func TestWordingDiffersEachTime(t *testing.T) {
	t.Parallel()
	l := library(t)
	p := Profile{Conditions: []string{"heart failure"}}
	s := l.Select(p, done(map[string]int{"phq2": 90, "gad2": 4, "ucla3": 4}), monday)
	for _, q := range s.Questions {
		seen := map[string]bool{}
		for attempt := range 3 {
			said := q.Wording(attempt)
			if seen[said] {
				t.Errorf("%s, attempt %d: the same again: %q", q.ID, attempt, said)
			}
			seen[said] = true
			if q.Verbatim && !strings.Contains(said, q.Text) {
				t.Errorf("%s, attempt %d: not in its own words: %q", q.ID, attempt, said)
			}
		}
		if q.Wording(-1) != q.Wording(0) || q.Wording(99) == "" {
			t.Errorf("%s: odd attempts", q.ID)
		}
	}
}

func TestInstrumentIsReadWithStemAndOptions(t *testing.T) {
	t.Parallel()
	q := library(t).Continue("phq2", "en", nil, monday)[0]
	const item = "Over the last 2 weeks, how often have you been bothered by any of the following problems? Little interest or pleasure in " +
		"doing things? Not at all, several days, more than half the days, or nearly every day?"
	if got := q.Wording(0); got != item {
		t.Errorf("first attempt %q", got)
	}
	if got := q.Wording(1); got != "I will read that again, just as it is written. "+item {
		t.Errorf("second attempt %q", got)
	}
}

func TestIntroIsSpokenOnce(t *testing.T) {
	t.Parallel()
	qs := library(t).Continue("ucla3", "en", nil, monday)
	const intro = "The next questions are about how you feel about different aspects of your life. For each one, tell me how often you feel that way. "
	const item = "How often do you feel that you lack companionship? Hardly ever, some of the time, or often?"
	if got := qs[0].Wording(0); got != intro+item {
		t.Errorf("first question %q", got)
	}
	if got := qs[0].Wording(1); got != "I will read that again, just as it is written. "+item {
		t.Errorf("first question, second attempt %q", got)
	}
	if got := qs[1].Wording(0); got != "How often do you feel left out? Hardly ever, some of the time, or often?" {
		t.Errorf("second question %q", got)
	}
}

func TestReadBackAndFollowUps(t *testing.T) {
	t.Parallel()
	l := library(t)
	s := l.Select(Profile{}, none, monday)
	find := func(id string) Question {
		return s.Questions[slices.IndexFunc(s.Questions, func(q Question) bool { return q.ID == id })]
	}
	tests := []struct {
		id       string
		value    Value
		readBack string
		follow   []string
	}{
		{"falls", Bool(true), "You said that you had a fall, is that right?", []string{"falls.hurt", "falls.how"}},
		{"falls", Bool(false), "", nil},
		{"falls", Value{}, "", nil},
		{"pain", Scale(3), "", nil},
		{"pain", Scale(4), "", []string{"pain.where"}},
		{"pain", Scale(7), "", []string{"pain.where", "pain.new"}},
		{"pain", Scale(9), "You said that your pain is 9 out of 10, is that right?", []string{"pain.where", "pain.new"}},
		{"appetite", Chosen("poor"), "", []string{"appetite.last"}},
		{"appetite", Chosen("good"), "", nil},
		{"medication", Bool(false), "", []string{"medication.why"}},
	}
	for _, tt := range tests {
		q := find(tt.id)
		var follow []string
		for _, f := range q.FollowUp(tt.value) {
			follow = append(follow, f.ID)
			if f.Wording(0) != f.Text || f.Wording(1) == f.Wording(0) || f.Wording(2) == f.Wording(1) || len(f.FollowUps) > 0 {
				t.Errorf("%s is no question: %+v", f.ID, f)
			}
		}
		if q.ReadBack(tt.value) != tt.readBack || !slices.Equal(follow, tt.follow) {
			t.Errorf("%s %s: read back %q, follow-ups %q; want %q, %q", tt.id, tt.value, q.ReadBack(tt.value), follow, tt.readBack, tt.follow)
		}
	}
}

func TestItemFindsFollowUps(t *testing.T) {
	t.Parallel()
	l := library(t)
	for id, want := range map[string]Type{"sleep": TypeScale, "falls.hurt": TypeBoolean, "phq.sleep": TypeChoice, "steadi.fallen.times": TypeNumber} {
		if it, ok := l.Item(id, "en-US"); !ok || it.Type != want {
			t.Errorf("%s: %v, %v", id, it.Type, ok)
		}
	}
	if _, ok := l.Item("nothing", "en"); ok {
		t.Error("found nothing")
	}
}

// A question goes into a checkpoint and comes back whole.
func TestQuestionSurvivesJSON(t *testing.T) {
	t.Parallel()
	p := Profile{Conditions: []string{"heart failure", "copd"}, Medications: []string{"warfarin 5 mg"}}
	for _, q := range library(t).Select(p, History{}, monday).Questions {
		data, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		var back Question
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		for attempt := range 3 {
			if back.Wording(attempt) != q.Wording(attempt) {
				t.Errorf("%s: wording %d changed", q.ID, attempt)
			}
		}
		back.When, back.Must, back.Optional, back.Last, back.EveryDays, back.Each = q.When, q.Must, q.Optional, q.Last, q.EveryDays, q.Each
		if diff := cmp.Diff(q, back); diff != "" {
			t.Errorf("%s (-before +after):\n%s", q.ID, diff)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule  Rule
		value Value
		want  bool
	}{
		{"yes", Bool(true), true},
		{"yes", Bool(false), false},
		{"no", Bool(false), true},
		{"any", Text("a story"), true},
		{"any", Value{}, false},
		{">=7", Scale(7), true},
		{">=7", Scale(6), false},
		{">7", Scale(7), false},
		{"<4", Scale(3), true},
		{"<=3", Number(3, "kg"), true},
		{"=0", Number(0, ""), true},
		{"=0", Bool(false), false},
		{"worse|same", Chosen("same"), true},
		{"worse|same", Chosen("better"), false},
		{"yes", Text("yes"), false},
	}
	for _, tt := range tests {
		if got := tt.rule.Matches(tt.value); got != tt.want {
			t.Errorf("%q on %v is %v", tt.rule, tt.value, got)
		}
	}
}

func TestOrdinal(t *testing.T) {
	t.Parallel()
	l := library(t)
	tests := []struct {
		id    string
		value Value
		want  float64
		ok    bool
	}{
		{"energy", Scale(7), 7, true},
		{"energy", Scale(11), 0, false},
		{"energy", Value{Type: TypeScale, Number: 6.5}, 0, false},
		{"falls", Bool(true), 1, true},
		{"falls", Bool(false), 0, true},
		{"falls", Scale(1), 0, false},
		{"appetite", Chosen("poor"), 0, true},
		{"appetite", Chosen("good"), 2, true},
		{"appetite", Chosen("great"), 0, false},
		{"heart.weight", Number(150.5, "lb"), 150.5, true},
		{"heart.weight", Number(5, ""), 0, false},
		{"plans", Text("shopping"), 0, false},
		{"diabetes.meal", Time("12:30"), 0, false},
	}
	for _, tt := range tests {
		it, found := l.Item(tt.id, "en")
		got, ok := it.Ordinal(tt.value)
		if !found || got != tt.want || ok != tt.ok {
			t.Errorf("%s %v: %v %v, want %v %v", tt.id, tt.value, got, ok, tt.want, tt.ok)
		}
	}
	for text, want := range map[string]bool{"00:00": true, "23:59": true, "24:00": false, "9:30": false, "12:60": false, "+1:00": false, "noon": false} {
		if clock(text) != want {
			t.Errorf("clock(%q) is %v", text, !want)
		}
	}
}

// A person's conditions and medicines are what somebody typed.
func FuzzSelect(f *testing.F) {
	f.Add("heart failure, no diabetes", "warfarin 5 mg in the evening")
	f.Add("(", "{medication}, , 5")
	l, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, condition, medicine string) {
		s := l.Select(Profile{Language: medicine, Conditions: []string{condition}, Medications: []string{medicine, condition}}, History{}, monday)
		if len(s.Questions) < minDaily || len(s.Questions) > maxWithScreen {
			t.Fatalf("%d questions", len(s.Questions))
		}
		for _, q := range s.Questions {
			if !questionID.MatchString(q.ID) || q.Wording(0) == "" || q.Wording(1) == q.Wording(0) {
				t.Fatalf("question %+v", q)
			}
			for _, f := range q.FollowUps {
				if !strings.HasPrefix(f.ID, q.ID+".") {
					t.Fatalf("follow-up %s of %s", f.ID, q.ID)
				}
			}
		}
	})
}

func ExampleLibrary_Select() {
	l, err := Load()
	if err != nil {
		panic(err)
	}
	s := l.Select(Profile{Conditions: []string{"arthritis"}}, History{}, time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC))
	for _, q := range s.Questions {
		fmt.Println(q.ID)
	}
	// Output:
	// energy
	// sleep
	// pain
	// mood
	// appetite
	// medication
	// falls
	// breathing
	// joints.stopped
	// steadi.fallen
	// steadi.unsteady
	// steadi.worry
	// plans
	// other
}

func TestLanguageOfACheck(t *testing.T) {
	t.Parallel()
	lib, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]string{"en": "en", "en-GB": "en-GB", "EN_us": "EN_us", "de": "en", "": "en"} {
		if got := lib.Language(tag); got != want {
			t.Errorf("Language(%q) is %q, want %q", tag, got, want)
		}
	}
}

// A follow-up says in other words what it asked before, twice, and whether yes is
// bad news.
func TestFollowUpHasOtherWords(t *testing.T) {
	t.Parallel()
	lib, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range lib.Packs() {
		if p.Kind != KindDaily {
			continue
		}
		for _, it := range p.Items {
			for _, f := range it.FollowUps {
				q := question(p, f.item())
				if q.Wording(0) != f.Text || strings.HasSuffix(q.Wording(1), f.Text) || q.Higher != f.Higher {
					t.Errorf("%s: %q, then %q", f.ID, q.Wording(0), q.Wording(1))
				}
				seen := map[string]bool{}
				for attempt := range 3 {
					seen[q.Wording(attempt)] = true
				}
				if len(seen) != 3 {
					t.Errorf("%s: %d wordings in three attempts: %v", f.ID, len(seen), seen)
				}
			}
		}
	}
}
