// Package schedule calls people regularly: it plans the days of their schedules ahead,
// places each day's call within its window, tries again depending on how a try ended, and
// ensures that a human is notified of an essential call that was not made.
//
// An occurrence alternates between due and calling, until it is settled:
//
//	       a try starts
//	due ─────────────────→ calling ──→ done       the person was reached
//	 ↑  ←─────────────────    │
//	 │   later: the gate,     │
//	 │   a ladder's next try  │
//	 ├──→ skipped ←───────────┤   a pause, a holiday, no consent
//	 └──→ missed ←────────────┘   its time is over, or no try is left
//	         └──→ escalated       essential: an alert was raised
//
// The start of a try and the job that places its call are one transaction, and so are the
// end of the call and that of the try. Everything in between may be repeated, since the try
// has an idempotency key for its call. Processes need not know of each other.
//
// The gate, in telephony, decides who may be called and when; schedules are stored by
// store/schedules.
package schedule
