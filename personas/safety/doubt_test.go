package safety

import (
	"slices"
	"strings"
	"testing"
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
	t.Skip("the weights leave nothing open in this file")
	return "", ""
}
