// Package fhir exports cognitive checks as FHIR R4 Observation resources in JSON: one for each
// check and one for each of its tasks.
//
// The scores are of short tasks by telephone, for which LOINC has no codes, so the codes are our
// own. An unfinished task carries no value, and says why.
package fhir

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/r4"
	"github.com/naiber/naiber/store/cognition"
)

// NewBundle returns a collection of the observations of checks, made at a time. Times keep the
// zones that they have.
func NewBundle(checks []cognition.Check, at time.Time, o r4.Options) r4.Bundle {
	b := r4.Bundle{ResourceType: "Bundle", Type: "collection", Timestamp: r4.Instant(at)}
	for _, c := range checks {
		for _, ob := range Observations(c, o) {
			b.Entry = append(b.Entry, r4.Entry{FullURL: o.URL("/fhir/Observation/" + ob.ID), Resource: ob})
		}
	}
	return b
}

// Observations returns the observation of a check, followed by those of its tasks.
func Observations(c cognition.Check, o r4.Options) []r4.Observation {
	whole := observation(c, "cognitive-check", "check")
	whole.Code = r4.CodeableConcept{Coding: []r4.Coding{o.Own("cognitive-check", "check")}, Text: "Cognitive check by telephone"}
	whole.EffectiveDateTime = r4.Instant(c.StartedAt)
	whole.ValueCodeableConcept = &r4.CodeableConcept{Coding: []r4.Coding{o.Own("cognitive-check-status", string(c.Status))}}
	for _, f := range c.Confounders {
		note := "What may have disturbed the check: " + f.Kind
		if f.Kind == cognition.Suits {
			note = "When it would suit"
		}
		if quote := r4.Text(f.Quote); quote != "" {
			note += fmt.Sprintf(" (%q)", quote)
		}
		whole.Note = append(whole.Note, r4.Annotation{Time: r4.Instant(f.At), Text: r4.Text(note)})
	}
	all := []r4.Observation{whole}
	for _, t := range c.Tasks {
		ob := task(c, t, o)
		all[0].HasMember = append(all[0].HasMember, r4.Reference{Reference: "Observation/" + ob.ID})
		all = append(all, ob)
	}
	return all
}

func task(c cognition.Check, t cognition.Task, o r4.Options) r4.Observation {
	ob := observation(c, "cognitive-task", t.TaskID)
	ob.Code = r4.CodeableConcept{Coding: []r4.Coding{o.Own("cognitive-task", t.TaskID)}, Text: r4.Text(t.Title)}
	ob.EffectiveDateTime = r4.Instant(cmp.Or(t.At, c.StartedAt))
	score := t.Score()
	if t.Status == cognition.TaskComplete && score != nil {
		ob.ValueQuantity = r4.Score(*score)
	} else {
		ob.DataAbsentReason = absent(t)
	}
	switch {
	case t.Status != cognition.TaskComplete:
		ob.Status = "cancelled"
	case t.Correction != nil:
		ob.Status = "amended"
	}
	if t.Raw != nil {
		ob.Component = append(ob.Component, component(o, "score-by-rules", "Score by rules", r4.AnyValue{ValueQuantity: r4.Score(*t.Raw)}))
	}
	if t.Correction != nil {
		ob.Component = append(ob.Component,
			component(o, "corrected-score", "Score that a human gave in place of the rules'", r4.AnyValue{ValueQuantity: r4.Score(t.Correction.Raw)}))
		ob.Note = append(ob.Note, r4.Annotation{
			AuthorString: r4.Text(t.Correction.By), Time: r4.Instant(t.Correction.At), Text: cmp.Or(r4.Text(t.Correction.Note), "Corrected"),
		})
	}
	if t.Max > 0 {
		ob.Component = append(ob.Component, component(o, "highest-score", "Highest score", r4.AnyValue{ValueQuantity: r4.Score(t.Max)}))
	}
	if form := r4.Text(t.Form); form != "" {
		ob.Component = append(ob.Component, component(o, "form", "Form", r4.AnyValue{ValueString: form}))
	}
	if version := r4.Text(t.Version); version != "" {
		ob.Component = append(ob.Component, component(o, "version", "Version", r4.AnyValue{ValueString: version}))
	}
	return ob
}

// absent returns the reason why a task has no value.
func absent(t cognition.Task) *r4.CodeableConcept {
	reason := r4.AbsentUnknown
	switch t.Status {
	case cognition.TaskRefused:
		reason = r4.AbsentDeclined
	case cognition.TaskNotReached:
		reason = r4.AbsentNotAsked
	case cognition.TaskComplete, cognition.TaskPartial, cognition.TaskVoid:
	}
	c := r4.AbsentReason(reason)
	c.Text = strings.ReplaceAll(string(t.Status), "_", " ")
	if t.Why != "" {
		c.Text += ": " + strings.ReplaceAll(t.Why, "_", " ")
	}
	return c
}

func component(o r4.Options, code, text string, v r4.AnyValue) r4.Component {
	return r4.Component{Code: r4.CodeableConcept{Coding: []r4.Coding{o.Own("cognitive-component", code)}, Text: text}, AnyValue: v}
}

// observation returns an observation with the fields that all observations of a check share.
func observation(c cognition.Check, kind, name string) r4.Observation {
	ob := r4.Observation{
		ResourceType: "Observation", ID: r4.ID(c.CallID.String(), kind, name), Status: "final", Category: r4.Survey(),
	}
	if c.PersonID.Known() {
		ob.Subject = &r4.Reference{Reference: "Patient/" + c.PersonID.String()}
	}
	return ob
}
