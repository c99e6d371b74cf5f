package words

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/personas/health/packs"
)

// One row for each rule: what a model might say, and why it is not said.
func TestUnfitWordings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id   string
		lead Situation
		text string
		want string
	}{
		{"sleep", Thanks, "Thank you. How did you sleep last night, from 1 for hardly at all to 10 for very well?", ""},
		{"sleep", Sorry, "That sounds like a hard day. On a scale from 1 to 10, where 1 is hardly at all and 10 is very well, how was your sleep?", ""},
		{"sleep", Thanks, "How was your sleep last night, with ten for very well and one for hardly at all?", ""},
		{"falls", Digression, "Your roses sound lovely. Have you had a fall since we last spoke?", ""},
		{"falls", "", "Since we last spoke, have you had a fall?", ""},
		{"breathing", Thanks, "Thank you. Is your breathing harder than usual today, Ada?", ""},
		{"medication", Thanks, "And have you taken your medicines today as you should?", ""},
		{"appetite", Thanks, "Good. How has your appetite been since yesterday, would you say good, fair or poor?", ""},
		{"appetite", "", "How has your appetite been since yesterday? Would you say good, fair or poor?", ""},
		{"plans", Story, "What a journey that was. What are your plans for today?", ""},
		{"other", Thanks, "Is there anything else about how you are that you would like to tell me?", ""},
		{"diabetes.sugar", Thanks, "What was your last blood sugar reading?", ""},

		{"sleep", Thanks, "Sleep?", "length"},
		{"falls", Thanks, "I am so glad that you told me about the garden and about the roses and about the long walk that you took with your neighbour on that fine day in June. Have you had a fall since we last spoke?", "length"},
		{"falls", Thanks, "**Have you had a fall since we last spoke?**", "marks"},
		{"falls", Thanks, "How lovely! Have you had a fall since we last spoke?", "marks"},
		{"falls", Thanks, "Have you had a fall since we last spoke? Do tell me.", "questions"},
		{"falls", Thanks, "How are you? Have you had a fall since we last spoke?", "questions"},
		{"falls", Thanks, "Sind Sie seit dem letzten Gespräch gestürzt oder hatten Sie einen fall?", "language"},
		{"falls", Resumed, "We were cut off. Have you had a fall since we last spoke?", "sentences"},
		{"falls", Thanks, "I see. I hear you. That is fine. Have you had a fall since we last spoke?", "sentences"},
		{"falls", Thanks, "You should use your rail. Have you had a fall since we last spoke?", "unwelcome"},
		{"falls", Thanks, "I'm human too. Have you had a fall since we last spoke?", "unwelcome"},
		{"sleep", Thanks, "A seven, thank you. How did you sleep last night, from 1 for hardly at all to 10 for very well?", "numbers"},
		{"sleep", Thanks, "How well did you sleep last night, from 1 for hardly at all to 5 for very well?", "numbers"},
		{"sleep", Thanks, "How was your daughter last night, from 1 for hardly at all to 10 for very well?", "topic"},
		{"sleep", Thanks, "How well did you sleep last night?", "scale"},
		{"sleep", Thanks, "How well did you sleep last night, from 1 to 10?", "scale"},
		{"sleep", Thanks, "How well did you sleep last night, from 1 for very well to 10 for hardly at all?", "scale"},
		{"pain", Thanks, "How much pain are you in right now, from 1 for the worst pain you can imagine to 10 for no pain at all?", "scale"},
		{"appetite", Thanks, "How has your appetite been since yesterday, good or poor?", "choices"},
		{"lungs.breath", Thanks, "Compared with a usual day for you, is your breath better or worse?", "choices"},
		{"breathing", Thanks, "Is your breathing easier than usual today?", "meaning"},
		{"breathing", Thanks, "Isn't your breathing harder than usual today?", "meaning"},
		{"medication", Thanks, "Have you not taken your medicines today as you should?", "meaning"},
		{"medication", Thanks, "Have you skipped your medicines today?", "meaning"},
		{"falls", Thanks, "Are you afraid of a fall?", "meaning"},
		{"discharge.worse", Thanks, "Since you came home from hospital, has anything become better?", "meaning"},
		{"plans", Thanks, "Who will do the shopping today?", "topic"},
	}
	for _, tt := range tests {
		t.Run(tt.id+" "+tt.want, func(t *testing.T) {
			t.Parallel()
			ask := Ask{Question: question(t, tt.id), Lead: tt.lead, Name: "Ada", Language: "en"}
			if got := ask.unfit(clean(tt.text)); got != tt.want {
				t.Errorf("%s, %q: got %q, want %q", tt.id, tt.text, got, tt.want)
			}
		})
	}
}

// What a model may only repeat must pass: then it costs nothing to obey.
func TestPacksOwnWordsAreFit(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "es"} {
		for _, q := range questionsIn(t, language) {
			if q.Verbatim {
				continue
			}
			q.Text = strings.ReplaceAll(q.Text, "{medication}", "warfarin")
			ask := Ask{Question: q, Lead: Thanks, Language: language}
			if own := q.Wording(0); ask.unfit(own) != "" {
				t.Errorf("%s: %q is %s", q.ID, own, ask.unfit(own))
			}
		}
	}
}

// The same rules hold for wordings in another language.
func TestUnfitWordingsInSpanish(t *testing.T) {
	t.Parallel()
	byID := map[string]packs.Question{}
	for _, q := range questionsIn(t, "es") {
		byID[q.ID] = q
	}
	for _, tt := range []struct {
		id   string
		lead Situation
		text string
		want string
	}{
		{"falls", Digression, "Qué bonito lo de sus rosas. ¿Se ha caído desde la última vez que hablamos?", ""},
		{"sleep", Sorry, "Qué pena me da oír eso. ¿Qué tal durmió anoche, del 1 al 10, donde 1 es casi nada y 10 es muy bien?", ""},
		{"medication", Thanks, "Gracias. ¿Ha tomado hoy sus medicinas como debía, Ada?", ""},
		{"falls", Thanks, "Gracias. ¿No se ha caído nunca desde la última vez que hablamos?", "meaning"},
		{"breathing", Thanks, "¿Hoy le cuesta respirar menos que de costumbre?", "meaning"},
		{"falls", Thanks, "Qué pena. ¿Se ha caído desde la última vez que hablamos?", "comfort"},
		{"falls", Sorry, "Qué bien. ¿Se ha caído desde la última vez que hablamos?", "comfort"},
		{"falls", Thanks, "Debería usar el bastón. ¿Se ha caído desde la última vez que hablamos?", "unwelcome"},
		{"falls", Thanks, "Thank you. Have you had a fall since we last spoke?", "language"},
		{"sleep", Thanks, "¿Qué tal durmió anoche, del 1 al 10, donde 1 es muy bien y 10 es casi nada?", "scale"},
		{"appetite", Thanks, "¿Qué tal de apetito desde ayer, bueno o malo?", "choices"},
	} {
		ask := Ask{Question: byID[tt.id], Lead: tt.lead, Name: "Ada", Language: "es-MX"}
		if got := ask.unfit(clean(tt.text)); got != tt.want {
			t.Errorf("%s, %q: got %q, want %q", tt.id, tt.text, got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"  \"How are you?\"\n", "How are you?"},
		{"“How\n\nare you?”", "How are you?"},
		{"How's that?", "How's that?"},
		{"\"", "\""},
		{"", ""},
	} {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzUnfit(f *testing.F) {
	for _, s := range []string{"How?", "... ? 1 . 10 ?", "\xff\xfe?", "“”", "1 2 3 4 5 6 7 8 9 10?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, id := range []string{"sleep", "falls", "appetite", "plans"} {
			ask := Ask{Question: question(t, id), Lead: Thanks}
			cleaned := clean(text)
			if ask.unfit(cleaned) == "" && len(listOf(cleaned)) < 3 {
				t.Errorf("%q passes for %s", text, id)
			}
		}
	})
}
