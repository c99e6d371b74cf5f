package elders

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// An Outcome is the outcome of a ringing telephone.
type Outcome string

// The outcomes.
const (
	Answer   Outcome = "answer"
	Busy     Outcome = "busy"
	NoAnswer Outcome = "no_answer"
	Machine  Outcome = "machine"
)

// A Ringing is what happens to one ringing telephone.
type Ringing struct {
	Outcome Outcome
	// After is the time from the first ring to the answer, of a person or a
	// machine. It is zero for the other outcomes.
	After time.Duration
	// Greeting is what the machine says. It is empty for the other outcomes.
	Greeting string
}

// Ring returns the outcome of a call with this seed.
func (e Elder) Ring(seed uint64) Ringing {
	rng := newRand(e.ID+"/ring", seed)
	p := rng.Float64()
	switch o := e.Odds; {
	case p < o.Busy:
		return Ringing{Outcome: Busy}
	case p < o.Busy+o.NoAnswer:
		return Ringing{Outcome: NoAnswer}
	case p < o.Busy+o.NoAnswer+o.Machine:
		return Ringing{Outcome: Machine, After: 18 * time.Second, Greeting: o.Greeting}
	default:
		return Ringing{Outcome: Answer, After: between(rng, o.PickUp)}
	}
}

// newRand returns a generator whose sequence depends only on the name and the seed.
func newRand(name string, seed uint64) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64())) //nolint:gosec // a play needs to be repeatable, not secret
}

// between returns a random time within d.
func between(rng *rand.Rand, d Duration) time.Duration {
	if d.Max <= d.Min {
		return d.Min
	}
	return d.Min + time.Duration(rng.Int64N(int64(d.Max-d.Min)+1)).Round(10*time.Millisecond)
}
