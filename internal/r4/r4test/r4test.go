// Package r4test checks resources against the rules of FHIR R4, for the tests of exports.
package r4test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The rules of FHIR R4 (4.0.1) for the elements written here: which exist, which are required,
// which are lists, and the format of their values. Source: hl7.org/fhir/R4, the resources' own
// pages and datatypes.html.
type element struct {
	required, list bool
	of             string // a complex type below, or a primitive
}

var (
	required = func(of string) element { return element{required: true, of: of} }
	optional = func(of string) element { return element{of: of} }
	any0     = func(of string) element { return element{list: true, of: of} }

	definitions = map[string]map[string]element{
		"Bundle": {
			"resourceType": required("code"), "type": required("bundleType"), "timestamp": optional("dateTime"), "entry": any0("Entry"),
		},
		"Entry": {"fullUrl": optional("uri"), "resource": required("Resource")},
		"QuestionnaireResponse": {
			"resourceType": required("code"), "id": optional("id"), "contained": any0("Resource"), "identifier": optional("Identifier"),
			"questionnaire": optional("uri"), "status": required("responseStatus"), "subject": optional("Reference"),
			"authored": optional("dateTime"), "author": optional("Reference"), "source": optional("Reference"), "item": any0("ResponseItem"),
		},
		"ResponseItem": {
			"linkId": required("string"), "text": optional("string"), "answer": any0("ResponseAnswer"), "item": any0("ResponseItem"),
		},
		"ResponseAnswer": {
			"extension": any0("Extension"), "valueBoolean": optional("boolean"), "valueInteger": optional("integer"),
			"valueDecimal": optional("decimal"), "valueTime": optional("time"), "valueString": optional("string"),
			"valueCoding": optional("Coding"), "valueQuantity": optional("Quantity"),
		},
		"Questionnaire": {
			"resourceType": required("code"), "id": optional("id"), "title": optional("string"), "status": required("publicationStatus"),
			"item": any0("Question"),
		},
		"Question": {
			"linkId": required("string"), "code": any0("Coding"), "text": optional("string"), "type": required("itemType"), "item": any0("Question"),
		},
		"Observation": {
			"resourceType": required("code"), "id": optional("id"), "status": required("observationStatus"), "category": any0("CodeableConcept"),
			"code": required("CodeableConcept"), "subject": optional("Reference"), "effectiveDateTime": optional("dateTime"),
			"valueBoolean": optional("boolean"), "valueInteger": optional("integer"), "valueTime": optional("time"),
			"valueString": optional("string"), "valueQuantity": optional("Quantity"), "valueCodeableConcept": optional("CodeableConcept"),
			"dataAbsentReason": optional("CodeableConcept"), "interpretation": any0("CodeableConcept"), "hasMember": any0("Reference"),
			"derivedFrom": any0("Reference"), "note": any0("Annotation"), "component": any0("Component"),
		},
		"Component": {
			"code": required("CodeableConcept"), "valueInteger": optional("integer"), "valueString": optional("string"),
			"valueQuantity": optional("Quantity"),
		},
		"Annotation":      {"authorString": optional("string"), "time": optional("dateTime"), "text": required("string")},
		"CodeableConcept": {"coding": any0("Coding"), "text": optional("string")},
		"Coding":          {"system": optional("uri"), "code": optional("code"), "display": optional("string")},
		"Quantity":        {"value": optional("decimal"), "unit": optional("string"), "system": optional("uri"), "code": optional("code")},
		"Identifier":      {"system": optional("uri"), "value": optional("string")},
		"Reference":       {"reference": optional("string"), "type": optional("uri"), "display": optional("string")},
		"Extension":       {"url": required("uri"), "valueCode": optional("code")},
	}

	forms = map[string]*regexp.Regexp{
		"code":              regexp.MustCompile(`^[^\s]+(\s[^\s]+)*$`),
		"id":                regexp.MustCompile(`^[A-Za-z0-9\-.]{1,64}$`),
		"uri":               regexp.MustCompile(`^\S+$`),
		"string":            regexp.MustCompile(`^[ \r\n\t\S]*\S[ \r\n\t\S]*$`),
		"dateTime":          regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`),
		"time":              regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$`),
		"bundleType":        regexp.MustCompile(`^collection$`),
		"responseStatus":    regexp.MustCompile(`^(in-progress|completed|amended|entered-in-error|stopped)$`),
		"publicationStatus": regexp.MustCompile(`^(draft|active|retired|unknown)$`),
		"observationStatus": regexp.MustCompile(`^(registered|preliminary|final|amended|corrected|cancelled|entered-in-error|unknown)$`),
		"itemType":          regexp.MustCompile(`^(group|display|boolean|decimal|integer|date|dateTime|time|string|text|url|choice|open-choice|attachment|reference|quantity)$`),
	}
)

// Valid fails the test for each violation of R4 in a resource.
func Valid(t *testing.T, resource any) {
	t.Helper()
	data, err := json.Marshal(resource)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	for _, problem := range check("", "Resource", tree) {
		t.Error(problem)
	}
}

func check(path, of string, v any) []string {
	if of == "Resource" {
		m, _ := v.(map[string]any)
		of, _ = m["resourceType"].(string)
		path += "/" + of
	}
	if def, ok := definitions[of]; ok {
		m, ok := v.(map[string]any)
		if !ok || len(m) == 0 {
			return []string{fmt.Sprintf("%s: want a %s, got %v", path, of, v)}
		}
		return append(checkComplex(path, def, m), invariants(path, of, m)...)
	}
	switch of {
	case "boolean":
		if _, ok := v.(bool); !ok {
			return []string{fmt.Sprintf("%s: %v is no boolean", path, v)}
		}
	case "integer", "decimal":
		n, ok := v.(float64)
		if !ok || of == "integer" && n != float64(int32(n)) {
			return []string{fmt.Sprintf("%s: %v is no %s", path, v, of)}
		}
	default:
		s, ok := v.(string)
		if form := forms[of]; !ok || form == nil || !form.MatchString(s) {
			return []string{fmt.Sprintf("%s: %q is no %s", path, v, of)}
		}
	}
	return nil
}

func checkComplex(path string, def map[string]element, m map[string]any) []string {
	var problems []string
	for name, e := range def {
		if _, ok := m[name]; e.required && !ok {
			problems = append(problems, path+": "+name+" is missing")
		}
	}
	for name, v := range m {
		e, ok := def[name]
		if !ok {
			problems = append(problems, path+": there is no element "+name)
			continue
		}
		at := path + "/" + name
		if !e.list {
			problems = append(problems, check(at, e.of, v)...)
			continue
		}
		items, ok := v.([]any)
		if !ok || len(items) == 0 {
			problems = append(problems, at+": want a list that is not empty")
			continue
		}
		for i, item := range items {
			problems = append(problems, check(fmt.Sprintf("%s[%d]", at, i), e.of, item)...)
		}
	}
	return problems
}

// invariants returns the violations of the rules between elements: one value[x] (and ele-1), obs-6,
// qrs-1, que-1, que-2.
func invariants(path, of string, m map[string]any) []string {
	var problems []string
	values := 0
	for name := range m {
		if strings.HasPrefix(name, "value") && name != "value" && name != "valueCode" {
			values++
		}
	}
	if values > 1 {
		problems = append(problems, path+": more than one value[x]")
	}
	_, absent := m["dataAbsentReason"]
	switch of {
	case "Observation":
		if absent == (values == 1) {
			problems = append(problems, path+": a value or a reason for its absence (obs-6)")
		}
	case "ResponseAnswer":
		if _, extended := m["extension"]; extended == (values == 1) {
			problems = append(problems, path+": a value or an extension that says why not")
		}
	case "ResponseItem":
		_, answer := m["answer"]
		if _, item := m["item"]; item && answer {
			problems = append(problems, path+": items beneath both item and answer (qrs-1)")
		}
	case "Question":
		if _, item := m["item"]; item != (m["type"] == "group") {
			problems = append(problems, path+": groups, and only groups, hold items (que-1)")
		}
	case "Questionnaire":
		links := linkIDs(m)
		if slices.Sort(links); len(slices.Compact(slices.Clone(links))) != len(links) {
			problems = append(problems, path+": a linkId is there twice (que-2)")
		}
	}
	return problems
}

func linkIDs(m map[string]any) []string {
	var links []string
	if link, ok := m["linkId"].(string); ok {
		links = append(links, link)
	}
	items, _ := m["item"].([]any)
	for _, item := range items {
		child, _ := item.(map[string]any)
		links = append(links, linkIDs(child)...)
	}
	return links
}
