package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/naiber/naiber/personas/health/fhir"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
)

// Exports are checks as other systems read them, with local times of the person.
// A check that a later one went on with is left out where that later one is among
// them and holds its answers: nothing is exported twice.
func Exports(checkList []checks.Check, c Catalogue, in *time.Location) []fhir.Check {
	byCall := make(map[store.CallID]checks.Check, len(checkList))
	for _, hc := range checkList {
		byCall[hc.CallID] = hc
	}
	out := make([]fhir.Check, 0, len(checkList))
	for _, hc := range checkList {
		if later, here := byCall[hc.ContinuedBy]; !here || !covers(later, hc) {
			out = append(out, Export(hc, c, in))
		}
	}
	return out
}

// covers reports whether a check put every question that an earlier one has an
// answer to.
func covers(later, earlier checks.Check) bool {
	put := map[string]bool{}
	for _, a := range later.Answers {
		put[a.QuestionID] = a.Status != string(fhir.NotReached)
	}
	return !slices.ContainsFunc(earlier.Answers, func(a checks.Answer) bool { return len(a.Value) > 0 && !put[a.QuestionID] })
}

// Export is one check as other systems read it.
func Export(hc checks.Check, c Catalogue, in *time.Location) fhir.Check {
	out := fhir.Check{
		ID: hc.CallID.String(), PersonID: hc.PersonID.String(), CallID: hc.CallID.String(), Status: fhir.Status(hc.Status),
		Started: local(hc.StartedAt, in), Ended: local(hc.EndedAt, in),
	}
	for _, a := range hc.Answers {
		out.Answers = append(out.Answers, fhir.Answer{
			QuestionID: a.QuestionID, Question: a.Question, Pack: a.Pack, PackTitle: cmp.Or(c.pack(a.Pack).Title, a.Pack), PackVersion: a.PackVersion,
			Type: a.Type, Status: fhir.AnswerStatus(a.Status), Value: given(a, c), LOINC: c.item(a.QuestionID).LOINC,
			Quote: a.Quote, Confidence: a.Confidence, Attempts: a.Attempts, At: local(a.At, in),
		})
	}
	for _, s := range hc.Scores {
		codes := c.pack(s.Pack).LOINC
		out.Scores = append(out.Scores, fhir.Score{
			Pack: s.Pack, Title: s.Title, Version: s.Version, Total: s.Total, Band: s.Band, Answered: s.Answered, Of: s.Of,
			LOINC: codes.Total, Panel: codes.Panel,
		})
	}
	return out
}

// given is the answer's value.
func given(a checks.Answer, c Catalogue) fhir.Value {
	var v fhir.Value
	switch x := value(a.Value).(type) {
	case float64:
		v.Number = x
		if a.Type == "number" {
			v.Unit = cmp.Or(a.Unit, c.item(a.QuestionID).Unit)
		}
	case bool:
		v.Bool = x
	case string:
		v.Text = x
		if a.Type == "choice" {
			chosen := c.choice(a.QuestionID, x)
			v.Label, v.LOINC = chosen.Label, chosen.LOINC
		}
	}
	return v
}

func local(t time.Time, in *time.Location) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(in)
}
