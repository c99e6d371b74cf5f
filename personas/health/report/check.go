package report

import (
	"encoding/json"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
)

// HealthCheck is the check of one call. If a later call continued it, both calls have a check; the
// later one has all answers.
type HealthCheck struct {
	CallID      string         `json:"callId"`
	Status      string         `json:"status" enum:"completed,in-progress,stopped" doc:"in-progress: broken off, or under way where endedAt is absent"`
	StartedAt   time.Time      `json:"startedAt"`
	EndedAt     *time.Time     `json:"endedAt,omitempty" doc:"Absent while the check is under way"`
	Resumes     string         `json:"resumes,omitempty" doc:"callId of the earlier check that this one went on with"`
	ContinuedBy string         `json:"continuedBy,omitempty" doc:"callId of the later call that went on with this check"`
	Answers     []HealthAnswer `json:"answers" nullable:"false" doc:"In the order of the questions"`
	Scores      []HealthScore  `json:"scores" nullable:"false"`
}

// HealthAnswer is the outcome of one question.
type HealthAnswer struct {
	QuestionID  string          `json:"questionId"`
	Question    string          `json:"question" doc:"The pack's wording"`
	Short       string          `json:"short"`
	Type        string          `json:"type" enum:"scale,boolean,choice,number,text,time"`
	Pack        string          `json:"pack"`
	PackVersion string          `json:"packVersion,omitempty"`
	FollowUpOf  string          `json:"followUpOf,omitempty" doc:"The question that led to this one"`
	Status      string          `json:"status" enum:"answered,keypad,refused,unclear,skipped,not_reached"`
	Value       any             `json:"value" doc:"A number, a boolean or a string by the type; null unless the status is answered or keypad"`
	Label       string          `json:"label,omitempty" doc:"A choice in words"`
	Unit        string          `json:"unit,omitempty" doc:"Of a number, where the person named one"`
	Quote       string          `json:"quote" doc:"The person's words; empty where they may not be kept"`
	Confidence  float64         `json:"confidence" minimum:"0" maximum:"1"`
	Source      string          `json:"source,omitempty" doc:"rules, model or keypad"`
	Attempts    int             `json:"attempts"`
	At          *time.Time      `json:"at,omitempty" doc:"Absent where the question was never put"`
	Carried     bool            `json:"carried" doc:"Given in the check that this one went on with"`
	Earlier     []HealthReading `json:"earlier" nullable:"false" doc:"What the person took back in the same check, oldest first"`
}

// HealthReading is a reading that the person took back.
type HealthReading struct {
	Status     string     `json:"status"`
	Value      any        `json:"value"`
	Unit       string     `json:"unit,omitempty"`
	Quote      string     `json:"quote"`
	Confidence float64    `json:"confidence"`
	At         *time.Time `json:"at,omitempty"`
}

// HealthScore is the score of an instrument. A positive score is a reason to look closer, not a
// diagnosis.
type HealthScore struct {
	Pack     string `json:"pack"`
	Version  string `json:"version,omitempty"`
	Title    string `json:"title"`
	Total    *int   `json:"total" doc:"Null where an item is missing"`
	Highest  int    `json:"highest"`
	Band     string `json:"band,omitempty"`
	Meaning  string `json:"meaning,omitempty"`
	Positive bool   `json:"positive"`
	Answered int    `json:"answered"`
	Of       int    `json:"of"`
}

// Check converts a check to its JSON form.
func Check(hc checks.Check, c Catalogue) HealthCheck {
	out := HealthCheck{
		CallID: hc.CallID.String(), Status: string(hc.Status), StartedAt: hc.StartedAt.UTC(), EndedAt: moment(hc.EndedAt),
		Resumes: named(hc.Resumes), ContinuedBy: named(hc.ContinuedBy),
		Answers: make([]HealthAnswer, len(hc.Answers)), Scores: make([]HealthScore, len(hc.Scores)),
	}
	for i, a := range hc.Answers {
		out.Answers[i] = answer(a, c)
	}
	for i, s := range hc.Scores {
		out.Scores[i] = HealthScore(s)
	}
	return out
}

// Count returns how many of the questions have an answer, and how many there are.
func (hc HealthCheck) Count() (answered, of int) {
	for _, a := range hc.Answers {
		if a.Status == "answered" || a.Status == "keypad" {
			answered++
		}
	}
	return answered, len(hc.Answers)
}

func answer(a checks.Answer, c Catalogue) HealthAnswer {
	out := HealthAnswer{
		QuestionID: a.QuestionID, Question: a.Question, Short: a.Short, Type: a.Type, Pack: a.Pack, PackVersion: a.PackVersion,
		FollowUpOf: a.FollowUpOf, Status: a.Status, Value: value(a.Value), Unit: a.Unit, Quote: a.Quote, Confidence: a.Confidence,
		Source: a.Source, Attempts: a.Attempts, At: moment(a.At), Carried: a.Carried, Earlier: make([]HealthReading, len(a.Earlier)),
	}
	if chosen, ok := out.Value.(string); ok && a.Type == "choice" {
		out.Label = c.choice(a.QuestionID, chosen).Label
	}
	for i, r := range a.Earlier {
		out.Earlier[i] = HealthReading{
			Status: r.Status, Value: value(r.Value), Unit: r.Unit, Quote: r.Quote, Confidence: r.Confidence, At: moment(r.At),
		}
	}
	return out
}

// value decodes JSON into a number, a boolean, a string, or nil. It returns nil for invalid JSON.
func value(raw json.RawMessage) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil
	}
	return v
}

// moment returns a pointer to t in UTC, or nil if t is zero.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func named(id store.CallID) string {
	if id == (store.CallID{}) {
		return ""
	}
	return id.String()
}
