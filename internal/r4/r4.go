// Package r4 holds the common parts of exports in FHIR R4 (4.0.1): the elements that more than one
// export writes, by FHIR's own names, and the format of their values. It is for output only.
package r4

import (
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
)

// Bundle is a collection of resources.
type Bundle struct {
	ResourceType string  `json:"resourceType"`
	Type         string  `json:"type"`
	Timestamp    string  `json:"timestamp,omitempty"`
	Entry        []Entry `json:"entry,omitempty"`
}

// Entry is one resource of a bundle.
type Entry struct {
	FullURL  string `json:"fullUrl"`
	Resource any    `json:"resource"`
}

// AnyValue is FHIR's value[x]: at most one of its fields is set.
type AnyValue struct {
	ValueBoolean         *bool            `json:"valueBoolean,omitempty"`
	ValueInteger         *int             `json:"valueInteger,omitempty"`
	ValueDecimal         *float64         `json:"valueDecimal,omitempty"` // only in a response, as is a plain coding
	ValueTime            string           `json:"valueTime,omitempty"`
	ValueString          string           `json:"valueString,omitempty"`
	ValueCoding          *Coding          `json:"valueCoding,omitempty"`
	ValueQuantity        *Quantity        `json:"valueQuantity,omitempty"`
	ValueCodeableConcept *CodeableConcept `json:"valueCodeableConcept,omitempty"` // only in an observation
}

// Observation is a single answer, or a single score.
type Observation struct {
	ResourceType      string            `json:"resourceType"`
	ID                string            `json:"id"`
	Status            string            `json:"status"`
	Category          []CodeableConcept `json:"category"`
	Code              CodeableConcept   `json:"code"`
	Subject           *Reference        `json:"subject,omitempty"`
	EffectiveDateTime string            `json:"effectiveDateTime,omitempty"`
	AnyValue
	DataAbsentReason *CodeableConcept  `json:"dataAbsentReason,omitempty"`
	Interpretation   []CodeableConcept `json:"interpretation,omitempty"`
	Note             []Annotation      `json:"note,omitempty"`
	HasMember        []Reference       `json:"hasMember,omitempty"`
	DerivedFrom      []Reference       `json:"derivedFrom,omitempty"`
	Component        []Component       `json:"component,omitempty"`
}

// Component is a part of an observation with a value of its own.
type Component struct {
	Code CodeableConcept `json:"code"`
	AnyValue
}

// Annotation is a note and its author.
type Annotation struct {
	AuthorString string `json:"authorString,omitempty"`
	Time         string `json:"time,omitempty"`
	Text         string `json:"text"`
}

// CodeableConcept is a concept by its codes and in words.
type CodeableConcept struct {
	Coding []Coding `json:"coding,omitempty"`
	Text   string   `json:"text,omitempty"`
}

// Coding is a code in a system of codes.
type Coding struct {
	System  string `json:"system,omitempty"`
	Code    string `json:"code,omitempty"`
	Display string `json:"display,omitempty"`
}

// Quantity is a number with a unit.
type Quantity struct {
	Value  float64 `json:"value"`
	Unit   string  `json:"unit,omitempty"`
	System string  `json:"system,omitempty"`
	Code   string  `json:"code,omitempty"`
}

// Identifier is a name assigned by another system.
type Identifier struct {
	System string `json:"system,omitempty"`
	Value  string `json:"value"`
}

// Reference refers to another resource, or names it.
type Reference struct {
	Reference string `json:"reference,omitempty"`
	Type      string `json:"type,omitempty"`
	Display   string `json:"display,omitempty"`
}

// Extension is an element beyond the standard ones.
type Extension struct {
	URL       string `json:"url"`
	ValueCode string `json:"valueCode,omitempty"`
}

// The systems of codes.
const (
	SystemLOINC    = "http://loinc.org"
	SystemUCUM     = "http://unitsofmeasure.org"
	SystemCategory = "http://terminology.hl7.org/CodeSystem/observation-category"
	SystemAbsent   = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
)

// The reasons why a value is absent, from SystemAbsent.
const (
	AbsentDeclined = "asked-declined"
	AbsentAsked    = "asked-unknown"
	AbsentNotAsked = "not-asked"
	AbsentUnknown  = "unknown"
)

var absentDisplay = map[string]string{
	AbsentDeclined: "Asked But Declined", AbsentAsked: "Asked But Unknown", AbsentNotAsked: "Not Asked", AbsentUnknown: "Unknown",
}

// AbsentReason returns the concept for a reason, with its display text.
func AbsentReason(reason string) *CodeableConcept {
	return &CodeableConcept{Coding: []Coding{{System: SystemAbsent, Code: reason, Display: absentDisplay[reason]}}}
}

// Survey returns the category of observations that come from questions.
func Survey() []CodeableConcept {
	return []CodeableConcept{{Coding: []Coding{{System: SystemCategory, Code: "survey", Display: "Survey"}}}}
}

// Score returns a number of points as a quantity.
func Score(points int) *Quantity {
	return &Quantity{Value: float64(points), Unit: "score", System: SystemUCUM, Code: "{score}"}
}

// DefaultBase is the beginning of our own URLs if no other is set.
const DefaultBase = "https://github.com/naiber/naiber"

// Options configure the output.
type Options struct {
	// Base begins the URLs of resources and of our own code systems, such as the public URL of this
	// installation; empty means DefaultBase.
	Base string
}

// URL returns path under the base URL.
func (o Options) URL(path string) string {
	base := strings.TrimRight(o.Base, "/")
	if base == "" {
		base = DefaultBase
	}
	return base + path
}

// Own returns a code in our own system for a kind of thing.
func (o Options) Own(kind, code string) Coding {
	return Coding{System: o.URL("/codes/" + kind), Code: Code(code)}
}

// Instant returns a moment with its offset, or "" for the zero time.
func Instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// Text returns s as a string that FHIR permits: no control characters except tab and line ends, no
// white space around it, at most 100,000 bytes.
func Text(s string) string {
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

// Code returns s as a code that FHIR permits: single spaces inside, none around it.
func Code(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// ID returns the id of a part of a check, which is the same in every export.
func ID(check, kind, name string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("naiber:"+check+"/"+kind+"/"+name)).String()
}
