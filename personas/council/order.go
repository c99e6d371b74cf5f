package council

import (
	"errors"
	"fmt"
	"slices"
)

// Persona is one of the three voices.
type Persona string

// The voices, in the order in which they speak in each round.
const (
	Analyzer  Persona = "analyzer"  // says what the record shows
	Solver    Persona = "solver"    // says what could be done
	Moderator Persona = "moderator" // sums up and proposes
)

// Order is the order of the voices in a round.
var Order = []Persona{Analyzer, Solver, Moderator}

// ErrOrder is returned for anything out of turn.
var ErrOrder = errors.New("out of turn")

// Message is what one voice said in one turn.
type Message struct {
	Turn      int        `json:"turn"`
	Persona   Persona    `json:"persona"`
	Content   string     `json:"content"`
	Citations []Citation `json:"citations"`
	// Unsupported holds the statements that rest on nothing in the record.
	Unsupported []string `json:"unsupported,omitempty"`
}

// Round is one turn of each voice.
type Round struct {
	Round    int       `json:"round"`
	Question string    `json:"question,omitempty"` // a carer's, asked before the round
	Messages []Message `json:"messages"`
}

// CalculateTurnNumber returns the turn of a voice in a round, both counted from 1, or 0 if there is
// no such turn.
func CalculateTurnNumber(round int, p Persona) int {
	position := slices.Index(Order, p) + 1
	if round < 1 || position == 0 {
		return 0
	}
	return (round-1)*len(Order) + position
}

// PersonaFromTurnNumber returns the voice and the round of a turn, or "" and 0 for a turn below 1.
func PersonaFromTurnNumber(turn int) (p Persona, round int) {
	if turn < 1 {
		return "", 0
	}
	return Order[(turn-1)%len(Order)], (turn-1)/len(Order) + 1
}

// IsRoundComplete reports whether all three voices have spoken, and said something.
func IsRoundComplete(r Round) bool { return ValidateRoundCompleteness(r) == nil }

// FilterCompleteRounds returns the complete rounds; nothing of the others goes into a later prompt.
func FilterCompleteRounds(rounds []Round) []Round {
	return slices.DeleteFunc(slices.Clone(rounds), func(r Round) bool { return !IsRoundComplete(r) })
}

// ValidatePersonaOrder returns an error unless p speaks next after the messages of a round.
func ValidatePersonaOrder(p Persona, spoken []Message) error {
	if len(spoken) >= len(Order) || Order[len(spoken)] != p {
		return fmt.Errorf("%w: %q cannot speak after %d of %d", ErrOrder, p, len(spoken), len(Order))
	}
	return ValidateMessageOrdering(spoken)
}

// ValidateTurnNumbers returns an error unless each message of a round has the turn of its voice.
func ValidateTurnNumbers(r Round) error {
	for _, m := range r.Messages {
		if want := CalculateTurnNumber(r.Round, m.Persona); want == 0 || m.Turn != want {
			return fmt.Errorf("%w: turn %d of %q in round %d, want %d", ErrOrder, m.Turn, m.Persona, r.Round, want)
		}
	}
	return nil
}

// ValidateRoundCompleteness returns an error unless all three voices have spoken in a round, in
// order, and said something.
func ValidateRoundCompleteness(r Round) error {
	if len(r.Messages) != len(Order) {
		return fmt.Errorf("%w: round %d has %d of %d messages", ErrOrder, r.Round, len(r.Messages), len(Order))
	}
	for _, m := range r.Messages {
		if m.Content == "" {
			return fmt.Errorf("%w: %q said nothing in round %d", ErrOrder, m.Persona, r.Round)
		}
	}
	return errors.Join(ValidateTurnNumbers(r), ValidateMessageOrdering(r.Messages))
}

// ValidateMessageOrdering returns an error unless the turns of messages follow each other without
// gaps.
func ValidateMessageOrdering(messages []Message) error {
	for i, m := range messages {
		if p, _ := PersonaFromTurnNumber(m.Turn); p != m.Persona {
			return fmt.Errorf("%w: turn %d is not that of %q", ErrOrder, m.Turn, m.Persona)
		}
		if i > 0 && m.Turn != messages[i-1].Turn+1 {
			return fmt.Errorf("%w: turn %d follows turn %d", ErrOrder, m.Turn, messages[i-1].Turn)
		}
	}
	return nil
}
