package reader

// What a reading is worth, by what speaks for it. [SettleAt] lies between likely and
// guess.
const (
	certain  = 0.95 // nothing else was said, or it can mean nothing else
	sure     = 0.9  // in so many words
	stated   = 0.85 // told as a statement, or in words that mean the same
	fair     = 0.8  // by words that seldom mean anything else
	likely   = 0.75 // something hedges it, or it follows from what was told
	guess    = 0.6  // to be read back: something speaks against it
	doubtful = 0.5  // may as well be said of something else, somebody else or another time
)
