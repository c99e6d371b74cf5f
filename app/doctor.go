package app

import (
	"context"
	"errors"
	"io"
)

// Doctor checks every dependency.
func (p *program) Doctor(context.Context, io.Writer, bool) (bool, error) {
	return false, errors.New("not built")
}
