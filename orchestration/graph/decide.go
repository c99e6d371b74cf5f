package graph

import (
	"fmt"

	"github.com/naiber/naiber/store/checkpoint"
)

// way holds what to do with a turn.
type way struct {
	effect Effect
	// base is the checkpoint to start from; without an id, the beginning.
	base checkpoint.Checkpoint
	// known is the checkpoint whose outcome answers a turn that does not run.
	known checkpoint.Checkpoint
}

func (w *way) runs() bool { return w.effect == Advanced || w.effect == Replaced }

// decide determines which turn of its thread t is.
//
// A turn is the same as an earlier one if conversation, place and key are equal; turns that were
// replaced meanwhile do not count. Within a conversation places only grow. Of two turns at one
// place, and of two conversations (the line broke, and was re-established), the one that was
// requested later counts.
// picked up again), the one that was asked for later counts.
func decide(h *checkpoint.History, t *checkpoint.Turn, late bool, from checkpoint.ID) (way, error) {
	head, some := h.Head()
	w := way{known: head}
	if !some {
		w.effect = Advanced
		if late {
			w.effect = Late
		} else if from.Known() {
			return w, fmt.Errorf("%w: %s", ErrNoWayBack, from)
		}
		return w, nil
	}
	for _, cp := range h.Line() {
		if cp.Turn.Conversation == t.Conversation && cp.Turn.Place == t.Place && cp.Turn.Key == t.Key {
			w.effect, w.known = Repeated, cp
			return w, nil
		}
	}
	samePlace := head.Turn.Conversation == t.Conversation && head.Turn.Place == t.Place
	switch {
	case late || overtaken(&head.Turn, t):
		w.effect = Late
	case from.Known():
		base, ok := h.Find(from)
		if !ok {
			return w, fmt.Errorf("%w: %s", ErrNoWayBack, from)
		}
		w.effect, w.base = Replaced, base
		if base.ID == head.ID {
			w.effect = Advanced
		}
		if base.Done {
			w.effect, w.known = Over, base
		}
	case samePlace && head.Parent.Known():
		base, ok := h.Find(head.Parent)
		if !ok {
			return w, fmt.Errorf("%w: %s", ErrNoWayBack, head.Parent)
		}
		w.effect, w.base = Replaced, base
	case samePlace:
		w.effect = Replaced // the first turn: from the beginning
	case head.Done:
		w.effect = Over
	default:
		w.effect, w.base = Advanced, head
	}
	return w, nil
}

// overtaken reports whether the turn of the head comes after t.
func overtaken(head, t *checkpoint.Turn) bool {
	if head.Conversation == t.Conversation && head.Place != t.Place {
		return t.Place < head.Place
	}
	return t.At.Before(head.At)
}
