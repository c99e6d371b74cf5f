package safety

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// raised is a store that keeps alerts alone.
type raised struct {
	nowhere

	mu  sync.Mutex // guards all
	all []alerts.New
}

func (r *raised) RaiseAlert(_ context.Context, n alerts.New) (alerts.Alert, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, n)
	return alerts.Alert{}, true, nil
}

// kinds returns the kinds of the alerts once all are kept, in order of the alphabet.
func (r *raised) kinds(w *Rules) (all []string) {
	w.work.Wait()
	for _, n := range r.all {
		all = append(all, n.Kind)
	}
	slices.Sort(all)
	return all
}

var british = calls.Line{Call: calls.Call{ID: store.NewCallID()}, Person: people.Person{Phone: "+442071838750"}}

// All that is told of in a turn is raised, with the words and why; the highest tier answers.
func TestFlagsAreRaised(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	k := newTalk(t, st, lineTo(t, st, "en"), broken)
	k.hears(t, "Good morning. I can smell gas in the kitchen. I haven't eaten for three days either.", "ring 9 9 9")
	k.rules.work.Wait()
	found, err := st.Alerts(t.Context(), alerts.Filter{PersonID: k.line.Person.ID, Limit: 9})
	if err != nil || len(found) != 2 {
		t.Fatalf("alerts: %+v, %v", found, err)
	}
	for _, a := range found {
		want := map[string]struct {
			tier  alerts.Tier
			quote string
		}{"gas": {alerts.Now, "I can smell gas in the kitchen"}, "no_food": {alerts.Urgent, "I haven't eaten for three days either"}}[a.Kind]
		if a.Tier != want.tier || a.Quote != want.quote || a.CallID != k.line.Call.ID || !strings.Contains(a.Why, languages["en"].Version) {
			t.Errorf("alert %+v, want %+v", a, want)
		}
	}
}

// A kind that is no bodily danger is answered once; then the persona goes on with its
// question, and hears the kind when it is told of again, which is raised all the same.
func TestNeedIsAnsweredOnceInACall(t *testing.T) {
	t.Parallel()
	st := new(raised)
	k := newTalk(t, st, british, broken)
	k.naiber("I see. How did you sleep?")
	x := languages["en"].Texts
	first := k.hears(t, "The boiler's broken and I'm freezing", x.Told["no_heat"][:30])
	if strings.Contains(first.Text, "{") || first.Ended {
		t.Errorf("answered %+v", first)
	}
	k.hears(t, "No, only this room", promise.ReplaceAllString(x.Noted, "$1")+" How did you sleep?")
	k.reachesPersona(t, "Badly, the heating is still broken and it's freezing")
	if got := st.kinds(k.rules); !slices.Equal(got, []string{"no_heat", "no_heat"}) {
		t.Errorf("raised %v", got)
	}
	if st.all[0].Key != st.all[1].Key {
		t.Errorf("keys %q and %q", st.all[0].Key, st.all[1].Key)
	}
}

// promised are words by which a human being's help is promised.
var promised = map[string]string{"en": "human being", "de": "Mensch", "es": "una persona lo s|avisa a una persona"}

// What is promised stands where it can be left out, in every language.
func TestEveryPromiseCanBeLeftOut(t *testing.T) {
	t.Parallel()
	for _, code := range codes {
		x := languages[code].Texts
		words := regexp.MustCompile(promised[code])
		all := []string{x.Danger, x.Noted, x.GoOnCalling}
		for _, c := range []company{x.Emergency, x.Despair} {
			all = append(append(all, c.Stay...), c.Helped, c.Leave, c.Over)
		}
		for _, text := range x.Told {
			all = append(all, text)
		}
		promises := 0
		for _, text := range all {
			with, without := promise.ReplaceAllString(text, "$1"), promise.ReplaceAllString(text, "$2")
			if words.MatchString(with) {
				promises++
			}
			if words.MatchString(without) || strings.ContainsAny(with+without, "[|]") || strings.Contains(with+without, " .") || strings.Contains(with+without, "  ") {
				t.Errorf("%s: %q or %q", code, with, without)
			}
		}
		if promises < len(x.Told)+2 {
			t.Errorf("%s promises something in %d texts, want one for each of the %d kinds, a leave and an over", code, promises, len(x.Told))
		}
	}
}

// That a human being is told is said only where there is somebody to tell of this kind, and
// where that is known in time; and a text is known again either way.
func TestNothingIsPromisedWhereNobodyIsTold(t *testing.T) {
	t.Parallel()
	said := map[string][2]string{
		"en": {"I have fallen and I can't get up", "I don't want to live any more"}, "es": {"Me he caído y no puedo levantarme", "Ya no quiero vivir más"},
		"de": {"Ich bin gestürzt und komme nicht hoch", "Ich will nicht mehr leben"},
	}
	for _, code := range codes {
		for name, tells := range map[string]func(string) (bool, error){
			"somebody":    func(string) (bool, error) { return true, nil },
			"nobody":      func(string) (bool, error) { return false, nil },
			"not of this": func(kind string) (bool, error) { return kind != "fall_stuck" && kind != "suicidal", nil },
			"not known":   func(string) (bool, error) { return true, errors.New("the database is away") },
		} {
			t.Run(code+" "+name, func(t *testing.T) {
				t.Parallel()
				for _, words := range said[code] {
					k := newTalk(t, new(raised), calls.Line{Person: people.Person{Phone: "+442071838750", Language: code}}, broken)
					k.rules.cfg.Tells = func(_ context.Context, _ store.PersonID, kind string, _ alerts.Tier) (bool, error) {
						return tells(kind)
					}
					got := k.hears(t, words, "").Text
					if is := regexp.MustCompile(promised[code]).MatchString(got); is != (name == "somebody") {
						t.Errorf("%q is answered %q", words, got)
					}
					again := k.hears(t, words, "").Text
					if again == got || regexp.MustCompile(promised[code]).MatchString(again) {
						t.Errorf("%q again is answered %q, as though it had not been", words, again)
					}
				}
			})
		}
	}
}

// A fall without injury does not interrupt the persona.
func TestSameDayFlagsAreSilent(t *testing.T) {
	t.Parallel()
	st := new(raised)
	k := newTalk(t, st, british, broken)
	k.reachesPersona(t, "I had a little fall this morning, but I got up by myself")
	if got := st.kinds(k.rules); !slices.Equal(got, []string{"fall"}) || st.all[0].Tier != alerts.SameDay {
		t.Errorf("raised %v", st.all)
	}
}

// Who wishes to die is asked outright, listened to, given a number and told of the
// human being; the same words again are listened to, and not answered the same.
func TestDespairIsListenedTo(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	for _, code := range []string{"en", "es"} {
		x := languages[code].Texts
		said := map[string]string{"en": "I don't want to live any more", "es": "Ya no quiero vivir más"}[code]
		k := newTalk(t, st, lineTo(t, st, code), broken)
		k.hears(t, said, "1 1 6 1 2 3")
		for _, words := range []string{said, "", "hm"} {
			got := k.hears(t, words, "")
			if strings.Contains(got.Text, x.Told["suicidal"][:30]) || got.Ended {
				t.Errorf("%s: %q: %+v", code, words, got)
			}
		}
		if d := k.kept(t, st).Danger; d.Kind != "suicidal" {
			t.Errorf("%s: marked %+v", code, d)
		}
		k.hears(t, wishes[code].fine, strings.Split(x.Despair.Over, "[")[0])
	}
}

// Somebody in danger who falls silent is a flag of its own, once.
func TestSilenceAfterDistress(t *testing.T) {
	t.Parallel()
	st := new(raised)
	k := newTalk(t, st, british, broken)
	k.hears(t, "I've got a crushing pain in my chest", "9 9 9")
	k.hears(t, "", "")
	if got := st.kinds(k.rules); slices.Contains(got, silence) {
		t.Errorf("raised after one silence: %v", got)
	}
	k.hears(t, "", "")
	k.hears(t, "", "")
	if got := st.kinds(k.rules); !slices.Equal(got, []string{"chest_pain", silence}) {
		t.Errorf("raised %v", got)
	}
}

// A second reading raises what rules did not hear, and is asked for nothing else.
func TestSecondReadingMayRaise(t *testing.T) {
	t.Parallel()
	st, asked := new(raised), make(chan string, 4)
	w, err := New(Config{Store: st, Retry: time.Millisecond, Log: slog.New(slog.DiscardHandler), Second: func(_ context.Context, text, _ string) (string, bool) {
		asked <- text
		return map[string]string{"The wallpaper talks to me": "confusion", "Lovely weather": ""}[text], text != "Lovely weather"
	}})
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{rules: w, line: british, persona: w.Middleware(broken)}
	for _, words := range []string{"The wallpaper talks to me", "Lovely weather", "I can smell gas"} {
		_, _ = k.says(t.Context(), words)
		w.work.Wait()
	}
	close(asked)
	var all []string
	for text := range asked {
		all = append(all, text)
	}
	if got := st.kinds(w); !slices.Equal(got, []string{"confusion", "gas"}) || !slices.Equal(all, []string{"The wallpaper talks to me", "Lovely weather"}) {
		t.Errorf("raised %v, asked of %q", got, all)
	}
	for _, n := range st.all {
		if n.Kind == "confusion" && (n.Why != "model (nobody had shown to be the person)" || !n.Unsure || n.Tier != alerts.Urgent) {
			t.Errorf("alert %+v", n)
		}
	}
}

// A persona that answers the danger of machines itself is let to, and the flag is raised.
func TestPersonaAnswersMachines(t *testing.T) {
	t.Parallel()
	st := new(raised)
	w, err := New(Config{Store: st, Log: slog.New(slog.DiscardHandler), Answers: func(*orchestration.Turn) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{rules: w, line: british, persona: w.Middleware(broken)}
	k.reachesPersona(t, "I can smell gas")
	k.hears(t, "I can't breathe", "9 9 9")
	if got := st.kinds(w); !slices.Equal(got, []string{"breathing", "gas"}) {
		t.Errorf("raised %v", got)
	}
}

func TestCrisisLineIsThatOfTheCountry(t *testing.T) {
	t.Parallel()
	w, err := New(Config{Store: nowhere{}, CrisisLines: map[string]string{"AT": "142142"}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for phone, want := range map[string]string{
		"+12125550123": "988", "+14165550123": "988", "+442071838750": "116123", "+61212345678": "131114", "+6441234567": "1737", "+4312345678": "142142", "": "",
	} {
		if got := w.CrisisLine(phone); got != want {
			t.Errorf("%s: %q, want %q", phone, got, want)
		}
	}
	for country, l := range CrisisLines {
		if _, err := time.Parse(time.DateOnly, l.Verified); err != nil || l.Name == "" || strings.Trim(l.Number, "0123456789") != "" || len(country) != 2 {
			t.Errorf("%s: %+v, %v", country, l, err)
		}
	}
}

// Each text is told from all others by how it begins, also where it was cut short.
func TestTextsAreTold(t *testing.T) {
	t.Parallel()
	for text, r := range roles {
		if r.sign == "" {
			t.Errorf("no sign of %q", text)
		}
		for other, o := range roles {
			if other != text && strings.HasPrefix(o.sign+" ", r.sign+" ") && (r.answers || r.over || r.optOut || o.answers || o.over || o.optOut) {
				t.Errorf("%q begins as %q", other, text)
			}
		}
	}
}

// What strangers wrote, and the words were mended from, is heard: this may not get worse.
func TestStrangersAreHeard(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/strangers/*.tsv")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sets: %v", err)
	}
	for _, path := range paths {
		language, set := strangers(t, path)
		r := evaluate(t, language, set)
		if r.urgent.share() < 0.98 || r.near.share() > 0.03 || r.ordinary.share() > 0.03 {
			t.Errorf("%s: recall on tiers 3 and 4 %v, false alarms on near misses %v, on ordinary talk %v", path, &r.urgent, &r.near, &r.ordinary)
		}
	}
}

// In a cognitive check nAIber's own words that are told back raise nothing; other words do.
func TestToldBackIsNoFlag(t *testing.T) {
	t.Parallel()
	const story = "On a cold night an old man fell on the ice and could not get up. … A girl was crying, because she was lost."
	for callType, echoes := range map[calls.CallType]bool{calls.CallCognitive: true, calls.CallGeneral: false} {
		line := british
		line.Call.Type = callType
		k := newTalk(t, new(raised), line, broken)
		k.naiber(story)
		said := func(words string) bool {
			_, err := k.says(t.Context(), words)
			return !errors.Is(err, errPersona)
		}
		if told := said("I fell on the ice and could not get up."); told == echoes {
			t.Errorf("%s: what was told back is heard as danger: %t", callType, told)
		}
		if !said("I can't breathe, my chest hurts.") {
			t.Errorf("%s: danger was not heard", callType)
		}
	}
}
