package fhir

// The elements of FHIR R4 (4.0.1) that are written here; names are FHIR's own.

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

// QuestionnaireResponse is a check with its answers, grouped by pack. It contains
// the questionnaire that it answers, with the codes of the questions.
type QuestionnaireResponse struct {
	ResourceType  string          `json:"resourceType"`
	ID            string          `json:"id"`
	Contained     []Questionnaire `json:"contained"`
	Identifier    *Identifier     `json:"identifier,omitempty"`
	Questionnaire string          `json:"questionnaire"`
	Status        string          `json:"status"`
	Subject       *Reference      `json:"subject,omitempty"`
	Authored      string          `json:"authored,omitempty"`
	Author        *Reference      `json:"author,omitempty"`
	Source        *Reference      `json:"source,omitempty"`
	Item          []ResponseItem  `json:"item,omitempty"`
}

// ResponseItem is a group of questions, or a question with its answer.
type ResponseItem struct {
	LinkID string           `json:"linkId"`
	Text   string           `json:"text,omitempty"`
	Answer []ResponseAnswer `json:"answer,omitempty"`
	Item   []ResponseItem   `json:"item,omitempty"`
}

// ResponseAnswer is an answer's value, or the extension that says why there is none.
type ResponseAnswer struct {
	Extension []Extension `json:"extension,omitempty"`
	AnyValue
}

// AnyValue is FHIR's value[x]: one of them is set.
type AnyValue struct {
	ValueBoolean         *bool            `json:"valueBoolean,omitempty"`
	ValueInteger         *int             `json:"valueInteger,omitempty"`
	ValueDecimal         *float64         `json:"valueDecimal,omitempty"` // of a response only, as is a coding by itself
	ValueTime            string           `json:"valueTime,omitempty"`
	ValueString          string           `json:"valueString,omitempty"`
	ValueCoding          *Coding          `json:"valueCoding,omitempty"`
	ValueQuantity        *Quantity        `json:"valueQuantity,omitempty"`
	ValueCodeableConcept *CodeableConcept `json:"valueCodeableConcept,omitempty"` // of an observation only
}

// Questionnaire is contained in a response: what was asked.
type Questionnaire struct {
	ResourceType string     `json:"resourceType"`
	ID           string     `json:"id"`
	Title        string     `json:"title,omitempty"`
	Status       string     `json:"status"`
	Item         []Question `json:"item,omitempty"`
}

// Question is an item of a questionnaire.
type Question struct {
	LinkID string     `json:"linkId"`
	Code   []Coding   `json:"code,omitempty"`
	Text   string     `json:"text,omitempty"`
	Type   string     `json:"type"`
	Item   []Question `json:"item,omitempty"`
}

// Observation is one answer, or one score, by itself.
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
	HasMember        []Reference       `json:"hasMember,omitempty"`
	DerivedFrom      []Reference       `json:"derivedFrom,omitempty"`
}

// CodeableConcept is something by its codes and in words.
type CodeableConcept struct {
	Coding []Coding `json:"coding,omitempty"`
	Text   string   `json:"text,omitempty"`
}

// Coding is a code of a system.
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

// Identifier is a name that another system gave.
type Identifier struct {
	System string `json:"system,omitempty"`
	Value  string `json:"value"`
}

// Reference points to another resource, or names it.
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
