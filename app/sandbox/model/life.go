package model

import (
	"regexp"
	"strings"
)

var (
	// agreed begins an answer to a question; what follows mostly makes sense with
	// the question only.
	agreed = regexp.MustCompile(`^(?i:(?:oh|well|ah)[,.]? +)?(?i:yes|no|yeah|yep|nope|aye|never)\b`)
	// rated begins an answer that is a number, or a word that stands for one.
	rated = regexp.MustCompile(`^(?i:(?:maybe|perhaps|probably|around|about|say|oh|an?|the|just|only)[, ]+)*(?i:\d+|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|a hundred|hundred)\b`)
	// counted is a number that counts somebody's own.
	counted = regexp.MustCompile(`^(?i:\w+ of (?:my|our|us)\b)`)
	// judged begins an answer to "how", "how much" or "how often".
	judged = regexp.MustCompile(`^(?i:about|not|fine|good|bad|poor|fair|so-so|alright|all right|okay|ok|the same|same|much|a bit|a little|quite|pretty|better|worse|none|nothing|hardly|so am i|so do i|wait|look)\b|^(?i:my),`)
	// pointing is a sentence about what another sentence named.
	pointing = regexp.MustCompile(`^(?i:it|that|this|these|those|they|he|she|there|here|from|which|who|what|how)\b|^(?i:i|we)(?:'\w+)? (?:\w+ )?(?i:took|take|had|have|did|do|forgot|know|think|suppose|mean|say|said|guess|hope|remember|would say) (?i:it|them|that|this|so|not|i|you|everything|what)\b`)
	// vague are words around which no fact stands.
	vague = []string{"i think", "i dont know", "i suppose", "i would say", "id say", "i guess", "i mean", "you know what", "i said", "i told you", "i can hear", "i cant hear", "this is", "you", "your", "youre", "hello", "im here", "i am here", "i see"}
	self  = []string{"i", "im", "ive", "ill", "id", "my", "we", "were", "weve", "our", "me", "us"}
)

// tellsOfLife reports whether a sentence plainly says something about the life of
// whoever says it, and is no answer that makes sense only with its question.
func tellsOfLife(s string) bool {
	s = strings.ReplaceAll(strings.TrimSpace(s), "’", "'")
	bared := strings.TrimSpace(opening.ReplaceAllString(s, ""))
	switch {
	case weigh(bared) <= 0 || isRequest(s) || hasAny(s, vague...):
		return false
	case rated.MatchString(bared) && !counted.MatchString(bared), judged.MatchString(bared), pointing.MatchString(bared):
		return false
	case agreed.MatchString(s) && len(namesIn(bared)) == 0 && !startsWithAny(bared, "my", "our"):
		return false
	}
	return hasAny(bared, self...) || len(namesIn(bared)) > 0
}

// endearment is how a speaker addresses the one who listens.
var endearment = regexp.MustCompile(`(?i),\s*(?:my )?(?:dear|love|mija|lass|darling|dearie)\b`)

// said is a sentence without what only begins it or addresses the listener.
func said(s string) string {
	s = opening.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(s, "’", "'")), "")
	return upperFirst(endearment.ReplaceAllString(s, ""))
}

// A retelling turns what somebody says of themselves into a sentence about them:
// the first mention is their name, the others are "they".
type retelling struct {
	name  string
	named bool // the name has stood in the sentence
}

// subject is the name, or "they" after it, with the verb that follows.
func (r *retelling) subject(verb string) string {
	if r.named {
		return strings.TrimSpace("they " + verbForThey(verb))
	}
	r.named = true
	if verb == "" {
		return r.name
	}
	return r.name + " " + verbForThird(verb)
}

// object and owner are the name, or what stands for it.
func (r *retelling) object(pronoun string) string {
	if r.named {
		return pronoun
	}
	r.named = true
	return r.name
}

func (r *retelling) owner(pronoun string) string {
	if r.named {
		return pronoun
	}
	r.named = true
	return r.name + "'s"
}

// verbForThey is the form of a verb after "they", of the one after "I".
func verbForThey(verb string) string {
	switch strings.ToLower(verb) {
	case "am":
		return "are"
	case "was":
		return "were"
	default:
		return verb
	}
}

// contracted are the verbs that melt into "I" and "we".
var contracted = map[string]string{
	"i'm": "am", "we're": "am", "i've": "have", "we've": "have", "i'll": "will", "we'll": "will", "i'd": "would", "we'd": "would",
}

// paired reports whether words end in "Ruth and", so that "I" is one of two, and
// the verb is theirs together.
func paired(words []string) bool {
	return len(words) >= 2 && len(words) <= 4 && strings.EqualFold(words[len(words)-1], "and") && words[len(words)-2] == upperFirst(strings.Trim(words[len(words)-2], ",.;:!?"))
}

// aboutPerson turns what somebody says of themselves into a sentence about them.
func aboutPerson(s, name string) string {
	r := &retelling{name: name}
	words := strings.Fields(strings.ReplaceAll(s, "’", "'"))
	var out []string
	for i := 0; i < len(words); i++ {
		bare := strings.TrimRight(words[i], ",.;:!?")
		tail := words[i][len(bare):]
		switch lower := strings.ToLower(bare); lower {
		case "i", "we":
			switch {
			case tail != "" || i+1 == len(words) || paired(words[:i]):
				out = append(out, r.subject("")+tail)
			default:
				i++
				verb := strings.TrimRight(words[i], ",.;:!?")
				out = append(out, r.subject(verb)+words[i][len(verb):])
			}
		case "i'm", "we're", "i've", "we've", "i'll", "we'll", "i'd", "we'd":
			out = append(out, r.subject(contracted[lower])+tail)
		case "my", "our":
			out = append(out, r.owner("their"))
		case "mine", "ours":
			out = append(out, r.owner("theirs")+tail)
		case "me", "us":
			out = append(out, r.object("them")+tail)
		case "myself", "ourselves":
			out = append(out, r.object("themselves")+tail)
		default:
			r.named = r.named || strings.TrimSuffix(bare, "'s") == lastWord(name)
			out = append(out, words[i])
		}
	}
	return upperFirst(strings.Join(out, " "))
}
