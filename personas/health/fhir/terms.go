package fhir

import (
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store"
)

// Systems of codes and extensions.
const (
	systemLOINC    = "http://loinc.org"
	systemUCUM     = "http://unitsofmeasure.org"
	systemCategory = "http://terminology.hl7.org/CodeSystem/observation-category"
	systemAbsent   = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
	absentURL      = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
)

// Reasons why a value is absent, from systemAbsent.
const (
	absentDeclined = "asked-declined"
	absentUnknown  = "asked-unknown"
	absentNotAsked = "not-asked"
	absentScore    = "unknown"
)

var absentDisplay = map[string]string{
	absentDeclined: "Asked But Declined", absentUnknown: "Asked But Unknown", absentNotAsked: "Not Asked", absentScore: "Unknown",
}

// NotReached is the status of a question that was never asked.
const NotReached = "not_reached"

// absent says why an answer has no value; empty where it has one.
func (a Answer) absent() string {
	switch a.Status {
	case "answered", "keypad":
		if a.usable() {
			return ""
		}
	case "refused":
		return absentDeclined
	case NotReached:
		return absentNotAsked
	}
	return absentUnknown
}

// usable reports whether the value can be written: FHIR knows neither empty
// strings nor numbers that are none.
func (a Answer) usable() bool {
	switch a.Type {
	case "scale", "number":
		return !math.IsNaN(a.Value.Number) && !math.IsInf(a.Value.Number, 0)
	case "boolean":
		return true
	case "choice":
		return code(a.Value.Text) != ""
	default:
		return text(a.Value.Text) != ""
	}
}

// units are the UCUM codes of units as people say them.
var units = map[string]string{
	"kg": "kg", "kilo": "kg", "kilos": "kg", "kilogram": "kg", "kilograms": "kg",
	"lb": "[lb_av]", "lbs": "[lb_av]", "pound": "[lb_av]", "pounds": "[lb_av]", "stone": "[stone_av]",
	"mmol/l": "mmol/L", "mg/dl": "mg/dL", "%": "%", "mmhg": "mm[Hg]",
	"hours": "h", "hour": "h", "minutes": "min", "minute": "min", "days": "d", "day": "d",
}

func quantity(value float64, unit string) *Quantity {
	q := &Quantity{Value: value, Unit: text(unit)}
	if code, ok := units[strings.ToLower(q.Unit)]; ok {
		q.System, q.Code = systemUCUM, code
	}
	return q
}

// whole is the number as an integer, if it is one that FHIR's integer can hold.
func whole(x float64) (int, bool) {
	if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		return 0, false
	}
	return int(x), true
}

// timeOfDay is "HH:MM" as FHIR wants it, with seconds; false for anything else.
func timeOfDay(s string) (string, bool) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return "", false
	}
	return t.Format("15:04:05"), true
}

// instant is a moment with its offset; empty for none.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// text is a string as FHIR allows it: no control characters but tab and line ends,
// no white space around, at most some pages long.
func text(s string) string {
	const longest = 100_000
	s = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "")
	}
	return strings.TrimSpace(s)
}

// code is a string as FHIR allows codes: single spaces inside, none around.
func code(s string) string { return strings.Join(strings.Fields(text(s)), " ") }

// id is that of a part of a check, the same whenever it is exported.
func id(check store.CallID, kind, name string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("naiber:"+check.String()+"/"+kind+"/"+name)).String()
}
