package reader

// yesnoWords are the ways of saying yes and no that fit any question.
type yesnoWords struct {
	particles table[particle]
	unclear   table[string]  // neither
	maybe     table[bool]    // takes the certainty away
	except    table[bool]    // "all but the blue one"
	amiss     table[bool]    // medicines were taken, and not as they should be
	graded    table[bool]    // "a little": yes, where the question is of a symptom
	future    table[bool]    // not done yet
	near      table[bool]    // "nearly fell"
	aux       map[string]int // "did": 1, "didn't": -1
	tags      table[bool]    // "didn't I?"
	echoNext  set            // may follow "I did" when it is the answer
	past      table[bool]    // "last year": not what was asked
	weak      table[bool]    // "usually"
	noIdioms  table[bool]    // "no wonder": no answer, whatever was asked
	dodges    table[bool]    // "yes, well, you know how it is"
	noNext    set            // after "no" when it is the answer
	loose     set            // yes and no only where nothing else hangs on them: "sure as eggs"
	looseNext set            // what may
	those     set            // "none of them"
	mishaps   set            // "oh no, I've dropped it"
	ofTasks   set            // auxiliaries that echo what was done
	places    set            // after the others these begin something else: "I was at the shops"
	// Behind words of the future and of degree, when they are the answer.
	putOffNext, gradedNext, when set
}

type particle struct {
	yes        bool
	confidence float64
}

func enYesNo() yesnoWords {
	var w yesnoWords
	yes, no := particle{true, 0.95}, particle{false, 0.95}
	w.particles.add(yes, `yes,yeah,yep,yup,aye,yes yes,yes indeed,indeed,of course,certainly,absolutely,definitely,sure,sure thing,surely,you bet,
oh yes,naturally,always,every time,without fail,affirmative,that's right,quite right,correct,exactly,mhm,mm hmm,mm-hmm,mmhmm,uh huh,uhhuh,uh-huh,hmm mm,no doubt,no question,without a doubt,
very much so,rather,i'm afraid so,afraid so,too right,you could say that,that i have,that i did,that i do,that i am,i certainly have,i certainly did,by all means,all done,done,already done,already did,already have,already`).
		add(particle{true, 0.75}, `i suppose so,suppose so,i think so,think so,i believe so,believe so,i guess so,guess so,i'd say so,i should think so,i would think so,i reckon so,i expect so,
i imagine so,pretty much,more or less,as far as i know,to my knowledge,so far as i know,wouldn't say no,i wouldn't say no,can't say i haven't,can't say i didn't,can't deny it,can't complain,
wouldn't say i haven't,i wouldn't say i haven't,i'd be lying if i said no,can't say no,i can't say no,i should say so,i usually do,i always do,mostly yes`).
		add(no, `no,nope,nah,never,not yet,not at all,no no,no way,of course not,certainly not,absolutely not,definitely not,afraid not,i'm afraid not,fortunately not,
unfortunately not,sadly not,thankfully not,luckily not,not today,not this morning,not this week,not tonight,not since,not so far,not lately,not recently,not a one,not one,not once,not a single one,not any,
none,none at all,nothing,nothing at all,not a thing,not a bit,not a bit of it,not in the least,not on your life,not likely,negative,uh uh,uh-uh,nuh uh,nothing like that,nothing of the sort,nothing of the kind,none of that,neither,no chance,no fear,
not any more,not now,not ever,not me,not a word,not a scrap,not a bite,no more than usual,no more than normal,that i haven't,that i didn't,not i,not me,stayed up,that's not right,that's wrong,wrong,not quite yet,not as yet`).
		add(particle{false, 0.75}, `not really,i don't think so,don't think so,don't believe so,i don't believe so,don't suppose so,i don't suppose so,i think not,i don't reckon so,not that i know of,not that i'm aware of,not that i can remember,not that i remember,
not that i recall,not that i noticed,not that i've noticed,not to my knowledge,can't say i have,can't say that i have,i can't say i have,i can't say that i have,can't say i did,i can't say i did,can't say that i did,i can't say that i did,
can't say i do,i can't say i do,i wouldn't say so,wouldn't say so,wouldn't say that,i wouldn't say that,not particularly,not especially,not much,nothing much,nothing to speak of,nothing worth mentioning,none to speak of,not exactly,hardly,hardly ever,hardly at all,scarcely,not in so many words,can't say i am,can't say yes,can't say so,i can't say so`)
	w.unclear.add("both", `yes and no,no and yes,in a way,sort of,kind of,so so,it depends,that depends,now and then and not,partly,i hope so,i hope not,hope so,hope not,why not,no problem,no trouble,not bad,not too bad`).
		add("some", `some of them,most of them,half of them,a few of them,one or two of them,not all of them,some,most,some of it,most of it,half of it,part of them`)
	w.maybe.add(true, `might,might have,may have,could have,maybe,perhaps,possibly,not sure,i'm not sure,can't remember,don't remember,don't recall,can't recall,don't know,i wonder,should have,i think i`)
	w.except.add(true, `all but,apart from,except,except for,all except,everything but,other than,bar the,but not the,but not all,not all,only the,only had the,only had one,only taken one,only took one,only took the,only half,just half,only some,only one,only a few`)
	w.amiss.add(true, `by mistake,by accident,the wrong one,the wrong ones,wrong tablets,wrong pills,twice over,took them twice,taken them twice,had them twice,took it twice,two lots,a double dose,double the,
too many,an extra,somebody else's,someone else's,back up,threw them up,thrown them up,sicked them up,whole bottle,whole packet,whole box`)
	w.graded.add(true, `a bit,a little,a little bit,a touch,slightly,somewhat,sometimes,now and then,now and again,on and off,occasionally,at times,from time to time,once or twice,a tad,
a good bit,quite a bit,a lot,very much,more than usual,very,terribly,constantly,all the time,every day,only when,only if,only on,only at,only in,just when,just on,just at,when i,if i,ever such,ever so`)
	w.future.add(true, `i'm about to,i'm just about to,about to,i'm going to,i was going to,i was about to,i will,i'll,we'll,i shall,will do,in a minute,in a moment,later,later on,soon,presently,directly,when we've finished,when i've had,going to,
i was just going to,i must,i have to,i need to,i've got to,i should,just getting to it,getting round to it,haven't had a chance,haven't had the chance,not had a chance,haven't had time,not had time,haven't got round,haven't got to it,haven't got to them,
hasn't brought them,hasn't brought it,waiting for,waiting on,waiting for the pharmacy,waiting on the pharmacy,waiting for the chemist,waiting on the chemist,waiting for the nurse,waiting on the nurse,waiting for the carer,waiting on the carer,
waiting for my carer,waiting for the doctor,waiting on the doctor,waiting for the delivery,waiting for my prescription,waiting on my prescription,waiting for the prescription`)
	w.near.add(true, `nearly,almost,very nearly,came close,close to,could have,i nearly did,nearly did,almost did,i almost did`)
	w.aux = map[string]int{
		"did": 1, "have": 1, "do": 1, "am": 1, "was": 1, "would": 1, "can": 1, "could": 1, "had": 1, "were": 1, "are": 1, "has": 1, "does": 1,
		"didn't": -1, "haven't": -1, "don't": -1, "wasn't": -1, "wouldn't": -1, "can't": -1, "couldn't": -1, "hadn't": -1, "weren't": -1,
		"aren't": -1, "ain't": -1, "hasn't": -1, "doesn't": -1, "isn't": -1,
	}
	w.tags.add(true, `didn't i,haven't i,don't i,aren't i,did i,have i,do i,am i,isn't it,wasn't it,hadn't i,was i,wasn't i,is it,don't you know,does it,doesn't it,can i,can't i,won't i,will i,would i`)
	w.echoNext = setOf(`yes no indeed today this yesterday actually thanks thank already not so with at all both them it that those and but because since on in when earlier twice once too
as yet now again always dear love really before after i honestly certainly definitely for mine though last most every to-day straight right first as the same either any here`)
	w.past.add(true, `last year,years ago,months ago,last month,last summer,last winter,last christmas,when i was,as a child,as a girl,as a boy,in the war,a year ago,weeks ago,last spring,last autumn,back in,once upon`)
	w.weak.add(true, `usually,normally,generally,as a rule,most days,mostly,sometimes`)
	w.noIdioms.add(true, `no use,no good,no idea,no wonder,no matter,no doubt,no end,no sooner,no one,no telling,no knowing,no point,no news,no rest,no harm,no hurry,no rush,no offence,no offense,no need,no worries,no kidding,no joke,
no thanks to,no such thing,no smoke without,no peace,no time like,no time to,no time for,no place like,no man's,no accounting,no love lost,no fool like,no pleasing,no good asking,no mean feat,no picnic,no fun,no answer,no reply,no doubt you,no question of`)
	w.dodges.add(true, `you know how it's,you know how it goes,you know how things are,you know what it's like,what can you do,what can one do,these things happen,that's life,you know me,it's what it's,there it is,there it's,there we are`)
	w.noNext = setOf(`not never nothing none that this these those there there's it it's its you your you're the what when where which why how if unless until till after before at in on for with from since
thanks thank ma'am way just only still yet certainly definitely absolutely really honestly quite i've we've let please as far any either too indeed today yesterday tonight none such`)
	w.loose = setOf(`indeed of certainly absolutely definitely sure surely naturally always exactly correct rather already all done every without never none nothing neither negative affirmative wrong stayed quite`)
	w.looseNext = setOf(`when if because since after before with until till yet today yesterday whatsoever about else like special either ever`)
	w.those = setOf(`them it those these that the`)
	w.mishaps = setOf(`dropped spilt spilled forgotten burnt burning broken broke knocked lost kettle phone pan cat milk batteries battery glasses doorbell gone`)
	w.ofTasks = setOf(`did didn't have haven't do don't hadn't`)
	w.places = setOf(`at with on in both those that most all them it last straight right first the for mine any here same either`)
	w.putOffNext = setOf(`in when with after before once today tonight at later soon as but if it them that those on now get getting to`)
	w.gradedNext = setOf(`when if on in at going climbing walking today yesterday lately recently now then after since than that this getting with first more worse so in by`)
	w.when = setOf(`when if at on in i`)
	return w
}
