package reader

// refuseWords tell that someone does not want to answer, or not this.
type refuseWords struct {
	refuse  table[bool] // wherever it stands
	decline *grammar
	skip    *grammar
	alone   table[bool] // refuses when nothing else is said
	bare    table[bool] // skips when nothing else is said
	concede table[bool] // takes a refusal back
	lost    table[string]
	ours    set // "business", "concern"
	whose   set // before those: whose they are
	telling set // what one does when one answers
}

func enRefuse() refuseWords {
	var w refuseWords
	w.refuse.add(true, `i'd rather keep that,i'd rather keep it,none of your business,not your business,none of your concern,no concern of yours,no business of yours,
that's my business,that's my own business,my own business,my own affair,that's my affair,my business,mind your own business,never you mind,
it's private,that's private,it's personal,that's personal,a personal question,that's a bit personal,that's between me and,that's confidential,
i'd not like to say,i wouldn't like to say,i refuse,no comment,that's not for you to know,i'm keeping that to myself,keep that to myself,
keep it to myself,i'd like to keep that,none of anybody's business,nobody's business,i don't like that question,i don't like these questions,
i don't feel comfortable,i'm not comfortable,let's not talk about,let's not discuss,for my doctor to know,for me to know,not playing this game,
not playing games,not playing your game,i'm not playing,that's nobody's,i don't see why i should,why should i tell you`)
	w.alone.add(true, `i don't want to,i won't,no i won't,i don't wish to,i shan't,i refuse,no thank you i won't,i'd rather not,rather not,i don't care to`)
	w.bare.add(true, `next one,leave it,leave that,go on,carry on`)
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
	w.telling = setOf(`answer answering answered say saying said tell telling told discuss discussing share sharing divulge disclose talk talking talked speak speaking give giving asked ask`)
	w.decline, w.skip = newGrammar(enDeclineClasses, enDeclines), newGrammar(enSkipClasses, enSkips)
	return w
}
