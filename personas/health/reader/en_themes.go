package reader

// theme holds what people say of one subject instead of yes and no. The event
// is what a question about the subject usually asks for: medicines taken, a
// fall, being short of breath.
type theme struct {
	name    string
	topics  set         // a question or a clause with one of these is about it
	did     table[bool] // the event happened; the speaker is the subject
	didnt   table[bool]
	idioms  table[bool] // the same verbs, meaning something else
	objects bool        // what follows a verb has to be the theme's: "took them", not "took the bus"
	states  table[bool] // whole statements, whoever the subject is: true, it happened
	symptom bool        // "a little" is a yes
	task    bool        // "I'm just about to" is a no; "all but one" is a no
	things  set         // what one has had when it happened: "I had some toast"
	parts   set         // what is fine or bad: "my breathing's been fine"
	vague   bool        // its statements may be about anything: "both of them"
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
		`pill pills tablet tablets medicine medicines medication medications meds dose doses prescription capsule capsules insulin inhaler drops injection warfarin metformin statin aspirin`,
		`took,taken,take,swallowed,had them,had em,had it,had mine,had my,had all,had every,had both,had the lot,had one,done them,done that,done it,did them,remembered,remembered them,given them,down the hatch`,
		`missed,miss,forgot,forgotten,forget,skipped,left out,left the,left one,left them,leave out,run out,ran out,stopped taking,stopped,haven't got round,refused them,spat,overlooked,slept through`,
		`none left over,every last one,every one,every one of them,every single one,all of them,the lot,the whole lot,all taken,all gone,both of them,all done,right after breakfast,straight after breakfast,right after,straight after,
first thing,first thing this morning,with my breakfast,with breakfast,with my tea,they went down,it went down,gave them to me,gave me them,gave me mine,gave me my,gave it to me,like clockwork,on the dot,down the hatch`,
		`they ran out,they've run out,they've all gone,clean forgot,slipped my mind,it slipped my mind,went out of my head,went clean out of my head,none left,they're still in the box,still in the box,still on the table,still sitting in,still sitting there,still sat in,still sat there,they're all still there,haven't touched them,haven't touched one,haven't touched it`)
	medicine.task, medicine.objects, medicine.vague = true, true, true
	medicine.idioms.add(true, `stopped by,stopped at,stopped in,stopped off,stopped for,left the house,left the door,take care,took care,taken care,take after,took after,taken after,taken ill,took ill,taken off,took me off,taken me off,took them off me,took to,took off,taken up,took up,take part,took part,take place,took place,forgot what,forgot how,forgot where,forgot who`)

	fall := newTheme("fall", `fall falls fallen fell falling tumble tripped`,
		`fell,fallen,fall,had a fall,tripped,tripped up,tripped over,slipped,went over,went down,took a tumble,tumbled,had a tumble,a bit of a tumble,tumble,came a cropper,landed on,ended up on the floor,on the floor,lost my footing,lost my balance,
falling,go down,hit the floor,hit the deck,hit the ground,slip,a slip,spill,measured my length,went flying,toppled,took a spill,went flat on my face,went headlong,went head over heels,keeled over,took a fall`,
		``,
		`down i went,found myself on the floor,found myself on the carpet,found myself on the ground,found myself on the mat`,
		`steady on my feet,stayed on my feet,kept my feet,kept my balance,sure footed,steady as a rock,no falls,kept on my pins,haven't had one,never had one`)

	fall.idioms.add(true, `tumble dryer,tumble drier,tumble dry,fell asleep,fallen asleep,falling asleep,fall asleep,fell in love,fallen on hard times,fell on hard times,fell over laughing,fell over each other,fell out with,fallen out with,fell for,fell behind,fallen behind,fell ill,fell apart,fallen apart,falling apart,falling to bits,fell to bits,falling to pieces,
fell into,fell about,fell through,fell short,went down to,went down for,went down with,went down the,went down well,went down a treat,went over to,went over my,went over the,went over it,go down to,go down the,go down for,slipped out,slipped away,slipped off,slipped my,slipped on my,slipped into,slipped back,
slipped her,slipped him,slipped them,slip of,a slip of,slip on,slip into,tripped up on,took a fall back,on the floor above,on the floor below`)

	breath := newTheme("breath", `breath breathing breathe breathless breathlessness puffed wheezing wheezy`,
		`out of breath,short of breath,breathless,puffed,puffed out,puffing,wheezy,wheezing,wheeze,gasping,gasping for breath,winded,out of puff,panting,struggling to breathe,struggling for breath,fighting for breath`,
		``,
		`can't catch my breath,couldn't catch my breath,can't get my breath,couldn't get my breath,can't breathe,chest is tight,breathing's bad,breathing is bad,breathing's worse`,
		`breathing fine,breathing well,breathing easy,breathing normally`)
	breath.symptom = true
	breath.parts = setOf(`breathing breathing's breath breath's chest chest's`)

	dizzy := newTheme("dizzy", `dizzy dizziness giddy lightheaded faint`,
		`dizzy,giddy,lightheaded,light headed,woozy,faint,swimmy,unsteady,wobbly`, ``,
		`room was spinning,room is spinning,room spins,room spun,everything was spinning,everything went round,head was swimming,head is swimming,head's swimming,everything swam,head was spinning,head's been spinning,head is spinning,came over all funny`,
		`clear headed,head is clear,head's clear`)
	dizzy.symptom = true

	eat := newTheme("eat", `eat eaten eating ate breakfast lunch dinner supper meal meals food appetite`,
		`ate,eaten,eat,had breakfast,had my breakfast,had my lunch,had lunch,had my dinner,had dinner,had some,had a bit,had a bowl,had toast,had porridge,had a sandwich,had an egg,had cereal,had soup,cooked,had something,had a bite,polished off,managed a,managed some,finished it`,
		`skipped breakfast,skipped lunch,skipped,couldn't face,lost my appetite,off my food`,
		`every scrap,cleaned my plate,ate every bit`,
		`can't be bothered,couldn't be bothered,couldn't face,couldn't face anything,can't face,couldn't eat,can't eat,wasn't hungry,not hungry,no appetite,haven't had anything,not had anything,haven't had a thing,haven't had a bite,had nothing,had no breakfast,no stomach for,don't feel like eating,
haven't touched,left it all`)
	eat.task, eat.vague = true, true
	eat.idioms.add(true, `eat my hat,eat a horse,eat you out,eat me out,eat my words,eat like,ate like,eaten like,eaten away,ate away,eaten alive,eat humble,had nothing to do,had nothing to say,had nothing but,had some news,had some lovely news,had some good news,had some bad news,had some visitors,had some company`)
	eat.things = setOf(`breakfast lunch dinner supper tea porridge oatmeal cereal cornflakes weetabix toast egg eggs bacon sandwich soup stew pie fish chicken beef lamb pork ham rice
potatoes potato pasta salad fruit banana apple yoghurt yogurt cheese bread roll biscuits crackers grits pancakes waffles muffin casserole curry chips meal bite omelette beans`)

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
	swollen.parts = setOf(`ankles feet legs ankle foot`)

	steady := newTheme("unsteady", `unsteady steady balance walking`,
		`unsteady,wobbly,wobble,shaky,tottery,hold on to things,hold on to the furniture,hold onto the furniture,need my frame`, ``,
		`legs are wobbly,legs give way,lose my balance`, `steady as a rock,steady on my feet,steady enough,balance is fine,balance is good`)
	steady.symptom = true
	steady.parts = setOf(`balance balance's legs walking`)

	worry := newTheme("worry", `worried worry worries afraid`,
		`worry,worry about,worried,worried about,frightened,frightened of,scared,scared of,nervous,anxious,afraid of,terrified`, ``, ``,
		`doesn't bother me,never gives me a thought,never crosses my mind,doesn't worry me`)
	worry.symptom, worry.vague = true, true

	// The event is that it is hard: "I can" is a no.
	effort := newTheme("effort", `steps stairs yards`,
		`can't,couldn't,not able,unable,struggle,struggling,have to stop,have to rest,have to sit,need to stop,need to rest,need a rest,get stuck`,
		`can,could,manage,able to`,
		`too much for me,beyond me,hard work`,
		`easily,with ease,no bother,no trouble,no difficulty,no problem,without stopping,without resting,without a rest`)
	effort.symptom, effort.vague = true, true
	effort.idioms.add(true, `can't say,can't complain,can't remember,can't recall,can't hear,can't think,can't tell,can't help,can't wait,can't talk,couldn't say,couldn't tell,couldn't hear,
can say,can tell,can hear,can remember,can see,could say,can if,can with,can just,can but,can only,could if,could with,could once,could when,manage if,manage with,manage but,manage a`)

	return []theme{medicine, fall, breath, dizzy, eat, sleep, swollen, steady, worry, effort}
}
