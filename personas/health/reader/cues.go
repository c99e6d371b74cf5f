package reader

import (
	"reflect"
	"strings"
)

// cue names the classes that the rules speak of.
var cue = newCues()

type cues struct {
	Reasons, WithOption, CouldBe, Comparative, AfterOption, AroundOption, HeShe, Nights, Article, HadBeen, Thank, Last, Middle                  class
	NumberOf, OneOfThem, Joiners, Negs, Nones, SoftNegs, Others, Selves, Silent, Concerns, NotMine, Telling, MineAlone, AfterMine, Asking       class
	QuestionWords, SayA, SaidSo, Keep, Myself, NextOn, Is, Times, GoesTo, SinceWhen, OfCall, ShortAsk, BeforeThing, Ending, OnlyIf, YouWill     class
	BeforeChange, Say, AfterSame, AfterNumber, ForeignBefore, OneAfter, Tells, LossAndGain, OfScale, NotNothing, SpentOtherwise, OtherDoings    class
	OtherMeasures, Hundred, Thousand, Oh, Point, Minus, OfThese, OfThe, HadSome, Awake, SleepTopic, BeforeDenied, RangeJoins                    class
	RangeBefore, RangeMayBe, BeforeAt, OClock, ItDepends, WhatFollows, Unless, Means, Said, Supposing, HadOrSaid, Naming, YesNoThen, TheItNo    class
	ForOn, IWould, SinceThan, LastIn, Unable, A, The, TheMy, My, And, Or, ToOr, Of, At, One, No, Not, Never, Any, Only, So, Well, Than, Between class
	Was, You, Half, Out, YesterdayLast, TheyAre, PastHour, ToHour, BeforeHour, AfterHour, NotTime, Minutes, News, Ago, EchoNext, NoNext         class
	Loose, LooseNext, Those, Mishaps, OfTasks, OtherNext, PutOffNext, GradedNext, GradedWhen, LeavesSome, Wished, Obliged, Likened, EchoAdverbs class
	FaresWell, FaresBadly, Fares, Later, AnyObject, SmallWords, Hurting, NotCant, But, ButWell, ButExcept, We, Surely, LoveLike, Like, Do, Am   class
	That, Thinking, CouldDid, Finding, Way, NotKnown, Nothing, None, To, Still, StillOnly, Had, Me, They, MyMine, ItsThats, OneOrLot            class
	Will, InYear, Soon                                                                                                                          class

	HungryFor, FairEnough, FarFrom, Plain, Hollow, Idioms, Same, Fix, Refuse, RefuseAlone, SkipAlone, Concede, Lost, RefuseTo, RatherNot      class
	GoInto, ToMyself, NoAnswer, Distress, WrongPerson, Exit, Parting, ExitAlone, Line, Louder, GoOn, Agree, NotExit, Hold, Again, Explain     class
	Confirm, Deny, Digress, Change, OfThis, FirstOne, DidISay, WasWrong, AsksToChange, PointsBack, Amounts, Counts, TopOfScale, BottomOfScale class
	Halfway, Zero, OtherDay, NotToday, Earlier, Today, Inexact, CloseTo, PartOfDay, Fractions, AHalf, Percent, OutOf                          class
	OnceUpon, Difference, OtherThings, WishedFor, WouldBe, IfYouAsk, BeforeThen, ScaleOf, NotA, YouMean, AtAll, ThereIs, Halves               class
	PartHours, OnTheHour, Particles, Unclear, Maybe, Exceptions, Amiss, Graded, Future, NearMiss, TagQuestions, LongPast, NoIdioms, Dodges    class
	IThinkI, OhNo, HardlyAny, Habit, NeedTo, WouldHave, IfAsked, Yesterday, DoIt, TakenAlways                                                 class

	// Numbers, and what stands for one.
	Ones, Tens, Slips, Doubtful, FixedTimes, Places, Aux class
	// How words are written before they are looked up.
	Contract, Joined class

	Roughly, Being, Doing class
}

// Values of phrases.
const (
	aside = "aside" // of words that may stand anywhere: fillers, hedges, politeness
	habit = "habit" // "the same as always" is no "same as yesterday"
	yes   = "yes"
	pm    = "pm"
	night = "night"
)

// cueNames are the fields by the name they have in a file, in the order of their numbers,
// which begin at one: zero is a class without words.
var cueNames []string

// newCues numbers the fields.
func newCues() *cues {
	c := &cues{}
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		cueNames = append(cueNames, strings.ToLower(name[:1])+name[1:])
		v.Field(i).SetUint(uint64(len(cueNames))) //nolint:gosec // some hundreds
	}
	return c
}
