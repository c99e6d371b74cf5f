package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/naiber/naiber/personas/health/fhir"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checks"
)

// Exports returns checks in the form for other systems, with times in the person's time zone. It
// omits a check that a later one continued, if the later one is in checkList and has its answers:
// nothing is exported twice.
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

// covers reports whether a later check asked every question that an earlier one has an answer to.
func covers(later, earlier checks.Check) bool {
	put := map[string]bool{}
	for _, a := range later.Answers {
		put[a.QuestionID] = a.Status != fhir.NotReached
	}
	return !slices.ContainsFunc(earlier.Answers, func(a checks.Answer) bool { return len(a.Value) > 0 && !put[a.QuestionID] })
}

// Export returns one check in the form for other systems.
func Export(hc checks.Check, c Catalogue, in *time.Location) fhir.Check {
	hc.StartedAt, hc.EndedAt = local(hc.StartedAt, in), local(hc.EndedAt, in)
	out := fhir.Check{Check: hc}
	for _, a := range hc.Answers {
		a.At = local(a.At, in)
		out.Answers = append(out.Answers, fhir.Answer{
			Answer: a, PackTitle: cmp.Or(c.pack(a.Pack).Title, a.Pack), Value: given(a, c), LOINC: c.item(a.QuestionID).LOINC,
		})
	}
	for _, s := range hc.Scores {
		codes := c.pack(s.Pack).LOINC
		out.Scores = append(out.Scores, fhir.Score{Score: s, LOINC: codes.Total, Panel: codes.Panel})
	}
	return out
}

// given returns the answer's value.
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
