package reader

// The tables of the English lexicon: single words are separated by spaces,
// phrases by commas.

const enContract = `
dont don't didnt didn't doesnt doesn't havent haven't hasnt hasn't hadnt hadn't wasnt wasn't werent weren't isnt isn't
arent aren't wont won't cant can't cannot can't couldnt couldn't wouldnt wouldn't shouldnt shouldn't shant shan't
ive i've im i'm youre you're thats that's whats what's theyre they're theres there's hes he's weve we've
gonna going okay ok o'k ok alright right-ish yea yeah yeh yeah ya yeah yis yes naw no nah no nay no`

const enPairs = `
do_not don't did_not didn't does_not doesn't have_not haven't has_not hasn't had_not hadn't was_not wasn't were_not weren't
is_not isn't are_not aren't will_not won't can_not can't could_not couldn't would_not wouldn't should_not shouldn't
shall_not shan't i_am i'm it_is it's that_is that's i've_not haven't we've_not haven't i'd_not hadn't
all_right alright`

const enJoiners = `and but so then because cos since though although while whereas except`

const enNegs = `not no never don't didn't doesn't haven't hasn't hadn't wasn't weren't isn't aren't won't can't couldn't
wouldn't shouldn't shan't ain't neither nor without hardly`

const enNones = `nothing none nobody barely scarcely`

const enSoftNegs = `a an the so too very that really quite all as even exactly particularly any much been felt feeling feel
say call it actually just had have be terribly in got get one's`

const enOthers = `he she they he's she's they're they've his her their him husband wife son daughter sister brother friend
neighbour neighbor nurse doctor carer grandson granddaughter grandchildren mother father mum dad people everyone everybody
somebody someone who cat dog`

const enSelves = `i i'm i've i'd i'll we we've we'll we'd we're me myself mine my`

const enSilent = `silence silent inaudible pause noise blank_audio unintelligible`

const enFillers = `um,umm,ehm,emm,uhm,em,hmmm,mmhm,oof,phew,uh,uhh,er,erm,err,ah,aah,oh,ooh,oo,hmm,hm,mm,mmm,well,well now,now then,now,so,and,but,then,let me see,
let's see,let me think,let me think now,you know,you see,i mean,like,anyway,look,right,okay then,ok,ok then,there now,oh dear,
dear me,oh lord,goodness,goodness me,my goodness,gosh,blimey,heavens,good heavens,good lord,the good lord,the good lord knows,good god,good gracious,lord,ha,eh,just a minute,a minute,
would you believe,believe it or not,on your scale,on that scale,on the scale,as i say,like i say,how shall i put it,there,today,
this morning,this afternoon,this evening,tonight,really,actually,honestly,truthfully,truth be told,if you please`

const enHedges = `about,around,roughly,approximately,maybe,perhaps,probably,possibly,sort of,kind of,i think,i'd think,i should think,
i would think,i suppose,i'd suppose,suppose,i guess,guess,i reckon,i'd reckon,reckon,i believe,i imagine,i expect,i dare say,
or so,or thereabouts,thereabouts,ish,mark,more or less,give or take,if i had to say,if you like,if that,if i'm honest,
to be honest,to tell the truth,to be fair,i'm afraid,i would say,i'd say,i should say,i'd have to say,i have to say,
i must say,i'd probably say,round about,around about,somewhere around,somewhere about,somewhere near,
in the region of,no more,at most,at best,at the most,i'd guess,i'd imagine,whatsoever,by and large,on the whole,all in all,overall,
i'm glad to say,i'm ashamed to say,ashamed to say,i'm sorry to say,sorry to say,i'm pleased to say,i'm happy to say,happy to say,i must admit,i'll admit,i admit,i have to admit,thank goodness,thank god,thank heavens,touch wood,give or take,as usual,as always,as ever`

const enPolite = `please,thanks,thank you,thank you very much,thanks very much,ta,cheers,dear,my dear,love,my love,darling,sweetheart,honey,
sweetie,pet,duck,hen,sir,madam,miss,mate,young man,young lady,doctor,nurse,sorry,excuse me,if you don't mind,bless you,
kind of you,you're very kind,hello,hi,good morning,good afternoon,good evening`

const enLeadIns = `a,an,the,it's,it's a,it is,it's an,it would be,it'd be,it was,it'll be,that's,that would be,that'd be,that's a,i'm,i'm a,i'm at,
i'm on,i'm about,i was,i feel,i feel like,i'm feeling,i felt,say,i say,let's say,shall we say,call it,make it,make that,put it at,
put me at,put me down as,put me down for,put down,put,i'd put it at,i put it at,i'd put,i'd give it,give it,i'd give,i give it,i'd call it,
i'd rate it,i'd rate,rate it,i would rate it,i'll say,i'll give it,i'll go with,i'd go with,i'd go for,go for,i'll go for,going for,number,just,only,
still,exactly,definitely,certainly,perhaps a,more like,nearer,closer to,near,nearly,almost,barely,nearly a,a good,a solid,a strong,a weak,
a low,a high,good,solid,bang on,dead on,at about,at,would be,today is,today it's,it must be,must be,i've,i've had,
i had,i have,i did,i got,so far,yet,all together,altogether,in all,in total,all told,on average,mine is,mine's,mine`

// enTrailing are beginnings that go nowhere: "well, I was…".
const enTrailing = `i,i was,i was just,i was going to,i'm,i've,the,it,it's,it's just,that's,my,because,with,a,to,of,is,was,i don't,if,when,
as,what,who,how`

const enSame = `same as yesterday,the same as yesterday,same as the last time,same as last time,the same as last time,same as last night,
same as before,the same as before,same time as yesterday,same number as yesterday,as yesterday,like yesterday,just like yesterday,
just as yesterday,same again,no change,no changes,not changed,hasn't changed,haven't changed,nothing's changed,nothing has changed,
unchanged,about the same,much the same,pretty much the same,the same,same,the very same,no different,no different from yesterday,
no different to yesterday`

const enHabit = `same as always,the same as always,same as usual,the same as usual,same as ever,the same as ever,as usual,as always,
the usual,usual,same old same old,same time as always,same time as usual,like always,the usual time`

const enFix = `no,nope,wait,no wait,hold on,hang on,sorry,actually,i mean,or rather,rather,make that,make it,scratch that,correction,
i tell a lie,tell a lie,on second thoughts,on second thought,well no,let's say,say,i meant,i should say,no hang on,come to think of it,
now i think about it,now i think of it,i'd better say,better say,change that to,change it to,i'm wrong,that's wrong,not that,
i beg your pardon,excuse me`

// enIdioms hold a number or the word of a choice that answers nothing.
const enIdioms = `cloud nine,sixes and sevens,ten to one,forty winks,second to none,two's company,three's a crowd,in two minds,two minds,to the nines,nine times out of ten,
six of one and half a dozen of the other,six of one,half a dozen of the other,eleventh hour,one day at a time,one thing or another,one thing and another,one thing after another,one way or another,
one way or the other,one or the other,two left feet,two peas in a pod,nine lives,catch twenty two,seventh heaven,seven heavens,square one,number one,two ticks,two shakes,one too many,one of these days,
one of those days,one of those things,on the one hand,twenty four seven,nineteen to the dozen,for six,on all fours,one foot in the grave,six feet under,six foot under,ten a penny,two a penny,
three score years and ten,one for the road,one fine day,the nine o'clock news,the six o'clock news,the ten o'clock news,a stitch in time saves nine,it takes two,put two and two together,two and two,
good one,good of you,good of him,good of her,good of them,good for you,good for him,good for her,good for them,good for us,good grief,good job,good riddance,good old,good enough for me,good luck,good question,fair enough go,fair enough then,fair enough carry,fair enough ask,fair enough let's,right okay,right ok,okay then,fair play,fair do's,fair dos,fair's fair,fair cop,poor thing,poor dear,poor soul,poor old,poor man,poor woman,
better late,better safe,better not,better be,better go,better get,worse for wear,better off,better had,you'd better,i'd better,same to you,never mind,never you mind,well i never,as often as not,more often than not,for better or worse,worse luck,for good,no good`
