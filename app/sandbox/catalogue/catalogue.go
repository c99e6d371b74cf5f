// Package catalogue holds the catalogue of the sandbox's appliance helper: the appliances of
// Kestrel, a brand that does not exist, and their parts.
package catalogue

import (
	_ "embed" // the catalogue
	"strings"
)

//go:embed kestrel.json
var kestrel string

// Kestrel returns the catalogue, in the form of docs/parts.md.
func Kestrel() *strings.Reader { return strings.NewReader(kestrel) }
