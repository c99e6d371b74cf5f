package app

import "runtime/debug"

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
