package reader

// Intent is the purpose of a reply, whatever the question was.
type Intent string

// The intents.
const (
	IntentNone        Intent = ""             // an answer, or nothing that rules recognise
	IntentExit        Intent = "exit"         // wants to end the check or the call
	IntentYes         Intent = "yes"          // confirms
	IntentNo          Intent = "no"           // denies
	IntentRepeat      Intent = "repeat"       // "pardon?"
	IntentExplain     Intent = "explain"      // "what do you mean?"
	IntentHold        Intent = "hold"         // "just a minute"
	IntentDigression  Intent = "digression"   // talks about something else
	IntentWrongPerson Intent = "wrong_person" // somebody else than the person called
	IntentDistress    Intent = "distress"     // only a hint: safety has its own detection
	IntentFiller      Intent = "filler"       // "um", "well…"
	IntentSilence     Intent = "silence"      // nothing was said
)

// longWords is the number of words from which a reply without yes, no or a number is taken for a
// story.
const longWords = 14

// IntentOf returns the intent of a reply in English. It does not go by single words: "I can't stop
// coughing" and "they played Bye Bye Love" are not an exit. If several intents hold, distress comes
// first, then a wrong person, then the exit.
//
// It does not know the question: call [Read] first, and IntentOf if nothing was settled, or to look
// for an exit and for distress.
func IntentOf(said string) Intent { return IntentIn(said, Context{}) }

// IntentIn returns the intent of a reply, like [IntentOf], in the language of ctx.
func IntentIn(said string, ctx Context) Intent {
	if _, _, ok := keypad(said); ok {
		return IntentNone
	}
	r := parse(For(ctx.Locale), said).talking()
	switch {
	case len(r.toks) == 0 || r.silence():
		return IntentSilence
	case r.has(cue.Distress):
		return IntentDistress
	case r.ofAnotherPerson():
		return IntentWrongPerson
	case r.exits():
		return IntentExit
	case r.agrees():
		return IntentYes
	case r.asksAgain() || r.shortAsk():
		return IntentRepeat
	case r.has(cue.Explain):
		return IntentExplain
	case r.holds():
		return IntentHold
	}
	switch yes, ok := r.confirms(); {
	case ok && yes:
		return IntentYes
	case ok:
		return IntentNo
	case r.allOf(cue.Hollow):
		return IntentFiller
	case r.has(cue.Digress) || len(r.toks) >= longWords:
		return IntentDigression
	}
	return IntentNone
}

// has reports whether the reply contains a phrase of the class.
func (r *text) has(class class) bool { return r.any(0, len(r.toks), class) }

// ofAnotherPerson reports whether the reply says that somebody else is on the line. "Since she
// died" does not.
func (r talking) ofAnotherPerson() bool {
	for i := range r.toks {
		if r.starts(i, cue.WrongPerson) && (!r.follows(i) || !r.in(i-1, cue.SinceWhen)) {
			return true
		}
	}
	return false
}

// asksAgain reports whether the reply asks to hear the question again. "Cómo no" does not, though
// "cómo" does.
func (r talking) asksAgain() bool {
	for i := range r.toks {
		if r.againAt(i) > 0 {
			return true
		}
	}
	return false
}

// againAt returns the length of words at i that ask to hear the question again, or 0 if they begin
// a longer yes or no.
func (r talking) againAt(i int) int {
	n, _ := r.match(i, cue.Again)
	if m, _ := r.match(i, cue.Particles); m > n {
		return 0
	}
	return n
}

// shortAsk reports whether the reply is a word or two with a question mark: "What?", "You what?".
func (r talking) shortAsk() bool {
	n := len(r.toks)
	return n > 0 && n <= 2 && r.toks[n-1].asked && r.in(n-1, cue.ShortAsk)
}

// holds reports whether the speaker asks for a moment. The request must come first: "I hold on to
// the rail" is not one.
func (r talking) holds() bool {
	i, _, _ := r.anywhere(cue.Hold)
	return i >= 0 && len(r.toks) <= longWords && (r.opens(i) || i <= 2 && r.in(i, cue.Others))
}

// exits reports whether the speaker wants to stop. A word of parting must be a sentence of its own;
// a wish to stop may stand anywhere, unless something takes it back.
func (r talking) exits() bool {
	for i := range r.toks {
		if r.exitAt(i) > 0 {
			return true
		}
		if n, _ := r.match(i, cue.ExitAlone); n > 0 && r.partingAlone(i, i+n) {
			return true
		}
	}
	return false
}

// exitAt returns the length of a wish to stop at token i, or 0.
func (r talking) exitAt(i int) int {
	n, _ := r.match(i, cue.Exit)
	if n > 0 && r.takenBack(i, i+n) {
		n = 0
	}
	if m := r.lx.exit.at(r.ask(&Question{}), i); m > n && !r.reported(i) {
		n = m
	}
	if r.tiredOf(i+n) || r.in(i+n, cue.GoesTo) && r.follows(i+n) && !r.starts(i+n-1, cue.Parting) {
		return 0
	}
	return n
}

// reported reports whether the words at token i are reported speech: "he said, I must go".
func (r *text) reported(i int) bool {
	from, _ := r.around(i, i+1, hard)
	return r.any(from, i, cue.SaidSo)
}

// tiredOf reports whether "enough of this", which ends before j, is about something other than the
// call: "enough of this weather".
func (r talking) tiredOf(j int) bool {
	return r.starts(j-2, cue.OfThis) && r.follows(j) && !r.toks[j].plain && !r.in(j, cue.Joiners) && !r.in(j, cue.OfCall)
}

// partingAlone reports whether a word of parting shares its clause only with small talk, and the
// rest of the reply is short or comes before it.
func (r talking) partingAlone(i, j int) bool {
	if r.follows(i) && r.in(i-1, cue.BeforeThing) {
		return false // "I had a good night"
	}
	from, to := r.around(i, j, soft)
	for k := from; k < to; k++ {
		if k >= i && k < j || r.toks[k].plain || k < i && r.starts(k, cue.Particles) { // "no, I have to go"
			continue
		}
		n, _ := r.match(k, cue.ExitAlone)
		if n == 0 {
			return false
		}
		k += n - 1
	}
	if r.in(i, cue.Ending) {
		return from == 0 && to == len(r.toks) // "no, that's all" answers "anything else?"
	}
	return len(r.toks) <= 8 || r.onlyPlain(to, len(r.toks))
}

func (r talking) takenBack(i, j int) bool {
	from, to := r.around(i, j, soft)
	return r.any(from, to, cue.NotExit) || !r.lx.inflected && r.in(i-1, cue.Others) && r.follows(i)
}

// agrees reports whether the reply says yes and, separately, asks the caller to speak up: "yes, go
// ahead, but speak up". "Yes, speak up!" is only a request to repeat.
func (r talking) agrees() bool {
	i, _, _ := r.anywhere(cue.Louder)
	if i < 0 {
		return false
	}
	start := r.slice(0, i).talking()
	yes, ok := start.confirms()
	return ok && yes && !start.asksAgain() && !start.has(cue.Explain) &&
		(r.before(i) == hard || start.has(cue.Agree) || r.any(0, i, cue.Joiners) || r.any(0, i, cue.OnlyIf))
}

// confirms reads yes or no in reply to an answer that was read back.
func (r talking) confirms() (yes, ok bool) {
	if r.has(cue.Deny) {
		return false, true
	}
	if i, _, _ := r.anywhere(cue.Confirm); i >= 0 && !r.negatedBefore(i) {
		return true, true
	}
	s, ok := r.ask(&Question{Kind: Boolean}).telling().verdict()
	ok = ok && s.confidence >= SettleAt && s.from <= 6
	return ok && s.yes, ok
}
