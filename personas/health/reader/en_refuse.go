package reader

// refuseWords tell that someone does not want to answer, or not this.
type refuseWords struct {
	refuse  table[bool] // wherever it stands
	skip    table[bool] // wherever it stands
	alone   table[bool] // refuses when nothing else is said
	bare    table[bool] // skips when nothing else is said
	concede table[bool] // takes a refusal back
	lost    table[string]
	ours    set // "business", "concern"
	whose   set // before those: whose they are
	telling set // what one does not want to do
	willing set // between the negation and that
	told    set // may follow it
	noSkip  set // before "skip it": it was done, not asked for
}

func enRefuse() refuseWords {
	var w refuseWords
	w.refuse.add(true, `i'd rather not,i would rather not,i'd prefer not,i would prefer not,i'd sooner not,i would sooner not,rather not say,
prefer not to say,prefer not to,i'd rather keep that,i'd rather keep it,i'd rather you didn't ask,rather you didn't ask,
none of your business,not your business,none of your concern,no concern of yours,no business of yours,that's my business,that's my own business,
my own business,my own affair,that's my affair,my business,mind your own business,mind your own,keep your nose out,never you mind,
it's private,that's private,it's personal,that's personal,a personal question,too personal,that's a bit personal,that's between me and,that's confidential,
i don't want to answer,i don't want to say,don't want to say,i don't want to tell,i don't want to talk about,don't want to talk about,i don't want to discuss,
i don't want to give,i don't wish to,i don't care to answer,i don't care to say,i don't care to discuss,i don't care to,i'd not like to say,i wouldn't like to say,
i won't answer,i won't say,i won't tell,i won't be answering,i'm not answering,i'm not going to answer,i'm not going to tell,
i'm not going to say,i'm not telling,not telling you,i'm not saying,i'm not giving,i'm not discussing,i'm not talking about,i refuse,i refuse to answer,
i shan't answer,shan't answer,i shan't say,i shan't tell,don't ask me that,don't ask me about,don't ask that,you can't ask me that,
you shouldn't ask,you've no right to ask,you have no right to ask,no right to ask,no comment,a lady never tells,
i don't discuss,i don't talk about,i don't answer questions,i don't tell people,you don't need to know,you needn't know,that's not for you to know,
i decline,i decline to answer,i don't have to answer,i don't have to tell you,i'm keeping that to myself,keep that to myself,keep it to myself,
i'd like to keep that,none of anybody's business,nobody's business,not any of your business,i don't like that question,i don't like these questions,
i don't feel like answering,i don't feel comfortable,i'm not comfortable,i don't want to get into it,i don't want to get into that,i don't want to go into it,i don't want to go into that,i don't want to go into details,no i won't tell,i'm not doing that,i'm not doing this one,let's not talk about,let's not discuss,for my doctor to know,for me to know,i'd sooner you didn't,i'd rather you didn't,i'd prefer you didn't,
not playing this game,not playing games,not playing your game,i'm not playing,want to do numbers,i don't do numbers,not doing numbers,not giving numbers,mind your own beeswax,that's nobody's,i don't see why i should,why should i tell you`)
	w.skip.add(true, `skip it,skip that,skip this,skip that one,skip this one,skip the question,skip this question,skip that question,skip to the next,
skip one,skip please,please skip,next question,next one,the next one,next please,go on to the next,go to the next,move on,move along,
moving on,pass on that,pass on this,pass on that one,pass on this one,i'll pass,i pass,think i'll pass,ask me another,ask another,ask me something else,
something else please,ask me a different,try another,try me with another,another question,different question,leave that one,leave this one,leave that out,leave it out,
let's leave it,let's leave that,leave that for now,leave it for now,we can leave that,can we leave that,come back to that,come back to it,come back to this,
come back to that one,go past that,pass over that,forget that one,let's do the next,do the next one,go to another,on to the next`)
	w.alone.add(true, `i don't want to,i won't,no i won't,i don't wish to,i shan't,i refuse,no thank you i won't,i'd rather not,rather not,i don't care to`)
	w.bare.add(true, `skip,pass,next,next one,next question,skip skip,i pass,leave it,leave that,go on,carry on`)
	w.concede.add(true, `but if i must,if i must,if you must know,well if you must,go on then,oh go on,oh go on then,alright then,oh alright,oh alright then,ok then,very well then,
oh very well,but if i had to,if i had to,if you insist,since you ask,since you insist,fine then,oh fine,but i'll tell you,but i'll say,but i suppose,well i suppose`)
	w.lost.add("not known", `i don't know,don't know,dunno,i dunno,i've no idea,i have no idea,no idea,i can't say,couldn't say,i couldn't say,i couldn't tell you,
i can't tell,hard to say,hard to tell,it's hard to say,difficult to say,i'm not sure,not sure,i'm unsure,i can't remember,can't remember,i don't remember,
don't remember,can't recall,don't recall,i forget,i've forgotten what,who knows,heaven knows,god knows,lord knows,goodness knows,search me,it depends,
depends,how should i know,how would i know,it varies,put a number on it,i can't put a number,you'd have to ask,you'll have to ask,ask my daughter,ask my son`)
	w.lost.add("asked back", `pardon,beg your pardon,i beg your pardon,pardon me,say again,say that again,come again,what was that,what was the question,
what did you say,what are you saying,repeat that,could you repeat,can you repeat,please repeat,repeat the question,i didn't hear,i didn't catch,didn't catch that,
can't hear you,i can't hear,couldn't hear,speak up,speak louder,louder please,you're very faint,are you there,are you still there,what do you mean,what does that mean,
how do you mean,i don't understand,don't understand,don't follow,i don't follow,not with you,which ones,which one,compared with what,compared to what,who is this,who's this,
who are you,who's calling,who is calling,who is that,what's this about,why do you ask,why do you want to know`)
	w.ours = setOf(`business concern affair affairs`)
	w.whose = setOf(`your yours anybody's nobody's anyone's`)
	w.telling = setOf(`answer answering say saying tell telling discuss discussing share sharing divulge disclose talk talking speak speaking`)
	w.willing = setOf(`want wish care like going to be feel think i'll i'd i i'm i want about really particularly even prepared willing comfortable inclined intend plan need have happy keen
something anything that i'd for you prefer choose going`)
	w.told = setOf(`you that it this about any anything anyone anybody these such your them those with to on`)
	w.noSkip = setOf(`had have must to they'd she he they always usually often sometimes never didn't`)
	return w
}
