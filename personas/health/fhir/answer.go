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
	switch v := a.Value; a.Type {
	case "boolean":
		return ResponseAnswer{ValueBoolean: &v.Bool}
	case "scale":
		if n, ok := whole(v.Number); ok {
			return ResponseAnswer{ValueInteger: &n}
		}
		return ResponseAnswer{ValueDecimal: &v.Number}
	case "number":
		if v.Unit != "" {
			return ResponseAnswer{ValueQuantity: quantity(v.Number, v.Unit)}
		}
		return ResponseAnswer{ValueDecimal: &v.Number}
	case "choice":
		return ResponseAnswer{ValueCoding: &a.chosen(o)[0]}
	case "time":
		if t, ok := timeOfDay(v.Text); ok {
			return ResponseAnswer{ValueTime: t}
		}
	}
	return ResponseAnswer{ValueString: text(a.Value.Text)}
}

// itemType is the type of the question in the questionnaire, which agrees with the
// value that response writes.
func (a Answer) itemType() string {
	written := a.absent() == ""
	switch a.Type {
	case "boolean", "choice":
		return a.Type
	case "scale":
		if _, ok := whole(a.Value.Number); written && !ok {
			return "decimal"
		}
		return "integer"
	case "number":
		if written && a.Value.Unit != "" {
			return "quantity"
		}
		return "decimal"
	case "time":
		if _, ok := timeOfDay(a.Value.Text); !written || ok {
			return "time"
		}
	}
	return "text"
}

// observe sets the answer as an observation's value, or why there is none.
func (a Answer) observe(ob *Observation, o Options) {
	if reason := a.absent(); reason != "" {
		ob.DataAbsentReason = absentReason(reason)
		return
	}
	switch v := a.Value; a.Type {
	case "boolean":
		ob.ValueBoolean = &v.Bool
		return
	case "scale", "number":
		if n, ok := whole(v.Number); ok && v.Unit == "" {
			ob.ValueInteger = &n
		} else {
			ob.ValueQuantity = quantity(v.Number, v.Unit)
		}
		return
	case "choice":
		ob.ValueCodeableConcept = &CodeableConcept{Coding: a.chosen(o), Text: text(v.Label)}
		return
	case "time":
		if t, ok := timeOfDay(v.Text); ok {
			ob.ValueTime = t
			return
		}
	}
	ob.ValueString = text(a.Value.Text)
}
