package model

import (
	"slices"
	"strconv"
	"strings"
)

// boolean appends true or false; without any sign it is false.
func (f *filler) boolean(out []byte, s *schema, fd field) []byte {
	b, ok := f.findBool(fd)
	if !ok && slices.Contains(s.Types, "null") {
		return append(out, "null"...)
	}
	return strconv.AppendBool(out, b)
}

// findBool looks for what a yes-or-no field asks: by a rule for its name, by
// a sentence about its subject, or by the answer to the last question. It
// reports whether it found a sign.
func (f *filler) findBool(fd field) (value, found bool) {
	if v, ok := f.namedBool(fd); ok {
		return v, true
	}
	heard := fd.focus
	if heard == "" {
		heard = f.sc.lastWords()
	}
	if plainAnswer(fd) || (fd.focus == "" && f.asked(fd)) {
		if v, ok := yesOrNo(heard); ok {
			return v, true
		}
	}
	if plainAnswer(fd) {
		// Without a yes or a no: to speak of what was asked affirms it.
		if q := f.lastQuestion(); q != "" && f.likeness(q, heard) > fitsAsked {
			return !denied(heard), true
		}
		return false, false
	}
	// A sentence about the subject says yes, unless it says no.
	sources := f.said
	if fd.focus != "" {
		sources = []string{fd.focus}
	}
	if near, ok := f.best(fd.about(), sources, fitsUnasked); ok {
		return !denied(near), true
	}
	for _, s := range sources {
		if sharesWord(spaced(fd.name), s) && !strings.HasSuffix(s, "?") {
			return !denied(s), true
		}
	}
	return false, false
}

// namedBool answers fields whose names are known from care and conversation.
func (f *filler) namedBool(fd field) (value, found bool) {
	all := strings.Join(f.said, " ")
	last := f.sc.lastWords()
	switch {
	case fd.is("emergency", "crisis", "urgent", "danger"):
		return isCrisis(all), true
	case fd.is("escalate", "alert", "redflag") || (fd.is("red") && fd.is("flag")):
		return isCrisis(all) || hasAny(all, "fell", "fallen", "collapsed", "fainted", "bleeding"), true
	case fd.is("goodbye", "exit", "farewell", "hangup") || (fd.is("end", "stop") && fd.is("call", "wants", "conversation")):
		return isGoodbye(last) || hasAny(last, "stop calling", "dont want to do this", "stop this"), true
	case fd.is("wrong") && fd.is("person"):
		return isWrongPerson(all), true
	case fd.is("question") && fd.is("is", "asked"):
		return strings.Contains(last, "?"), true
	case fd.is("distress", "distressed"):
		return isCrisis(all) || toneOf(all) < -2, true
	case fd.is("lonely", "loneliness", "isolated"):
		return categoriesOf(all)["lonely"] > 0 && !hasAny(all, "not lonely", "never lonely"), true
	case fd.is("valid", "answered", "understood", "relevant", "substantive", "meaningful"):
		heard := f.heard(fd)
		return !isSilence(heard) && answerStatus(heard)[0] == "answered" && intentOf(heard) != intentFiller, true
	case fd.is("complete", "completed", "finished", "done"):
		return len(f.said) > 0 && answerStatus(last)[0] == "answered", true
	case fd.is("confused", "ambiguous", "unclear"):
		return answerStatus(last)[0] == "unclear", true
	case fd.is("refused", "declined"):
		return answerStatus(last)[0] == "refused", true
	case fd.is("correction", "corrected"):
		return hasAny(last, "no i meant", "i meant", "sorry i mean", "actually its", "actually it is", "let me correct", "not that"), true
	case fd.is("person", "human") && fd.is("is", "about") && fd.person != nil:
		return !fd.person.pet, true
	}
	return false, false
}

// yesOrNo reads a plain answer.
func yesOrNo(text string) (value, found bool) {
	switch {
	case startsWithAny(text, "no", "nope", "nah", "not really", "not yet", "not today", "never", "i didnt", "i did not", "i havent", "i dont", "i forgot", "not at all", "im afraid not", "hardly", "oh no", "well no", "um no"):
		return false, true
	case startsWithAny(text, "yes", "yeah", "yep", "yup", "aye", "of course", "certainly", "sure", "i did", "i have", "i do", "i am", "oh yes", "well yes", "um yes", "indeed", "absolutely", "always", "every day", "every morning", "took them", "i took", "all of them"):
		return true, true
	case hasAny(text, "yes", "i did", "i have", "i took"):
		return !hasAny(text, "i have not", "i did not", "i took none"), true
	case hasAny(text, "i forgot", "no", "not", "didnt", "havent"):
		return false, true
	}
	return false, false
}

// denied reports whether a sentence negates what it is about.
func denied(sentence string) bool {
	return slices.ContainsFunc(wordsOf(sentence), isNegation) || hasAny(sentence, "forgot", "forgotten")
}
