package safety

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/storetest"
)

// Words that leave danger open are asked about, and nobody is told; what is not denied is raised
// with the words of both turns, and answered as the kind is.
func TestDoubtIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reply string
		told  bool
	}{
		{"Yes, please.", true},
		{"Well, what shall I say.", true},
		{"", true}, // silence
		{"No, no, I'm fine, dear.", false},
		{"Nothing wrong, I'm all right.", false},
	} {
		st := new(raised)
		k := newTalk(t, st, british, broken)
		k.naiber("How did you sleep?")
		said, kind := inDoubt(t)
		x := languages["en"].Texts
		k.hears(t, said, x.doubt(kind))
		if got := st.kinds(k.rules); len(got) > 0 {
			t.Fatalf("raised %v before it was asked", got)
		}
		if !c.told {
			k.hears(t, c.reply, x.NoDanger+" How did you sleep?")
			if got := st.kinds(k.rules); len(got) > 0 {
				t.Errorf("%q: raised %v", c.reply, got)
			}
			continue
		}
		if c.reply == "" {
			k.reachesPersona(t, "") // whose silences have words of their own
		} else {
			k.hears(t, c.reply, x.answer(kind)[:20])
		}
		if got := st.kinds(k.rules); !slices.Equal(got, []string{kind}) {
			t.Fatalf("%q: raised %v, want %q", c.reply, got, kind)
		}
		if a := st.all[0]; !strings.HasPrefix(a.Quote, said) || !strings.HasSuffix(a.Quote, c.reply) || !strings.Contains(a.Why, "not denied") {
			t.Errorf("%q: alert %+v", c.reply, a)
		}
	}
}

// Who falls off the line without an answer is not left alone; who has answered, or spoken on, is.
func TestDoubtAtTheEndOfACall(t *testing.T) {
	t.Parallel()
	said, kind := inDoubt(t)
	for reply, want := range map[string][]string{"": {kind}, "No, no.": nil} {
		st := new(raised)
		k := newTalk(t, st, british, broken)
		k.hears(t, said, languages["en"].Texts.doubt(kind))
		if reply != "" {
			k.hears(t, reply, languages["en"].Texts.NoDanger)
		}
		k.rules.Ended(k.line.Call.ID)
		k.rules.Ended(k.line.Call.ID)
		if got := st.kinds(k.rules); !slices.Equal(got, want) {
			t.Errorf("after %q: raised %v, want %v", reply, got, want)
		}
		if want != nil && (st.all[0].Quote != said || !strings.Contains(st.all[0].Why, "nothing more was said")) {
			t.Errorf("%+v", st.all[0])
		}
	}
}

// pickedUp is a call whose line broke, with a history that is new.
func pickedUp(k *talk) *talk {
	k.line.Call.ConversationID, k.line.ConversationID = "conv_1", "conv_2"
	k.messages = nil
	k.naiber("Sorry, we were cut off.")
	return k
}

// ends is a reply that the end of the call takes the place of.
const ends = "ends"

// A doubt that the line broke in is asked about again, and raised where nobody is heard or the call ends.
func TestDoubtOutlivesAReconnect(t *testing.T) {
	t.Parallel()
	said, kind := inDoubt(t)
	x := languages["en"].Texts
	for _, c := range []struct {
		replies []string // after the line is picked up
		told    bool
	}{
		{[]string{"Hello?", "No, no."}, false},
		{[]string{"I'm fine, dear."}, false},
		{[]string{"Hello?", "Well, what shall I say."}, true},
		{[]string{"Hello?", ""}, true},
		{[]string{""}, true},
		{[]string{ends}, true},
		{[]string{"Hello?", ends}, true},
	} {
		st := new(raised)
		k := newTalk(t, st, british, broken)
		k.line.Call.ConversationID, k.line.ConversationID = "conv_1", "conv_1"
		k.hears(t, said, x.doubt(kind))
		pickedUp(k)
		for _, reply := range c.replies {
			switch got, err := k.says(t.Context(), reply); {
			case reply == ends:
				k.rules.Ended(k.line.Call.ID)
			case reply == "Hello?" && (err != nil || got.Text != x.doubt(kind)):
				t.Errorf("%q: %q, %v", c.replies, got.Text, err)
			}
		}
		want := []string(nil)
		if c.told {
			want = []string{kind}
		}
		if got := st.kinds(k.rules); !slices.Equal(got, want) {
			t.Errorf("%q: raised %v, want %v", c.replies, got, want)
		}
	}
}

// A turn that is heard at more length, after the doubt was asked about again at its beginning, is
// asked again in its place: the doubt is not in its words.
func TestDoubtOutlivesALongerReply(t *testing.T) {
	t.Parallel()
	said, kind := inDoubt(t)
	question := languages["en"].Texts.doubt(kind)
	for _, reply := range []string{ends, "No, no."} {
		st := new(raised)
		k := newTalk(t, st, british, broken)
		k.line.Call.ConversationID, k.line.ConversationID = "conv_1", "conv_1"
		k.hears(t, said, question)
		pickedUp(k)
		before := len(k.messages)
		k.hears(t, "Hello?", question)
		k.messages = k.messages[:before]
		k.hears(t, "Hello? Are you there?", question)
		want := []string{kind}
		if reply == ends {
			k.rules.Ended(k.line.Call.ID)
		} else {
			k.hears(t, reply, languages["en"].Texts.NoDanger)
			want = nil
		}
		if got := st.kinds(k.rules); !slices.Equal(got, want) {
			t.Errorf("%q: raised %v, want %v", reply, got, want)
		}
	}
}

// Another process finds the open doubt among the words of the call.
func TestDoubtOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	st := storetest.New(t)
	said, kind := inDoubt(t)
	x := languages["en"].Texts
	for reply, open := range map[string]bool{"": true, "Well, what shall I say.": true, "No, no.": false} {
		k := pickedUp(newTalk(t, st, lineTo(t, st, "en"), broken))
		for i, u := range []calls.Utterance{{Role: calls.RoleUser, Text: said}, {Role: calls.RoleAssistant, Text: x.doubt(kind)}, {Role: calls.RoleUser, Text: reply}} {
			u.CallID, u.ConversationID, u.EventID, u.At = k.line.Call.ID, "conv_1", int64(i), time.Now()
			if u.Text == "" {
				continue
			}
			if _, err := st.AddUtterance(t.Context(), u); err != nil {
				t.Fatal(err)
			}
		}
		if !open {
			k.reachesPersona(t, "Hello?")
			continue
		}
		k.hears(t, "Hello?", x.doubt(kind))
		k.hears(t, "Well, what shall I say.", x.answer(kind)[:20])
	}
}

// A doubt that nobody has answered when the process dies is raised by the next one.
func TestOpenDoubtIsInTheJournal(t *testing.T) {
	t.Parallel()
	said, kind := inDoubt(t)
	for reply, want := range map[string][]string{"": {kind}, "No, no.": nil} {
		dir := t.TempDir()
		w := rulesOver(t, nowhere{}, dir)
		k := &talk{rules: w, line: british, persona: w.Middleware(broken)}
		k.hears(t, said, languages["en"].Texts.doubt(kind))
		if reply != "" {
			k.hears(t, reply, languages["en"].Texts.NoDanger)
		}
		w.Close()
		st := new(raised)
		w = rulesOver(t, st, dir)
		w.Replay(t.Context())
		if got := st.kinds(w); !slices.Equal(got, want) || len(onDisk(t, dir)) > 0 {
			t.Errorf("after %q raised %v, want %v; on disk %v", reply, got, want, onDisk(t, dir))
		}
	}
}

// A question of which too little was heard is asked again, as often as a call may be interrupted.
func TestDoubtWhoseQuestionIsCutShort(t *testing.T) {
	t.Parallel()
	said, kind := inDoubt(t)
	x := languages["en"].Texts
	st := new(raised)
	k := newTalk(t, st, british, broken)
	for _, reply := range []string{said, "What was that, my dear?"} {
		k.hears(t, reply, x.doubt(kind))
		k.messages[len(k.messages)-1].Content = x.doubt(kind)[:6]
		k.place += 2
	}
	if got := st.kinds(k.rules); len(got) > 0 {
		t.Fatalf("raised %v before it was heard", got)
	}
	k.hears(t, "What was that, my dear?", x.answer(kind)[:20])
	if got := st.kinds(k.rules); !slices.Equal(got, []string{kind}) {
		t.Errorf("raised %v, want %q", got, kind)
	}
}

// A call is not interrupted without end to ask.
func TestDoubtsAreAskedAboutTwiceAtMost(t *testing.T) {
	t.Parallel()
	k := newTalk(t, new(raised), british, broken)
	said, kind := inDoubt(t)
	for range maxDoubts {
		k.hears(t, said, languages["en"].Texts.doubt(kind))
		k.hears(t, "No, no.", languages["en"].Texts.NoDanger)
	}
	k.reachesPersona(t, said)
}

// inDoubt returns words of the corpus that leave danger open.
func inDoubt(t *testing.T) (said, kind string) {
	t.Helper()
	for _, u := range utterances(t, "testdata/corpus/en.a.tsv") {
		all, doubts := heardIn("en", u.said)
		if len(all) == 0 && len(doubts) == 1 && doubts[0].tier() == 3 && doubts[0].act() == once && doubts[0].said == strings.TrimSpace(u.said) {
			return doubts[0].said, doubts[0].kind
		}
	}
	t.Fatal("the weights leave nothing open in this file")
	return "", ""
}

// A no that is taken back, or that begins something else than a denial, denies nothing: in every
// language "no" is a no, and a yes in one of them is none in the others.
func TestWhatDeniesDanger(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		denies bool
		said   []string
	}{
		{true, []string{
			"No, no.", "No, not at all.", "No, I don't think so.", "No, not really.", "No, I don't need any help.", "No, thank you, dear.", "No, I'm quite well.",
			"No, I'm not in danger.", "No, that was years ago.", "Yes, I'm fine, dear.", "No, no me pasa nada.", "No, estoy bien.", "No, me siento bien.", "Nada, nada.", "Nein, alles gut.",
			"Oh no, dear.", "Never.", "No no, nothing like that.", "Not at all, love.", "Good heavens, no!", "Of course not.", "No, of course not.", "Don't be daft, no.", "Nothing of the sort.",
			"Well, no.", "No, dear God, no.", "Absolutely not, thank you.", "Pues no.", "Qué va.", "Para nada.", "Nada de eso, hija.", "Claro que no.", "Que no, que no.", "Ay no, hija.", "Hombre, no.",
			"Jamás.", "Ach nein.", "Keineswegs.", "Um Gottes willen, nein.", "Nein, überhaupt nicht.", "No, but thank you, dear.", "No, my son is coming.", "No, my daughter is with me.",
		}},
		{false, []string{
			"", "Well.", "No, well, yes.", "No... yes, please come.", "No, I'm not well.", "No, I don't feel well.", "No, I'm not all right.", "No no, I do need help.",
			"Not really fine.", "Not sure.", "No, sí.", "No sé.", "No estoy bien.", "Nada bien.", "No, no me siento bien.", "Nein, mir ist nicht gut.",
			"Not really.", "Not now.", "No, not any more.", "Oh no, it hurts.", "Oh no, oh no.", "Oh no, I've fallen.", "Never mind me.", "Never felt worse.", "Never better.", "Nothing helps.", "Not at all well.",
			"No, I can't get up.", "No, please help.", "No, I've fallen.", "No, I'm frightened.", "No, it's getting worse.", "No I don't think so but my arm's numb.", "No, but I'm so cold.", "Thank you, dear.",
			"Nunca me he sentido peor.", "No, pero me mareo.", "Ay no, ay no.", "No, tengo miedo.", "No, me he caído.", "Nein, aber ich habe Angst.", "Nein, ich bin gefallen.", "Gar nicht gut.",
			"No, you must come.", "No, come quickly.", "No, send somebody.", "No, hurry.", "No, don't leave me.", "No, I can't.", "No dear, my leg.", "No, vengan.", "No, no me cuelgue.", "Nein, kommen Sie schnell.",
		}},
	} {
		for _, said := range c.said {
			for _, code := range codes {
				turn := &orchestration.Turn{Kind: calls.TurnSpeech, Heard: said}
				turn.Line.Person.Language = code
				if got := hear(turn).deniesDanger(); got != c.denies {
					t.Errorf("%s: %q denies danger: %t", code, said, got)
				}
			}
		}
	}
}

// A denial is none in one breath with words of danger.
func TestWhatFollowsADenialIsHeard(t *testing.T) {
	t.Parallel()
	said, kind := inDoubt(t)
	for _, reply := range []string{"No, my chest hurts, I can't breathe.", "I'm fine, only he hits me again."} {
		st := new(raised)
		k := newTalk(t, st, british, broken)
		k.hears(t, said, languages["en"].Texts.doubt(kind))
		if _, err := k.says(t.Context(), reply); err != nil {
			t.Fatal(err)
		}
		if got := st.kinds(k.rules); len(got) < 2 || !slices.Contains(got, kind) {
			t.Errorf("%q: raised %v, want %q besides what it tells of", reply, got, kind)
		}
	}
}

// What was said in pieces is taken back to the doubt that it was heard as.
func TestDoubtOfPieces(t *testing.T) {
	t.Parallel()
	first, rest, kind := "", "", ""
	for _, u := range utterances(t, "testdata/corpus/en.a.tsv") {
		all, doubts := heardIn("en", u.said)
		if len(all) > 0 || len(doubts) != 1 || doubts[0].act() != once || strings.ContainsRune(u.said, '\n') {
			continue
		}
		for i := range u.said {
			if _, apart := heardIn("en", u.said[:i]+"\n"+u.said[i:]); u.said[i] == ' ' && len(apart) == 0 {
				first, rest, kind = u.said[:i], u.said[i+1:], doubts[0].kind
			}
		}
	}
	if kind == "" {
		t.Fatal("the weights leave open in this file what its sentences alone tell")
	}
	st := new(raised)
	k := newTalk(t, st, british, broken)
	k.messages = []llm.Message{
		{Role: llm.RoleUser, Content: first},
		{Role: llm.RoleUser, Content: rest},
		{Role: llm.RoleAssistant, Content: languages["en"].Texts.doubt(kind)},
	}
	k.hears(t, "Well, what shall I say.", languages["en"].Texts.answer(kind)[:20])
	if got := st.kinds(k.rules); !slices.Equal(got, []string{kind}) {
		t.Errorf("raised %v, want %q", got, kind)
	}
}

// What is graver is answered first, whichever of doubt and reply it was in.
func TestDoubtOfEmergencyIsAnsweredBeforeALesserReply(t *testing.T) {
	t.Parallel()
	said := ""
	for _, u := range utterances(t, "testdata/corpus/en.a.tsv") {
		if all, doubts := heardIn("en", u.said); len(all) == 0 && len(doubts) == 1 && doubts[0].act() == emergency {
			said = u.said
			break
		}
	}
	if said == "" {
		t.Fatal("the weights leave no emergency open in this file")
	}
	st := new(raised)
	k := newTalk(t, st, british, broken)
	_, doubts := heardIn("en", said)
	k.hears(t, said, languages["en"].Texts.doubt(doubts[0].kind))
	const lesser = "Yes. My back hurts terribly, I'm in agony."
	if flags, _ := heardIn("en", lesser); len(flags) != 1 || flags[0].act() != silent {
		t.Fatalf("%q: %+v", lesser, flags)
	}
	k.hears(t, lesser, "9 9 9")
}
