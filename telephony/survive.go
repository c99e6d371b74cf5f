package telephony

import "github.com/naiber/naiber/store/survive"

// survive makes a panic in one of a call's goroutines the end of that call and of
// nothing else. It is deferred; then, where it is not nil, runs after a panic.
func (c *liveCall) survive(part string, then func()) {
	p := recover()
	if p == nil {
		return
	}
	c.metrics.panics.WithLabelValues(part).Inc()
	_ = survive.Report(c.log, part, p)
	if then != nil {
		then()
	}
}

// giveUp ends the call because something in it is broken: the person hears that
// we are sorry.
func (c *liveCall) giveUp() {
	c.end(verdict{cause: causeInternal, phone: phoneSorry})
}
