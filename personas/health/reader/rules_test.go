package reader_test

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/health/reader"
)

// TestRules has a row for each rule; the reading is written as
// "status value", with "?" for one that is only a guess.
func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct{ rule, question, said, want string }{
		{"number word", "energy", "seven", "answered 7"},
		{"about a seven", "energy", "about a seven", "answered 7"},
		{"would say is no yes", "fall", "I would say,", "unclear"},
		{"would is", "fall", "I would", "answered yes"},
		{"well before thinking is no good", "sleepc", "Well, let me think, I would say,", "unclear"},
		{"well before thanks is", "sleepc", "Well, thank you.", "answered good"},
		{"neighbours are their mean", "energy", "seven or eight", "answered 8"},
		{"far apart is asked again", "energy", "two or nine", "unclear"},
		{"out of ten", "energy", "seven out of ten", "answered 7"},
		{"other total", "energy", "two out of five", "answered 4"},
		{"more than the total", "energy", "six out of five", "unclear"},
		{"slash", "energy", "7/10", "answered 7"},
		{"words before the number", "energy", "not great, maybe a four", "answered 4"},
		{"half", "energy", "half", "answered 5"},
		{"half of something", "energy", "half the night I was up", "unclear"},
		{"last correction", "energy", "ten! no, say nine", "answered 9"},
		{"scratch that", "energy", "Six. Scratch that, five.", "answered 5"},
		{"story around the number", "energy", "my son who is fifty-two came and I'd say a six", "answered 6"},
		{"an age in range", "energy", "my grandson is five years old", "unclear"},
		{"ate", "energy", "ate", "answered 8"},
		{"for", "energy", "for", "answered 4"},
		{"to", "energy", "to", "answered 2"},
		{"won", "energy", "won", "answered 1"},
		{"tree", "energy", "tree", "answered 3"},
		{"slip in a sentence is none", "energy", "I ate too much for tea", "unclear"},
		{"heaven is only a guess", "energy", "heaven", "unclear ?7"},
		{"percent", "energy", "sixty percent", "answered 6"},
		{"percent sign", "energy", "70%", "answered 7"},
		{"could not be better", "energy", "couldn't be better", "unclear ?9"},
		{"top", "energy", "top marks", "answered 10"},
		{"bottom", "energy", "the lowest", "answered 1"},
		{"out of range", "energy", "eleven", "unclear"},
		{"minus", "energy", "minus two", "unclear"},
		{"decimals are rounded", "energy", "6.4", "answered 6"},
		{"point five", "energy", "six point five", "answered 7"},
		{"ish", "energy", "sevenish", "answered 7"},
		{"a grade on a scale of well-being", "energy", "pretty good, thanks", "unclear ?7"},
		{"a grade on a scale of trouble", "pain", "pretty good, thanks", "unclear ?2"},
		{"fine is no nine", "pain", "fine", "unclear ?2"},
		{"a grade denied", "mood", "not all that great", "unclear ?4"},
		{"a grade taken back", "mood", "good, no, so so", "unclear ?6"},
		{"two grades", "mood", "good days and bad days", "unclear"},
		{"a grade of a thing", "mood", "what lovely weather", "unclear"},
		{"a grade of somebody", "mood", "my daughter's very well", "unclear"},
		{"a grade of somebody's doing", "energy", "they look after me very well", "unclear"},
		{"a grade of another subject", "mood", "my sleep was good", "unclear"},
		{"a grade of the night", "sleepq", "I had a good night", "unclear ?7"},
		{"a grade of the night, for another", "mood", "I had a good night", "unclear"},
		{"a grade on condition", "energy", "I'd be fine if it wasn't for my legs", "unclear"},
		{"a grade of another day", "energy", "I was fine last week", "unclear"},
		{"a grade compared", "energy", "not as good as yesterday", "unclear"},
		{"a grade asked back", "energy", "what's good about it?", "unclear"},
		{"a grade in a story", "energy", "well you know my neighbour came by with her dog and it was so good to see them both", "unclear"},
		{"only well", "energy", "Well.", "unclear"},
		{"very well, go on", "energy", "very well, carry on", "unclear"},
		{"none of another subject", "mood", "no pain at all", "unclear"},
		{"none of its own subject", "energy", "no energy", "answered 1"},
		{"hardly any", "energy", "hardly any energy", "unclear ?1"},
		{"cues of sleep, for another", "usual", "I slept like a log", "unclear"},
		{"zero below the scale", "energy", "zero", "unclear"},
		{"zero on the scale", "pain", "zero", "answered 0"},
		{"none", "pain", "none", "answered 0"},
		{"scale said again", "energy", "from one to ten? six", "answered 6"},
		{"denied number", "energy", "not an eight, a six", "answered 6"},
		{"yesterday gives way", "energy", "yesterday was a nine, today a five", "answered 5"},
		{"not more than", "energy", "no more than four", "answered 4"},
		{"less than", "energy", "less than five", "unclear ?5"},
		{"hearsay", "energy", "my daughter says I'm a nine", "unclear ?9"},
		{"time of day", "energy", "I was up at five", "unclear"},
		{"clock time", "energy", "it's half past seven", "unclear"},
		{"same as yesterday", "pain", "same as yesterday", "answered 4"},
		{"same, without yesterday", "energy", "same as yesterday", "unclear"},
		{"not the same", "pain", "not the same as yesterday", "unclear"},
		{"better than yesterday", "pain", "better than yesterday", "unclear"},
		{"several numbers", "energy", "Eight. Six.", "unclear"},
		{"between two by the bad end", "pain", "worse than a six, not as bad as an eight", "answered 7"},
		{"between two by the good end", "energy", "better than a six, not as good as an eight", "answered 7"},
		{"worse on a scale of well-being", "energy", "worse than an eight, better than a six", "answered 7"},
		{"an end is asked about", "energy", "Is ten the celestial end?", "unclear"},
		{"what is to be written", "energy", "the ten is for angels put me down for nine dear", "answered 9"},
		{"neither good nor bad, and a number", "energy", "not good not bad five", "answered 5"},
		{"then and now in one breath", "pain", "it was eight now a four", "answered 4"},
		{"a rate", "energy", "the buses, it's one an hour if you're lucky", "unclear"},
		{"a correction before a strange word", "energy", "five no six yonder", "answered 6"},
		{"an ending of a year", "falls", "a heart attack in oh nine", "unclear"},
		{"said of none", "pills", "not one I've missed", "answered yes"},
		{"not yet, and the habit", "pills", "not yet I take them with my supper", "answered no"},
		{"what one has", "pills", "I have them laid out by the day", "unclear"},
		{"given up", "energy", "seven... no, I don't know", "unclear ?7"},

		{"yes I did", "pills", "yes I did", "answered yes"},
		{"not yet", "pills", "not yet", "answered no"},
		{"nope", "pills", "nope", "answered no"},
		{"i suppose so", "pills", "I suppose so", "answered yes"},
		{"the blue one", "pills", "I didn't take the blue one", "answered no"},
		{"double negative", "pills", "I wouldn't say no", "answered yes"},
		{"haven't forgotten", "pills", "I haven't forgotten them", "answered yes"},
		{"can't say I have", "fall", "I can't say I have", "answered no"},
		{"can't say I haven't", "fall", "I can't say I haven't", "answered yes"},
		{"don't think I did", "fall", "I don't think I did", "answered no"},
		{"don't think I fell", "fall", "I don't think I fell", "answered no"},
		{"don't know whether", "pills", "I don't know whether I took them", "unclear"},
		{"tag question", "pills", "I did, didn't I?", "answered yes"},
		{"tag question, negative", "pills", "I haven't, have I?", "answered no"},
		{"only a tag", "pills", "Didn't I?", "unclear"},
		{"someone else", "fall", "my neighbour fell", "unclear"},
		{"long ago", "fall", "I fell when I was a girl", "unclear"},
		{"nearly", "fall", "I nearly fell over", "answered no"},
		{"statement against a no", "pills", "no, no, I took them", "answered yes"},
		{"negated question, bare no", "missed", "no", "answered no"},
		{"negated question, statement", "missed", "I took them all", "answered no"},
		{"negated question, missed", "missed", "I missed one", "answered yes"},
		{"future", "pills", "I'll take them later", "answered no"},
		{"yes and no", "pills", "yes and no", "unclear"},
		{"some", "pills", "some of them", "unclear"},
		{"maybe", "pills", "maybe", "unclear"},
		{"just took is not only took", "pills", "I just took them", "answered yes"},

		{"own words", "phq", "more than half the days", "answered half"},
		{"synonym", "phq", "most days", "answered half"},
		{"amount", "phq", "three days", "answered several"},
		{"place", "sleepc", "the second one", "answered fair"},
		{"denied option", "sleepc", "not good", "answered poor"},
		{"two options", "sleepc", "good or fair", "unclear"},
		{"corrected option", "sleepc", "good, no, fair", "answered fair"},
		{"another subject", "sleepc", "lovely weather", "unclear ?good"},
		{"same is an option", "usual", "same as always", "answered same"},
		{"same as yesterday's option", "sleepc", "same as yesterday", "answered fair"},

		{"a couple", "glasses", "a couple", "answered 2"},
		{"twice", "falls", "twice", "answered 2"},
		{"none so far", "glasses", "none so far", "answered 0"},
		{"hardly any", "glasses", "hardly any", "unclear"},
		{"half a dozen", "glasses", "half a dozen", "answered 6"},
		{"unit chooses", "hours", "I went up at eleven and had six hours", "answered 6"},
		{"mean of a measure", "hours", "seven or eight", "answered 7.5"},
		{"minutes to hours", "hours", "ninety minutes", "answered 1.5"},
		{"stones to pounds", "weight", "ten stone six", "answered 146"},
		{"kilos to pounds", "weight", "seventy kilos", "answered 154.32"},
		{"said in pairs", "sugar", "one oh five", "answered 105"},
		{"change is no amount", "weight", "I've lost sixty pounds", "unclear"},
		{"nothing happened", "falls", "I haven't fallen", "answered 0"},

		{"no as part of an idiom", "fall", "It's no use, the hearing aid whistles.", "unclear"},
		{"no idea", "fall", "No idea.", "unclear"},
		{"no wonder", "fall", "No wonder I'm tired.", "unclear"},
		{"no matter", "pills", "No matter, dear.", "unclear"},
		{"no problem", "pills", "No problem.", "unclear"},
		{"no trouble getting here", "fall", "No trouble at all getting here.", "unclear"},
		{"no doubt", "pills", "No doubt you've plenty of others to ring.", "unclear"},
		{"no doubt alone", "pills", "No doubt about it.", "answered yes"},
		{"no end of", "pills", "No end of trouble.", "unclear"},
		{"no sooner", "fall", "No sooner had I sat down.", "unclear"},
		{"no one rang", "fall", "No one rang.", "unclear"},
		{"no telling", "fall", "There's no telling.", "unclear"},
		{"no and the noun asked about", "dizzy", "No dizzy spells.", "answered no"},
		{"no and a clause", "fall", "no my daughter keeps an eye on me", "answered no"},
		{"right then", "pills", "Right then.", "unclear"},
		{"not sure", "pills", "I'm not sure.", "unclear"},
		{"sure as", "pills", "Sure as eggs.", "unclear"},
		{"sure", "pills", "Sure.", "answered yes"},
		{"yes, well, you know", "fall", "Yes well you know how it is.", "unclear ?yes"},
		{"yes as a greeting", "pills", "Yes?", "unclear ?yes"},
		{"yes to the call", "pills", "Yes, I can hear you.", "unclear ?yes"},
		{"yes, then a wish", "pills", "Yes, but speak up.", "answered yes"},
		{"no to the call", "pills", "No, say that again.", "unclear ?no"},
		{"exit", "pills", "I have to go now, goodbye.", "unclear"},
		{"going to take them", "pills", "I have to go and take them now.", "answered no"},
		{"not that", "pills", "Not that I'd forget them.", "answered yes"},
		{"asked oneself", "pills", "How could I forget?", "unclear"},
		{"nearly forgot", "pills", "I nearly forgot but I took them.", "answered yes"},
		{"won't catch me", "fall", "You won't catch me falling.", "answered no"},
		{"wrong number", "fall", "Wrong number.", "unclear"},
		{"when I was", "dizzy", "I was when I was expecting.", "unclear"},
		{"nothing to do", "ate", "I had nothing to do.", "unclear"},
		{"the film", "hours", "The film was three hours.", "unclear ?3"},
		{"another measure", "scales", "My blood pressure is a hundred and forty.", "unclear"},
		{"somebody else's time", "bed", "My daughter goes at ten.", "unclear ?22:00"},
		{"no way", "pills", "No way I'd forget them.", "answered yes"},
		{"I am", "breath", "I am.", "answered yes"},
		{"I'm not", "breath", "I'm not, no.", "answered no"},
		{"I'm and no more", "breath", "I'm...", "unclear"},
		{"exit after a statement", "pills", "I've taken them, I have to go now.", "answered yes"},
		{"exit after a sentence", "pills", "No. I have to go now.", "answered no"},
		{"exit after yes", "pills", "Yes, goodbye.", "unclear ?yes"},
		{"going out", "pills", "I'm going to the shops.", "unclear"},
		{"seen to soon", "pills", "I'll see to them in a minute.", "answered no"},
		{"repeat", "pills", "I must ask you to say that again.", "unclear"},
		{"digression", "pills", "I should tell you about my sister.", "unclear"},
		{"where I was", "fall", "I was at the shops.", "unclear"},
		{"what I love", "pills", "I do love a sing-song.", "unclear"},
		{"a lot of others", "dizzy", "A lot of folk are.", "unclear"},
		{"cried out", "fall", "Oh no, I've dropped my stick.", "unclear"},

		{"pounds named", "scales", "A hundred and forty-eight pounds.", "answered 148 lb"},
		{"pounds named, any unit", "scalesany", "A hundred and forty-eight pounds.", "answered 148 lb"},
		{"kilos named", "scales", "Sixty-seven and a half kilos.", "answered 67.5 kg"},
		{"kilos in Indian words", "scales", "Sixty-seven and half kilos.", "answered 67.5 kg"},
		{"no unit named", "scales", "A hundred and forty-eight.", "answered 148"},
		{"stones in pounds", "scales", "Twelve stone four.", "answered 172 lb"},
		{"stones and pounds", "scales", "Twelve stone, four pounds", "answered 172 lb"},
		{"stones as written", "scales", "10st 4lb", "answered 144 lb"},
		{"range in pounds", "scales", "a hundred and forty or forty-one pounds", "unclear"},
		{"range of kilos", "scales", "seventy or seventy-one kilos", "answered 70.5 kg"},
		{"two units", "scales", "seventy kilos, a hundred and fifty-four pounds", "unclear"},
		{"weight that was lost", "scales", "I've lost twelve pounds.", "unclear"},
		{"other unit", "meter", "I weigh a hundred and fifty pounds", "unclear"},
		{"millimoles", "meter", "Six point five millimoles.", "answered 6.5 mmol/L"},
		{"of them", "illnesses", "Two of them.", "answered 2"},
		{"of those", "illnesses", "Three of those, I think.", "answered 3"},
		{"of the eleven", "illnesses", "Two of the eleven.", "answered 2"},
		{"of them, others", "illnesses", "Two of them live in Leeds.", "unclear"},
		{"none of them", "illnesses", "None of them.", "answered 0"},
		{"somebody else's number", "falls", "My husband had three.", "unclear ?3"},
		{"number in an idiom", "energy", "On cloud nine.", "unclear"},
		{"option in an idiom", "sleepc", "Good of you to ask.", "unclear"},

		{"half past", "bed", "half past ten", "answered 22:30"},
		{"half ten", "bed", "half ten", "answered 22:30"},
		{"quarter to", "wake", "quarter to six", "answered 05:45"},
		{"around ten at night", "dose", "around ten at night", "answered 22:00"},
		{"noon", "dose", "noon", "answered 12:00"},
		{"morning or evening", "dose", "half past seven", "unclear ?07:30"},
		{"over midnight", "bed", "between eleven and twelve", "answered 23:30"},
		{"ago", "dose", "half an hour ago", "answered 09:30"},
		{"topic chooses", "wake", "I woke at four but got up at seven", "answered 07:00"},
		{"counted is no time", "bed", "after two cups of tea", "unclear"},
		{"the news is no time", "bed", "after the ten o'clock news", "unclear"},

		{"private", "pain", "none of your business", "refused"},
		{"rather not", "mood", "I'd rather not say", "refused"},
		{"refused with a number near", "pain", "I'd rather not say, I've told seven doctors", "refused"},
		{"not this number", "pain", "I'd rather not say seven, more like six", "answered 6"},
		{"that one is no number", "energy", "I won't answer that one", "refused"},
		{"taken back", "pain", "I'd rather not say. Oh, all right then, six.", "answered 6"},
		{"built refusal", "pain", "I don't think I want to answer that", "refused"},
		{"to myself", "mood", "I keep that sort of thing to myself", "refused"},
		{"skip that", "energy", "skip that", "skipped"},
		{"a meal skipped", "else", "I had to skip it because of my stomach", "answered I had to skip it because of my stomach"},
		{"i don't know is no refusal", "energy", "I don't know", "unclear"},

		{"text", "plans", "a walk", "answered a walk"},
		{"text of fillers", "plans", "um, well, you know", "unclear"},
		{"asked back", "plans", "what plans?", "unclear"},
		{"silence", "energy", "[silence]", "unclear"},
		{"empty", "energy", "", "unclear"},

		{"key", "energy", "[keypad: 7]", "keypad 7"},
		{"key 0 is ten", "energy", "[keypad: 0]", "keypad 10"},
		{"key 0 where zero counts", "pain", "[keypad: 0]", "keypad 0"},
		{"keys in two parts", "energy", "[keypad: 1] [keypad: 0]", "keypad 10"},
		{"key out of range", "energy", "[keypad: 42]", "unclear"},
		{"key yes", "pills", "[keypad: 1]", "keypad yes"},
		{"key no", "pills", "[keypad: 2]", "keypad no"},
		{"no such option", "pills", "[keypad: 3]", "unclear"},
		{"star alone", "energy", "[keypad: *]", "unclear"},
		{"nothing to eat", "ate", "Just a cup of tea, nothing to eat.", "answered no"},
		{"nothing before the verb", "ate", "Nothing eaten so far.", "answered no"},
		{"nothing behind the verb", "ate", "I've eaten nothing.", "answered no"},
		{"no meal behind the verb", "ate", "I ate no breakfast.", "answered no"},
		{"hardly behind the verb", "ate", "I ate hardly anything.", "answered no"},
		{"barely before the verb", "ate", "I've barely eaten a thing.", "answered no"},
		{"nothing but", "ate", "I've eaten nothing but toast.", "answered yes"},
		{"nothing in the house", "ate", "There's nothing to eat.", "unclear"},
		{"nothing, but I had", "ate", "Nothing cooked, but I had some bread.", "unclear ?no"},
		{"something to eat", "ate", "I had something to eat.", "answered yes"},
		{"nothing behind a fall", "fall", "I fell nothing broken.", "answered yes"},
		{"nothing like a fall", "fall", "Nothing like a fall.", "answered no"},
		{"fear of falling", "fall", "I'm afraid of falling.", "unclear"},
		{"afraid I fell", "fall", "I'm afraid I fell.", "answered yes"},
		{"none taken", "pills", "None taken yet.", "answered no"},
		{"taken none", "pills", "I took none of them.", "answered no"},
		{"took the lot, none left", "pills", "I took the lot, none left.", "answered yes"},
		{"none left", "pills", "None left.", "answered no"},
		{"missed none", "missed", "I've missed none.", "answered no"},
		{"still to take", "pills", "I've still to take them.", "answered no"},
		{"a rule of taking", "pills", "I have to take them with food.", "unclear"},
		{"a rule of every day", "pills", "I must take them every morning.", "unclear"},
		{"with a meal, later", "pills", "I have to take them with food later.", "answered no"},
		{"still to be taken with food", "pills", "I still have to take them with food.", "answered no"},
		{"still have to take", "pills", "I still have to take them.", "answered no"},
		{"like to take", "pills", "I'd like to take them.", "unclear"},
		{"told to take", "pills", "My daughter reminded me to take them.", "unclear"},
		{"remembered to take", "pills", "I remembered to take them.", "answered yes"},
		{"don't like", "pills", "I don't like taking them.", "unclear"},
		{"don't like, but did", "pills", "I don't like them but I took them.", "answered yes"},
		{"did like you said", "pills", "I did like you said.", "answered yes"},
		{"refuses the tablets", "pills", "I refuse to take them.", "unclear"},
		{"refuses to say", "pills", "I refuse to say.", "refused"},
		{"key time", "wake", "[keypad: 630]", "keypad 06:30"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			q, ok := question(tt.question)
			if !ok {
				t.Fatalf("no question %q", tt.question)
			}
			r := reader.Read(q, tt.said, now)
			if got := written(r); got != tt.want {
				t.Errorf("Read(%s, %q) = %q, want %q (%s, %.2f, on %q)", tt.question, tt.said, got, tt.want, r.Why, r.Confidence, r.Quote)
			}
		})
	}
}

func written(r reader.Reading) string {
	s := string(r.Status)
	if r.Value.IsZero() {
		return s
	}
	if !r.Settled {
		s += " ?"
	} else {
		s += " "
	}
	return s + r.Value.String()
}

func TestRisky(t *testing.T) {
	t.Parallel()
	tests := []struct {
		question, said string
		want           bool
	}{
		{"fall", "yes, this morning", true},
		{"fall", "no", false},
		{"fall", "I nearly fell", true},
		{"pain", "nine", true},
		{"pain", "two", false},
		{"energy", "two", false},
	}
	for _, tt := range tests {
		q, _ := question(tt.question)
		if r := reader.Read(q, tt.said, now); r.Risky != tt.want {
			t.Errorf("Read(%s, %q).Risky = %t, want %t", tt.question, tt.said, r.Risky, tt.want)
		}
	}
}

func TestQuestionsOwnWords(t *testing.T) {
	t.Parallel()
	q := reader.Question{Kind: reader.Boolean, Yes: []string{"kept the doctor's appointment"}, No: []string{"rang to cancel"}}
	for said, want := range map[string]string{
		"I kept the doctor's appointment.":        "answered yes",
		"I rang to cancel.":                       "answered no",
		"I've not kept the doctor's appointment.": "answered no",
	} {
		if got := written(reader.Read(q, said, now)); got != want {
			t.Errorf("Read(%q) = %q, want %q", said, got, want)
		}
	}
}

// TestUnknownLanguage reads keys and digits, and no word of another language.
func TestUnknownLanguage(t *testing.T) {
	t.Parallel()
	ctx := reader.Context{Locale: "fi-FI"}
	energy, _ := question("energy")
	pills, _ := question("pills")
	for _, tt := range []struct {
		q          reader.Question
		said, want string
	}{
		{energy, "[keypad: 7]", "keypad 7"},
		{energy, "7", "answered 7"},
		{energy, "seitsemän", "unclear"},
		{pills, "no", "unclear"},
	} {
		if got := written(reader.Read(tt.q, tt.said, ctx)); got != tt.want {
			t.Errorf("Read(%q) = %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestReadMany(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, open, said, want string
	}{
		{"two at once", "sleepc pills", "I slept well and I've taken my pills.", "sleepc=answered good pills=answered yes"},
		{"three at once", "sleepc pills pain", "Slept badly, my pain's about a six, and I haven't had my tablets.", "sleepc=answered poor pills=answered no pain=answered 6"},
		{"a number for its topic only", "pain energy", "My energy is about a four.", "energy=answered 4"},
		{"words for a scale are a guess", "sleepq", "I slept well.", "sleepq=unclear ?7"},
		{"bare yes answers nothing else", "pills fall dizzy", "Yes.", ""},
		{"bare number answers nothing else", "pain energy", "Seven.", ""},
		{"someone else's pills", "pills", "My husband took his pills.", ""},
		{"topic without an answer", "pills", "The pills are in the kitchen.", ""},
		{"denied symptom", "dizzy breath", "I haven't been dizzy and my breathing's fine.", "dizzy=answered no breath=answered no"},
		{"a fall told by the way", "fall", "I'm a six, but I fell on the stairs last night.", "fall=answered yes"},
		{"refused subject", "mood pain", "I'd rather not talk about my mood.", "mood=refused"},
		{"unsure", "pills", "I might have taken my pills.", ""},
		{"rivals for one number", "sleepq sleep2", "My sleep was a six.", ""},
		{"a statement that fits anything", "pills", "In the knees, both of them, when I go down the stairs.", ""},
		{"every one of something else", "pills eaten", "The children came, every one of them.", ""},
		{"keys", "pain", "[keypad: 7]", ""},
		{"nothing", "pain", "", ""},
		{"named, then the value", "energy sleepq", "Oh, my sleep you mean. Six.", "sleepq=answered 6"},
		{"spoken of, then a value", "energy sleepq", "I slept badly. Four.", "sleepq=unclear ?3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var open []reader.Question
			for id := range strings.FieldsSeq(tt.open) {
				q, ok := question(id)
				if !ok {
					q, _ = question("sleepq")
					q.ID = id
				}
				open = append(open, q)
			}
			got := reader.ReadMany(open, tt.said, now)
			var parts []string
			for _, q := range open {
				if r, ok := got[q.ID]; ok {
					parts = append(parts, q.ID+"="+written(r))
				}
			}
			if s := strings.Join(parts, " "); s != tt.want {
				t.Errorf("ReadMany(%s, %q) = %q, want %q", tt.open, tt.said, s, tt.want)
			}
		})
	}
}

func TestTurned(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, others, said, want string
		turned                   bool
	}{
		{"named, then the value", "sleepq", "Oh, my sleep you mean. Six.", "Oh", true},
		{"within a sentence", "sleepq", "My sleep, you mean, six.", "", true},
		{"spoken of, then a value", "sleepq", "I slept badly. Four.", "", true},
		{"answered by itself", "fall", "I had no falls. Six.", "I had no falls. Six.", false},
		{"with its own value", "sleepq", "My sleep was a four. Six.", "My sleep was a four. Six.", false},
		{"a value that fits no fall", "fall", "I worry about a fall. Six.", "I worry about a fall. Six.", false},
		{"speaks of this one as well", "sleepq", "I slept badly and my energy is low. Six.", "I slept badly and my energy is low. Six.", false},
		{"nobody's topic", "sleepq", "It's raining. Six.", "It's raining. Six.", false},
		{"keys", "sleepq", "[keypad: 7]", "[keypad: 7]", false},
	}
	energy, _ := question("energy")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q, _ := question(tt.others)
			if got, turned := reader.Turned(energy, []reader.Question{q}, tt.said, now); got != tt.want || turned != tt.turned {
				t.Errorf("Turned(%q) = %q, %t, want %q, %t", tt.said, got, turned, tt.want, tt.turned)
			}
		})
	}
}

func TestCorrections(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, answered, said, want string
	}{
		{"no, I said", "energy pain", "No, I said eight.", "pain=answered 8"},
		{"make that", "energy pain", "Actually, make that six.", "pain=answered 6"},
		{"sorry, I meant", "energy pain", "Sorry, I meant five.", "pain=answered 5"},
		{"named", "energy sleepq pain", "Going back to the sleep one, make it six.", "sleepq=answered 6"},
		{"named, no new value", "energy sleepq pain", "Can I change the sleep one?", "sleepq=unclear"},
		{"named boolean", "pills pain", "I made a mistake about the tablets, I haven't taken them.", "pills=answered no"},
		{"corrects itself only", "energy pain", "Ten! No, say nine.", ""},
		{"plain answer", "energy pain", "Seven.", ""},
		{"actually, an answer", "energy pain", "Actually I'd say six.", ""},
		{"back to something else", "energy pain", "Going back to the war, we had nothing.", ""},
		{"misheard", "energy pain", "No, you misheard me.", "pain=unclear"},
		{"nothing answered", "", "No, I said eight.", ""},
		{"keys", "energy", "[keypad: 7]", ""},
		{"mean as in unkind", "energy pain", "I mean it's a dreadful day.", ""},
		{"behind another answer", "energy pain", "Seven. And no, sorry, my energy is more like a four.", "energy=answered 4 rest Seven."},
		{"in one sentence with another answer", "energy", "Seven, and actually my energy was more like a four.", "energy=answered 4 rest Seven, and"},
		{"before another answer", "energy pain", "No, sorry, my energy is a four. Seven.", "energy=answered 4 rest Seven."},
		{"opened by a mistake", "energy", "I made a mistake, my energy was a four. Seven.", "energy=answered 4 rest Seven."},
		{"a mistake, corrected once more", "energy", "I was wrong, my energy is eight. No, nine.", "energy=answered 9"},
		{"only sorry", "energy", "Seven. Sorry love, what was that?", ""},
		{"a no that answers", "energy", "No, my energy is a four.", ""},
		{"nothing taken back", "energy", "Seven, and my energy is a four.", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var answered []reader.Question
			for id := range strings.FieldsSeq(tt.answered) {
				q, _ := question(id)
				answered = append(answered, q)
			}
			var parts []string
			for _, c := range reader.Corrections(answered, tt.said, now) {
				part := c.ID + "=" + written(c.Reading)
				if c.Rest != "" {
					part += " rest " + c.Rest
				}
				parts = append(parts, part)
			}
			if got := strings.Join(parts, " "); got != tt.want {
				t.Errorf("Corrections(%s, %q) = %q, want %q", tt.answered, tt.said, got, tt.want)
			}
		})
	}
}

func TestIntent(t *testing.T) {
	t.Parallel()
	for want, replies := range map[reader.Intent][]string{
		reader.IntentExit: {
			"Stop.", "I want to stop now.", "Goodbye.", "Bye bye, dear.", "I have to go.", "I've got to go now, someone's waiting.", "Can we stop?",
			"I don't want to do this.", "That's enough questions.", "Leave me alone.", "I'm hanging up.", "Call me back later.", "Not now, I'm busy.", "Let's call it a day.",
			"Well, I must be going.", "No, I have to go.", "Yes, goodbye.", "Five. Goodbye.",
		},
		reader.IntentYes:     {"Yes, go ahead, but speak up.", "Yes, but speak up a bit.", "Yes. Slow down though.", "Yes.", "That's right.", "Yes, I fell.", "Correct.", "I did.", "Yeah, that's it.", "I'm afraid so."},
		reader.IntentNo:      {"No.", "That's not right.", "I never said that.", "No, I didn't.", "Nope.", "You misheard."},
		reader.IntentRepeat:  {"Pardon?", "What?", "Say that again?", "I didn't hear you.", "Sorry?", "Speak up, dear.", "Yes, speak up!", "Yes? What did you say? Speak up.", "I can't hear you."},
		reader.IntentExplain: {"What do you mean?", "I don't understand.", "Which ones?", "Why do you ask?"},
		reader.IntentHold:    {"Hold on a moment.", "Just a minute, there's someone at the door.", "Wait a minute."},
		reader.IntentWrongPerson: {
			"You've got the wrong number.", "This is her daughter.", "She's not here.", "There's nobody of that name here.", "He's in hospital.", "I'm his wife.",
		},
		reader.IntentDistress: {
			"I've got a pain in my chest.", "I can't breathe.", "I want to die.", "I've fallen and I can't get up.", "Help me!", "I think I've taken too many.",
		},
		reader.IntentFiller:  {"Um.", "Well…", "Oh, er, let me see."},
		reader.IntentSilence: {"", "  ", "[silence]", "..."},
		reader.IntentDigression: {
			"That reminds me of my old dog.", "How are you?", "Did I tell you about the vicar?",
			"We used to live by the sea in a little white house with a blue door and a pear tree.",
		},
		reader.IntentNone: {
			"I can't stop coughing.", "They played Bye Bye Love on the radio.", "It won't stop hurting.", "Seven.", "I have to go to the doctor at three.",
			"He told me to stop smoking.", "I said goodbye to my brother in May.", "[keypad: 1]", "I hold on to the rail.", "My bus stop has moved.",
		},
	} {
		for _, said := range replies {
			if got := reader.IntentOf(said); got != want {
				t.Errorf("IntentOf(%q) = %q, want %q", said, got, want)
			}
		}
	}
}
