package health

import (
	"regexp"
	"strings"
)

// unfinished reports whether more words are likely to follow, by the mark or the words at the end.
func unfinished(text string) bool {
	return brokenOff.MatchString(text) || endsIn("thinking", text) || endsIn("hanging", text) || announces(text)
}

// breaksOff reports whether the last clause has only begun, by how it is built: "my ankles are".
func breaksOff(text string) bool {
	before, last := clauses(text)
	if before == "" && halfDenied.MatchString(last) || strings.HasSuffix(last, " when") && !knownWhen.MatchString(last) {
		return true
	}
	return begun.MatchString(last) && !strings.HasSuffix(text, "?") && !rounded.MatchString(last) && !afterYes.MatchString(before+" / "+last)
}

// announces reports whether the words end by saying that something else is still to be said: "oh,
// wait", "there is one thing".
func announces(text string) bool {
	_, last := clauses(text)
	return waiting.MatchString(last) || endsIn("announcing", text) && !closing.MatchString(last)
}

// retracts reports whether the words end by taking back what stands before in them: "no, wait".
func retracts(text string) bool { return endsIn("retracting", text) }

// negates reports whether the words end in a negation, or one with words that say nothing without
// others: "it's not", "I don't feel", "not so". What follows means the opposite of what it says. A
// "no" alone is an answer.
func negates(text string) bool {
	before, last := clauses(text)
	return len(strings.Fields(before)) < fewestWords && negation.MatchString(last) && !selfNegation.MatchString(last)
}

// endsIn reports whether the words end in one of the phrases listed under name.
func endsIn(name, text string) bool { return ending(name, text) > 0 }

// ending returns how many words the longest of the phrases listed under name has in which the words
// end, or 0: "yes, let me think".
func ending(name, text string) int {
	return longest(name, " "+asPhrase(text), strings.HasSuffix, " ", "")
}

// begins reports whether the words begin with one of the phrases listed under name.
func begins(name, text string) bool { return beginning(name, text) > 0 }

// beginning returns how many words the longest of the phrases listed under name has with which the
// words begin, or 0.
func beginning(name, text string) int {
	return longest(name, asPhrase(text)+" ", strings.HasPrefix, "", " ")
}

// longest returns the words of the longest phrase listed under name, between before and after, that
// said has where is looks.
func longest(name, said string, is func(said, part string) bool, before, after string) (words int) {
	for _, p := range phrases[name] {
		if is(said, before+p+after) {
			words = max(words, len(strings.Fields(p)))
		}
	}
	return words
}

// hesitates reports whether the words begin like second thoughts: "oh wait", "well, yes".
func hesitates(text string) bool { return begins("hesitating", text) || begins("reconsidering", text) }

// clauses returns the words after the last mark between words, and those before it, in the spelling
// of the phrases.
func clauses(text string) (before, last string) {
	text = strings.TrimRight(text, " ,.;:—–…-?!")
	at := clauseMark.FindAllStringIndex(text, -1)
	if len(at) == 0 {
		return "", asPhrase(text)
	}
	mark := at[len(at)-1]
	return asPhrase(text[:mark[0]]), asPhrase(text[mark[1]:])
}

var (
	// brokenOff matches what does not end a sentence: a comma or a dash, or a word that ends one only
	// before a full stop.
	brokenOff = regexp.MustCompile(`(?i)([,;:—–…-]|\.\.\.|\b(but|if|than))\s*$`)
	// clauseMark matches a mark between two clauses.
	clauseMark = regexp.MustCompile(`[,.;:!?—–…]+\s+|\s-\s`)
	// begun matches a clause that ends with a word that must be followed by another, where it begins
	// with its subject or an adverb: "since Tuesday I've had", "my left knee is", "the doctor said".
	begun = regexp.MustCompile(strings.NewReplacer(
		"OPEN", `(?:(?:oh|well|um|so|and|but|only|just|because|cos|that|when|if|now|then|lately|recently|today|yesterday|it's|i think|i mean|you see|the thing is|(?:since|after|before|on|for|in|at|last|this|every|during)(?: [\w']+){1,3}) )*`,
		"NOUN", `(?:the|my|our|his|her|their|your|a|an|this|that|these|those|some|both|one|another|dr|doctor|nurse|mrs|mr)(?: [\w']+){1,3}`,
		"PRON", `(?:i|it|he|she|they|we|you|there)`,
		"AUX", `(?:just |only |always |still |also |never |really )?(?:are|is|was|were|had|have|has|has been|have been|had been|wants|wanted|needs|needed|thinks|thought|keeps|keep|kept|feels|feel|gets|get)`,
	).Replace(`^OPEN(?:NOUN|PRON) AUX$` +
		`|^OPEN(?:[\w']+ ){1,3}(?:said|says|wants|told me|asked me|tells me)$` +
		`|\b(?:of|to|with|for|from|whose|which|these|those)$` +
		`|^(?:(?:oh|well|no|it's) )*(?:only|just) that$|\b(?:said|says|thinks|told me|(?:thing|trouble|problem|fact) is|so|now|except|afraid|worried|feel|noticed) that$` +
		`|\b(?:i've|i'd|i'll|he's|she's|they're|they've|we're|we've|it's|there's) (?:been|got|had|just|only|really|always)$` +
		`|(?:^|\b(?:and|but|because|cos|when|if|so|then|while|or|since|as) )(?:i|it|he|she|they|we)$` +
		`|\b(?:tengo|tenia|tuve|es|son|esta|estan|era|fue|estaba|he|ha|dice|dijo|quiere|queria|siento|noto|llevo|cuando|para|(?:dolor|molestia|algo|duele|hinchazon) en)$`))
	// rounded matches a clause that is whole though it ends with such a word: "nothing that I know
	// of", "the same as it was", "eso es lo que tengo".
	rounded = regexp.MustCompile(`\b(?:what|whatever|who|which \w+|where|how|all|everything|anything|something|someone|somebody|nothing|none|nobody|than|as|like|way|same|wish|lot|nor|not|never|can't|\w+n't|care of|sort of|seen to|said so|kind of|so)\b` +
		`|\b(?:eso|asi|como|lo que|todo|ya|igual|donde|cuanto|nada|no|nunca|nadie|tampoco|segun|aqui|ahi|mejor|quien)\b|^(?:yes|no|yeah|si) `)
	// knownWhen matches a "when" that needs no clause: "I don't know when".
	knownWhen = regexp.MustCompile(`\b(?:know|remember|recall|sure|say|tell you|told you|asked|since|idea) when$`)
	// halfDenied matches a reply in own words that ends in a negation of what follows.
	halfDenied = regexp.MustCompile(`^(?:i'm|it's|he's|she's|they're|it is|it was|i am|i was) not$|\bnot (?:so|too|very|all that)$`)
	// afterYes matches clauses of which the last needs no other word after the first: "yes, it is",
	// "I should rest more, the doctor said".
	afterYes = regexp.MustCompile(`\b(?:yes|yeah|yep|no|nope|si) / (?:i|it|he|she|they|we|there) \w+$|(?:\w+ ){3}/ .*\b(?:said|says|thinks|told me|tells me)$`)
	// waiting matches a clause that asks to be waited for.
	waiting = regexp.MustCompile(`^(?:(?:oh|ooh|ah|no|well|yes|um|but|actually|just) )*(?:wait|hang on|hold on)(?: a (?:minute|moment|second|bit|tick))?$` +
		`|^(?:(?:ay|ah|no|bueno|si|pero) )*(?:espere|espera|esperese|aguarde)(?: un (?:moment\w+|segundo))?$`)
	// closing matches a clause that ends what is said: "that's all I wanted to say".
	closing = regexp.MustCompile(`\b(?:all|nothing|everything|what|not|\w+n't|todo|nada|no)\b`)
	// negation matches a clause that ends in a negation and words that need others.
	negation = regexp.MustCompile(`\b(?:not|\w+n't|cannot|never|hardly|scarcely|barely)(?: (?:so|too|very|all that|quite|really|exactly|particularly|especially|terribly|as|say it's|say i'm|say that|say i feel|call it|be|been|being|have|had|had any|getting|feel|feeling|felt|eat|eating|eaten|sleep|sleeping|slept|doing|going|any|a|an|the|my|it's|i'm|think it's|think i'm|think i))*$` +
		`|\b(?:have|had|has|got|there's|there is|there was|been|with|of) no$` +
		`|\b(?:no|nunca|jamas|apenas|tampoco)(?: (?:me|se|le|lo|la|es|son|esta|estoy|estan|era|fue|estaba|he|ha|tengo|siento|encuentro|duele|duelen|dormi|duermo|como|comi|muy|tan|demasiado|del todo|precisamente|estado|sido|sentido|dormido|comido|tenido|diria que|creo que))+$` +
		`|\b(?:no|nunca) (?:muy|tan|demasiado)$|\b(?:nunca|jamas|apenas)$`)
	// selfNegation matches one that is an answer by itself.
	selfNegation = regexp.MustCompile(`\b(?:of course|certainly|absolutely|definitely|probably|maybe|perhaps|or|hope|think|guess|suppose|afraid|rather|why|believe|thanks|possibly|preferably) (?:not|never)$|^(?:or )?(?:nor|neither)\b`)
)
