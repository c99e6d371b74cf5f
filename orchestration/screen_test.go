package orchestration

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/gjson"
)

// noDoses withholds what speaks of doses, and says so once.
func noDoses() Screen {
	said := false
	return func(sentence string) (string, string) {
		if !strings.Contains(sentence, "Take two") {
			return "", ""
		}
		if said {
			return "dose", ""
		}
		said = true
		return "dose", "I can't say."
	}
}

func TestScreen(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pieces   []string
		left     []string // after each piece
		all      string   // in the end
		withheld string
	}{
		"a sentence leaves with its last mark": {
			[]string{"It is", " warm", ".", " Is it", " not?"}, []string{"", "", "It is warm.", "It is warm.", "It is warm. Is it not?"}, "It is warm. Is it not?", "",
		},
		"what has no end leaves in the end":       {[]string{"Well, I"}, []string{""}, "Well, I", ""},
		"a sentence is said instead":              {[]string{"Oh. Take", " two. Good."}, []string{"Oh.", "Oh. I can't say. Good."}, "Oh. I can't say. Good.", "dose: Take two."},
		"once":                                    {[]string{"Take two. Take two more. So."}, []string{"I can't say. So."}, "I can't say. So.", "dose: Take two.\ndose: Take two more."},
		"in the end, too":                         {[]string{"Take two"}, []string{""}, "I can't say.", "dose: Take two"},
		"a title ends nothing":                    {[]string{"Dr.", " Shah said so.", " B. too."}, []string{"", "Dr. Shah said so.", "Dr. Shah said so. B. too."}, "Dr. Shah said so. B. too.", ""},
		"a number waits for what follows":         {[]string{"It is 3.", "5 now.", " And 7.", " Yes"}, []string{"", "It is 3.5 now.", "It is 3.5 now.", "It is 3.5 now. And 7."}, "It is 3.5 now. And 7. Yes", ""},
		"a quotation ends with its mark":          {[]string{"\"Go!\" she said.", " So"}, []string{"\"Go!\" she said.", "\"Go!\" she said."}, "\"Go!\" she said. So", ""},
		"a line is a sentence":                    {[]string{"Roses\nare red"}, []string{"Roses"}, "Roses\nare red", ""},
		"nor is a word without end":               {[]string{strings.Repeat("é", 201), "é"}, []string{strings.Repeat("é", 201), strings.Repeat("é", 201)}, strings.Repeat("é", 202), ""},
		"a sentence without end is not held back": {[]string{strings.Repeat("la ", 140)}, []string{strings.TrimRight(strings.Repeat("la ", 140), " ")}, strings.Repeat("la ", 140), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewSpeech()
			done := s.Through(noDoses())
			var left []string
			for _, p := range tt.pieces {
				if err := s.Say(p); err != nil {
					t.Fatal(err)
				}
				words, _ := s.read(0)
				left = append(left, string(words))
			}
			done()
			words, _ := s.read(0)
			withheld, _ := s.withheldText()
			if diff := cmp.Diff([]any{tt.left, tt.all, tt.withheld}, []any{left, string(words), withheld}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFixedTextIsNotScreened(t *testing.T) {
	t.Parallel()
	s := NewSpeech()
	done := s.Through(noDoses())
	for _, say := range []func() error{
		func() error { return s.Say("Oh") },
		func() error { return s.SayFixed(" Take two.") },
		func() error { return s.Say(" Take two.") },
	} {
		if err := say(); err != nil {
			t.Fatal(err)
		}
	}
	done()
	if got, want := s.Text(), "Oh Take two. I can't say."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := s.Say(" Take two."); err != nil || !strings.HasSuffix(s.Text(), "can't say. Take two.") {
		t.Errorf("after the screen was taken away: %q, %v", s.Text(), err)
	}
}

// What was withheld is counted, and its kind stands on the call's timeline.
func TestWithheldIsRecorded(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	d := newDesk()
	s := newTestServer(t, d, saying("Good. Take two. Take two more."), func(c *Config) {
		c.Metrics = reg
		c.Middleware = []Middleware{func(next Persona) Persona {
			return PersonaFunc(func(ctx context.Context, t *Turn, s *Speech) error {
				defer s.Through(noDoses())()
				return next.Reply(ctx, t, s)
			})
		}}
	})
	c := client(listen(t, s), "/v1")
	got, err := c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: "naiber", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	}, withToken(d))
	if err != nil || got.Choices[0].Message.Content != "Good. I can't say." {
		t.Fatalf("got %+v, %v", got, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := counted(t, reg, "naiber_turns_withheld_total"); n != 1 {
		t.Errorf("counted %v turns, want 1", n)
	}
	if len(d.events) != 1 || gjson.Get(strings.TrimPrefix(d.events[0], "turn "), "withheld").Raw != `["dose"]` {
		t.Errorf("events: %q", d.events)
	}
}

// The splitter gives back what it got, however it came.
func FuzzScreenKeepsText(f *testing.F) {
	f.Add("It is warm. Is it not? \"Yes!\" Dr. Shah, 3.5", 3)
	f.Add("¿Qué tal?\n\nBien… gracias.  ", 1)
	f.Fuzz(func(t *testing.T, text string, step int) {
		text = strings.ToValidUTF8(text, "")
		s := NewSpeech()
		done := s.Through(func(string) (string, string) { return "", "" })
		runes := []rune(text)
		step = max(step%50, 1)
		for i := 0; i < len(runes); i += step {
			if err := s.Say(string(runes[i:min(i+step, len(runes))])); err != nil {
				t.Fatal(err)
			}
		}
		done()
		if got := s.Text(); got != string(runes) {
			t.Errorf("got %q, want %q", got, text)
		}
	})
}
