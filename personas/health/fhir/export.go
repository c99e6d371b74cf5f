package fhir

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/naiber/naiber/store/checks"
)

// DefaultBase is the beginning of the house's own URLs where nobody set another.
const DefaultBase = "https://github.com/naiber/naiber"

// Options say how to write.
type Options struct {
	// Base begins the URLs of resources and of the house's own code systems,
	// such as the public URL of this installation; empty means DefaultBase.
	Base string
}

func (o Options) url(path string) string {
	base := strings.TrimRight(o.Base, "/")
	if base == "" {
		base = DefaultBase
	}
	return base + path
}

func (o Options) own(kind, c string) Coding {
	return Coding{System: o.url("/codes/" + kind), Code: code(c)}
}

// codes are a LOINC code, where there is one, and the house's own.
func (o Options) codes(loinc, kind, own string) []Coding {
	codes := []Coding{o.own(kind, own)}
	if loinc != "" {
		codes = append([]Coding{{System: systemLOINC, Code: loinc}}, codes...)
	}
	return codes
}

// Response writes a check as a QuestionnaireResponse.
func Response(c Check, o Options) QuestionnaireResponse {
	r := QuestionnaireResponse{
		ResourceType:  "QuestionnaireResponse",
		ID:            c.CallID.String(),
		Identifier:    &Identifier{System: o.url("/checks"), Value: c.CallID.String()},
		Questionnaire: "#asked",
		Status:        c.status(),
		Subject:       patient(c),
		Authored:      instant(c.at()),
		Author:        &Reference{Type: "Device", Display: "nAIber"},
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
			group := ResponseItem{LinkID: "pack:" + a.Pack, Text: text(a.PackTitle)}
			r.Item = append(r.Item, group)
			q.Item = append(q.Item, Question{LinkID: group.LinkID, Text: group.Text, Type: "group", Code: o.codes(panels[a.Pack], "pack", a.Pack)})
		}
		r.Item[i].Item = append(r.Item[i].Item, ResponseItem{LinkID: a.QuestionID, Text: text(a.Question), Answer: []ResponseAnswer{a.response(o)}})
		q.Item[i].Item = append(q.Item[i].Item, Question{
			LinkID: a.QuestionID, Text: text(a.Question), Type: a.itemType(), Code: o.codes(a.LOINC, "question", a.QuestionID),
		})
	}
	for _, s := range c.Scores {
		i, ok := groups[s.Pack]
		if !ok || s.Total == nil {
			continue
		}
		total := *s.Total
		link := "total:" + s.Pack
		r.Item[i].Item = append(r.Item[i].Item, ResponseItem{LinkID: link, Text: "Total score", Answer: []ResponseAnswer{{AnyValue: AnyValue{ValueInteger: &total}}}})
		q.Item[i].Item = append(q.Item[i].Item, Question{
			LinkID: link, Text: "Total score", Type: "integer", Code: o.codes(s.LOINC, "score", s.Pack),
		})
	}
	r.Contained = []Questionnaire{q}
	return r
}

// Observations writes every answer and every score of a check as an Observation.
// Questions without an answer are among them, with the reason.
func Observations(c Check, o Options) []Observation {
	var all []Observation
	members := map[string][]Reference{}
	for _, a := range c.latest() {
		ob := c.observation("answer", a.QuestionID)
		ob.Code = CodeableConcept{Coding: o.codes(a.LOINC, "question", a.QuestionID), Text: text(a.Question)}
		if !a.At.IsZero() {
			ob.EffectiveDateTime = instant(a.At)
		}
		a.observe(&ob, o)
		all = append(all, ob)
		members[a.Pack] = append(members[a.Pack], Reference{Reference: "Observation/" + ob.ID})
	}
	for _, s := range c.Scores {
		ob := c.observation("score", s.Pack)
		ob.Code = CodeableConcept{Coding: o.codes(s.LOINC, "score", s.Pack), Text: text(s.Title)}
		ob.HasMember = members[s.Pack]
		if s.Total == nil {
			ob.DataAbsentReason = absentReason(absentScore)
			ob.DataAbsentReason.Text = fmt.Sprintf("%d of %d items answered", s.Answered, s.Of)
		} else {
			ob.ValueQuantity = &Quantity{Value: float64(*s.Total), Unit: "score", System: systemUCUM, Code: "{score}"}
			if band := text(s.Band); band != "" {
				ob.Interpretation = []CodeableConcept{{Text: band}}
			}
		}
		all = append(all, ob)
	}
	return all
}

// NewBundle collects checks, each with its response and observations. The time is
// that of the export.
func NewBundle(checks []Check, at time.Time, o Options) Bundle {
	b := Bundle{ResourceType: "Bundle", Type: "collection", Timestamp: instant(at)}
	for _, c := range checks {
		r := Response(c, o)
		b.Entry = append(b.Entry, Entry{FullURL: o.url("/fhir/QuestionnaireResponse/" + r.ID), Resource: r})
		for _, ob := range Observations(c, o) {
			b.Entry = append(b.Entry, Entry{FullURL: o.url("/fhir/Observation/" + ob.ID), Resource: ob})
		}
	}
	return b
}

// observation is what all observations of a check have in common.
func (c Check) observation(kind, name string) Observation {
	status := "final"
	if c.status() == string(checks.InProgress) {
		status = "preliminary"
	}
	return Observation{
		ResourceType:      "Observation",
		ID:                id(c.CallID, kind, name),
		Status:            status,
		Category:          []CodeableConcept{{Coding: []Coding{{System: systemCategory, Code: "survey", Display: "Survey"}}}},
		Subject:           patient(c),
		EffectiveDateTime: instant(c.at()),
		DerivedFrom:       []Reference{{Reference: "QuestionnaireResponse/" + c.CallID.String()}},
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

// at is when the check was last added to.
func (c Check) at() time.Time {
	last := cmp.Or(c.EndedAt, c.StartedAt)
	for _, a := range c.Answers {
		if c.EndedAt.IsZero() && a.At.After(last) {
			last = a.At
		}
	}
	return last
}

func patient(c Check) *Reference {
	if !c.PersonID.Known() {
		return nil
	}
	return &Reference{Reference: "Patient/" + c.PersonID.String()}
}

func absentReason(reason string) *CodeableConcept {
	return &CodeableConcept{Coding: []Coding{{System: systemAbsent, Code: reason, Display: absentDisplay[reason]}}}
}
