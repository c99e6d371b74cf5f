package carrier

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errTwiML is what is wrong with a document that cannot be used.
var errTwiML = errors.New("invalid TwiML")

// node is an element of TwiML.
type node struct {
	name     string
	attrs    map[string]string
	text     string
	children []node
}

// parseTwiML reads a document and returns the verbs of its Response.
func parseTwiML(b []byte) ([]node, error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		tok, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: no Response", errTwiML)
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local != "Response" {
			return nil, fmt.Errorf("%w: root element %s", errTwiML, start.Name.Local)
		}
		root, err := readNode(d, start, 0)
		if err != nil {
			return nil, err
		}
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				return root.children, nil
			}
			if _, ok := tok.(xml.StartElement); ok || err != nil {
				return nil, fmt.Errorf("%w: content after Response", errTwiML)
			}
		}
	}
}

// maxDepth is more than any verb nests.
const maxDepth = 8

func readNode(d *xml.Decoder, start xml.StartElement, depth int) (node, error) {
	if depth > maxDepth {
		return node{}, fmt.Errorf("%w: nested too deeply", errTwiML)
	}
	n := node{name: start.Name.Local, attrs: make(map[string]string, len(start.Attr))}
	for _, a := range start.Attr {
		n.attrs[a.Name.Local] = a.Value
	}
	var b strings.Builder
	for {
		tok, err := d.Token()
		if err != nil {
			return node{}, fmt.Errorf("%w: %w", errTwiML, err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			child, err := readNode(d, t, depth+1)
			if err != nil {
				return node{}, err
			}
			n.children = append(n.children, child)
		case xml.CharData:
			b.Write(t)
		case xml.EndElement:
			n.text = strings.TrimSpace(b.String())
			return n, nil
		}
	}
}
