package reader

// enSkipClasses and enSkips are the grammar of passing a question over and of putting it
// off: how one asks for it, the verb, how the question is named, and when it is to be asked.
//
// A bid is addressed to the one who asks. What one says of oneself ("I'll leave it for
// later") may be about the tablets, and counts only where the question itself is named.
const enSkipClasses = `
asked: question, questions, topic, subject
thing: <asked>, one, ones, bit, thing, item, part
it: that, this, it
one: that|this|last <thing>, that|this|the . <thing>, that|this|the . . <thing>, the|these|those questions, the question, this|that here <thing>
this: it, that, this, them, those, these, <one>
theme: the|my|that|this|all ~topic <thing>?, the|my . ~topic <thing>?
we: we, you, i
aux: can, could, may, might, shall, should, will, would, must, couldn't, shouldn't
softly: just, ever, maybe, possibly, perhaps, always, kindly, quickly, simply, best, better, really, rather
your: we'll, you|we can|could|may|might|should|must, you'd|we'd best|better, you|we had best|better, you'll|we'll have|need to, you|we need to
bid: ^ <softly>*, ^ go on? and, let's <softly>*, let us, <aux> <we> <softly>*, <your> <softly>*, why don't|not <we>?, how about <we>?, what if <we>, might|may as well, feel free to, do you mind if <we>, all right|okay|fine|ok if <we>, i vote|suggest <we>
id: i'd, i would, we'd, we would
wish: <id> <softly>* like|prefer|love to, <id> <softly>* sooner|rather, <id> <softly>* as soon, <id> <softly>* like|prefer|love you to, i|we want|wish you? to
ill: i'll, i will, i shall, we'll, i'm|we're going to, i'd better|best, let me, i must ask you to
req: <bid>, <wish>
ask: <req>, <ill> <softly>*
num: wee, little, short, good, a, one, two, three, five, ten, fifteen, twenty, thirty, few, couple, half, an
span: minute, minutes, min, mins, moment, moments, second, seconds, hour, hours, bit, while, tick, ticks, jiffy, day, days, week
when: later, later on, afterwards, after, after ., last, last of all, tomorrow, tonight, another|other|different time|day|night|occasion, some other time|day, next time, next week, by and by, presently, shortly, soon, at|near|by|towards|till|until|for the end, for|till|until|to last, till|until|for later, till|until|for tomorrow, in|for|after <num> <num>? of? <span>, for|on|till|until another|next day|time|call|occasion, when|once i'm|i've|i|i'll|the|my|you|you're|you've|we've|we, if|when there's time, further|farther on, down the line, this afternoon|evening, to the end, till|until|after|for when|once i|i've|i'm|my|the|we|you|you've . , till|until ., for when|after i|i'm|i've|my|the|we|you .
tail: for now, for today, for tonight, for the moment, for the time being, for once, for a change, today, now, just now, right now, at the moment, this time, this once, this round, again, instead, meantime, meanwhile, in the meantime, first, will|would|could|can you, shall|can|could|should|may|couldn't|can't we, if i may|can|could, if you don't|wouldn't|do mind, if you please|will|would|like|want|can, if that's|it's all right|okay|fine|ok|allowed, if it's all the same to you, would|do you mind, would that be all right, then, altogether, entirely, completely, too, as well, from|for me|us, here, from here, straight away, quick, and thank you, and thanks, on the list, by, i think, please
tag: <tail>, <when>
put: out, alone, blank, empty, aside, over, to one side, unanswered
to: to, with, onto, on to, for, into
next: next, the|your|my|a next, another, something|anything else|different|easier|simpler|nicer
fresh: a|an|another|the|some|any different|new|fresh|other|following|easier|simpler|nicer|gentler|better, another
dest: <next> <thing>?, <fresh> <thing>, the next ~topic, the one after, question ., your|the list|script|form|quiz|questionnaire, the one after that|this
pace: swiftly, smartly, briskly, gently, on, along, ahead, over, straight, right, quickly, back, forward, forwards, past, directly, by
go: get a move, scroll, move on, go, get, move, jump, carry, keep, press, push, crack, skip, hop, pass, come, hurry, turn, switch, proceed, advance, continue, keep going, leap, head, shift, fly, run, race, zip, change
again: go|run|read|think|talk|look|come over|through, go|get|carry|keep|come|press on
past: past, over, by, around, round, beyond, on
take: do, have, try, take, hear, get, ask, give, read, fire, bring, want, hit, tell, start, tackle, try|hit|start me? with, move|go|come to
shelve: put, set, push, place, park, shelve, keep, save, hold, store, stick, shove, leave, pop, lay, move, shift, bring
aside: over, aside, to one side, to the side, on one side, off, back, on hold, on the back burner, on the shelf, on ice, by, away, down the list, to the back, to the bottom, at the bottom
omit: spare me, gloss over, skate over, gloss past, hold off on, skip, jump, hop, bypass, omit, avoid, dodge, duck, drop, ditch, scrap, shelve, park, postpone, defer, disregard, ignore, scratch, strike, cross, miss out, leave out, pass by, pass up, cut, sidestep, swerve, dispense with, do without, forgo, put off
omitted: skipped, passed on, passed over, left, dropped, missed out, omitted, parked, ignored
round: come, return, circle, swing, loop, double
`

const enSkips = `
<ask> <omit> <one>, <ask> skip|omit|bypass|shelve|postpone <past>? <this>, <bid> drop|ditch|scrap|defer|park|ignore <it> <tag>* $, <ask> <omit> <theme> <tag>* $, please skip
<bid> skip <past>? . <tag>* $, <bid> skip <past>? . . <tag>* $, <bid> skip <past>? . . . <tag>* $, <bid> skip <pace> <tag>* $, ^ skip skip* <tag>* $, <ask> skip <tag>* $
<ask> !<again> <go> <past> <one>, <ask> !<again> <go> <past> <it> <tag>* $, <ask> !<again> <go> <past> <theme> <tag>* $
<ask> give <this> a .? miss|rest|skip|swerve|bye, <ask> give <this> the go by, <ask> miss|sit|leave <this> out, <bid> gloss|skate|slide|glide over|past <this>, <bid> have a|an easier|simpler|nicer|gentler|different <thing>, <bid> . over|past|by <one>, <ask> miss <one>, <ask> miss out <one>
^ pass pass* <tag>* $, i pass <tag>* $, <ask> pass <tag>* $, <ask> have to pass <tag>* $, pass on|over <one>, pass on|over <it>, <ask> pass on|over <theme>, <ask> pass <this> by|over|up, ~is a pass <tail>* $
^ next next* <tail>* $, ^ the? next <thing> <tail>* $, next question, ^ the next <tail>* $, <bid> . <pace>* <to>? me|us? the|your next <thing>? at|to? me|us? <tail>* $, on we go, next please, please next
<ask> <go> <pace>* <it>? <pace>* <to> <dest> <tag>* $, ^ on|onto|over <pace>* <to>? <dest> <tag>* $, moving <pace>* <to> <dest> <tag>* $
<bid> do|ask|try|hear|read|tackle <dest> <tag>* $, <ask> <take> me|us? <pace>? the|your next <thing>? <tail>* $, <ask> <take> me|us? <next> <asked>, <ask> <take> me|us? <fresh> <asked>, <bid> ask|tell|give|try me|us <to>? <dest> <tag>* $, <id> like|prefer <fresh> <asked>, ask another, something else please
what's the|your? next|following <thing>? <tag>* $, what is the|your next <thing>?, what else have|did|do|would you, what else is there $, ^ what else $, what comes|is after|next
<req> move|press|push|crack|plough|jog|motor|hurry|trot|run|scoot <this>? <pace> <pace>* <tag>* $, move it <pace>, <req> move|get <pace> from <this>, <req> move|get <pace> from <theme>, moving on|along <tag>* $, <bid> get moving $, <bid> jump|hop|fly|leap ahead|forward|on <tag>* $, <ask> put|leave|draw a dash|blank|line|gap|space, <ask> mark|put <this> down? as? skipped|blank|unanswered|missed, <bid> do|have|ask|take the others|rest first, can|could|shall|may|should <we> <softly>* keep? go|get|carry|going|moving on|along|ahead <tail>* $, <wish> go|carry|get on|along <tail>* $, let's go|get|carry on|along|ahead $
mind|right|okay|ok|fine|better|best|prefer|rather|like|time it? if? <we> moved <pace>, mind|right|okay|ok|fine|better|best|prefer|rather|like|time it? if? <we> <omitted> <this>
<ask> leave <one> <tag>* $, <ask> leave <one> <put>, <req> leave <it> <put>? <tag>* $, <req> leave <it> for|till|until|out, <ask> leave <theme> <tag> <tag>* $, <ask> leave out <one>, <bid> leave ~topic <tag> <tag>* $
<ask> let <this> go|pass|drop|lie|slide|ride|wait|rest|slip by|past?, <bid> let <it> be
<bid> forget about? <one>, ^ <softly>* forget about? <it> <tag>* $, never mind about? <one>, ^ never mind about? the ~topic <tag>* $
don't|won't|not|needn't|never be? bother|bothering|worry|fuss|trouble with|about? <one>, let's not <take>? <one>, not do|have|answer|ask <one> <when>, don't want to do <one> now
^ another question? <tail>* $, ^ a different question
<bid> ask|try|quiz|test|tell|remind me|us <when> <tag>* !and $, <bid> ask|try|quiz|ring|call|phone me|us about|on|for? <this> <softly>* again? <when>, <bid> try <this> again? <when>, <bid> ask|try me|us about|on|for? <theme> again? <when>, <bid> ask|try|tell me|us when|once|after i|i'm|i've|i'll|we've|the|my, <bid> ask me again $, and come|get back to me|it|that|this
<ask> <round> back to|at|for|round <this>, <ask> <round> back to <theme>, <ask> <round> back to|at? me|you|us, <ask> get|work|turn|hop back to <one>, <ask> return|come to <one>, <bid> come|get|return|turn to <it> <when>, ^ come back <when>, <ask> revisit <this>
<bid> do|answer|tackle|face|have|hear|sort <it> <when> <tag>* $, <ask> do|answer|tackle|face|have|hear|take|leave|keep|try <one> <pace>? <when>
<ask> <shelve> <one> <aside>, <bid> <shelve> <this> <aside> <tag>* $, <bid> <shelve> <this> <when>, <bid> <shelve> <theme> <when>, <ask> <shelve> <one> <when>
<one> can|will|could|must|may|should have to? wait, can|could|will|would|may <this> <softly>* wait, ~is <thing> for <when>, later|tomorrow|time|day for <one>, ^ that|this question <when>
i'll|i will tell|give|answer you <this>? <when>, i'll|i will let you know <when>, i'll|i will think about <one> <when>
`
