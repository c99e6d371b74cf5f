package reader

// intentWords tell what a reply is for.
type intentWords struct {
	distress    table[bool]
	wrongPerson table[bool]
	exit        table[bool] // whatever surrounds it
	exitAlone   table[bool] // only when the sentence holds nothing else
	parting     table[bool] // those of exitAlone that can mean nothing else
	line        table[bool] // "I can hear you", "speaking": of the call, whatever was asked
	louder      table[bool] // a wish about how we speak
	agree       table[bool] // "go ahead"
	goOn        table[bool] // those of agree that can mean nothing else
	notExit     table[bool] // takes an exit back
	hold        table[bool]
	again       table[bool]
	explain     table[bool]
	confirm     table[bool] // yes to "is that right?"
	deny        table[bool]
	digress     table[bool]
	turnBack    table[bool] // "going back to the sleep one"
	change      table[bool] // "make that six"
}

func enIntents() intentWords {
	var w intentWords
	w.distress.add(true, `chest pain,pain in my chest,pains in my chest,chest hurts,crushing,can't breathe,cannot breathe,struggling to breathe,want to die,wish i was dead,wish i were dead,better off dead,kill myself,end it all,end my life,
don't want to live,don't want to be here any more,don't want to be here anymore,no point in living,nothing to live for,can't go on,can't get up,can't move my arm,can't feel my arm,can't feel my face,face has dropped,bleeding badly,
won't stop bleeding,bleeding and it won't stop,i've taken too many,took too many tablets,took too many pills,took the whole bottle,taken the whole bottle,swallowed the whole bottle,took the whole packet,overdose,call an ambulance,get an ambulance,need an ambulance,call 999,call 911,help me,please help me,i'm on the floor,i've fallen and,smell gas,there's a fire,house is on fire,
someone's broken in,somebody's broken in,he hits me,he hit me,hurting me,frightened of him,locked me in,passing out,going to faint`)
	w.wrongPerson.add(true, `wrong number,wrong person,you've got the wrong,you have the wrong,no one of that name,nobody of that name,no one by that name,nobody by that name,no one here called,nobody here called,not him,not her speaking,he's not here,she's not here,
he isn't here,she isn't here,he's out,she's out,he's not in,she's not in,he's in hospital,she's in hospital,he's in the hospital,she's in the hospital,she's asleep,he's asleep,this is her daughter,this is his daughter,this is her son,this is his son,this is his wife,this is her husband,i'm her daughter,i'm his daughter,i'm her son,i'm his son,
i'm his wife,i'm her husband,i'm the carer,i'm her carer,i'm his carer,i'm the cleaner,i'm the neighbour,i'm a neighbour,i'm just the,she passed away,he passed away,she died,he died,she doesn't live here,he doesn't live here,doesn't live here,moved away from here,i'm not mrs,i'm not mr,i'm not miss,you want my mother,you want my father,you want my mum,you want my husband,you want my wife,
i'll get her,i'll get him,i'll fetch her,i'll fetch him`)
	w.exit.add(true, `i have to go now,i've got to go now,i must go now,i need to go now,i have to run,i've got to run,i must dash,i want to stop,i'd like to stop,can we stop,could we stop,let's stop,please stop,stop asking,stop these questions,stop the questions,stop this,no more questions,that's enough questions,enough questions,enough of this,
enough of these,i've had enough of this,i've had enough of these,i don't want to do this,don't want to do this any more,don't want to do this anymore,i don't want to carry on,i don't want to continue,don't want to go on with,i'd rather not carry on,i'd rather stop,hang up,hanging up,ring off,ringing off,have to let you go,i'm going to hang up,end the call,end this call,finish the call,leave me alone,leave me be,go away,
call me later,call me back,call back later,call another time,ring me later,ring me back,ring another time,some other time,another time please,not a good time,not now please,i'm busy,i'm in the middle of,can't talk now,can't talk right now,i can't talk,can't talk,we'll leave it there,let's leave it there,leave it there,let's finish,let's finish there,
let's call it a day,i'm done with this,i'm finished with this,i give up,i want to finish,i'd like to finish,can we finish,are we done,are we nearly done,are we finished,talk to you later,speak to you later,speak soon,talk soon,bye for now,bye now,goodbye now,i'll say goodbye,i'm off now,i don't have time,haven't got time,haven't the time,no time for this`)
	const partings = `bye,bye bye,bye-bye,goodbye,good bye,goodnight,good night,cheerio,ta ta,ta-ta,toodle-oo,farewell,i have to go,i've got to go,i must go,i need to go,i should go,i'll have to go,
i'd better go,i'm off,i'm leaving,see you later,see you soon,have to go,got to go,must go,better go,i must be going,i'd best be going,i'd best go,i must get on,i should be getting on,i must be getting on,i'd better get on,i must fly,i must love you and leave you`
	w.parting.add(true, partings)
	w.exitAlone.add(true, partings).
		add(true, `stop,stop it,stop now,stop please,so long,enough,that's enough,that'll do,that will do,that's it,that's all,finish,finished,quit,exit,the end,not now,i'm going,i'm done,i'm finished,see you,no more,later`)
	w.line.add(true, `can you hear me,are you there,are you still there,i can hear you,i can hear,i hear you,i'm here,i'm still here,still here,speaking,this is she,this is he,i'm listening,i'm with you,i'm back,i'm back now,go ahead,fire away,ask away,who is it,who's this,who is this,who's that,who's calling,hello,
what is it,what do you want,what can i do for you,it's me,that's me,you'll have to shout,you'll have to speak,the line is,the line's,it's a bad line,you're breaking up,you keep breaking up,you're cutting out,hear a word,i can just hear you,i can barely hear you,can hardly hear`)
	w.louder.add(true, `speak up,speak louder,louder please,a bit louder,speak slower,slow down,a bit slower,more slowly,you're very faint,not so fast,too fast`)
	const goOn = `go ahead,go on,go on then,fire away,ask away,carry on`
	w.goOn.add(true, goOn)
	w.agree.add(true, goOn).add(true, `by all means,that's fine,that's all right,that's alright,of course,it's,i can,i'm,please do,it's fine,this is fine,ready`)
	w.notExit.add(true, `don't hang up,don't go,don't stop,never stop,won't stop,can't stop,wouldn't stop,didn't stop,doesn't stop,not stop,couldn't stop,said goodbye,say goodbye to,said bye,to stop the,stop the bleeding,going to the,go to the,have to go to,don't want to stop,don't want to end,do i have to go,not finished,haven't finished,stop it hurting,
stop the pain,stop taking,stop eating,stop worrying,stop thinking,stop going,stop smoking,stop drinking,stop coughing,stop crying,stop shaking,stop itching,used to,when i was,he said,she said,they said,told me to stop,told me to,go to hospital,i'm not busy,never leave me alone,they leave me alone,i've been busy`)
	w.hold.add(true, `hold on,hold the line,hang on,just a minute,just a moment,one moment,one minute,wait a minute,wait a moment,bear with me,just a second,one second,half a minute,give me a minute,give me a moment,someone at the door,somebody at the door,the door's gone,that's the door,that's the doorbell,kettle's boiling,let me sit down,let me turn,
let me get my glasses,let me put my`)
	w.again.add(true, `pardon,beg your pardon,i beg your pardon,pardon me,say again,say that again,say it again,come again,what was that,what was the question,what did you say,what are you saying,repeat that,could you repeat,can you repeat,please repeat,repeat the question,
i didn't hear,didn't hear you,didn't hear that,i didn't catch,didn't catch that,can't hear you,i can't hear,couldn't hear,speak up,speak louder,louder please,you're very faint,a bit louder,one more time,once more please,again please,missed that,i missed what,what's that,whats that,speak slower,slow down,too fast`)
	w.explain.add(true, `what do you mean,what does that mean,how do you mean,i don't understand,don't understand,don't follow,i don't follow,not with you,which ones,which one,compared with what,compared to what,what scale,out of what,what kind of,in what way,what sort of,how would i,meaning what,
i'm not sure what you,not sure what you mean,what are you asking,explain that,explain it,why do you ask,why do you want to know,what's that for,what for,what is that for,who wants to know,why are you asking`)
	w.confirm.add(true, `that's right,that is right,quite right,correct,that's correct,spot on,exactly,you've got it,that's it,that's what i said,i did say that,right you are,you heard right`)
	w.deny.add(true, `that's not right,that isn't right,that's wrong,not right,wrong,incorrect,i didn't say that,i never said that,i didn't say,i never said,not what i said,you misheard,you've misheard,you got that wrong,you've got that wrong,that's not it`)
	w.digress.add(true, `that reminds me,did i tell you,i was telling,you know what,do you know what,have i told you,by the way,guess what,speaking of,talking of,i remember when,when i was a,in my day,years ago,what's the weather,how's the weather,how are you,how about you,and yourself,what about you,are you married,
are you a robot,are you real,are you a computer,are you a machine,what time is it,what day is it,what's the time,where are you calling from,where are you,isn't it cold,isn't it hot,lovely weather,terrible weather,the weather's,my grandson,my granddaughter,my late husband,my late wife,back in`)
	w.turnBack.add(true, `going back to,go back to,back to,about the,about that,on the,for the,regarding,as for,change the,change my,correct the,with the,that question about,question about,the one about,what i said about,when you asked about,you asked about,you asked me about,my answer about,my answer on,my answer to,answer for`)
	w.change.add(true, `i said,make that,make it,change that to,change it to,change it,change that,change my answer,change the,i meant,i mean,i should have said,should have said,should have been,it should be,that should be,i told you wrong,i told you,i made a mistake,i got that wrong,i got it wrong,i was wrong,that was wrong,that's wrong,
correct that,not what i said,i didn't say,i never said,scratch that,let me change,let me correct,can i change,could i change,can we change,put me down for,put me down as,put that down as,put it down as,you misheard,on second thoughts,on second thought,come to think of it,thinking about it,now i think about it,i tell a lie,i take that back,take that back,
i forgot to say,i forgot to mention,going back to,go back to,what i said about,you asked about,you asked me about,when you asked about,my answer about,my answer on,my answer to,the one about`)
	return w
}
