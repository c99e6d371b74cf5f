package fhir

// chosen are the codes of a choice: LOINC's, where it has one, and the house's.
func (a Answer) chosen(o Options) []Coding {
	own := o.own("answer", a.Value.Text)
	own.Display = text(a.Value.Label)
	if a.Value.LOINC == "" {
		return []Coding{own}
	}
	return []Coding{{System: systemLOINC, Code: a.Value.LOINC, Display: own.Display}, own}
}

// response is the answer within a QuestionnaireResponse.
func (a Answer) response(o Options) ResponseAnswer {
	if reason := a.absent(); reason != "" {
		return ResponseAnswer{Extension: []Extension{{URL: absentURL, ValueCode: reason}}}
	}
	v := a.value()
	switch {
	case a.Type == "choice":
		v = AnyValue{ValueCoding: &a.chosen(o)[0]}
	case a.Type == "number" && a.Value.Unit == "", v.ValueQuantity != nil && a.Type == "scale":
		v = AnyValue{ValueDecimal: &a.Value.Number}
	}
	return ResponseAnswer{AnyValue: v}
}

// value is the answer as a response and an observation both have it.
func (a Answer) value() AnyValue {
	switch v := a.Value; a.Type {
	case "boolean":
		return AnyValue{ValueBoolean: &v.Bool}
	case "scale":
		if n, ok := whole(v.Number); ok {
			return AnyValue{ValueInteger: &n}
		}
		return AnyValue{ValueQuantity: quantity(v.Number, v.Unit)}
	case "number":
		return AnyValue{ValueQuantity: quantity(v.Number, v.Unit)}
	case "time":
		if t, ok := timeOfDay(v.Text); ok {
			return AnyValue{ValueTime: t}
		}
	}
	return AnyValue{ValueString: text(a.Value.Text)}
}

// itemType is the type of the question in the questionnaire, which agrees with the
// value that response writes.
func (a Answer) itemType() string {
	v, absent := a.response(Options{}).AnyValue, a.absent() != ""
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

// observe sets the answer as an observation's value, or why there is none.
func (a Answer) observe(ob *Observation, o Options) {
	if reason := a.absent(); reason != "" {
		ob.DataAbsentReason = absentReason(reason)
		return
	}
	ob.AnyValue = a.value()
	n, isWhole := whole(a.Value.Number)
	switch {
	case a.Type == "choice":
		ob.AnyValue = AnyValue{ValueCodeableConcept: &CodeableConcept{Coding: a.chosen(o), Text: text(a.Value.Label)}}
	case a.Type == "number" && isWhole && a.Value.Unit == "":
		ob.AnyValue = AnyValue{ValueInteger: &n}
	}
}
