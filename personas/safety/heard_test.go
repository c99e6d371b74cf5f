package safety

import (
	"os"
	"strings"
	"testing"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/calls"
)

// line is one utterance of a table, and what it is to be taken for.
type line struct{ want, said string }

func lines(tb testing.TB, name string) []line {
	tb.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		tb.Fatal(err)
	}
	var all []line
	for text := range strings.Lines(string(raw)) {
		if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
			continue
		}
		want, said, ok := strings.Cut(text, ": ")
		if !ok {
			tb.Fatalf("%s: %q says not what it is", name, text)
		}
		all = append(all, line{want, said})
	}
	return all
}

// Words of danger are heard in each language, with negation, the past, other people
// and idioms left alone; and no language hears danger in what another leaves alone.
func TestDangerIsHeardInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, code := range codes {
		l, danger, fine := languages[code], 0, 0
		for _, u := range lines(t, "danger."+code) {
			want := u.want
			if want == "raised" && len(l.flagsIn(l.Tokens(english.Scan(u.said)), u.said, &inTalk)) == 0 {
				t.Errorf("%s: %q is not raised", code, u.said)
			}
			if want == "fine" || want == "raised" {
				fine++
				want = ""
			} else {
				danger++
			}
			got := dangerIn(l, u.said, &inTalk)
			if (got == "") != (want == "") {
				t.Errorf("%s: %q: danger %q, want %q", code, u.said, got, want)
			}
			for _, other := range codes {
				if o := languages[other]; want == "" && dangerIn(o, u.said, map[bool]*bar{true: &inTalk}[o == l]) != "" {
					t.Errorf("%s: %q is danger in %s", code, u.said, other)
				}
			}
		}
		if danger < 20 || fine < 20 {
			t.Errorf("%s: %d words of danger and %d near misses, want 20 of each at least", code, danger, fine)
		}
	}
}

func TestOptOutIsHeardInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, code := range codes {
		for _, u := range lines(t, "opt_out."+code) {
			heard := ""
			for _, other := range codes {
				if l := languages[other]; l.optsOut(l.Tokens(english.Scan(u.said))) {
					heard = other
				}
			}
			if (heard != "") != (u.want == "out") {
				t.Errorf("%s: %q: heard as an opt-out in %q, want %s", code, u.said, heard, u.want)
			}
		}
	}
}

// dangerIn returns what danger that is answered a language hears in words, or nothing.
func dangerIn(l *language, said string, alone *bar) string {
	for _, f := range l.flagsIn(l.Tokens(english.Scan(said)), said, alone) {
		if f.act() >= emergency && !f.doubt {
			return f.kind
		}
	}
	return ""
}

// BenchmarkHear reads a long turn in every language; it is to take less than a millisecond.
func BenchmarkHear(b *testing.B) {
	const said = `Well dear, I was in the garden this morning with the roses, and then my daughter came and we had tea, but my knee hurts
		when I go up and down the stairs, so I sat on the floor with the little one, and he fell off the chair but he was not hurt, and then the
		neighbour came over about the gas bill and said her husband had a pain in his chest last winter, and they took him to hospital, and now he
		is back home and eats like a horse. I have taken all my tablets, and the heating is on, though it is cold out, and I had a bit of toast.`
	t := &orchestration.Turn{Kind: calls.TurnSpeech, Heard: said}
	for b.Loop() {
		hear(t).flags(said)
	}
}
