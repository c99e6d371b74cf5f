package wishes

import (
	"strings"
	"testing"
)

func TestWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Call me after lunch, would you?":                                      "after:lunch",
		"Not on Sundays.":                                                      "not:SU",
		"Oh, not on Sundays, please.":                                          "not:SU",
		"Ring me later in the day.":                                            "later_today",
		"Could you call at ten instead?":                                       "time:10:00",
		"Not this week, I'm at my daughter's.":                                 "pause:this_week",
		"Call me tomorrow instead.":                                            "once:tomorrow",
		"Don't call on Wednesday mornings.":                                    "not:WE window:morning",
		"Every other day is enough.":                                           "every:2days",
		"I'm away, so don't call me until Friday.":                             "pause:until:FR",
		"Don't ring me this Sunday.":                                           "pause:on:SU",
		"Please don't call on Saturdays or Sundays any more.":                  "not:SA,SU",
		"Could you ring me at half past four?":                                 "time:16:30",
		"Could you ring me at 2:30?":                                           "time:14:30",
		"Ring me in the evening, not in the morning.":                          "window:evening",
		"The roses are out this morning.":                                      "none",
		"Once a week would be plenty.":                                         "every:week",
		"Twice a week would suit me better.":                                   "every:2week",
		"Sundays I'm at church, dear, so don't bother then.":                   "not:SU",
		"Give tomorrow a miss, pet.":                                           "pause:tomorrow",
		"I'm away at our Jean's till Sunday.":                                  "pause:until:SU",
		"Our Jean's away till Sunday with the caravan club.":                   "none",
		"I didn't hear the phone on Sunday.":                                   "none",
		"Give me a bell after I've had my dinner.":                             "after:dinner",
		"No more health checks, please.":                                       "end:health_check",
		"I went to church on Sunday. Could you call in the afternoon?":         "window:afternoon",
		"My daughter calls me on Sundays.":                                     "none",
		"I fell asleep after lunch.":                                           "none",
		"When will you call me tomorrow?":                                      "none",
		"I'll call the doctor in the morning.":                                 "none",
		"She asked me to ring her at ten.":                                     "none",
		"Tomorrow I'm seeing the nurse, and on Friday the bins go out.":        "none",
		"We used to go dancing in the evening.":                                "none",
		"Stop calling me.":                                                     "stop",
		"Please don't call me any more.":                                       "stop",
		"You called me on Tuesday, didn't you?":                                "none",
		"Yes, good that you ring. My kettle broke. Ruth comes on Saturday.":    "none",
		"Lovely of you to ring me. I see the doctor on Tuesday.":               "none",
		"Thank you for calling. On Friday I have the chiropodist.":             "none",
		"Good that you ring. Please ring on Fridays only.":                     "only:FR",
		"Thank you for ringing. Tomorrow would suit me better, call me then.":  "once:tomorrow",
		"My son says you should call me in the morning, but I sleep till noon": "none",
	} {
		if got := heardAs("en", said); got != want {
			t.Errorf("%q: got %s, want %s", said, got, want)
		}
	}
	for said, want := range map[string]string{
		"Llámeme después de comer.":                        "after:lunch",
		"Los domingos no, por favor.":                      "not:SU",
		"No me llame los miércoles.":                       "not:WE",
		"¿Me puede llamar a las diez y media?":             "time:10:30",
		"Esta semana no, estoy con mi hija.":               "pause:this_week",
		"Con un día sí y otro no me basta.":                "every:2days",
		"Llámeme más tarde.":                               "later_today",
		"No me llame hasta el viernes.":                    "pause:until:FR",
		"Por la mañana no, prefiero que sea por la tarde.": "window:afternoon",
		"Hoy no tengo hambre.":                             "none",
		"Los domingos no salgo de casa.":                   "none",
		"Mi hija me llama los domingos.":                   "none",
		"Después de comer duermo la siesta.":               "none",
		"Gracias por llamarme. El martes voy al médico.":   "none",
		"Qué bien que me llame. El sábado viene mi hija.":  "none",
		"Gracias por llamar. Llámeme solo los viernes.":    "only:FR",
		"No me llame más.":                                 "stop",
	} {
		if got := heardAs("es", said); got != want {
			t.Errorf("%q: got %s, want %s", said, got, want)
		}
	}
}

// The half of the strangers' utterances that was open when the words were written is a floor.
func TestStrangersAreHeard(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"testdata/strangers/en.open.tsv", "testdata/strangers/es.open.tsv", "testdata/strangers/en.open2.tsv", "testdata/strangers/es.open2.tsv"} {
		if o := evaluate(t, path); o.right*100 < o.wishes*90 || o.alarms*100 > o.ordinary*3 {
			t.Errorf("%s: %s", path, o)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"don't ring on sundays", "at 99:99 p m", "a las diez menos cuarto, mañana no", "quarter to", "\xff half past"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		for _, l := range languages {
			w, ok := l.read(said, true)
			if at, is := strings.CutPrefix(w.time, "time:"); is && (len(at) != 5 || at > "23:59") {
				t.Errorf("%q: time %s", said, at)
			}
			if ok != (len(w.kinds()) > 0) {
				t.Errorf("%q: %v, %v", said, ok, w.kinds())
			}
		}
	})
}
