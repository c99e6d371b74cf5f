package reader

// enDeclineClasses and enDeclines are the grammar of refusing: that one won't, the verb of
// telling, and what is not told or to whom; and besides it, whose business it is.
//
// A verb of telling counts only with what can be told to us behind it, or nothing: "I'm not
// telling a lie", "I won't be answering the door" and "I don't talk much" refuse nothing.
const enDeclineClasses = `
i: i, we
id: i'd, id, i would, we'd, we would
soft: really, even, ever, just, simply, quite, particularly, truly, honestly, definitely, certainly, still, much, especially, very, all that
not: <i> <soft>* won't|shan't|don't|never|refuse|decline|ain't|wouldn't, <i> <soft>* refuse|decline to, i'll|we'll <soft>* not|never, i'm|we're <soft>* not, i've <soft>* never|not, i'd|we'd never, <id> <soft>* rather|sooner|prefer|like not to?, i|we prefer not to?, <id> <soft>* as soon not, hadn't, i|i've <soft>* have|had|got|see? <soft>* no intention|wish|desire|mind|need|call|reason|interest of|in|to, ^ won't|shan't|not|refuse|prefer|rather not? to?, ^ don't want|wish|care|intend|like|need|have to?, ^ no intention of, neither|nor will|would|do|shall|am i, no way am i, no way i'm|i'd|i'll, don't see|know why i should, why should|would|must i, <id> be a .? fool|idiot|mug|ninny to, <id> be mad|daft|silly|foolish|stupid to, rule|habit|wiser|told|warned|advised|taught|up|raised|way|told|learnt|learned|place|policy not|never to, i'm not one for|to
kin: my .? son|daughter|wife|husband|doctor|nurse|sister|brother|family|mother|neighbour|neighbor|friend|friends|children|kids|gp|grandson|granddaughter|carer|dog|cat
willing: want|wish|care|like|intend|plan|mean|choose|prefer|need|have|going|prepared|willing|obliged|inclined|allowed|supposed|happy|keen|ready|bound|here|about|free|minded|able|meant|liking to, want|going|about|to|be|feel|like|care, at liberty to, feel like, feel|be <soft>* obliged|comfortable|inclined|bound|able|right|happy|easy to?, feel the need to, comfortable|happy|keen|easy|okay|good with|about|on?, think|believe|reckon|suppose i'll|i|i'd, i|i'd|i'll want|like|care|will|should|ought|would? to?, going around|round|about, in the habit|business of, in the mood for|to, one to|for, start|starting, think it's right|proper to, that's something|anything i'd|i|i'll?, something|anything i|i'd|i'll want|like|care|wish? to?, believe in, bother|bothering to?, be|get|getting drawn on|into?, see fit to, any intention|wish|desire of|to
wont: <not> <willing>* <soft>*, that's|it's not a? something|anything|thing|question i|i'd|i'll|we? <willing>* <soft>*, something i don't <willing>*
disagree: i|we wouldn't|don't|never say|speak|talk|share, we won't|aren't talk|speak|talking|speaking, i'd never say, i've <soft>* never|not
again: it|that again|twice, it|that a second|third time
wontsay: !<disagree> <wont>
folk: you, anyone, anybody, people, strangers, callers, folk, folks, machines, computers, robots, a <soft>* stranger|machine|computer|robot|recording|voice, some <soft>* stranger|machine|computer|robot|recording|voice, you lot, your lot, the likes of, any of you, any stranger|machine|computer|robot, the phone, a soul, him|her|them either
what: that, this, it, these, those, such, any, anything, nothing, all, one way, either way, whether, what, when, where, who, why, how, which, details, things like, things of, questions, a|another thing|word, a single word, more, !<kin> my ., personal|private, the question|questions|details|answer|ins|number|time, your|silly|daft ., any|no more, ~topic
lie: a|any|no|another lie|lies|word|fib|fibs|story|stories|joke|tale|tales of?, lies, fibs, stories, tales, you|it a|any|no lie|lies|fib|fibs|tales|word|story|stories, it|that|you again|twice, that|you & i|i'm|it's|i've, it all? well|right|properly, that very? well|right, a|the .? bed|room|house|bath|flat|table, <kin>
about: about|on|over|of|into|through|upon <what>, about|on|over|of .
door: it to|for, the|your|my door|phone|telephone|bell, to that name, to the name
tell: tell, telling, divulge, divulging, disclose, disclosing, reveal, revealing, discuss, discussing, describe, describing, share, sharing, report, reporting, recite, reciting, answer, answering, spell out, spelling out, reel off, read out, reading out, rattle off, list, listing, confide, confiding, repeat, repeating, specify, specifying, go over
say: say, saying, let on, letting on, comment, commenting, respond, responding, reply, replying, elaborate, elaborating, talk, talking, speak, speaking, open up, disclose, divulge, tell, telling, share, sharing, answer, answering, choose, choosing, pick, picking, rate, discuss, discussing
ending: starting, now, today, then, either, any more, anymore, yet, again, starting now|today, with|for|to you, you, and that's that, so there, over|on the phone|telephone, to you|anyone|anybody
into: go|going|get|getting|be|delve|delving|come|dig|digging|drawn|dragged|pulled into|down|over|through, go|going on to
deep: that, it, this, all, details, the details, detail, my feelings|health|affairs|business|private|troubles|reasons, my ~topic, any of, any . , those, what, why, how, personal, private, specifics, particulars
give: give, giving, give|giving|hand|handing out|over?, part|parting with, pass|passing on|over, state, stating, name, naming, put|putting, supply, supplying, offer, offering, provide, providing, quote, quoting, volunteer, volunteering, furnish, let you have, letting you have, submit to, submitting to
fact: number, numbers, figure, figures, mark, marks, score, scores, rating, ratings, answer, answers, reply, time, times, date, details, information, particulars, facts, value, total, amount, reading, readings, response, comment, ~topic
given: out, over, away, to? <folk>, us, over|on the phone|telephone
some: a, an, any, the, my, that, this, those, these, such, no, your, one
do: do, doing, play, playing
game: marks, numbers, scores, figures, sums, ratings, quizzes, quiz, questions, tests, surveys, questionnaires, guessing
asked: asked, quizzed, questioned, interrogated, grilled, interviewed, tested, examined, judged, marked, scored, rated, pestered, prodded, cross-examined, catechised, drawn, pressed, pumped, spied on, checked up on, interfered with, nagged
sort: sort|kind|type|manner of, kinds|sorts of
done: knowing, hearing, to know, to hear, counted, discussed, asked, written, noted, recorded, known, weighed, measured, checked, told, looked, gone, talked, bandied, put, logged, taken
medic: doctor, gp, nurse, surgery, pharmacist, chemist, consultant, specialist, hospital, priest, vicar, solicitor, dr, daughter, son, wife, husband, family, sister, brother, physician, clinic, maker
mine: odds, skin, place, job, business, affair, affairs, concern, lookout, secret, secrets, matter
theirs: your, yours, anyone's, anybody's, anyone else's, anybody else's, a . , anyone, anybody, anyone|anybody else, somebody|someone, you, the likes, your lot, the . , strangers, strangers', other people's
secret: private, quiet, secret, to myself, to ourselves, hidden, from you, dark, confidential, between, under my hat, close to my chest, in the family, off the record
prying: pry, prying, ask, asking, nose, nosing, poke, poking, quiz, quizzing, question, questioning, interrogate, interfere, meddle, snoop, snooping, inquire, enquire, go on about
you: you, you'd, you'll, you're, you've, yous
lady: lady, gentleman, woman, man, girl, fellow, person, lady's, gentleman's
rude: rude, cheeky, impertinent, nosy, nosey, impudent, intrusive, improper, personal, private, delicate, sensitive, indelicate
`

const enDeclines = `
<id> <soft>* rather|sooner|prefer not to? <ending>* $, <id> <soft>* as soon not $, <id> <soft>* rather|sooner|prefer not if
<wont> <tell> !<lie> !<door> <folk>? about|on|of? <what>, <wont> <tell> !<lie> to|with? <folk>, <wontsay> <say> <folk>? <ending>* $, <wontsay> <say> !<lie> <folk>? how|what|when|where|why|who|which|whether|anything|nothing|one|either|more, <wontsay> say|saying !<again> it|that|this|those|such <ending>* $, <wont> say|saying a|another|one word
<wont> talk|talking|speak|speaking|chat|chatting|comment|commenting|elaborate|think|thinking <folk>? <about>, <wont> talk|talking|speak|speaking about|of $, <wont> talk|talking|speak|speaking|chat to|with <folk> <about>, <wont> talk|talking|speak|speaking|respond|reply|answer to|with <folk>, <wont> dwell|dwelling|linger on <deep>
<wont> <into> <deep>, <wont> <into> that|this road
<wont> <give> <given>* <what> <given>* <ending>* $, <wont> <give> <given>* <some>* <fact>, <wont> <give> <given>* things|stuff, <wont> <give> out|you my ., <wont> give|giving out over|on, <wont> read|reading|spell|spelling|trot|reel it|that|them|this|those|any out|off, <wont> read|reading|show|showing it|that|them|this|those to you, <wont> <give> you <what>
<wont> <do> .? <game>, <wont> choose|choosing|pick|picking|decide any|between|one|from, <wont> rate|rating|score|scoring|mark|marking|grade|grading it|that|this|myself|my, <wont> clock|clocking|report|reporting|account|accounting in|to|for, i'm not doing that|this <ending>* $
<wont> <asked>, <wont> have|having that|this|those|such|these? <sort>, <wont> have|having . . <done>, <wont> have|having . . . <done>, <wont> have|having it|that|this|them <done>, <wont> want|have that|it|this|them|you|anyone|anybody|people <done>, <wont> <prying>, refuse|object|objection to that|this|be|being|such|the|your|these|those|any|answer|say question|questions|kind|sort?, i <soft>* object|decline|refuse $, refuse to <asked>
~told <i> won't|shan't|wouldn't <soft>* <ending>* $, ~told i'll|i'm not <ending>* $, i'm not starting now|today|with, ~told neither will|would|do|shall i $, <wont> tell|telling <folk>? <ending>* $
i'm|i'll say|saying|tell|telling you? nothing, nothing to say|tell <folk>? on|about <what>, nothing to say|tell to <folk>, i'm|i'll keep|keeping|stay|staying <soft>* quiet|mum|schtum|silent|shtum, my lips are sealed, mum's the word, my mouth's|mouth is? shut|closed|zipped
plead|take the fifth, over my dead body, that'd|it'd be telling, that|it would be telling, wouldn't you like|love to know, a|any|no .? <lady> never|doesn't|don't|wouldn't|shouldn't|does|would tell|tells|say|says|discuss|share|talk|kiss|reveal|answer
<you> can't|won't|not|shan't|never <soft>* be? get|getting|have|having|hear|hearing|find|finding|drag|dragging|worm|prise|wring|squeeze|pull|coax|know|knowing .? .? .? out|from|off of? me|us, <you> can't|won't|not have that|it $, you'll|you get|have|hear nothing|nowt|none|no .? out|from|off of? me
<you> don't|needn't|haven't|no need|right|call|business|cause|reason to? know|hear|ask|asking, don't think|see|believe|reckon you need|should|ought|have to? that|know|ask|any
don't <you>? be|go|start|keep|dare? <prying> me? that|this|about|again|those|such|these|into|personal, if you didn't|wouldn't|don't|stopped ask|asking|pry|prying, thank|ask|beg you not to, rather|sooner|prefer you didn't|wouldn't|don't, leave|keep my . out of, leave|keep me out of it|this|that, you shouldn't|mustn't|oughtn't|can't|never be? <prying>, you should never <prying>, no right|call|business <prying>, no right|call|business to <prying>, how dare you, keep your nose|beak|neb|snout, mind your own
~is .? .? <rude> question|questions|thing|subject|matter|topic|territory, too|very|rather|quite|bit|highly|deeply|awfully|terribly personal|private|intimate, ~is <soft>* private|confidential|classified|secret|personal to|for|me|and|between|with|so|thanks? $, ~is <soft>* confidential|classified, ~is off limits, ~is out of bounds, ~is not up|open for|to discussion, personal|private|confidential|sore matter|business|information|subject|affair|question <ending>* $
~is <soft>* my own? lookout|concern|secret|affair|affairs|business <ending>* $, my own lookout|concern|affairs, ~is mine alone, ~is mine to know, my . is|are my own $, nobody's <mine>, nobody|one else's <mine>, no one's <mine>, no <mine> of|to|off <theirs>, none of yours|your, not|isn't your <mine> to? $, not|isn't|n't any of? your <mine>, nothing to do with you|your|anyone|anybody, what's it|that to you, what is it|that to you, what's|what it|that got to do with you, what concern|business is it|that of
~is|it|that|this|stays between me|us|myself|ourselves and|the|my, keep .? .? .? between me|us|myself, ~is between me|us|myself|ourselves $, ~is for me|us|my|the .? to know|discuss|talk|worry, for me and .? .? .? to know|talk|discuss|worry, matter|thing|something|business for me|us, matter|something|business for my|the <medic>, not for you|your|public|general|sharing|telling|discussion|strangers, them|those|these are between me and|the
stays|staying|stay|stop|remain|remains|stops with|between me|us|myself|ourselves, that's where it's|they're staying|stopping, that's where it|they stays|stay|stops, <id> <soft>* rather|sooner|prefer|like to? keep .? .? .? <secret>, i'll|i'm keep|keeping .? .? <secret>, i keep that|it|this|those|such .? .? <secret>, <id> <soft>* rather|sooner|prefer|like to? leave .? .? unanswered
not over|on|by the phone|telephone|line|blower, not to a|any <soft>* machine|computer|robot|stranger|recording
i only|just|always <tell> .? .? to? the|my? <medic>, i only|just talk|speak|tell|discuss|share|give to|with? .? .? <medic> .? about that|those|it|this|such, only .? <medic> .? gets|hears|knows|needs|asks, give|tell|show|keep|save .? .? .? .? .? and? nobody|none else $, give|tell|show|keep|save .? .? .? .? .? and? no one else $, nobody|anybody|anyone but .? .? <medic>
`
