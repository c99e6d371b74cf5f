package app

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// entry is what the file holds for an option: one value, or several for a list.
type entry struct {
	key    string
	line   int
	values []string
}

// readFile parses the values in a configuration file. It reports everything
// that is wrong, each mistake with its line and key, and returns what is right.
// Values do not appear in errors.
func readFile(name string, data []byte) ([]entry, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			return nil, fmt.Errorf("%s:%d: not YAML: %s", name, syntax.GetToken().Position.Line, syntax.GetMessage())
		}
		return nil, fmt.Errorf("%s: not YAML", name)
	}
	r := fileReader{name: name}
	for i, doc := range file.Docs {
		switch {
		case i > 0 && doc.Body != nil:
			r.fail(doc.Body, "", "there must be one document")
		case doc.Body != nil:
			r.mapping("", doc.Body)
		}
	}
	return r.entries, errors.Join(r.problems...)
}

type fileReader struct {
	name     string
	entries  []entry
	problems []error
}

func (r *fileReader) fail(at ast.Node, key, problem string) {
	if key != "" {
		problem = key + ": " + problem
	}
	r.problems = append(r.problems, fmt.Errorf("%s:%d: %s", r.name, lineOf(at), problem))
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

// mapping reads a section, or the whole file if prefix is empty.
func (r *fileReader) mapping(prefix string, n ast.Node) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, pair := range n.Values {
			r.pair(prefix, pair)
		}
	case *ast.MappingValueNode:
		r.pair(prefix, n)
	case *ast.NullNode, *ast.CommentGroupNode: // an empty section is fine
	default:
		r.fail(n, prefix, "must hold keys and values")
	}
}

func (r *fileReader) pair(prefix string, pair *ast.MappingValueNode) {
	key := prefix
	if key != "" {
		key += "."
	}
	key += pair.Key.GetToken().Value
	_, isSection := sections[key]
	switch {
	case prefix == "" && isSection:
		r.mapping(key, pair.Value)
	case optionByKey[key] == nil:
		r.fail(pair.Key, "", "unknown key "+strconv.Quote(key))
	default:
		r.value(key, pair)
	}
}

func (r *fileReader) value(key string, pair *ast.MappingValueNode) {
	e := entry{key: key, line: lineOf(pair.Key)}
	switch v := pair.Value.(type) {
	case nil, *ast.NullNode: // a key without a value keeps its default
		return
	case *ast.SequenceNode:
		if _, list := optionByKey[key].field(&Config{}).(*[]string); !list {
			r.fail(pair.Key, key, "must be one value, not a list")
			return
		}
		for _, item := range v.Values {
			text, ok := scalar(item)
			if !ok {
				r.fail(item, key, "must be a list of plain values")
				return
			}
			e.values = append(e.values, text)
		}
	default:
		text, ok := scalar(v)
		if !ok {
			r.fail(pair.Key, key, "must be a plain value")
			return
		}
		e.values = []string{text}
	}
	r.entries = append(r.entries, e)
}

// scalar returns the text of a plain value, as it was written.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	default:
		return "", false
	}
}
