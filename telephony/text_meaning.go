package telephony

import (
	"slices"
	"strings"
	"unicode"
)

// meaning is what a text message asks for.
type meaning int

const (
	meansNothing meaning = iota // not understood
	meansYes                    // I am taking care of it
	meansNo                     // I cannot take care of it
	meansStop
	meansStart
)

// The words of text messages, in lower case and without accents. There are more words for stop than
// Twilio recognises: nobody should need to know the right one.
var (
	yesWords   = strings.Fields("yes y yep yeah ok okay 1 si vale ja jo")
	noWords    = strings.Fields("no n nope 9 nein nee cannot cant")
	stopWords  = strings.Fields("stop stopall unsubscribe cancel end quit revoke optout baja alto parar pare cancelar stopp abmelden abbestellen aufhoeren aufhoren")
	startWords = strings.Fields("start unstop alta anmelden")
	// The fillers may stand next to a word without changing its meaning.
	stopFillers = strings.Fields("please all texting texts messages sms me now por favor bitte mensajes nachrichten")
	yesFillers  = strings.Fields("i am im will ill on it going do doing take taking care of this that thanks thank you yo me encargo voy gracias claro ich kummere kuemmere mich darum mache das danke gern")
)

// readText returns what a text message asks for, in any of the languages. It does not guess at
// messages that contain more than a known word and fillers: if a message is wrongly taken for an
// acceptance, nobody takes care of the alert.
func readText(body string) meaning {
	if len(body) > maxReplyKept {
		return meansNothing
	}
	words := strings.FieldsFunc(strings.ToLower(plainLetters(strings.NewReplacer("'", "", "’", "").Replace(body))),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	only := func(these, fillers []string) bool {
		rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(fillers, w) })
		return len(rest) == 1 && slices.Contains(these, rest[0])
	}
	yes := len(words) > 0 && slices.Contains(yesWords, words[0]) &&
		!slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(yesWords, w) && !slices.Contains(yesFillers, w) })
	switch {
	case only(stopWords, stopFillers):
		return meansStop
	case only(startWords, stopFillers):
		return meansStart
	case only(noWords, nil):
		return meansNo
	case yes:
		return meansYes
	}
	return meansNothing
}
