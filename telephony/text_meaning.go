package telephony

import (
	"slices"
	"strings"
	"unicode"
)

// meaning is what a text message wants.
type meaning int

const (
	meansNothing meaning = iota // that is known
	meansYes                    // I am taking care of it
	meansNo                     // I cannot
	meansStop
	meansStart
)

// The words of text messages, small and without accents. Those that say stop are more than
// Twilio's own: whoever wants to be left alone need not know how to say it.
var (
	yesWords   = strings.Fields("yes y yep yeah ok okay 1 si vale ja jo")
	noWords    = strings.Fields("no n nope 9 nein nee cannot cant")
	stopWords  = strings.Fields("stop stopall unsubscribe cancel end quit revoke optout baja alto parar pare cancelar stopp abmelden abbestellen aufhoeren aufhoren")
	startWords = strings.Fields("start unstop alta anmelden")
	// fillers may stand next to a word without changing what it means.
	stopFillers = strings.Fields("please all texting texts messages sms me now por favor bitte mensajes nachrichten")
	yesFillers  = strings.Fields("i am im will ill on it going do doing take taking care of this that thanks thank you yo me encargo voy gracias claro ich kummere kuemmere mich darum mache das danke gern")
)

// readText returns what a text message wants, in whichever language. What is more than a
// word and a few that change nothing is not guessed at: an alert that somebody is wrongly
// taken to see to is seen to by nobody.
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
