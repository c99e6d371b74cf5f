package model_test

import (
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/model"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health/extract"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
	"github.com/naiber/naiber/personas/health/words"
)

// houseClient is the house's own client of a simulated model.
func houseClient(t *testing.T) *llm.Client {
	t.Helper()
	c, err := llm.New(llm.Config{BaseURL: start(t, model.Config{}).URL + "/v1", Models: []string{"gpt-4o"}, APIKey: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// The health check's requests for wordings are met so that they can be used.
func TestQuestionsOfHealthChecksAreReworded(t *testing.T) {
	t.Parallel()
	lib, err := packs.Load()
	if err != nil {
		t.Fatal(err)
	}
	w := words.New(words.Config{Model: houseClient(t), Deadline: 10 * time.Second})
	profile := packs.Profile{Language: "en", Conditions: []string{"type 2 diabetes", "heart failure", "COPD", "arthritis"}, Medications: []string{"warfarin", "metformin 500 mg", "salbutamol inhaler"}}
	said := []string{"My knees are bad on the stairs.", "Eight, I would say.", "The roses are out at last.", "No, not today.", ""}
	other, all := 0, 0
	for day := range 2 {
		for i, q := range lib.Select(profile, packs.History{}, time.Date(2026, 6, 1+day, 10, 0, 0, 0, time.UTC)).Questions {
			if q.Verbatim {
				continue
			}
			for _, lead := range []words.Situation{"", words.Thanks, words.Sorry, words.Digression, words.Begin} {
				ask := words.Ask{Question: q, Lead: lead, Name: "Margaret", Heard: said[i%len(said)], Language: "en"}
				line := w.Question(t.Context(), ask)
				if line.Model == "" {
					t.Errorf("%s, %s: the wording was not used: %s", q.ID, lead, line.Degraded)
				}
				all++
				if lead == "" && line.Text != q.Wording(0) || lead != "" && line.Text != words.New(words.Config{}).Question(t.Context(), ask).Text {
					other++
				}
			}
		}
	}
	if other < all/2 {
		t.Errorf("%d of %d wordings differ from the script", other, all)
	}
}

// The health check's requests to read a reply are met by what was said.
func TestRepliesOfHealthChecksAreRead(t *testing.T) {
	t.Parallel()
	e := extract.New(extract.Config{Model: houseClient(t), Deadline: 10 * time.Second})
	pills := reader.Question{ID: "medication", Kind: reader.Boolean, Topic: []string{"pill", "pills", "tablet", "tablets", "medicine"}}
	energy := reader.Question{ID: "energy", Kind: reader.Scale, Min: 1, Max: 10, Topic: []string{"energy"}}
	tests := []struct {
		q           reader.Question
		asked, said string
		status      reader.Status // empty: nothing to believe
		want        string
	}{
		{pills, "Have you taken your medicines today?", "The tablets went down with my porridge.", reader.Answered, "yes"},
		{energy, "How is your energy today, from 1 to 10?", "That stays between me and my pillow.", reader.Refused, ""},
		{energy, "How is your energy today, from 1 to 10?", "You know how it goes.", "", ""},
		{pills, "Have you taken your medicines today?", "The weather is nice.", "", ""},
	}
	for _, tt := range tests {
		got, err := e.Read(t.Context(), extract.Ask{Question: tt.q, Wording: tt.asked, Said: tt.said})
		if err != nil {
			t.Fatal(err)
		}
		if got.Settled != (tt.status != "") || got.Settled && (got.Status != tt.status || got.Value.String() != tt.want) {
			t.Errorf("%q: got %+v; want %s %s", tt.said, got, tt.status, tt.want)
		}
	}
}
