package safety

import (
	"context"
	"errors"
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/store/people"
)

// reply is what leaves of what a model says, in a language, piece by piece.
func reply(t *testing.T, language string, pieces ...string) string {
	t.Helper()
	turn := new(orchestration.Turn)
	turn.Line.Person = people.Person{Language: language}
	s := orchestration.NewSpeech()
	model := orchestration.PersonaFunc(func(_ context.Context, _ *orchestration.Turn, s *orchestration.Speech) error {
		for _, p := range pieces {
			if err := s.Say(p); err != nil {
				return err
			}
		}
		return nil
	})
	if err := Guard(model).Reply(t.Context(), turn, s); err != nil {
		t.Fatal(err)
	}
	return s.Text()
}

func TestGuard(t *testing.T) {
	t.Parallel()
	en, es := guards["en"].Instead, guards["es"].Instead
	tests := map[string]struct {
		language string
		pieces   []string
		want     string
	}{
		"a harmless reply":          {"en-GB", []string{"That is", " lovely.", " What did you plant?"}, "That is lovely. What did you plant?"},
		"the rest goes with a dose": {"en", []string{"I see. You can take two", " of them.", " Drink water with it."}, "I see. " + en["dose"]},
		"a promise goes alone":      {"en", []string{"I'll send somebody right away. Where are you? I'll call your daughter."}, en["promise"] + " Where are you?"},
		"a kind each":               {"en", []string{"I'll call your daughter now. You can stop taking the tablets."}, en["promise"] + " " + en["dose"]},
		"in the person's language":  {"es-MX", []string{"Ahora mismo llamo a su hija. ", "¿Le duele?"}, es["promise"] + " ¿Le duele?"},
		"another language":          {"es", []string{"You can stop taking the tablets."}, es["dose"]},
		"a language without words":  {"fr", []string{"You can stop taking the tablets."}, en["dose"]},
		"a story":                   {"en", []string{"Once upon a time there was a queen. \"You can stop taking the tablets,\" she told him."}, "Once upon a time there was a queen. \"You can stop taking the tablets,\" she told him."},
		"what was told":             {"en", []string{"Your doctor said you can stop taking the tablets."}, "Your doctor said you can stop taking the tablets."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := reply(t, tt.language, tt.pieces...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestGuardHandsErrorsOn(t *testing.T) {
	t.Parallel()
	broke := errors.New("the model broke off")
	s := orchestration.NewSpeech()
	err := Guard(orchestration.PersonaFunc(func(_ context.Context, _ *orchestration.Turn, s *orchestration.Speech) error {
		return errors.Join(s.Say("You can stop taking the tab"), broke)
	})).Reply(t.Context(), new(orchestration.Turn), s)
	if !errors.Is(err, broke) || s.Text() != guards["en"].Instead["dose"] && s.Text() != "You can stop taking the tab" {
		t.Errorf("got %q, %v", s.Text(), err)
	}
}
