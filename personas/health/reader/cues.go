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
	endings uint16 // of words
)

// cue names the classes that the rules speak of.
var cue = newCues()

type cues struct {
	Reasons, WithOption, CouldBe, Comparative, AfterOption, AroundOption, HeShe, Nights, Article, HadBeen, SameOption, Thank, Last, Middle      set
	NumberOf, OneOfThem, Joiners, Negs, Nones, SoftNegs, Others, Selves, Silent, Concerns, NotMine, Telling, MineAlone, AfterMine, Asking       set
	QuestionWords, SayA, SaidSo, Keep, Myself, NextOn, Is, Times, GoesTo, SinceWhen, OfCall, ShortAsk, BeforeThing, Ending, OnlyIf, YouWill     set
	BeforeChange, Say, AfterSame, AfterNumber, ForeignBefore, OneAfter, Tells, LossAndGain, OfScale, NotNothing, SpentOtherwise, OtherDoings    set
	OtherMeasures, Hundred, Thousand, Oh, Point, Minus, BeforeTotal, OfThese, OfThe, Lot, HadSome, Awake, SleepTopic, BeforeDenied, RangeJoins  set
	RangeBefore, RangeMayBe, BeforeAt, OClock, ItDepends, WhatFollows, Unless, Means, Said, Supposing, HadOrSaid, Naming, YesNoThen, TheItNo    set
	ForOn, IWould, SinceThan, LastIn, Unable, A, The, TheMy, My, And, Or, ToOr, Of, At, One, No, Not, Never, Any, Only, So, Well, Than, Between set
	Was, You, Half, Out, YesterdayLast, TheyAre, PastHour, ToHour, BeforeHour, AfterHour, NotTime, Minutes, Ish, News, Ago, EchoNext, NoNext    set
	Loose, LooseNext, Those, Mishaps, OfTasks, OtherNext, PutOffNext, GradedNext, GradedWhen, LeavesSome, Wished, Obliged, Likened, EchoAdverbs set
	FaresWell, FaresBadly, Fares, Later, AnyObject, SmallWords, Hurting, NotCant, But, ButWell, ButExcept, We, Surely, LoveLike, Like, Do, Am   set
	That, Thinking, CouldDid, Finding, Way, Doubt, NotKnown, Nothing, None, To, Still, StillOnly, Had, Me, They, MyMine, ItsThats, OneOrLot     set
	Will, InYear, Soon                                                                                                                          set

	HungryFor, FairEnough, FarFrom, Plain, Hollow, Idioms, Same, Fix, Refuse, RefuseAlone, SkipAlone, Concede, Lost, RefuseTo, RatherNot      phrases
	GoInto, ToMyself, NoAnswer, Distress, WrongPerson, Exit, Parting, ExitAlone, Line, Louder, GoOn, Agree, NotExit, Hold, Again, Explain     phrases
	Confirm, Deny, Digress, Change, OfThis, FirstOne, DidISay, WasWrong, AsksToChange, PointsBack, Amounts, Counts, TopOfScale, BottomOfScale phrases
	Halfway, Zero, OtherDay, NotToday, Earlier, Today, Inexact, CloseTo, PartOfDay, Fractions, AHalf, Percent, OutOf, SlipAfterArticle        phrases
	OnceUpon, Difference, OtherThings, ThroughTo, WishedFor, WouldBe, IfYouAsk, BeforeThen, ScaleOf, NotA, YouMean, AtAll, ThereIs, Halves    phrases
	PartHours, OnTheHour, Particles, Unclear, Maybe, Exceptions, Amiss, Graded, Future, NearMiss, TagQuestions, LongPast, NoIdioms, Dodges    phrases
	IThinkI, OhNo, HardlyAny, Habit, NeedTo, WouldHave, IfAsked, Yesterday, DoIt, TakenAlways                                                 phrases

	// Numbers, and what stands for one.
	Ones, Tens, Slips, Doubtful, FixedTimes, Places, Aux values
	// How words are written before they are looked up.
	Contract, Joined values

	Roughly, Being, Doing endings
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
var cueCount struct{ sets, phrases, values, endings int }

// newCues numbers the fields.
func newCues() *cues {
	c := &cues{}
	cueCount.sets, cueCount.phrases, cueCount.values, cueCount.endings = 1, 1, 1, 1
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		name = strings.ToLower(name[:1]) + name[1:]
		switch f := v.Field(i).Addr().Interface().(type) {
		case *set:
			*f = set(cueCount.sets) //nolint:gosec // some hundreds
			cueIDs[name] = *f
			cueCount.sets++
		case *phrases:
			*f = phrases(cueCount.phrases) //nolint:gosec // some hundreds
			cueIDs[name] = *f
			cueCount.phrases++
		case *values:
			*f = values(cueCount.values) //nolint:gosec // a few
			cueIDs[name] = *f
			cueCount.values++
		case *endings:
			*f = endings(cueCount.endings) //nolint:gosec // a few
			cueIDs[name] = *f
			cueCount.endings++
		}
	}
	return c
}
