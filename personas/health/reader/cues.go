package reader

import (
	"reflect"
	"strings"
)

// set is a class of single words, phrases one of phrases that may carry a value, and
// values one of words that each stand for something. They are numbers, and each language
// gives them their words: the files in cues hold them, under the names of the fields
// here. Zero is a class without words.
type (
	set     uint16
	phrases uint16
	values  uint16
)

// cue names the classes that the rules speak of.
var cue = newCues()

type cues struct {
	Joiners, Negs, Nones, SoftNegs, Others, Selves, Silent, EchoNext, NoNext, Loose, LooseNext, Those, Mishaps set
	OfTasks, OtherNext, PutOffNext, GradedNext, GradedWhen, AfterNumber, ForeignBefore, OneAfter, Tells        set
	LossAndGain, PastHour, ToHour, BeforeHour, AfterHour, Concerns, NotMine, Telling, TakenWith, Doing         set
	DoneThings, GoesTo, LeavesSome, Wished, Obliged, Supposing, HadOrSaid, Likened, EchoAdverbs, FaresWell     set
	FaresBadly, Fares, Later, AnyObject, SmallWords, Hurting, Reasons, WithOption, CouldBe, Comparative        set
	AfterOption, AroundOption, OfScale, WouldTell, NotNothing, NotTime, MineAlone, AfterMine, Asking           set
	QuestionWords, SinceWhen, OfCall, Naming, SpentOtherwise, OtherDoings, OtherMeasures, OtherThings          set

	Plain, Hollow, Idioms, Same, Fix, Particles, Unclear, Maybe, Exceptions, Amiss, Graded, Future, NearMiss      phrases
	TagQuestions, LongPast, NoIdioms, Dodges, Amounts, Counts, TopOfScale, BottomOfScale, Halfway, Zero, OtherDay phrases
	NotToday, Earlier, Today, Inexact, CloseTo, PartOfDay, Halves, Refuse, RefuseAlone, SkipAlone, Concede, Lost  phrases
	Distress, WrongPerson, Exit, Parting, ExitAlone, Line, Louder, GoOn, Agree, NotExit, Hold, Again, Explain     phrases
	Confirm, Deny, Digress, Change                                                                                phrases

	// Numbers, and what stands for one.
	Ones, Tens, Slips, Doubtful, FixedTimes, Aux values
	// How words are written before they are looked up.
	Contract, Joined values
}

// Values of phrases.
const (
	aside = "aside" // of words that may stand anywhere: fillers, hedges, politeness
	habit = "habit" // "the same as always" is no "same as yesterday"
	yes   = "yes"
	am    = "am"
	pm    = "pm"
	night = "night"
)

// cueIDs finds the classes by the name they have in a file.
var cueIDs = map[string]any{}

// cueCount is how many classes of each sort the rules speak of, the empty one among them.
var cueCount struct{ sets, phrases, values int }

// newCues numbers the fields.
func newCues() *cues {
	c := &cues{}
	cueCount.sets, cueCount.phrases, cueCount.values = 1, 1, 1
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		name = strings.ToLower(name[:1]) + name[1:]
		switch f := v.Field(i).Addr().Interface().(type) {
		case *set:
			*f = set(cueCount.sets)
			cueIDs[name] = *f
			cueCount.sets++
		case *phrases:
			*f = phrases(cueCount.phrases)
			cueIDs[name] = *f
			cueCount.phrases++
		case *values:
			*f = values(cueCount.values)
			cueIDs[name] = *f
			cueCount.values++
		}
	}
	return c
}
