package words

// Situation is an occasion for a fixed sentence.
type Situation string

// The situations. Each has several sentences, so that the same one is not heard twice in a row.
// Those marked "leads" are spoken before a question or a read-back, so they must not ask anything
// themselves.
const (
	Begin           Situation = "begin"             // leads: the person agreed to begin
	Thanks          Situation = "thanks"            // leads: an answer was understood
	Glad            Situation = "glad"              // leads: the answer was good news
	Sorry           Situation = "sorry"             // leads: the answer was bad news
	Corrected       Situation = "corrected"         // leads: an earlier answer was changed
	CorrectedOpen   Situation = "corrected_open"    // leads: an earlier answer was taken back without a new one; that question follows
	Confirmed       Situation = "confirmed"         // leads: a read-back was confirmed
	Skip            Situation = "skip"              // leads: a question was given up after all attempts
	Refused         Situation = "refused"           // leads: the person does not want to say
	Skipped         Situation = "skipped"           // leads: the person wants the next question
	Digression      Situation = "digression"        // leads: the person talked about something else
	Who             Situation = "who"               // leads: the person asked who is calling; it answers that
	Kind            Situation = "kind"              // leads: the person asked how we are
	Soon            Situation = "soon"              // leads: the person asked how much longer it takes
	Asked           Situation = "asked"             // leads: the person asked something that we cannot answer
	Story           Situation = "story"             // leads: the person told a long story, which memory keeps
	Repeat          Situation = "repeat"            // leads: "pardon?"
	Explain         Situation = "explain"           // leads: "what do you mean?"
	Unclear         Situation = "unclear"           // leads: not understood
	Silence         Situation = "silence"           // leads: nothing was said
	HoldOn          Situation = "hold_on"           // leads: the person is back from a hold
	DistressGoOn    Situation = "distress_go_on"    // leads: after distress, the person wants to go on
	RightPerson     Situation = "right_person"      // leads: it is the person after all
	GoOn            Situation = "go_on"             // leads: the person does not want to stop after all
	Resumed         Situation = "resumed"           // leads: a later call continues an unfinished check
	ResumedAt       Situation = "resumed_at"        // leads: the same, with a follow-up to {value}
	Back            Situation = "back"              // leads: returns to {value}, answered in an earlier call
	Reconnected     Situation = "reconnected"       // leads: the line was cut during this call
	KeypadOffer     Situation = "keypad_offer"      // leads: precedes the pack's own offer of keys
	KeypadBad       Situation = "keypad_bad"        // leads: the key is not an answer to the question
	ReadBackDenied  Situation = "read_back_denied"  // leads: the read-back was wrong; the question follows
	ReadBackUnclear Situation = "read_back_unclear" // leads: neither yes nor no to a read-back, which follows again

	Hold               Situation = "hold"                 // "just a minute": waits
	Filler             Situation = "filler"               // "um, well…": waits
	ReadBack           Situation = "read_back"            // asks whether {value} is right, if the pack has no words for it
	ReadBackWords      Situation = "read_back_words"      // asks whether {quote} is {value} of {of}, for {about}
	Distress           Situation = "distress"             // unhurried, offers to stop, waits
	WrongPerson        Situation = "wrong_person"         // asks whether the person can come to the telephone
	FetchPerson        Situation = "fetch_person"         // the person is being fetched: waits
	ConfirmExit        Situation = "confirm_exit"         // asks once whether to stop here
	ConfirmLater       Situation = "confirm_later"        // asks whether to call another time
	ConfirmExitUnclear Situation = "confirm_exit_unclear" // asks that again
	Moment             Situation = "moment"               // asks whether it is a good moment

	ClosingDone        Situation = "closing_done"         // all questions were asked: thanks and goodbye
	ClosingStopped     Situation = "closing_stopped"      // the person ended it: thanks and goodbye
	ClosingLater       Situation = "closing_later"        // not a good moment: goodbye
	ClosingWrongPerson Situation = "closing_wrong_person" // somebody else answered: reveals nothing about the person
	Over               Situation = "over"                 // after the end: a short goodbye
)
