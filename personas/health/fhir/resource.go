package fhir

import "github.com/naiber/naiber/internal/r4"

// The elements of FHIR R4 (4.0.1) that only this package writes, under FHIR's own names.

// QuestionnaireResponse is a check with its answers, grouped by pack. It contains
// the questionnaire that it answers, with the codes of the questions.
type QuestionnaireResponse struct {
	ResourceType  string          `json:"resourceType"`
	ID            string          `json:"id"`
	Contained     []Questionnaire `json:"contained"`
	Identifier    *r4.Identifier  `json:"identifier,omitempty"`
	Questionnaire string          `json:"questionnaire"`
	Status        string          `json:"status"`
	Subject       *r4.Reference   `json:"subject,omitempty"`
	Authored      string          `json:"authored,omitempty"`
	Author        *r4.Reference   `json:"author,omitempty"`
	Source        *r4.Reference   `json:"source,omitempty"`
	Item          []ResponseItem  `json:"item,omitempty"`
}

// ResponseItem is a group of questions, or a question with its answer.
type ResponseItem struct {
	LinkID string           `json:"linkId"`
	Text   string           `json:"text,omitempty"`
	Answer []ResponseAnswer `json:"answer,omitempty"`
	Item   []ResponseItem   `json:"item,omitempty"`
}

// ResponseAnswer is an answer's value, or the extension with the reason why there is none.
type ResponseAnswer struct {
	Extension []r4.Extension `json:"extension,omitempty"`
	r4.AnyValue
}

// Questionnaire lists what was asked. It is contained in a response.
type Questionnaire struct {
	ResourceType string     `json:"resourceType"`
	ID           string     `json:"id"`
	Title        string     `json:"title,omitempty"`
	Status       string     `json:"status"`
	Item         []Question `json:"item,omitempty"`
}

// Question is an item of a questionnaire.
type Question struct {
	LinkID string      `json:"linkId"`
	Code   []r4.Coding `json:"code,omitempty"`
	Text   string      `json:"text,omitempty"`
	Type   string      `json:"type"`
	Item   []Question  `json:"item,omitempty"`
}
