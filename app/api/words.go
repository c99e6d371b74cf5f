package api

import (
	"cmp"
	_ "embed"

	"github.com/danielgtaylor/huma/v2"
	"github.com/goccy/go-yaml"
)

//go:embed words.yaml
var wordsFile []byte

// explain completes a description with the texts that its routes do not have: descriptions of the
// tags and of every operation, parameter and field. A field is looked up by its schema and name,
// then by its name alone, for fields that mean the same everywhere. Existing descriptions stay.
func explain(doc *huma.OpenAPI) {
	var words struct {
		Tags               []struct{ Name, Description string }
		Operations, Fields map[string]string
	}
	if err := yaml.UnmarshalWithOptions(wordsFile, &words, yaml.Strict()); err != nil {
		panic("words.yaml: " + err.Error()) // the file is embedded in the program
	}
	doc.Tags = doc.Tags[:0]
	declared := map[string]bool{}
	for _, item := range doc.Paths {
		for _, op := range operations(item) {
			op.Description = cmp.Or(op.Description, words.Operations[op.OperationID])
			for _, tag := range op.Tags {
				declared[tag] = true
			}
			for _, p := range op.Parameters {
				p.Description = cmp.Or(p.Description, words.Fields[p.Name])
			}
		}
	}
	for _, tag := range words.Tags {
		if declared[tag.Name] {
			doc.Tags = append(doc.Tags, &huma.Tag{Name: tag.Name, Description: tag.Description})
		}
	}
	for name, schema := range doc.Components.Schemas.Map() {
		for field, s := range schema.Properties {
			if s.Description == "" {
				// Several fields may share a schema, so the description goes on a copy.
				described := *s
				described.Description = cmp.Or(words.Fields[name+"."+field], words.Fields[field])
				s, schema.Properties[field] = &described, &described
			}
			if s.PatternDescription != "" { // not a keyword of OpenAPI
				s.Description += " (" + s.PatternDescription + ")"
				s.PatternDescription = ""
			}
		}
	}
}

// operations returns the operations of a path.
func operations(item *huma.PathItem) []*huma.Operation {
	var all []*huma.Operation
	for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
		if op != nil {
			all = append(all, op)
		}
	}
	return all
}
