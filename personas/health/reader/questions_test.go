package reader_test

import (
	"strings"
	"time"

	"github.com/naiber/naiber/personas/health/reader"
)

// now is the moment at which the labelled replies are spoken.
var now = reader.Context{Now: time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)}

// questions are those that the labelled replies answer.
var questions = map[string]reader.Question{
	"energy": {Kind: reader.Scale, Min: 1, Max: 10, Higher: reader.HigherBetter, Topic: []string{"energy"}},
	"pain": {
		Kind: reader.Scale, Min: 0, Max: 10, Higher: reader.HigherWorse, Topic: []string{"pain", "pains", "hurt", "hurts"},
		Yesterday: &reader.Value{Kind: reader.Scale, Number: 4}, Risk: &reader.Risk{AtLeast: new(8.0)},
	},
	"mood":   {Kind: reader.Scale, Min: 1, Max: 10, Higher: reader.HigherBetter, Topic: []string{"mood", "spirits"}},
	"sleepq": {Kind: reader.Scale, Min: 1, Max: 10, Higher: reader.HigherBetter, Topic: []string{"sleep", "slept"}},
	"pills": {
		Kind: reader.Boolean, Topic: []string{"pills", "tablets", "medication"}, Yesterday: &reader.Value{Kind: reader.Boolean, Bool: true},
	},
	"missed": {Kind: reader.Boolean, Topic: []string{"doses", "tablets"}, Negated: true},
	"fall":   {Kind: reader.Boolean, Topic: []string{"fall", "fallen", "fell"}, Risk: &reader.Risk{Yes: true}},
	"breath": {Kind: reader.Boolean, Topic: []string{"breath", "breathing"}},
	"dizzy":  {Kind: reader.Boolean, Topic: []string{"dizzy", "dizziness"}},
	"ate":    {Kind: reader.Boolean, Topic: []string{"eat", "eaten", "breakfast"}},
	"sleepc": {
		Kind: reader.Choice, Topic: []string{"sleep", "slept"}, Yesterday: &reader.Value{Kind: reader.Choice, Choice: "fair"},
		Options: []reader.Option{{Value: "good", Words: []string{"well"}}, {Value: "fair"}, {Value: "poor", Words: []string{"badly"}}},
	},
	"phq": {Kind: reader.Choice, Topic: []string{"interest", "pleasure"}, Unit: "days", Options: []reader.Option{
		{Value: "never", Words: []string{"not at all"}},
		{Value: "several", Words: []string{"several days"}, From: 1, To: 7},
		{Value: "half", Words: []string{"more than half the days"}, From: 8, To: 11},
		{Value: "nearly", Words: []string{"nearly every day"}, From: 12, To: 14},
	}},
	"ucla": {Kind: reader.Choice, Topic: []string{"companionship"}, Options: []reader.Option{
		{Value: "hardly", Words: []string{"hardly ever"}}, {Value: "some", Words: []string{"some of the time"}}, {Value: "often"},
	}},
	"usual": {Kind: reader.Choice, Topic: []string{"appetite"}, Options: []reader.Option{{Value: "better"}, {Value: "same"}, {Value: "worse"}}},
	"walk": {Kind: reader.Choice, Topic: []string{"walk", "walking"}, Options: []reader.Option{
		{Value: "self", Words: []string{"by myself"}}, {Value: "help", Words: []string{"with help"}}, {Value: "none", Words: []string{"not at all", "can't walk"}},
	}},
	"glasses": {Kind: reader.Number, Min: 0, Max: 20, Unit: "glasses", Topic: []string{"water", "drink"}},
	"hours": {
		Kind: reader.Number, Min: 0, Max: 24, Unit: "hours", Topic: []string{"sleep", "slept"}, Yesterday: &reader.Value{Kind: reader.Number, Number: 6},
	},
	"falls":     {Kind: reader.Number, Min: 0, Max: 50, Unit: "falls", Topic: []string{"fall", "fallen", "fell"}},
	"weight":    {Kind: reader.Number, Min: 60, Max: 400, Unit: "pounds", Topic: []string{"weight", "weigh"}},
	"scales":    {Kind: reader.Number, Min: 25, Max: 600, Units: []string{"pounds", "kilograms"}, Topic: []string{"weight", "scales"}},
	"scalesany": {Kind: reader.Number, Min: 25, Max: 600},
	"meter":     {Kind: reader.Number, Min: 1, Max: 700, Units: []string{"milligrams", "millimoles"}, Topic: []string{"sugar"}},
	"illnesses": {Kind: reader.Number, Min: 0, Max: 11},
	"sugar":     {Kind: reader.Number, Min: 20, Max: 600, Topic: []string{"sugar"}},
	"meals":     {Kind: reader.Number, Min: 0, Max: 6, Unit: "meals", Topic: []string{"meals"}},
	"plans":     {Kind: reader.Text, Topic: []string{"plans"}},
	"else":      {Kind: reader.Text},
	"symptoms":  {Kind: reader.Text, Topic: []string{"symptoms"}},
	"bed": {
		Kind: reader.Time, Near: "22:30", Topic: []string{"bed"}, Yesterday: &reader.Value{Kind: reader.Time, Time: "22:00"},
	},
	"wake":  {Kind: reader.Time, Near: "07:00", Topic: []string{"got up", "wake"}},
	"lunch": {Kind: reader.Time, Near: "12:30", Topic: []string{"lunch"}},
	"dose":  {Kind: reader.Time, Topic: []string{"pills"}},
}

// question is a copy of the named question.
func question(id string) (reader.Question, bool) {
	q, ok := questions[id]
	q.ID = id
	return q, ok
}

// topics are the words of other languages for what the questions are about.
var topics = map[string]map[string]string{
	"es": {
		"energy": "energía fuerza fuerzas cansado cansada", "pain": "dolor dolores duele duelen", "mood": "ánimo humor triste contento contenta",
		"sleepq": "sueño dormir dormí duermo", "sleepc": "sueño dormir dormí duermo", "hours": "sueño dormir dormí duermo",
		"pills": "pastilla pastillas medicina medicinas remedio", "missed": "pastillas dosis", "fall": "caída caídas caí caído caer", "falls": "caída caídas caí caído caer",
		"breath": "respirar respiro aire ahogo", "dizzy": "mareo mareos mareada mareado", "ate": "comer comí comido desayuno desayuné", "phq": "interés placer",
		"ucla": "compañía", "usual": "apetito", "walk": "andar caminar", "glasses": "agua beber", "weight": "peso pesar", "scales": "peso báscula",
		"meter": "azúcar", "sugar": "azúcar", "meals": "comidas", "plans": "planes", "symptoms": "síntomas", "bed": "cama acosté acostar", "wake": "desperté levanté",
		"lunch": "comida almuerzo", "dose": "pastillas",
	},
	"de": {"energy": "energie kraft", "pain": "schmerzen", "pills": "tabletten", "fall": "sturz gestürzt", "glasses": "wasser", "hours": "schlaf geschlafen"},
}

// questionIn is a copy of the named question as it is asked in a language, and the context
// in which it is answered. A file of labelled replies that is named by no language is English.
func questionIn(id, language string) (reader.Question, reader.Context, bool) {
	q, ok := question(id)
	in := now
	if words, known := topics[language]; known {
		q.Topic, in.Locale = strings.Fields(words[id]), language
	}
	return q, in, ok
}
