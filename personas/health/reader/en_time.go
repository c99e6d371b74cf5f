package reader

// clockWords are the words of times of day.
type clockWords struct {
	fixed  map[string]int // "noon", in minutes after midnight
	halves table[half]    // "in the morning", "pm"
	past   set            // "quarter past"
	to     set            // "quarter to"
	before set            // leads to a bare hour: "at seven"
	after  set            // may follow a bare hour
}

// half says which half of the day is meant.
type half uint8

const (
	am half = iota + 1
	pm
	night
)

func enClock() clockWords {
	var w clockWords
	w.fixed = map[string]int{"noon": 720, "midday": 720, "noontime": 720, "midnight": 0}
	w.halves.add(am, "am,in the morning,this morning,of the morning,a m,in the early hours").
		add(pm, "pm,in the afternoon,this afternoon,in the evening,this evening,of an evening,p m,yesterday evening,yesterday afternoon").
		add(night, "at night,tonight,last night,in the night,of a night")
	w.past = setOf("past after gone")
	w.to = setOf("to before of till")
	w.before = setOf(`at about around by till until near nearly roughly approximately maybe perhaps probably say was it's was is before after since past say just like only nearer for or and between to
from no approx circa gone almost exactly then always usually towards half`)
	w.after = setOf(`or and but i ish same sharp maybe perhaps as when because then at about with to on for after before dear love like if in so this yesterday today last tonight usually give
every he she they my the that it which most till until no not just probably i'd`)
	return w
}
