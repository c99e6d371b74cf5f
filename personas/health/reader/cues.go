package reader

import (
	"reflect"
	"strings"
)

// cue names the classes that the rules use.
var cue = newCues()

type cues struct {
	wordCues
	numberCues
	choiceCues
	statementCues
	callCues
	passingCues
}

// wordCues are used for several kinds of questions.
type wordCues struct {
	Article, Joiners, Negs, SoftNegs, Others, Selves, QuestionWords, AfterSame, SleepTopic, A, The, And, Or, Of, One, No, Never, Well, Than class
	But, Me, Plain, Hollow, Idioms, Same, Fix, Lost, WrongPerson, Deny, OtherDay, Today, ThereIs, Particles, Maybe, IThinkI, Yesterday, Aux class
	Contract, Joined, Being, Accented                                                                                                       class
}

// numberCues are for numbers, amounts and times.
type numberCues struct {
	AfterNumber, ForeignBefore, OneAfter, Tells, LossAndGain, OfScale, NotNothing, SpentOtherwise, OtherDoings, OtherMeasures, Hundred                                                                                                                                   class
	Thousand, Oh, Point, Minus, OfThese, OfThe, HadSome, Awake, BeforeDenied, RangeJoins, RangeBefore, RangeMayBe, BeforeAt, OClock, ItDepends                                                                                                                           class
	WhatFollows, Unless, Means, Said, TheMy, My, ToOr, At, Any, Only, So, Between, Was, You, Half, YesterdayLast, TheyAre, PastHour, ToHour                                                                                                                              class
	BeforeHour, AfterHour, NotTime, Minutes, News, Ago, GoOn, Amounts, Counts, TopOfScale, BottomOfScale, Halfway, Zero, ZeroOf, ZeroAfter, NoneTaken, Earlier, Inexact                                                                                                  class
	CloseTo, PartOfDay, Fractions, AHalf, Percent, OutOf, OnTotal, OnceUpon, Difference, OtherThings, WishedFor, WouldBe, IfYouAsk, BeforeThen, ScaleOf                                                                                                                  class
	NotA, NotOne, AtAll, ThroughTo, NumberOnly, Anywhere, Parts, Ends, Anyone, Weekdays, OverBy, Pressure, AllBut, FromThe, GoWith, OrWas, PerTime, Another, PutDown, Events, AroundHour, Halves, PartHours, OnTheHour, Ones, Tens, Slips, Doubtful, FixedTimes, Roughly class
	AndOnes, Plural, OfHour, HourParts, AndMinutes, LessMinutes, TheHour, AgoAhead, Changes                                                                                                                                                                              class
}

// choiceCues are for options.
type choiceCues struct {
	Reasons, WithOption, CouldBe, Comparative, AfterOption, AroundOption, HeShe, Nights, HadBeen, Thank, Last, Middle, NumberOf, OneOfThem class
	HungryFor, FairEnough, FarFrom, Places, OfList, Intensifiers, HowMuch                                                                  class
}

// statementCues are for yes, no, and statements in place of them.
type statementCues struct {
	Nones, Not, EchoNext, NoNext, Loose, LooseNext, Those, Mishaps, OfTasks, OtherNext, PutOffNext, GradedNext, GradedWhen, LeavesSome, Wished    class
	Obliged, Likened, SinceDay, EchoAdverbs, FaresWell, FaresBadly, Fares, Later, AnyObject, SmallWords, Hurting, NotCant, ButWell, ButExcept, We class
	Surely, LoveLike, Like, Do, Am, That, Thinking, CouldDid, Finding, Way, NotKnown, Nothing, None, To, Still, StillOnly, Had, They, MyMine      class
	ItsThats, OneOrLot, Will, InYear, Soon, Unclear, Exceptions, Amiss, Graded, Future, NearMiss, TagQuestions, LongPast, NoIdioms, Dodges        class
	OhNo, HardlyAny, Concord, Habit, NeedTo, WouldHave, IfAsked, DoIt, TakenAlways, Doing, DeniesNext, IfUnmarked                                 class
}

// callCues are for the call, and for declining to answer.
type callCues struct {
	Silent, Concerns, NotMine, Telling, MineAlone, AfterMine, Asking, SayA, SaidSo, Keep, Myself, NextOn, Is, Times, GoesTo, SinceWhen, OfCall class
	ShortAsk, BeforeThing, Ending, OnlyIf, YouWill, Refuse, RefuseAlone, SkipAlone, Concede, RefuseTo, RatherNot, GoInto, ToMyself, NoAnswer   class
	Distress, Exit, Parting, ExitAlone, Line, Louder, Agree, NotExit, CallsAway, Hold, Again, Explain, Confirm, Digress, OfThis                class
}

// passingCues are for what is said in passing or taken back.
type passingCues struct {
	BeforeChange, Say, Supposing, HadOrSaid, Naming, YesNoThen, TheItNo, ForOn, IWould, SinceThan, LastIn, Unable, Change, FirstOne, DidISay class
	BodyParts, BodyLead, BodyIdioms, Trouble, Subjects, FellBy                                                                               class
	WasWrong, AsksToChange, PointsBack, NotToday, YouMean                                                                                    class
}

// The values of phrases.
const (
	aside = "aside" // of words that may stand anywhere: fillers, hedges, politeness
	habit = "habit" // "the same as always" is not "same as yesterday"
	yes   = "yes"
	pm    = "pm"
	night = "night"
	above = "above"

	better = "better"
	worse  = "worse"
)

// cueNames holds the fields' names in cue files, in the order of their numbers. The numbers begin
// at one, as zero is a class without words.
var cueNames []string

// newCues numbers the classes.
func newCues() *cues {
	c := &cues{}
	v := reflect.ValueOf(c).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous {
			cueNames = append(cueNames, strings.ToLower(f.Name[:1])+f.Name[1:])
			v.FieldByIndex(f.Index).SetUint(uint64(len(cueNames)))
		}
	}
	return c
}
