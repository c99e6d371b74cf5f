// Package migrations carries the schema's history inside the binary. Each file
// is one numbered step with its way up and its way down (goose); a step that was
// released is never edited, only followed by another.
package migrations

import "embed"

// FS holds the numbered .sql files.
//
//go:embed *.sql
var FS embed.FS
