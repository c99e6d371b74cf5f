package reader

// group is a set of words that mean the same choice, for whichever option has
// one of the keys in its value or words.
type group struct {
	keys  set
	words table[bool]
}

func enGroups() []group {
	var out []group
	for _, g := range []struct{ keys, words string }{
		{"never not_at_all", `not at all,never,not once,not ever,none,not a day,not one day,no days,not a bit,not a bit of it,never ever,never really,no never,not any`},
		{"hardly_ever rarely seldom hardly", `hardly ever,hardly,rarely,seldom,scarcely ever,scarcely,once in a blue moon,not often,not very often,never,never really,not at all,almost never,very rarely,hardly at all`},
		{"some_of_the_time sometimes occasionally some", `some of the time,sometimes,occasionally,now and then,now and again,every now and then,every now and again,every so often,once in a while,from time to time,at times,on occasion,
some days,off and on,on and off,once or twice`},
		{"several_days several", `several days,several,a few days,few days,a few,a few times,some days,couple of days,a couple of days,a couple,a day or two,one or two days,the odd day,one or two,two or three days,two or three`},
		{"more_than_half_the_days more_than_half half", `more than half the days,more than half,over half,over half the days,most days,more days than not,more often than not,most of the days,better than half,a good half,most of them`},
		{"nearly_every_day every_day nearly", `nearly every day,every day,almost every day,daily,every single day,pretty much every day,practically every day,just about every day,all the time,constantly,every night,each day,day in day out,
most every day,always`},
		{"often", `often,a lot,a lot of the time,most of the time,all the time,very often,quite often,always,usually,frequently,every day,constantly,much of the time,more often than not,too often,day and night`},
		{"good well", `good,well,very well,very good,pretty good,great,lovely,fine,excellent,wonderful,beautifully,soundly,sound,like a log,like a baby,like a top,right through,marvellous,grand,splendid,fantastic,champion,perfectly,
quite well,quite good,really well,really good,out like a light,smashing,brilliant`},
		{"fair okay ok average", `fair,okay,ok,so so,average,middling,fair to middling,alright,could be better,could be worse,not wonderful but not terrible,neither good nor bad,passable,reasonable,reasonably,in between,moderate,mediocre`},
		{"poor bad", `poor,bad,badly,terrible,terribly,awful,awfully,dreadful,dreadfully,poorly,very poorly,rotten,shocking,horrible,lousy,a wink,not a wink,not good,not well,not very good,not very well,not good at all,not so good,not so well,not too well,not at all good,not too good,
not at all well,hardly slept,barely slept,awake half the night,awake all night,up all night,up half the night,tossed and turned,tossing and turning,couldn't sleep,couldn't get off,couldn't drop off,couldn't nod off,couldn't get to sleep,didn't sleep,no sleep,worse than bad,bloody awful`},
		{"better", `better,much better,a bit better,a little better,improved,improving,lot better,on the mend,looking up`},
		{"same", `same,the same,about the same,much the same,no different,no change,unchanged,just the same,same as usual,same as always,same as ever,as usual,as ever,as always,the usual,hasn't changed,haven't changed,not changed,no better no worse,
neither better nor worse`},
		{"worse", `worse,much worse,a bit worse,a little worse,got worse,getting worse,not as good,not as good as usual,not so good,gone downhill,lot worse,down on usual,going downhill,deteriorated`},
		{"by_myself on_my_own independently without_help alone unaided", `by myself,on my own,myself,without help,without any help,no help,unaided,alone,independently,on my own two feet,under my own steam,without a stick,all by myself,all on my own,unassisted`},
		{"with_help help", `with help,help,with a bit of help,with some help,with a little help,need help,helps me,helped me,with my stick,with a stick,with my frame,with a frame,with my walker,with a walker,someone helps,with assistance,holding on,
with my rollator,lean on,hold my arm,with someone`},
		{"can't_walk cannot not_able unable", `can't walk,can't,not able,unable,couldn't,can't get about,can't do it,can't at all,in bed,bedridden,in a wheelchair,i can't manage`},
		{"yes", `yes,yeah,yep`},
		{"no", `no,nope`},
	} {
		out = append(out, group{keys: setOf(g.keys)})
		out[len(out)-1].words.add(true, g.words)
	}
	return out
}
