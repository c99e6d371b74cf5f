package reader

import "strings"

// group is a set of words that mean the same choice, for whichever option has
// one of the keys in its value or words.
type group struct {
	keys  set
	about set // the words are said of these topics only; empty: of anything
	words table[bool]
}

func enGroups() []group {
	var out []group
	for _, g := range []struct{ keys, about, words string }{
		{"never not_at_all", "", `not at all,never,not once,not ever,none,not a day,not one day,no days,not a bit,not a bit of it,never ever,never really,no never,not any`},
		{"hardly_ever rarely seldom hardly", "", `hardly ever,hardly,rarely,seldom,scarcely ever,scarcely,once in a blue moon,not often,not very often,never,never really,not at all,almost never,very rarely,hardly at all`},
		{"some_of_the_time sometimes occasionally some", "", `some of the time,sometimes,occasionally,now and then,now and again,every now and then,every now and again,every so often,once in a while,from time to time,at times,on occasion,
some days,off and on,on and off,once or twice`},
		{"several_days several", "", `several days,several,a few days,few days,a few,a few times,some days,couple of days,a couple of days,a couple,a day or two,one or two days,the odd day,one or two,two or three days,two or three`},
		{"more_than_half_the_days more_than_half half", "", `more than half the days,more than half,over half,over half the days,most days,more days than not,more often than not,most of the days,better than half,a good half,most of them`},
		{"nearly_every_day every_day nearly", "", `nearly every day,every day,almost every day,daily,every single day,pretty much every day,practically every day,just about every day,all the time,constantly,every night,each day,day in day out,
most every day,always`},
		{"often", "", `often,a lot,a lot of the time,most of the time,all the time,very often,quite often,always,usually,frequently,every day,constantly,much of the time,more often than not,too often,day and night`},
		{"good well", "", `good,well,very well,very good,pretty good,great,lovely,fine,excellent,wonderful,beautifully,marvellous,grand,splendid,fantastic,champion,perfectly,
quite well,quite good,really well,really good,smashing,brilliant`},
		{"good well", "sleep slept", `soundly,sound,like a log,like a baby,like a top,right through,out like a light`},
		{"fair okay ok average", "", `fair,okay,ok,so so,average,middling,fair to middling,alright,could be better,could be worse,not wonderful but not terrible,neither good nor bad,passable,reasonable,reasonably,in between,moderate,mediocre`},
		{"poor bad", "", `poor,bad,badly,terrible,terribly,awful,awfully,dreadful,dreadfully,poorly,very poorly,rotten,shocking,horrible,lousy,not good,not well,not very good,not very well,not good at all,not so good,not so well,not too well,not at all good,not too good,
not at all well,worse than bad,bloody awful`},
		{"poor bad", "sleep slept", `a wink,not a wink,hardly slept,barely slept,awake half the night,awake all night,up all night,up half the night,tossed and turned,tossing and turning,couldn't sleep,couldn't get off,couldn't drop off,couldn't nod off,
couldn't get to sleep,didn't sleep,no sleep`},
		{"better", "", `better,much better,a bit better,a little better,improved,improving,lot better,on the mend,looking up`},
		{"same", "", `same,the same,about the same,much the same,no different,no change,unchanged,just the same,same as usual,same as always,same as ever,as usual,as ever,as always,the usual,hasn't changed,haven't changed,not changed,no better no worse,
neither better nor worse`},
		{"worse", "", `worse,much worse,a bit worse,a little worse,got worse,getting worse,not as good,not as good as usual,not so good,gone downhill,lot worse,down on usual,going downhill,deteriorated`},
		{"by_myself on_my_own independently without_help alone unaided", "", `by myself,on my own,myself,without help,without any help,no help,unaided,alone,independently,on my own two feet,under my own steam,without a stick,all by myself,all on my own,unassisted`},
		{"with_help help", "", `with help,help,with a bit of help,with some help,with a little help,need help,helps me,helped me,with my stick,with a stick,with my frame,with a frame,with my walker,with a walker,someone helps,with assistance,holding on,
with my rollator,lean on,hold my arm,with someone`},
		{"can't_walk cannot not_able unable", "", `can't walk,can't,not able,unable,couldn't,can't get about,can't do it,can't at all,in bed,bedridden,in a wheelchair,i can't manage`},
		{"yes", "", `yes,yeah,yep`},
		{"no", "", `no,nope`},
	} {
		out = append(out, group{keys: setOf(g.keys), about: setOf(g.about)})
		out[len(out)-1].words.add(true, g.words)
	}
	return out
}

// grades are words for good and bad, and where on a scale they stand: by its direction,
// the share of the way from its lowest value to its highest.
type grades struct {
	options []Option
	share   map[string]map[Direction]float64 // by the option's value
}

// enGrades has a row for each grade, and for what it is when it is denied. A scale of trouble is no mirror of a scale of
// well-being: "fine" is next to no pain, and not full of energy.
func enGrades() grades {
	g := grades{share: map[string]map[Direction]float64{}}
	for _, row := range []struct {
		name, not     string
		better, worse float64
		words         string
	}{
		{"very good", "not so good", 0.9, 0.05, `very well,excellent,wonderful,marvellous,splendid,fantastic,brilliant,smashing,champion,perfect,perfectly,great,lovely,super,superb,first rate,first class,tip top,top notch,
on top form,in fine form,in fine fettle,fighting fit,fit as a fiddle,right as rain,really good,really well,ever so good,ever so well,couldn't be better,never better,never been better,never felt better`},
		{"good", "not so good", 0.7, 0.15, `well,fine,grand,nice,nicely,decent,pretty good,pretty well,quite good,quite well,fairly good,fairly well,rather good,rather well,not bad at all,not at all bad,not half bad,not too bad at all,
can't complain,couldn't complain,mustn't complain,can't grumble,mustn't grumble,couldn't grumble,shouldn't grumble,no complaints,nothing to complain about,nothing to grumble about`},
		{"not bad", "", 0.6, 0.25, `could be worse,might be worse,been worse,reasonable,reasonably good,reasonably well,tolerable,bearable`},
		{"all right", "not so good", 0.55, 0.35, `alright,okay,ok,fair,passable,getting by,getting along,bearing up,managing,coping,muddling along,muddling through,soldiering on,plodding on,plodding along,ticking over,jogging along,surviving`},
		{"so so", "", 0.5, 0.45, `middling,fair to middling,average,moderate,mediocre,in between,betwixt and between,neither good nor bad,neither here nor there,not good not bad,up and down,comme ci comme ca,
nothing special,nothing to write home about`},
		{"not so good", "", 0.3, 0.6, `not good,not too good,not very good,not well,not so well,not too well,not very well,not up to much,not too clever,not so clever,not very clever,not the best,not at my best,
could be better,might be better,been better,could do better,under the weather,below par,a bit rough,a bit poorly,a bit off,out of sorts,off colour`},
		{"bad", "not bad", 0.2, 0.75, `badly,poor,poorly,rotten,lousy,rough,grim,ropey,pretty bad,quite bad,not good at all,not at all good,not well at all,not at all well`},
		{"very bad", "not bad", 0.05, 0.9, `terrible,terribly,awful,awfully,dreadful,dreadfully,shocking,horrible,horrendous,appalling,ghastly,miserable,very poor,very poorly,really bad,couldn't be worse,bloody awful`},
	} {
		g.options = append(g.options, Option{Value: row.name, Not: row.not, Words: strings.Split(strings.ReplaceAll(row.words, "\n", ""), ",")})
		g.share[row.name] = map[Direction]float64{HigherBetter: row.better, HigherWorse: row.worse}
	}
	return g
}
