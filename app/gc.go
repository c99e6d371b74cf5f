package app

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// gcPercent lets the heap grow to five times the live data before a collection.
// The live data is some ten megabytes, and a turn leaves behind many times what
// it keeps: at the usual 100 the collector ran so often that the slowest first
// words waited for it.
const gcPercent = 400

// easeGC applies [gcPercent], unless an operator has set GOGC.
func easeGC() {
	const usual = 100
	if before := debug.SetGCPercent(gcPercent); before != usual {
		debug.SetGCPercent(before)
	}
}

// limitMemory makes the collector work harder before a container's memory limit
// is reached, unless an operator has set GOMEMLIMIT.
func limitMemory(ctx context.Context, log *slog.Logger) {
	switch limit, err := memlimit.Set(); {
	case errors.Is(err, memlimit.ErrCgroupsNotSupported), errors.Is(err, memlimit.ErrNoCgroup):
	case err != nil:
		log.WarnContext(ctx, "memory limit is not known", "err", err)
	case limit < math.MaxInt64:
		log.InfoContext(ctx, "memory is limited", "bytes", limit)
	}
}
