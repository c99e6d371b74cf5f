package reader

// numberWords are the words that numbers are made of, and those around them
// that tell whose number it is.
type numberWords struct {
	ones, tens map[string]int
	slips      map[string]int // what speech recognition writes for a number
	doubtful   map[string]int // slips that are more often the word itself
	amounts    table[float64] // "a couple", "half a dozen"
	counts     table[float64] // "twice"
	follow     set            // may follow a number that stands for itself
	foreign    set            // before a number that belongs to something else
	oneAfter   set            // before "one" when it is the number
	top        table[bool]
	bottom     table[bool]
	half       table[bool]
	zero       table[bool]
	past       table[bool]
	otherDay   table[bool] // those of past that can mean no time that was asked about
	notToday   table[bool] // those that can where today is meant, and what is usual
	today      table[bool]
	tells      set // "my grandson says eight"
	inexact    table[bool]
	close      table[bool]
	change     set // "I lost three pounds"
	partOfDay  table[bool]
	units      map[string]unit
	alike      map[string]string // counted things taken for each other
}

// unit is a measure: how many of the base unit of its dimension it holds.
type unit struct {
	dim    string
	factor float64
	// code is how it is recorded. Stones are recorded in pounds. Empty: only where
	// the question has a unit.
	code string
}

func enNumbers() numberWords {
	var w numberWords
	w.ones = map[string]int{
		"zero": 0, "nought": 0, "naught": 0, "nil": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
		"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
		"seventeen": 17, "eighteen": 18, "nineteen": 19,
	}
	w.tens = map[string]int{
		"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	}
	w.slips = map[string]int{"ate": 8, "for": 4, "fore": 4, "to": 2, "too": 2, "won": 1, "tree": 3, "sicks": 6, "sex": 6, "tin": 10, "nein": 9, "fife": 5, "sevin": 7}
	w.doubtful = map[string]int{"heaven": 7, "hate": 8, "free": 3, "then": 10, "fix": 6, "hive": 5, "tan": 10, "mine": 9, "line": 9}
	w.amounts.add(2, "couple,a couple,a couple of,couple of,a pair,a pair of,pair of").
		add(12, "a dozen,dozen").add(6, "half a dozen,half dozen,a half dozen").add(24, "two dozen")
	w.counts.add(1, "once").add(2, "twice").add(3, "thrice")
	w.follow = setOf(`out on or to today now maybe perhaps probably possibly please ish mark when if this at for though then so really thanks thank no not yes i i'd i'm
it's that's would because but and dear love because as in is was percent per with over too of from point again still definitely also until till the at all
where which i've they he she my we how what after before since tops exactly about yesterday last tonight like just only sometimes usually mostly`)
	w.foreign = setOf(`till until since by channel aged age before after past of every each last next took take taken taking had have has got get getting with
room bus flat chapter page turned january february march april may june july august september october november december my his her their our your these those
number top first other another all both to and from in than for`)
	w.oneAfter = setOf(`a or to about maybe perhaps say it's only just probably around it between and than make call the i'd yes at six-to`)
	w.top.add(true, `top marks,full marks,top of the scale,the very top,the top,the highest,as high as it goes,as high as it gets,the maximum,maximum,the full ten`)
	w.bottom.add(true, `the lowest,as low as it goes,as low as it gets,bottom of the scale,the bottom,the minimum,rock bottom`)
	w.half.add(true, `half,halfway,half way,in the middle,the middle,bang in the middle,right in the middle,smack in the middle,middle,fifty fifty,half and half,midway,mid way`)
	w.zero.add(true, `none of them,none of those,none of these,none,none at all,nothing,nothing at all,nothing yet,zero,nil,never,not any,not one,not a one,not a single one,not a bit,not a drop,not at all,
haven't had any,haven't any,haven't got any,didn't have any,don't have any,i had none,i've none,had nothing,i've had nothing,i've had none,haven't had one,haven't had a thing,not a thing,
haven't touched a drop,haven't had a drop,not had any,not a jot`)
	const otherDays = `last week,last time,last month,last year,the other day,used to,a year ago,years ago,months ago,weeks ago,days ago,a week ago,a month ago,
on monday,on tuesday,on wednesday,on thursday,on friday,on saturday,on sunday`
	w.otherDay.add(true, otherDays)
	w.notToday.add(true, `yesterday,last night,in the night,usually,normally,most days,most nights,as a rule,sometimes,in hospital,in the hospital,when i,when we,always`)
	w.past.add(true, otherDays).add(true, `yesterday,last night,usually,normally,most days,was,were,before,earlier,always say,usually say,in the night`)
	w.today.add(true, `today,now,this morning,this afternoon,this evening,at the moment,right now,currently`)
	w.tells = setOf(`gave gives says said reckons thinks tells told wants would`)
	w.inexact.add(true, `less than,under,below,more than,over,above,higher than,lower than,fewer than,beyond,worse than,better than,not quite,hardly,up to`)
	w.close.add(true, `nearly,almost,just under,just over,just above,just below,at least,no more than,not more than,no less than,not less than,barely,no higher than,no lower than,
a bit over,a little over,a bit under,a little under,at most,not over`)
	w.change = setOf(`lost gained dropped shed put lose gain losing gaining broke broken smashed wear washed bought cancelled missed refused`)
	w.partOfDay.add(true, `o'clock,oclock,am,pm,in the morning,in the afternoon,in the evening,at night,in the night,past,minutes to,minutes past`)
	w.units = map[string]unit{}
	for _, u := range []struct {
		words  string
		dim    string
		factor float64
		code   string
	}{
		{"minute minutes mins min", "time", 1, ""},
		{"hour hours hrs hr", "time", 60, ""},
		{"day days", "time", 1440, ""},
		{"week weeks fortnight", "time", 10080, ""},
		{"pound pounds lb lbs", "mass", 1, "lb"},
		{"stone stones st", "mass", poundsInStone, "lb"},
		{"kilo kilos kilogram kilograms kilogramme kilogrammes kg kgs", "mass", 2.2046226, "kg"},
		{"milligram milligrams mg mg/dl", "sugar", 1, "mg/dL"},
		{"millimole millimoles mmol mmols mmol/l", "sugar", 18.016, "mmol/L"},
		{"percent %", "share", 1, "%"},
		{"degree degrees", "heat", 1, ""},
	} {
		for word := range setOf(u.words) {
			w.units[word] = unit{u.dim, u.factor, u.code}
		}
		if one := (unit{u.dim, u.factor, u.code}); u.code != "" && u.factor != poundsInStone {
			w.units[u.code] = one
		}
	}
	w.units["fortnight"] = unit{"time", 20160, ""}
	w.alike = map[string]string{}
	for name, words := range map[string]string{
		"glasses": "glass glasses cup cups mug mugs beaker beakers tumbler tumblers drink drinks tea coffee",
		"falls":   "fall falls tumble tumbles time times",
		"times":   "time times occasion occasions",
		"meals":   "meal meals",
		"doses":   "dose doses pill pills tablet tablets",
		"pills":   "pill pills tablet tablets capsule capsules",
		"steps":   "step steps",
		"units":   "unit units",
		"nights":  "night nights",
		"people":  "person people visitor visitors",
		"puffs":   "puff puffs",
	} {
		for word := range setOf(words) {
			w.alike[name+" "+word] = name
		}
	}
	return w
}
