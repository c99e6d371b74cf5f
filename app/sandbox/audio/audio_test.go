package audio_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/naiber/naiber/app/sandbox/audio"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Hello.",
		"Good morning, Ada. How did you sleep?",
		"Grüß Gott, schöne Überraschung – 你好 👵🏽!",
		strings.Repeat("word ", 200) + "end",
		"a",
	}
	for _, wpm := range []int{0, 60, 170, 600, 12_000, 400_000} {
		for _, text := range texts {
			t.Run(fmt.Sprintf("%d wpm %.12s", wpm, text), func(t *testing.T) {
				t.Parallel()
				b := audio.Encode(text, wpm)
				if len(b)%audio.FrameBytes != 0 {
					t.Errorf("Encode gave %d bytes, want whole frames", len(b))
				}
				if audio.Silent(b[:audio.FrameBytes]) {
					t.Error("speech is silent")
				}
				if got := audio.Heard(b); got != strings.Join(strings.Fields(text), " ") {
					t.Errorf("heard %q, want %q", got, text)
				}
			})
		}
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	text := strings.TrimSpace(strings.Repeat("maple ", 170))
	got := audio.Duration(len(audio.Encode(text, 170)))
	if got < 59*time.Second || got > 61*time.Second {
		t.Errorf("170 words at 170 words a minute took %v, want about a minute", got)
	}
}

func TestNoWords(t *testing.T) {
	t.Parallel()
	if b := audio.Encode(" \n\t ", 170); b != nil {
		t.Errorf("Encode of nothing gave %d bytes", len(b))
	}
	beep := audio.Beep(130 * time.Millisecond)
	if len(beep) != 7*audio.FrameBytes || audio.Silent(beep) || audio.Heard(beep) != "" {
		t.Errorf("beep: %d bytes, silent %t, heard %q", len(beep), audio.Silent(beep), audio.Heard(beep))
	}
	if q := audio.Quiet(5); !audio.Silent(q) || len(q) != 5 {
		t.Errorf("quiet: %v", q)
	}
}

// However the audio is divided on its way, the same words arrive.
func TestAnyDivision(t *testing.T) {
	t.Parallel()
	const text = "The quick brown fox jumps over the lazy dog, doesn't it?"
	b := append(audio.Quiet(333), audio.Encode(text, 300)...)
	b = append(b, audio.Quiet(71)...)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var (
			d     audio.Decoder
			w     audio.Words
			heard []string
			rest  = b
		)
		for len(rest) > 0 {
			n := min(1+rng.IntN(700), len(rest))
			for _, p := range d.Write(rest[:n]) {
				heard = append(heard, w.Add(p)...)
			}
			rest = rest[n:]
		}
		if got := strings.Join(heard, " "); got != text {
			t.Fatalf("heard %q, want %q", got, text)
		}
	}
}

// A cut at any byte leaves a beginning of the text, and what is said after the
// cut is understood.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	const text = "I was just going to say something"
	b := audio.Encode(text, 400)
	after := audio.Encode("Pardon?", 400)
	last := 0
	for cut := range b {
		heard := audio.Heard(b[:cut])
		if !strings.HasPrefix(text, heard) || len(heard) < last {
			t.Fatalf("cut at %d: heard %q", cut, heard)
		}
		last = len(heard)
		joined := append(append([]byte{}, b[:cut]...), after...)
		if got := audio.Heard(joined); !strings.HasSuffix(got, "Pardon?") || strings.Contains(got, "  ") {
			t.Fatalf("cut at %d: heard %q after it", cut, got)
		}
	}
	if last != len(text)-len(" something") && last != len(text) {
		t.Errorf("at the end only %d bytes were heard", last)
	}
}

func TestPartialWord(t *testing.T) {
	t.Parallel()
	b := audio.Encode("wonderful", 60)
	var (
		d audio.Decoder
		w audio.Words
	)
	for _, p := range d.Write(b[:len(b)/2]) {
		if got := w.Add(p); got != nil {
			t.Fatalf("half a word gave %q", got)
		}
	}
	const whole = "wonderful"
	if got := w.Cut(); got == "" || !strings.HasPrefix(whole, got) || got == whole {
		t.Errorf("cut: %q", got)
	}
	if got := w.Cut(); got != "" {
		t.Errorf("cut twice: %q", got)
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	var d audio.Decoder
	pieces := d.Write(append(audio.Quiet(160), audio.Encode("Oh dear", 170)...))
	first, last := pieces[0], pieces[len(pieces)-1]
	if !first.Start || first.At != 160 || first.Text != "O" {
		t.Errorf("first piece %+v", first)
	}
	if !last.End {
		t.Errorf("last piece %+v", last)
	}
	ends := 0
	for _, p := range pieces {
		if p.WordEnd {
			ends++
		}
	}
	if ends != 2 {
		t.Errorf("%d word ends, want 2", ends)
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("noise"), 3)
	f.Add(audio.Encode("hi", 1200), 7)
	f.Add([]byte("\xC1\xF9\xC0\xFB\x00\x02"), 1)
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		step = max(1, step%500)
		var whole, parts audio.Decoder
		want := whole.Write(b)
		var got []audio.Piece
		for i := 0; i < len(b); i += step {
			got = append(got, parts.Write(b[i:min(len(b), i+step)])...)
		}
		if len(got) != len(want) {
			t.Fatalf("%d pieces in parts, %d in one", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] || !utf8.ValidString(got[i].Text) {
				t.Errorf("piece %d: %+v, want %+v", i, got[i], want[i])
			}
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("How are you?", 170, 0)
	f.Add("Ä\x00b", 100_000, 5)
	f.Fuzz(func(t *testing.T, text string, wpm, before int) {
		if len(text) > 2000 {
			return
		}
		wpm = 20 + (wpm&0xFFFFF)%50_000
		b := append(audio.Quiet(before&0xFF), audio.Encode(text, wpm)...)
		want := strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
		if got := audio.Heard(b); got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	})
}

func ExampleHeard() {
	b := audio.Encode("Good morning, Ada.", audio.DefaultWPM)
	fmt.Println(audio.Heard(b))
	fmt.Println(audio.Heard(b[:len(b)/2])) // cut off in the middle
	// Output:
	// Good morning, Ada.
	// Good
}
