package carrier

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errTwiML is the error of a document that cannot be used.
var errTwiML = errors.New("invalid TwiML")

// node is an element of TwiML.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []node     `xml:",any"`
}

func (n node) name() string { return n.XMLName.Local }

func (n node) text() string { return strings.TrimSpace(n.Text) }

func (n node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// parseTwiML parses a document and returns the verbs of its Response.
func parseTwiML(b []byte) ([]node, error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	var root node
	if err := d.Decode(&root); err != nil || root.name() != "Response" {
		return nil, fmt.Errorf("%w: no Response", errTwiML)
	}
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return root.Children, nil
		}
		if _, ok := tok.(xml.StartElement); ok || err != nil {
			return nil, fmt.Errorf("%w: content after Response", errTwiML)
		}
	}
}
