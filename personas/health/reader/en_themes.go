package reader

// theme holds what people say of one subject instead of yes and no. The event
// is what a question about the subject usually asks for: medicines taken, a
// fall, being short of breath.
type theme struct {
	name    string
	topics  set         // a question or a clause with one of these is about it
	did     table[bool] // the event happened; the speaker is the subject
	didnt   table[bool]
	states  table[bool] // whole statements, whoever the subject is: true, it happened
	symptom bool        // "a little" is a yes
	task    bool        // "I'm just about to" is a no; "all but one" is a no
}

// phrases fills a theme.
func newTheme(name, topics, did, didnt, happened, not string) theme {
	t := theme{name: name, topics: setOf(topics)}
	t.did.add(true, did)
	t.didnt.add(true, didnt)
	t.states.add(true, happened).add(false, not)
	return t
}

func enThemes() []theme {
	medicine := newTheme("medicine",
		`pill pills tablet tablets medicine medicines medication medications meds dose doses prescription capsule capsules insulin inhaler`,
		`took,taken,take,swallowed,had them,had it,had mine,had my,had all,had every,had both,had the lot,had one,done them,done that,done it,did them,remembered,remembered them,given them,down the hatch`,
		`missed,miss,forgot,forgotten,forget,skipped,left out,left the,left one,left them,leave out,run out,ran out,stopped taking,stopped,haven't got round,refused them,spat,overlooked,slept through`,
		`every last one,every one,every one of them,every single one,all of them,the lot,the whole lot,all taken,all gone,both of them,all done,right after breakfast,straight after breakfast,right after,straight after,
first thing,first thing this morning,with my breakfast,with breakfast,with my tea,like clockwork,on the dot,down the hatch`,
		`they ran out,they've run out,they've all gone,clean forgot,slipped my mind,it slipped my mind,went out of my head,went clean out of my head,none left,they're still in the box,still in the box,still on the table`)
	medicine.task = true

	fall := newTheme("fall", `fall falls fallen fell falling tumble tripped`,
		`fell,fallen,fall,had a fall,tripped,tripped up,tripped over,slipped,went over,went down,took a tumble,tumbled,had a tumble,a bit of a tumble,tumble,came a cropper,landed on,ended up on the floor,on the floor,lost my footing,lost my balance,
falling,measured my length,went flying,toppled,took a spill,keeled over,took a fall`,
		``, ``,
		`steady on my feet,stayed on my feet,kept my feet,kept my balance,sure footed,steady as a rock,no falls`)

	breath := newTheme("breath", `breath breathing breathe breathless breathlessness puffed wheezing wheezy`,
		`out of breath,short of breath,breathless,puffed,puffed out,puffing,wheezy,wheezing,wheeze,gasping,gasping for breath,winded,out of puff,panting,struggling to breathe,struggling for breath,fighting for breath`,
		``,
		`can't catch my breath,couldn't catch my breath,can't get my breath,couldn't get my breath,can't breathe,chest is tight,breathing's bad,breathing is bad,breathing's worse`,
		`breathing's fine,breathing is fine,breathing's been fine,breathing's good,breathing is good,breathing's been good,breathing's alright,breathing's been alright,breathing is alright,breathing's ok,breathing's been ok,breathing okay,
breathing fine,breathing well,breathing easy,breathing is easy,breathing normally`)
	breath.symptom = true

	dizzy := newTheme("dizzy", `dizzy dizziness giddy lightheaded faint`,
		`dizzy,giddy,lightheaded,light headed,woozy,faint,swimmy,unsteady,wobbly`, ``,
		`room was spinning,room is spinning,room spins,room spun,everything was spinning,everything went round,head was spinning,head's been spinning,head is spinning,came over all funny`,
		`clear headed,head is clear,head's clear`)
	dizzy.symptom = true

	eat := newTheme("eat", `eat eaten eating ate breakfast lunch dinner supper meal meals food appetite`,
		`ate,eaten,eat,had breakfast,had my breakfast,had my lunch,had lunch,had my dinner,had dinner,had some,had a bit,had a bowl,had toast,had porridge,had a sandwich,had an egg,had cereal,had soup,cooked,had something,had a bite,polished off,managed a,managed some,finished it`,
		`skipped breakfast,skipped lunch,skipped,couldn't face,lost my appetite,off my food`,
		`every scrap,cleaned my plate,ate every bit`,
		`couldn't face,couldn't face anything,can't face,couldn't eat,can't eat,wasn't hungry,not hungry,no appetite,haven't had anything,not had anything,haven't had a thing,haven't had a bite,had nothing,had no breakfast,don't feel like eating,
haven't touched,left it all`)
	eat.task = true

	sleep := newTheme("sleep", `sleep slept sleeping asleep night bed rest rested`,
		`slept well,slept fine,slept good,slept soundly,slept right through,slept through,slept like a log,slept like a baby,slept like a top,slept very well,slept beautifully,had a good night,sleep well,sleep fine`,
		`slept badly,slept poorly,hardly slept,barely slept,slept terribly,tossed and turned`,
		`out like a light,like a log,like a baby,like a top`,
		`didn't sleep,didn't sleep well,didn't sleep a wink,couldn't sleep,couldn't get to sleep,not a wink,awake all night,awake half the night,up all night,up half the night,wide awake,bad night,terrible night`)

	swollen := newTheme("swelling", `swollen swelling ankles puffy`,
		`swollen,puffy,puffed up,swelled up,swelling`, ``,
		`ankles are swollen,ankles are puffy,feet are swollen,legs are swollen,ankles have been swollen,ankles are up,shoes won't go on,shoes are tight,shoes don't fit`,
		`ankles are fine,ankles are alright,feet are fine,no swelling`)
	swollen.symptom = true

	steady := newTheme("unsteady", `unsteady steady balance walking`,
		`unsteady,wobbly,wobble,shaky,tottery,hold on to things,hold on to the furniture,hold onto the furniture,need my frame`, ``,
		`legs are wobbly,legs give way,lose my balance`, `steady as a rock,steady on my feet,steady enough,balance is fine,balance is good`)
	steady.symptom = true

	worry := newTheme("worry", `worried worry worries afraid`,
		`worry,worry about,worried,worried about,frightened,frightened of,scared,scared of,nervous,anxious,afraid of,terrified`, ``, ``,
		`doesn't bother me,never gives me a thought,never crosses my mind,doesn't worry me`)
	worry.symptom = true

	return []theme{medicine, fall, breath, dizzy, eat, sleep, swollen, steady, worry}
}
