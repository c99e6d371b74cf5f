package graph

import "github.com/naiber/naiber/store/checkpoint"

// Unheard determines whether a reply was never spoken: the person spoke twice in a row, from the
// place since on, and the first time was answered. Their words are then taken together, from the
// checkpoint before that answer; if it is no longer stored, lost reports that they spoke before the
// reply was heard.
func Unheard(h *checkpoint.History, conversation string, since, place int) (from checkpoint.ID, lost bool) {
	if since == 0 || since >= place {
		return from, false
	}
	for _, cp := range h.Line() { // newest first: the oldest of them counts
		if cp.Turn.Conversation != conversation || cp.Turn.Place < since || cp.Turn.Place >= place {
			continue
		}
		lost = true
		if _, kept := h.Find(cp.Parent); kept {
			from, lost = cp.Parent, false
		}
	}
	return from, lost
}
