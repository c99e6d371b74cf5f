package reader

// The confidence of a reading by what supports it. [SettleAt] lies between likely and guess.
const (
	certain  = 0.95 // nothing else was said, or it has only one meaning
	sure     = 0.9  // said explicitly
	stated   = 0.85 // said as a statement, or in words that mean the same
	fair     = 0.8  // by words that rarely mean anything else
	likely   = 0.75 // something hedges it, or it follows from what was said
	guess    = 0.6  // must be read back, as something contradicts it
	doubtful = 0.5  // may just as well be about something else, somebody else or another time
)
