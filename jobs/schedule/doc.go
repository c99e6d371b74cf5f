// Package schedule calls people regularly: it plans the days of their schedules ahead,
// has each day's call placed within its window, tries again by how a try ended, and sees
// to it that an essential call which was not made becomes known to a human.
//
// An occurrence goes from due to calling and back, until it is settled:
//
//	       a try begins
//	due ─────────────────→ calling ──→ done       a human was spoken with
//	 ↑  ←─────────────────    │
//	 │   later: the gate,     │
//	 │   a ladder's next try  │
//	 ├──→ skipped ←───────────┤   a pause, a holiday, no consent
//	 └──→ missed ←────────────┘   its time is over, or no try is left
//	         └──→ escalated       essential: an alert was raised
//
// The beginning of a try and the job that places its call are one transaction, and so are
// the end of the call and that of the try. All that is between them can be done again: the
// call's idempotency key is the try's. Processes need not know of each other.
//
// What may be called and when is the gate's to decide, in telephony; what a schedule is,
// is kept in store/schedules.
package schedule
