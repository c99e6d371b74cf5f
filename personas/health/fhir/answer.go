package fhir

import "github.com/naiber/naiber/internal/r4"

// chosen returns the codes of a choice: LOINC's, if it has one, and our own.
func (a Answer) chosen(o r4.Options) []r4.Coding {
	own := o.Own("answer", a.Value.Text)
	own.Display = r4.Text(a.Value.Label)
	if a.Value.LOINC == "" {
		return []r4.Coding{own}
	}
	return []r4.Coding{{System: r4.SystemLOINC, Code: a.Value.LOINC, Display: own.Display}, own}
}

// response returns the answer within a QuestionnaireResponse.
func (a Answer) response(o r4.Options) ResponseAnswer {
	if reason := a.absent(); reason != "" {
		return ResponseAnswer{Extension: []r4.Extension{{URL: absentURL, ValueCode: reason}}}
	}
	v := a.value()
	switch {
	case a.Type == "choice":
		v = r4.AnyValue{ValueCoding: &a.chosen(o)[0]}
	case a.Type == "number" && a.Value.Unit == "", v.ValueQuantity != nil && a.Type == "scale":
		v = r4.AnyValue{ValueDecimal: &a.Value.Number}
	}
	return ResponseAnswer{AnyValue: v}
}

// value returns the answer in the form common to responses and observations.
func (a Answer) value() r4.AnyValue {
	switch v := a.Value; a.Type {
	case "boolean":
		return r4.AnyValue{ValueBoolean: &v.Bool}
	case "scale":
		if n, ok := whole(v.Number); ok {
			return r4.AnyValue{ValueInteger: &n}
		}
		return r4.AnyValue{ValueQuantity: quantity(v.Number, v.Unit)}
	case "number":
		return r4.AnyValue{ValueQuantity: quantity(v.Number, v.Unit)}
	case "time":
		if t, ok := timeOfDay(v.Text); ok {
			return r4.AnyValue{ValueTime: t}
		}
	}
	return r4.AnyValue{ValueString: r4.Text(a.Value.Text)}
}

// itemType returns the type of the question in the questionnaire, which matches the value that
// response returns.
func (a Answer) itemType() string {
	v, absent := a.response(r4.Options{}).AnyValue, a.absent() != ""
	switch {
	case a.Type == "boolean", a.Type == "choice":
		return a.Type
	case v.ValueInteger != nil, absent && a.Type == "scale":
		return "integer"
	case v.ValueDecimal != nil, absent && a.Type == "number":
		return "decimal"
	case v.ValueQuantity != nil:
		return "quantity"
	case v.ValueTime != "", absent && a.Type == "time":
		return "time"
	}
	return "text"
}

// observe sets the answer as an observation's value, or the reason why there is none.
func (a Answer) observe(ob *r4.Observation, o r4.Options) {
	if reason := a.absent(); reason != "" {
		ob.DataAbsentReason = r4.AbsentReason(reason)
		return
	}
	ob.AnyValue = a.value()
	n, isWhole := whole(a.Value.Number)
	switch {
	case a.Type == "choice":
		ob.AnyValue = r4.AnyValue{ValueCodeableConcept: &r4.CodeableConcept{Coding: a.chosen(o), Text: r4.Text(a.Value.Label)}}
	case a.Type == "number" && isWhole && a.Value.Unit == "":
		ob.AnyValue = r4.AnyValue{ValueInteger: &n}
	}
}
