package health

import (
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// anyOf recognises words that hold one of the phrases.
func anyOf(phrases ...string) func(heard string) bool {
	return func(heard string) bool { return english.Holds(english.Plain(heard), phrases...) }
}

// without recognises what one function does and another does not.
func without(is, isNot func(string) bool) func(heard string) bool {
	return func(heard string) bool { return is(heard) && !isNot(heard) }
}

// goesOn reports whether the person says to go on.
var goesOn = without(
	anyOf("go on", "go ahead", "carry on", "keep going", "continue", "fire away", "let's go", "ask away", "next question",
		"don't stop", "not yet", "it's fine", "that's fine", "it's all right", "it's alright", "it's okay", "it's ok", "i'm fine", "i'm all right",
		"no problem", "not at all", "i'm ready", "finish it", "get it done", "do the rest"),
	anyOf("don't want to go on", "don't want to carry on", "don't want to continue", "not go on", "can't go on", "rather not", "don't go on"),
)

// assents reports whether the reply agrees and does nothing else: "oh, all right then".
// To a question of health the same words may be an answer, or nothing.
func assents(heard string) bool {
	said := english.Plain(heard)
	for w := range strings.FieldsSeq(said) {
		if !english.Holds(assentWords, w) {
			return false
		}
	}
	return english.Holds(said, "okay", "ok", "all right", "alright", "right", "righto", "very well", "fine", "good", "lovely", "sure", "suppose so", "why not")
}

// assentWords are all that stands in such a reply.
const assentWords = "okay ok all right alright righto very well fine good lovely sure suppose so why not " +
	"oh ah um er yes yeah then i that's that is will be thanks thank you please dear love just now with me by it's"

// stops reports whether the person says to stop, in answer to being asked so.
var stops = without(
	anyOf("stop", "stop here", "finish here", "finish there", "leave it there", "leave it", "enough", "that's it", "that's all", "i'm done",
		"don't want to go on", "don't want to carry on", "don't want to continue", "rather not", "another time", "another day", "later", "tomorrow", "not today"),
	anyOf("don't stop", "not stop", "no need to stop", "don't leave it"),
)

// notNow reports whether the person says that it is no good moment.
var notNow = anyOf("not now", "not just now", "not right now", "not at the moment", "not today", "bad time", "bad moment", "no time",
	"another time", "another day", "in a hurry", "going out", "about to eat", "on my way out", "not convenient", "inconvenient", "call later", "ring later", "try later",
	"call me later", "call me back", "call back later", "ring me later", "ring me back", "i'm busy", "can't talk", "not a good time", "some other time",
	"in the middle of")

// fetches reports whether somebody says that they fetch the person.
var fetches = anyOf("i'll get her", "i'll get him", "i'll fetch her", "i'll fetch him", "i'll go and get", "i'll call her", "i'll call him", "let me get her",
	"let me get him", "i will get her", "i will get him", "i'll pass you", "i'll put her on", "i'll put him on", "i'll hand you")

// absent reports whether somebody says that the person cannot come.
var absent = anyOf("asleep", "sleeping", "not here", "isn't here", "not in", "isn't in", "not at home", "isn't home", "gone out", "is out", "in hospital",
	"in the hospital", "can't come", "cannot come", "passed away", "not available", "having a nap")

// asksWho reports whether the person asks who calls, or what nAIber is.
var asksWho = anyOf("who is this", "who's this", "who is that", "who's that", "who is calling", "who's calling", "who is it", "who are you",
	"who am i speaking to", "who am i talking to", "who is speaking", "who's speaking", "what is this about", "what's this about", "what do you want",
	"are you a robot", "are you real", "are you a real person", "are you a person", "are you human", "are you a computer", "are you a machine",
	"is this a robot", "is this a machine", "is this a computer", "is this a recording", "is that a recording", "talking to a machine",
	"talking to a computer", "speaking to a machine", "speaking to a computer", "speaking to a robot", "talking to a robot")

// asksAfter reports whether the person asks how nAIber is.
var asksAfter = anyOf("how are you", "how about you", "what about you", "and you", "and yourself", "how is yourself")

// asksHowLong reports whether the person asks how much is still to come.
var asksHowLong = anyOf("how many more", "how many questions", "how much longer", "how long does", "how long will", "much longer", "many more questions", "are there many more")

// asksUs reports whether a remark is a question that nAIber has no answer to, and
// not the beginning of a story.
func asksUs(heard string) bool {
	return strings.HasSuffix(strings.TrimSpace(heard), "?") &&
		!english.Holds(english.Plain(heard), "did i tell you", "have i told you", "did i say", "do you know what", "you know what", "guess what", "can you believe", "would you believe")
}

// greets reports whether the reply is no more than a greeting.
var greets = without(
	anyOf("hello", "hallo", "hullo", "hi", "hey", "good morning", "good afternoon", "good evening"),
	anyOf("yes", "yeah", "fine", "okay", "ok", "sure"),
)

// missedIt reports whether the person says not to have heard.
var missedIt = anyOf("didn't hear", "didn't quite hear", "didn't really hear", "couldn't hear", "couldn't quite hear", "can't hear", "can't quite hear",
	"didn't catch", "didn't quite catch", "couldn't catch", "say that again", "say it again")

// grieves reports whether a remark tells of a loss or of tears, which is no moment
// for the next question.
var grieves = anyOf("stop crying", "i've been crying", "i have been crying", "i keep crying", "i cry", "i cried", "husband died", "wife died",
	"husband passed", "wife passed", "son died", "daughter died", "sister died", "brother died", "friend died", "lost my husband", "lost my wife",
	"lost my son", "lost my daughter", "i miss him", "i miss her", "i miss my", "the funeral", "so lonely", "so alone", "all alone")
