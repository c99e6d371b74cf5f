package llm

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSeam(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		said   string
		pieces []string
		finish string
		want   string // what is added
	}{
		{"nothing before", "", []string{"Hello"}, FinishStop, "Hello"},
		{"goes straight on", "I hope you have", []string{" slept"}, FinishStop, " slept"},
		{"middle of a word", "wonder", []string{"ful"}, FinishStop, "ful"},
		{"repeats a cut word", "a wonder", []string{"wonderful day"}, FinishStop, "ful day"},
		{"repeats words", "I hope you have", []string{"you", " have", " slept"}, FinishStop, " slept"},
		{"repeats with a capital", "I hope you have", []string{"You have slept"}, FinishStop, " slept"},
		{"repeats after dots", "I hope you have", []string{"…", "you have slept"}, FinishStop, " slept"},
		{"repeats in quotes", "I hope you have", []string{"\"you have slept"}, FinishStop, " slept"},
		{"starts over", "Good morning, Ada. I hope", []string{"Good morning, Ada.", " I hope you slept"}, FinishStop, " you slept"},
		{"the longest overlap counts", "tea or tea", []string{"tea or tea or milk"}, FinishStop, " or milk"},
		{"chance likeness inside a word", "a book", []string{"keeper"}, FinishStop, " keeper"},
		{"a missing blank between words", "Tell me about the", []string{"roses."}, FinishStop, " roses."},
		{"a missing blank, letter by letter", "about the", []string{"r", "o", "ses"}, FinishStop, " roses"},
		{"a suffix, letter by letter", "wonder", []string{"f", "u", "l", " day"}, FinishStop, "ful day"},
		{"a word that begins as a suffix", "a bag", []string{"ful", "ler", " than"}, FinishStop, " fuller than"},
		{"a suffix that is cut again", "wonder", []string{"ful"}, FinishLength, "ful"},
		{"a word that is cut again", "about the", []string{"ro"}, FinishLength, " ro"},
		{"a number goes on", "at 1", []string{"0 sharp"}, FinishStop, "0 sharp"},
		{"an ordinal goes on", "the 3", []string{"rd of May"}, FinishStop, "rd of May"},
		{"a missing blank before a unit", "take 10", []string{"mg"}, FinishStop, " mg"},
		{"an apostrophe", "I don", []string{"'t know"}, FinishStop, "'t know"},
		{"accents between words", "Où", []string{"êtes-vous"}, FinishStop, " êtes-vous"},
		{"a script without blanks", "今日は", []string{"いい天気"}, FinishStop, "いい天気"},
		{"digits are not overlap", "take 10", []string{"10 mg"}, FinishStop, "10 mg"},
		{"dots are not overlap", "wait.", []string{".."}, FinishStop, ".."},
		{"two blanks are one", "Yes. ", []string{" And"}, FinishStop, "And"},
		{"a missing blank after a sentence", "Yes.", []string{"And you?"}, FinishStop, " And you?"},
		{"a missing blank after a comma", "Yes,", []string{"and you?"}, FinishStop, " and you?"},
		{"numbers with a point", "about 3.", []string{"5 km"}, FinishStop, "5 km"},
		{"likeness to an earlier place", "the cat and", []string{"the", " dog"}, FinishStop, " the dog"},
		{"only a short word", "Yes. Are you well? Good", []string{"yes"}, FinishStop, " yes"},
		{"only a repetition", "Good morning, Ada. I hope you slept", []string{"Good morning, Ada. I hope"}, FinishStop, ""},
		{"a repetition cut again", "One two three four", []string{"One two"}, FinishLength, ""},
		{"accents", "J'espère que tu as", []string{"tu as bien dormi"}, FinishStop, " bien dormi"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSeam(tt.said)
			var got strings.Builder
			for _, p := range tt.pieces {
				got.WriteString(s.join(p))
			}
			got.WriteString(s.flush(tt.finish))
			if got.String() != tt.want {
				t.Errorf("%q + %q: added %q, want %q", tt.said, tt.pieces, got.String(), tt.want)
			}
		})
	}
}

func TestLastWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ein wort nach dem anderen ", 10) + "und Schluß"
	for said, want := range map[string]string{
		"short":                  "short",
		long:                     "anderen ein wort nach dem anderen und Schluß",
		strings.Repeat("ß", 100): strings.Repeat("ß", 24),
	} {
		if got := lastWords(said); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// However a continuation is cut into pieces, the same is said, it stays valid,
// and it ends as the continuation does.
func FuzzSeam(f *testing.F) {
	f.Add("I hope you have", "you have slept well", uint8(3))
	f.Add("wonder", "wonderful ☕", uint8(1))
	f.Fuzz(func(t *testing.T, said, text string, size uint8) {
		if !utf8.ValidString(said) || !utf8.ValidString(text) || len(said) > 1000 || len(text) > 1000 {
			t.Skip()
		}
		say := func(pieces []string) string {
			s := newSeam(said)
			var b strings.Builder
			for _, p := range pieces {
				b.WriteString(s.join(p))
			}
			return b.String() + s.flush(FinishStop)
		}
		var pieces []string
		for part := range slices.Chunk([]rune(text), int(size)+1) {
			pieces = append(pieces, string(part))
		}
		whole, parts := say([]string{text}), say(pieces)
		if !utf8.ValidString(parts) || !strings.HasSuffix(" "+text, strings.TrimPrefix(parts, " ")) {
			t.Errorf("%q + %q: added %q", said, pieces, parts)
		}
		if whole != parts {
			t.Errorf("%q + %q: pieces added %q, the whole %q", said, pieces, parts, whole)
		}
	})
}
