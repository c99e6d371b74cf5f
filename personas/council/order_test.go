package council

import (
	"testing"
)

func round(n int, said ...string) Round {
	r := Round{Round: n}
	for i, text := range said {
		r.Messages = append(r.Messages, Message{Turn: (n-1)*3 + i + 1, Persona: Order[i%3], Content: text})
	}
	return r
}

func TestCalculateTurnNumber(t *testing.T) {
	t.Parallel()
	for want, in := range map[int]struct {
		round int
		p     Persona
	}{1: {1, Analyzer}, 2: {1, Solver}, 3: {1, Moderator}, 4: {2, Analyzer}, 9: {3, Moderator}, 300: {100, Moderator}} {
		if got := CalculateTurnNumber(in.round, in.p); got != want {
			t.Errorf("%v: turn %d, want %d", in, got, want)
		}
		if p, r := PersonaFromTurnNumber(want); p != in.p || r != in.round {
			t.Errorf("turn %d is %q in round %d, want %v", want, p, r, in)
		}
	}
	for _, bad := range []int{CalculateTurnNumber(0, Analyzer), CalculateTurnNumber(-1, Solver), CalculateTurnNumber(1, "chair")} {
		if bad != 0 {
			t.Errorf("a turn that cannot be has the number %d", bad)
		}
	}
	if p, r := PersonaFromTurnNumber(0); p != "" || r != 0 {
		t.Errorf("turn 0 is %q in round %d", p, r)
	}
}

func TestValidatePersonaOrder(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 7} {
		for spoken := range 4 {
			r := round(n, "a", "b", "c")
			for i, p := range Order {
				err := ValidatePersonaOrder(p, r.Messages[:spoken])
				if ok := err == nil; ok != (i == spoken) {
					t.Errorf("round %d, %q after %d: %v", n, p, spoken, err)
				}
			}
		}
	}
	wrong := round(1, "a", "b").Messages
	wrong[1].Turn = 3
	if ValidatePersonaOrder(Moderator, wrong) == nil {
		t.Error("a gap before the moderator was passed over")
	}
}

func TestValidateRounds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		r                         Round
		turns, complete, ordering bool
	}{
		"complete":   {round(2, "a", "b", "c"), true, true, true},
		"two":        {round(1, "a", "b"), true, false, true},
		"none":       {round(1), true, false, true},
		"empty":      {round(1, "a", "", "c"), true, false, true},
		"other":      {Round{Round: 3, Messages: round(2, "a", "b", "c").Messages}, false, false, true},
		"twice":      {Round{Round: 1, Messages: []Message{{1, Analyzer, "a", nil, nil}, {1, Analyzer, "a", nil, nil}, {2, Solver, "b", nil, nil}}}, true, false, false},
		"swapped":    {Round{Round: 1, Messages: []Message{{2, Solver, "b", nil, nil}, {1, Analyzer, "a", nil, nil}, {3, Moderator, "c", nil, nil}}}, true, false, false},
		"impostor":   {Round{Round: 1, Messages: []Message{{1, Solver, "b", nil, nil}, {2, Analyzer, "a", nil, nil}, {3, Moderator, "c", nil, nil}}}, false, false, false},
		"nobody":     {Round{Round: 1, Messages: []Message{{1, "chair", "b", nil, nil}}}, false, false, false},
		"four":       {round(1, "a", "b", "c", "d"), false, false, true},
		"from later": {Round{Round: 1, Messages: append(round(1, "a", "b").Messages, round(2, "x").Messages...)}, false, false, false},
	} {
		for what, got := range map[string][2]bool{
			"turn numbers": {ValidateTurnNumbers(tt.r) == nil, tt.turns},
			"completeness": {ValidateRoundCompleteness(tt.r) == nil, tt.complete},
			"is complete":  {IsRoundComplete(tt.r), tt.complete},
			"ordering":     {ValidateMessageOrdering(tt.r.Messages) == nil, tt.ordering},
		} {
			if got[0] != got[1] {
				t.Errorf("%s: %s is %v, want %v", name, what, got[0], got[1])
			}
		}
	}
}

func TestFilterCompleteRounds(t *testing.T) {
	t.Parallel()
	rounds := []Round{round(1, "a", "b", "c"), round(2, "a"), round(3, "a", "b", "c")}
	got := FilterCompleteRounds(rounds)
	if len(got) != 2 || got[0].Round != 1 || got[1].Round != 3 || len(rounds) != 3 || rounds[1].Round != 2 {
		t.Errorf("%+v of %+v", got, rounds)
	}
}
