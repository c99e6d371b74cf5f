package fhir

import (
	"cmp"
	"fmt"
	"time"

	"github.com/naiber/naiber/internal/r4"
	"github.com/naiber/naiber/store/checks"
)

// codes returns the LOINC code, if there is one, and our own.
func codes(o r4.Options, loinc, kind, own string) []r4.Coding {
	codes := []r4.Coding{o.Own(kind, own)}
	if loinc != "" {
		codes = append([]r4.Coding{{System: r4.SystemLOINC, Code: loinc}}, codes...)
	}
	return codes
}

// Response returns a check as a QuestionnaireResponse.
func Response(c Check, o r4.Options) QuestionnaireResponse {
	r := QuestionnaireResponse{
		ResourceType:  "QuestionnaireResponse",
		ID:            c.CallID.String(),
		Identifier:    &r4.Identifier{System: o.URL("/checks"), Value: c.CallID.String()},
		Questionnaire: "#asked",
		Status:        c.status(),
		Subject:       patient(c),
		Authored:      r4.Instant(c.at()),
		Author:        &r4.Reference{Type: "Device", Display: "nAIber"},
		Source:        patient(c),
	}
	q := Questionnaire{ResourceType: "Questionnaire", ID: "asked", Title: "Health check by telephone", Status: "active"}
	panels, groups := map[string]string{}, map[string]int{}
	for _, s := range c.Scores {
		panels[s.Pack] = s.Panel
	}
	for _, a := range c.latest() {
		i, ok := groups[a.Pack]
		if !ok {
			i = len(r.Item)
			groups[a.Pack] = i
			group := ResponseItem{LinkID: "pack:" + a.Pack, Text: r4.Text(a.PackTitle)}
			r.Item = append(r.Item, group)
			q.Item = append(q.Item, Question{LinkID: group.LinkID, Text: group.Text, Type: "group", Code: codes(o, panels[a.Pack], "pack", a.Pack)})
		}
		r.Item[i].Item = append(r.Item[i].Item, ResponseItem{LinkID: a.QuestionID, Text: r4.Text(a.Question), Answer: []ResponseAnswer{a.response(o)}})
		q.Item[i].Item = append(q.Item[i].Item, Question{
			LinkID: a.QuestionID, Text: r4.Text(a.Question), Type: a.itemType(), Code: codes(o, a.LOINC, "question", a.QuestionID),
		})
	}
	for _, s := range c.Scores {
		i, ok := groups[s.Pack]
		if !ok || s.Total == nil {
			continue
		}
		total := *s.Total
		link := "total:" + s.Pack
		r.Item[i].Item = append(r.Item[i].Item, ResponseItem{LinkID: link, Text: "Total score", Answer: []ResponseAnswer{{AnyValue: r4.AnyValue{ValueInteger: &total}}}})
		q.Item[i].Item = append(q.Item[i].Item, Question{
			LinkID: link, Text: "Total score", Type: "integer", Code: codes(o, s.LOINC, "score", s.Pack),
		})
	}
	r.Contained = []Questionnaire{q}
	return r
}

// Observations returns every answer and every score of a check as an Observation, including
// questions without an answer, with the reason.
func Observations(c Check, o r4.Options) []r4.Observation {
	var all []r4.Observation
	members := map[string][]r4.Reference{}
	for _, a := range c.latest() {
		ob := c.observation("answer", a.QuestionID)
		ob.Code = r4.CodeableConcept{Coding: codes(o, a.LOINC, "question", a.QuestionID), Text: r4.Text(a.Question)}
		if !a.At.IsZero() {
			ob.EffectiveDateTime = r4.Instant(a.At)
		}
		a.observe(&ob, o)
		all = append(all, ob)
		members[a.Pack] = append(members[a.Pack], r4.Reference{Reference: "Observation/" + ob.ID})
	}
	for _, s := range c.Scores {
		ob := c.observation("score", s.Pack)
		ob.Code = r4.CodeableConcept{Coding: codes(o, s.LOINC, "score", s.Pack), Text: r4.Text(s.Title)}
		ob.HasMember = members[s.Pack]
		if s.Total == nil {
			ob.DataAbsentReason = r4.AbsentReason(r4.AbsentUnknown)
			ob.DataAbsentReason.Text = fmt.Sprintf("%d of %d items answered", s.Answered, s.Of)
		} else {
			ob.ValueQuantity = r4.Score(*s.Total)
			if band := r4.Text(s.Band); band != "" {
				ob.Interpretation = []r4.CodeableConcept{{Text: band}}
			}
		}
		all = append(all, ob)
	}
	return all
}

// NewBundle returns a bundle of checks, each with its response and observations. at is the time of
// the export.
func NewBundle(checks []Check, at time.Time, o r4.Options) r4.Bundle {
	b := r4.Bundle{ResourceType: "Bundle", Type: "collection", Timestamp: r4.Instant(at)}
	for _, c := range checks {
		r := Response(c, o)
		b.Entry = append(b.Entry, r4.Entry{FullURL: o.URL("/fhir/QuestionnaireResponse/" + r.ID), Resource: r})
		for _, ob := range Observations(c, o) {
			b.Entry = append(b.Entry, r4.Entry{FullURL: o.URL("/fhir/Observation/" + ob.ID), Resource: ob})
		}
	}
	return b
}

// observation returns an Observation with the fields that all those of a check share.
func (c Check) observation(kind, name string) r4.Observation {
	status := "final"
	if c.status() == string(checks.InProgress) {
		status = "preliminary"
	}
	return r4.Observation{
		ResourceType:      "Observation",
		ID:                r4.ID(c.CallID.String(), kind, name),
		Status:            status,
		Category:          r4.Survey(),
		Subject:           patient(c),
		EffectiveDateTime: r4.Instant(c.at()),
		DerivedFrom:       []r4.Reference{{Reference: "QuestionnaireResponse/" + c.CallID.String()}},
	}
}

func (c Check) status() string {
	switch c.Status {
	case checks.Completed, checks.Stopped:
		return string(c.Status)
	default:
		return string(checks.InProgress)
	}
}

// at returns when the check last changed.
func (c Check) at() time.Time {
	last := cmp.Or(c.EndedAt, c.StartedAt)
	for _, a := range c.Answers {
		if c.EndedAt.IsZero() && a.At.After(last) {
			last = a.At
		}
	}
	return last
}

func patient(c Check) *r4.Reference {
	if !c.PersonID.Known() {
		return nil
	}
	return &r4.Reference{Reference: "Patient/" + c.PersonID.String()}
}
