package checkpoint

import (
	"fmt"
	"slices"
)

// History is the stored content of a thread. It is empty for a thread that was never
// written.
type History struct {
	Checkpoints []Checkpoint // newest first

	// rev is the revision at which the thread was loaded: that of the newest checkpoint, or
	// of the deletion.
	rev int64
	// redisAway says that Redis did not answer when the thread was loaded.
	redisAway bool
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
	at := slices.IndexFunc(h.Checkpoints, func(cp Checkpoint) bool { return cp.ID == id })
	if at < 0 {
		return Checkpoint{}, false
	}
	return h.Checkpoints[at], true
}

// Line returns the newest checkpoint and its ancestors, newest first, without replaced
// ones.
func (h *History) Line() []Checkpoint {
	var line []Checkpoint
	cp, ok := h.Head()
	for ok {
		line = append(line, cp)
		cp, ok = h.Find(cp.Parent)
		if len(line) > len(h.Checkpoints) {
			return line // a cycle of parents: should not occur, but must end
		}
	}
	return line
}

// stored is an encoded thread. Without data it is a tombstone with the revision of the
// deletion.
type stored struct {
	head ID
	rev  int64
	data []byte
}

// with returns the thread with cp on top. Of the others, it keeps the newest, keep in total
// with cp, and cp's parent, to which a replaced turn goes back.
func (h *History) with(cp Checkpoint, keep int) (stored, error) {
	cp.Rev = nextRev(h.rev, cp.At)
	if err := cp.check(); err != nil {
		return stored{}, err
	}
	scratch := buffers.Get().(*buffer) //nolint:errcheck,forcetypeassert // it holds nothing else
	defer buffers.Put(scratch)
	scratch.records = appendCheckpoint(scratch.records[:0], &cp)
	for i := range h.Checkpoints {
		if old := &h.Checkpoints[i]; i < keep-1 || old.ID == cp.Parent {
			scratch.records = appendCheckpoint(scratch.records, old)
		}
	}
	return stored{cp.ID, cp.Rev, scratch.pack(cp.ID, cp.Rev)}, nil
}

// history decodes a stored thread.
func (s stored) history() (History, error) {
	cps, err := decode(s.data)
	if err != nil {
		return History{}, err
	}
	if len(cps) > 0 && (cps[0].Rev != s.rev) {
		return History{}, fmt.Errorf("%w: its newest checkpoint has revision %d, and it %d", ErrCorrupt, cps[0].Rev, s.rev)
	}
	return History{Checkpoints: cps, rev: s.rev}, nil
}
