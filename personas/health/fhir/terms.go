package fhir

import (
	"math"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/r4"
)

const absentURL = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"

// NotReached is the status of a question that was never asked.
const NotReached = "not_reached"

// absent returns the reason why an answer has no value, or "" if it has one.
func (a Answer) absent() string {
	switch a.Status {
	case "answered", "keypad":
		if a.usable() {
			return ""
		}
	case "refused":
		return r4.AbsentDeclined
	case NotReached:
		return r4.AbsentNotAsked
	}
	return r4.AbsentAsked
}

// usable reports whether the value can be written: FHIR allows neither empty strings nor NaN and
// infinities.
func (a Answer) usable() bool {
	switch a.Type {
	case "scale", "number":
		return !math.IsNaN(a.Value.Number) && !math.IsInf(a.Value.Number, 0)
	case "boolean":
		return true
	case "choice":
		return r4.Code(a.Value.Text) != ""
	default:
		return r4.Text(a.Value.Text) != ""
	}
}

// units holds the UCUM codes of units by their spoken names.
var units = map[string]string{
	"kg": "kg", "kilo": "kg", "kilos": "kg", "kilogram": "kg", "kilograms": "kg",
	"lb": "[lb_av]", "lbs": "[lb_av]", "pound": "[lb_av]", "pounds": "[lb_av]", "stone": "[stone_av]",
	"mmol/l": "mmol/L", "mg/dl": "mg/dL", "%": "%", "mmhg": "mm[Hg]",
	"hours": "h", "hour": "h", "minutes": "min", "minute": "min", "days": "d", "day": "d",
}

func quantity(value float64, unit string) *r4.Quantity {
	q := &r4.Quantity{Value: value, Unit: r4.Text(unit)}
	if code, ok := units[strings.ToLower(q.Unit)]; ok {
		q.System, q.Code = r4.SystemUCUM, code
	}
	return q
}

// whole returns a number as an integer, if FHIR's integer can represent it.
func whole(x float64) (int, bool) {
	if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		return 0, false
	}
	return int(x), true
}

// timeOfDay converts "HH:MM" to FHIR's format with seconds. It returns false for anything else.
func timeOfDay(s string) (string, bool) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return "", false
	}
	return t.Format("15:04:05"), true
}
