package general

import (
	"strings"

	"github.com/naiber/naiber/internal/english"
)

// phrases is a set of normal phrases, one a line in the source.
type phrases map[string]bool

// maxPhraseBytes is more than the longest phrase in the sets has.
const maxPhraseBytes = 48

func phraseSet(text string) phrases {
	set := make(phrases)
	for p := range strings.SplitSeq(text, ",") {
		if p = english.Plain(p); p != "" {
			set[p] = true
		}
	}
	return set
}

// within reports whether said holds one of the phrases as whole words.
func (ps phrases) within(said string) bool {
	for p := range ps {
		if english.Holds(said, p) {
			return true
		}
	}
	return false
}

var fillers = phraseSet(`um, umm, uh, uhh, er, erm, err, ah, eh, hm, hmm, hmmm, oh, ooh, well, so, anyway, let me see,
	let me think, let's see, you know, i mean, like, and, but, now, then, there, just a moment, one moment, just a second,
	hang on, hold on, wait, what was it, how do i say`)

var backchannels = phraseSet(`yeah, yes, yep, yup, yea, aye, ya, no, nope, nah, ok, okay, okey dokey, alright, all right, right, sure,
	mhm, mm, mmm, mm hm, mm hmm, uh huh, uh-huh, i see, i know, i understand, i guess, i guess so, i suppose, i suppose so, i think so,
	maybe, perhaps, really, is that so, is that right, of course, exactly, indeed, absolutely, definitely, certainly, quite,
	true, that's true, that's right, that is right, fair enough, got it, oh dear, dear me, goodness, my goodness, oh my, wow, gosh,
	yes dear, yes please, no thank you, no thanks, not really, not much, fine, good, great, lovely, nice, oh good`)

var pleasantries = phraseSet(`thank you, thank you very much, thank you so much, thanks, thanks a lot, many thanks, thank you dear,
	that's nice, that's lovely, that's good, that's kind, that's sweet, that's wonderful, that's great, how nice, how lovely, how kind,
	that's very kind, that's very kind of you, that's nice of you, that's kind of you, that is nice, that is lovely, that is kind,
	you're welcome, you're very welcome, you're kind, you're very kind, you're sweet, you're so kind, no problem, not at all,
	don't mention it, my pleasure, bless you, god bless, god bless you, good to hear, glad to hear it, nice to hear from you,
	good to hear from you, lovely to hear from you, nice to hear your voice, i'm fine, i'm good, i'm well, i'm okay, i'm ok,
	i'm alright, i'm all right, i'm very well, fine thank you, very well, can't complain, mustn't grumble, not too bad, not bad,
	and you, how are you, and how are you, how are you today, how are you doing, how about you, what about you, same to you,
	you too, very much, dear, love, my dear, sweetheart, pardon, pardon me, sorry, excuse me, today, very nice, very good, please`)

var greetings = phraseSet(`hello, hello there, hello dear, hi, hi there, hey, hey there, hiya, good morning, good afternoon, good evening,
	good day, morning, evening, afternoon, greetings, welcome, hello hello, who's calling, who is this, who's this, is that you,
	speaking, this is she, this is he, yes speaking, hello who is this, hello who's calling`)

var farewells = phraseSet(`bye, bye bye, bye-bye, goodbye, good bye, good-bye, goodnight, good night, nighty night, cheerio, ta ta, toodle oo,
	farewell, so long, see you, see you soon, see you later, see you tomorrow, talk soon, talk to you soon, talk to you later,
	talk to you tomorrow, talk later, speak soon, speak to you soon, speak to you later, until next time, till next time,
	until tomorrow, catch you later, take care, take care of yourself, i'm hanging up, i'm hanging up now, that's all for today,
	that's all for now, let's leave it there, let's stop here, let's say goodbye, have a good day, have a nice day,
	have a good night, have a good evening, have a nice evening, have a lovely day, end the call, you can hang up, hang up`)

// partings only go alongside a farewell; alone they are not one either.
var partings = phraseSet(`i must go, i have to go, i've got to go, i need to go, i should go, i better go, i'd better go, i'll let you go,
	for now, dear, love, to you, all, everyone, i'm tired, it was nice talking to you, it was lovely talking to you,
	nice talking to you, lovely talking to you, it was good to talk, thanks for calling, thank you for calling, thanks for the call,
	thank you for the call, thanks for ringing, thank you for ringing, until then`)

// plainGoodbyes end a speech and are nothing but a goodbye.
var plainGoodbyes = []string{"bye bye", "goodbye then", "bye now", "goodbye now", "bye for now", "goodbye for now", "goodnight then"}

// leavings mean that the person must go, wherever in a short sentence.
var leavings = []string{
	"i must go", "i must be going", "i have to go", "i've got to go", "i gotta go", "got to go now", "gotta go", "i need to go",
	"i should go", "i should be going", "i better go", "i'd better go", "i'll let you go", "i will let you go", "i have to hang up",
	"i'm going to hang up", "i'll hang up", "i want to hang up", "i need to hang up", "i'm hanging up", "let's end the call",
	"end this call", "end the call", "i don't want to talk any more", "i don't want to talk anymore", "i don't want to talk now",
	"i can't talk now", "i can't talk right now", "i have to run", "i must dash", "i'll say goodbye", "i'll say goodnight",
	"let's say goodbye", "time to say goodbye", "let's leave it there", "let's stop here", "i'd like to stop now", "that's all for today",
}
