package model

import (
	"regexp"
	"slices"
	"strings"
)

// An intent is what a person wants with an utterance, apart from its subject.
type intent int

const (
	intentTell intent = iota // they tell something; the subject decides
	intentGoodbye
	intentWrongPerson
	intentCrisis
	intentHush // something is not to be kept or spoken of
	intentIdentity
	intentWho
	intentPrivacy
	intentMoney
	intentRecall
	intentAgain
	intentAdvice
	intentClock
	intentHelp
	intentAboutMe
	intentThanks
	intentHowAreYou
	intentGreeting
	intentYes
	intentNo
	intentFiller
)

// An utterance is what was said, with what the rules ask of it more than once.
type utterance struct {
	text    string
	padded  string
	words   int
	topical bool // has a subject to talk about
}

// intentRules are tried in order; the first that matches decides.
var intentRules = []struct {
	intent intent
	match  func(utterance) bool
}{
	{intentCrisis, whole(isCrisis)},
	{intentWrongPerson, whole(isWrongPerson)},
	{intentGoodbye, whole(isGoodbye)},
	{intentHush, whole(isHush)},
	{intentIdentity, phrases("are you a person", "are you a real person", "are you real", "are you a robot", "are you a computer",
		"are you a machine", "are you human", "are you a human", "a real human", "a real person", "is this a robot", "is this a computer",
		"is this a recording", "is this a machine", "are you an ai", "am i talking to a computer", "am i talking to a machine", "are you a recording",
		"talking to a person", "speaking to a person", "are you alive")},
	{intentWho, phrases("who is this", "whos this", "who are you", "who am i talking to", "who is calling", "whos calling", "who is it",
		"whats your name", "what is your name", "who is that", "whos that", "who is speaking", "do i know you", "what was your name")},
	{intentPrivacy, phrases("are you recording", "is this recorded", "being recorded", "who hears", "who can hear", "do you write this down",
		"who will know", "is this private", "are you listening in")},
	{intentMoney, phrases("are you selling", "what are you selling", "do you want money", "is this a scam", "how much does this cost", "what does it cost",
		"not buying anything", "dont want to buy")},
	{intentRecall, phrases("what did i tell you", "did i tell you", "do you remember", "what did i say", "have i told you", "you remember my", "what do you know about", "remember what i")},
	{intentAgain, whole(isPardon)},
	{intentAdvice, phrases("should i take", "can i take", "how many pills", "is it safe to", "should i stop taking", "double dose", "what medicine should", "can i stop taking", "should i double")},
	{intentClock, phrases("what time is it", "what day is it", "what is the time", "whats the time", "what date is it", "what is the date", "what year is it", "whats the date", "what day is today")},
	{intentHelp, phrases("what can you do", "how can you help", "why are you calling", "what do you want", "why do you call", "what is this about", "whats this about", "what are you for", "why did you call")},
	{intentAboutMe, phrases("how old are you", "where do you live", "where are you from", "do you have children", "do you have a family", "do you eat", "do you sleep",
		"what about you", "and yourself", "tell me about yourself", "are you married", "do you like", "do you have a")},
	{intentHowAreYou, untopical(99, phrases("how are you", "how do you do", "and you"))},
	{intentThanks, untopical(9, phrases("thank you", "thanks"))},
	{intentGreeting, untopical(7, begins("hello", "hi", "hey", "good morning", "good afternoon", "good evening", "oh hello", "yes hello", "oh hi"))},
	{intentYes, untopical(6, begins("yes", "yeah", "yep", "yes please", "of course", "sure", "i do", "i did", "i have", "that would be nice", "thats right", "certainly", "oh yes", "i am", "very much", "aye", "indeed"))},
	{intentNo, untopical(6, begins("no", "nope", "not really", "i dont", "i didnt", "not at all", "never", "oh no", "nobody", "no one", "nothing", "not today"))},
	{intentFiller, untopical(4, func(utterance) bool { return true })},
}

// intentOf returns what an utterance is for.
func intentOf(text string) intent {
	_, topical := subjectOf(text)
	u := utterance{text: text, padded: padded(text), words: len(wordsOf(text)), topical: topical}
	for _, rule := range intentRules {
		if rule.match(u) {
			return rule.intent
		}
	}
	return intentTell
}

// phrases matches an utterance that holds one of them.
func phrases(list ...string) func(utterance) bool {
	return func(u utterance) bool { return paddedHas(u.padded, list) }
}

// begins matches an utterance that begins with one of the phrases.
func begins(list ...string) func(utterance) bool {
	return func(u utterance) bool { return paddedStarts(u.padded, list) }
}

// whole matches by a rule for text.
func whole(rule func(string) bool) func(utterance) bool {
	return func(u utterance) bool { return rule(u.text) }
}

// untopical narrows a rule to utterances of few words without a subject.
func untopical(most int, rule func(utterance) bool) func(utterance) bool {
	return func(u utterance) bool { return !u.topical && u.words <= most && rule(u) }
}

var goodbyeEnd = regexp.MustCompile(`(?:(?:^|(?:^| )(?:and|then|well|so|now|say|you) )good ?night|(?:^| )(?:i must go|i have to go|i should go|i need to go|got to go|ill be off|take care|speak soon|talk soon|see you|i better go|id better go|id best be going|thats all for today|i have to run))(?: now| then| dear| love| again| soon)*$`)

// isGoodbye reports whether the person takes leave.
func isGoodbye(text string) bool {
	if hasAny(text, "goodbye", "good bye", "bye", "bye bye", "byebye", "let you go", "hang up now", "i have to go now", "i must go now",
		"i need to go now", "talk to you later", "talk to you soon", "speak to you soon", "speak to you later", "talk again soon", "ta ta", "cheerio", "so long") {
		return !hasAny(text, "said goodbye", "say goodbye", "saying goodbye", "kissed goodbye", "kiss goodbye", "waved goodbye")
	}
	return goodbyeEnd.MatchString(bare(text))
}

var hush = regexp.MustCompile(`(?:^|(?:^| )(?:please|well|can you|could you|would you|you to) )(?:just )?(?:(?:dont|do not|never) (?:mention|talk about|ask about|ask me about|bring up|speak of|speak about|remember)|lets not talk about|leave my \w+ out of|forget (?:that|what i|everything|all|about (?:my|me)))\b`)

// isHush reports whether somebody asks that something be forgotten, or left alone
// from now on.
func isHush(text string) bool {
	return hush.MatchString(bare(text)) && !hasAny(text, "dont mention it", "do not mention it")
}

// isWrongPerson reports whether somebody else than the person speaks.
func isWrongPerson(text string) bool {
	return hasAny(text, "wrong number", "not here", "isnt here", "isnt in", "not at home", "shes out", "hes out", "im her neighbour", "im her neighbor",
		"im his neighbour", "im his neighbor", "im her daughter", "im his daughter", "im her son", "im his son", "this is her daughter", "this is his daughter",
		"this is her son", "this is his son", "this is her neighbour", "this is her neighbor", "this is his neighbour", "this is his neighbor", "cant come to the phone",
		"not available", "nobody here by that name", "no one here by that name", "doesnt live here") &&
		!hasAny(text, "my daughter is not here", "my son is not here", "my husband is not here", "my wife is not here")
}

// isCrisis reports whether an utterance must not be met with small talk. The
// house has its own rules for this, in front of any model; these are those of
// a well-behaved model.
func isCrisis(text string) bool {
	return hasAny(text, "want to die", "kill myself", "end it all", "end my life", "no reason to live", "better off dead", "not want to live", "dont want to live",
		"hurt myself", "cant breathe", "cannot breathe", "chest pain", "pain in my chest", "my chest hurts", "having a stroke", "heart attack", "call an ambulance", "cant get up", "cannot get up")
}

// isPardon reports whether the person did not understand.
func isPardon(text string) bool {
	if hasAny(text, "say that again", "say it again", "repeat that", "didnt hear", "did not hear", "cant hear you", "cannot hear you", "didnt catch", "speak up", "i beg your pardon", "come again", "what did you say", "didnt get that", "a bit louder") {
		return true
	}
	return slices.Contains([]string{"pardon", "what", "sorry", "eh", "huh", "excuse me", "pardon me", "what was that", "hm", "sorry what", "pardon dear"}, bare(text))
}

// isSilence reports whether a turn came although nobody spoke: ElevenLabs
// sends an empty text or dots.
func isSilence(text string) bool { return bare(text) == "" }

// weightOf orders the subjects when an utterance has several: what weighs on a
// person goes first.
var weightOf = map[string]float64{
	"fall": 3, "sad": 2.5, "lonely": 2.5, "money": 1.5, "health": 1.8, "doctor": 1.6, "medicine": 1.6, "sleep": 1.5, "forget": 1.4,
	"spouse": 1.4, "family": 1.2, "pets": 1.3, "visit": 0.7, "contact": 0.5, "home": 0.6, "past": 0.8, "outing": 0.8, "work": 0.8,
	"day": 0, "happy": 0,
}

// standsFor says which subject talks for a category without lines of its own.
var standsFor = map[string]string{"visit": "family", "contact": "family"}

// subjectOf returns the subject that an utterance is mostly about.
func subjectOf(text string) (string, bool) {
	best, bestScore := "", 0.0
	scores := categoriesOf(text)
	for category, n := range scores {
		weight, ok := weightOf[category]
		if !ok {
			weight = 1
		}
		score := weight * n
		if score > bestScore || (score == bestScore && score > 0 && category < best) {
			best, bestScore = category, score
		}
	}
	if other, ok := standsFor[best]; ok {
		best = other
	}
	if best == "happy" || best == "day" || bestScore == 0 {
		return "", false
	}
	return best, true
}

var (
	gladStems = stemSet(`good lovely nice happy wonderful enjoy love laugh better great beautiful pleased fun delighted fine splendid
		grand glad sunny proud win won cheerful smile kind fond treat`)
	sorryStems = stemSet(`worse bad hurt pain ache die dead death sad lonely cry lose lost miss terrible awful break broken fall hospital
		sick worry afraid trouble hard difficult alone tired poorly dizzy stiff sore upset angry scared cold ill funeral grieve
		restless awake insomnia hopeless miserable weak swollen bleed cough fever weary forget confused wretched nuisance`)
	negations = stemSet(`not no never don't doesn't didn't can't couldn't isn't wasn't won't without hardly barely haven't hasn't nobody nothing`)
)

// toneOf sums the glad and the sorry words of text; a negation shortly before
// a word turns it round.
func toneOf(text string) int {
	tone := 0
	words := wordsOf(text)
	for i, w := range words {
		var value int
		switch {
		case w.stem == "better" && i > 0 && slices.Contains([]string{"had", "i'd", "you'd", "i’d"}, strings.ToLower(words[i-1].text)):
			continue // "I had better go" is no praise
		case gladStems[w.stem]:
			value = 1
		case sorryStems[w.stem]:
			value = -1
		default:
			continue
		}
		for back := 1; back <= 3 && back <= i; back++ {
			if isNegation(words[i-back]) {
				value = -value
				break
			}
		}
		tone += value
	}
	return tone
}

func isNegation(w word) bool {
	return negations[w.stem] || strings.HasSuffix(strings.ToLower(strings.ReplaceAll(w.text, "’", "'")), "n't")
}
