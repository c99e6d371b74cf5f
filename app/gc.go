package app

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// gcPercent lets the heap grow to five times what is live before it is cleaned
// up. That is some ten megabytes, and what a turn leaves behind is many times
// what it keeps: at the usual 100 the collector ran often enough to be what the
// slowest first words waited for.
const gcPercent = 400

// easeGC applies [gcPercent], unless an operator has set GOGC.
func easeGC() {
	const usual = 100
	if before := debug.SetGCPercent(gcPercent); before != usual {
		debug.SetGCPercent(before)
	}
}

// limitMemory has the collector work harder before a container's limit is
// reached, unless an operator has set GOMEMLIMIT.
func limitMemory(ctx context.Context, log *slog.Logger) {
	switch limit, err := memlimit.Set(); {
	case errors.Is(err, memlimit.ErrCgroupsNotSupported), errors.Is(err, memlimit.ErrNoCgroup):
	case err != nil:
		log.WarnContext(ctx, "memory limit is not known", "err", err)
	case limit < math.MaxInt64:
		log.InfoContext(ctx, "memory is limited", "bytes", limit)
	}
}
