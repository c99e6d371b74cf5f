package checkpoint

import (
	"cmp"
	"slices"
)

// History is what a store holds of a thread. A thread that nobody has written
// to has an empty one.
type History struct {
	Checkpoints []Checkpoint // newest first
	Writes      []Write
}

// Head returns the newest checkpoint.
func (h *History) Head() (Checkpoint, bool) {
	if len(h.Checkpoints) == 0 {
		return Checkpoint{}, false
	}
	return h.Checkpoints[0], true
}

// Find returns the checkpoint with the given id.
func (h *History) Find(id ID) (Checkpoint, bool) {
	for i := range h.Checkpoints {
		if h.Checkpoints[i].ID == id {
			return h.Checkpoints[i], true
		}
	}
	return Checkpoint{}, false
}

// Line returns the newest checkpoint and those it came from, newest first:
// without what was replaced.
func (h *History) Line() []Checkpoint {
	var line []Checkpoint
	cp, ok := h.Head()
	for ok {
		line = append(line, cp)
		cp, ok = h.Find(cp.Parent)
		if len(line) > len(h.Checkpoints) {
			return line // parents in a circle: nobody writes that, but it must end
		}
	}
	return line
}

// Done returns the result of a task that was done after the checkpoint id.
func (h *History) Done(id ID, task string) (Write, bool) {
	for _, w := range h.Writes {
		if w.Checkpoint == id && w.Task == task {
			return w, true
		}
	}
	return Write{}, false
}

// Select returns the checkpoints that q asks for, newest first. It returns
// [ErrNotFound] where q.Before is not there.
func (h *History) Select(q Query) ([]Checkpoint, error) {
	from := 0
	if q.Before.Known() {
		at := slices.IndexFunc(h.Checkpoints, func(cp Checkpoint) bool { return cp.ID == q.Before })
		if at < 0 {
			return nil, ErrNotFound
		}
		from = at + 1
	}
	found := []Checkpoint{}
	for _, cp := range h.Checkpoints[from:] {
		if q.Limit > 0 && len(found) == q.Limit {
			break
		}
		if (q.Node == "" || q.Node == cp.Node) && (q.Conversation == "" || q.Conversation == cp.Turn.Conversation) {
			found = append(found, cp)
		}
	}
	return found, nil
}

func (h *History) empty() bool { return len(h.Checkpoints) == 0 && len(h.Writes) == 0 }

// rev is the newest checkpoint's, zero without one.
func (h *History) rev() int64 {
	if len(h.Checkpoints) == 0 {
		return 0
	}
	return h.Checkpoints[0].Rev
}

// push puts cp on top and prunes; see [History.prune].
func (h *History) push(cp Checkpoint, keep int) {
	h.Checkpoints = slices.Insert(h.Checkpoints, 0, cp)
	h.prune(keep, cp.Parent)
}

// prune leaves the newest checkpoints, also besides, and the writes that belong
// to those or to none.
func (h *History) prune(keep int, besides ID) {
	at := 0
	h.Checkpoints = slices.DeleteFunc(h.Checkpoints, func(cp Checkpoint) bool {
		at++
		return at > keep && cp.ID != besides
	})
	h.Writes = slices.DeleteFunc(h.Writes, func(w Write) bool {
		_, kept := h.Find(w.Checkpoint)
		return w.Checkpoint.Known() && !kept
	})
}

// union joins two copies of a thread: the newest checkpoints of both, and of two
// results for one task a's.
func union(a, b History, keep int) History {
	var h History
	seen := map[ID]bool{}
	for _, cp := range slices.Concat(a.Checkpoints, b.Checkpoints) {
		if !seen[cp.ID] {
			seen[cp.ID] = true
			h.Checkpoints = append(h.Checkpoints, cp)
		}
	}
	slices.SortStableFunc(h.Checkpoints, func(x, y Checkpoint) int { return cmp.Compare(y.Rev, x.Rev) })
	for _, w := range slices.Concat(a.Writes, b.Writes) {
		if _, have := h.Done(w.Checkpoint, w.Task); !have {
			h.Writes = append(h.Writes, w)
		}
	}
	var parent ID
	if head, ok := h.Head(); ok {
		parent = head.Parent
	}
	h.prune(keep, parent)
	return h
}
