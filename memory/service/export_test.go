package service

import (
	"time"
)

// SetNow has a Recaller take another time for now.
func (r *Recaller) SetNow(now func() time.Time) { r.now = now }
