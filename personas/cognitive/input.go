package cognitive

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/store/checkpoint"
)

const (
	// keyBytes is how many bytes of a hash distinguish turns at one place.
	keyBytes = 12
	// oursShare is the share of our last words in the history that must be in what we said last for
	// them to be ours: a voice service may write them otherwise.
	oursShare = 0.5
)

// input is what a turn brought. Pressed keys stand for words if nothing was heard.
type input struct {
	words        string
	conversation string
	since        int
	at           time.Time
	// last holds our last words as the history has them: the part that was heard, if the person cut
	// them short.
	last   string
	wasCut bool
	// lost is set if our last words were not heard at all.
	lost bool
}

func inputOf(t *orchestration.Turn) input {
	in := input{
		words: cmp.Or(strings.TrimSpace(t.Heard), strings.Join(strings.Split(strings.Trim(t.Keypad, "*#"), ""), " ")), conversation: t.Line.ConversationID, since: t.Since,
		at: t.At.Truncate(time.Microsecond), last: t.LastSaid(), wasCut: t.Interrupted, lost: t.Covered,
	}
	if in.at.IsZero() {
		in.at = time.Now().Truncate(time.Microsecond)
	}
	return in
}

// key returns a hash that distinguishes turns at one place, without any of the person's words.
func key(t *orchestration.Turn) string {
	sum := sha256.Sum256([]byte(t.Heard + "\x00" + t.Keypad))
	return hex.EncodeToString(sum[:keyBytes])
}

// from returns the checkpoint from which a turn goes on, in place of the one that its place
// implies: if a reply of ours was never spoken, its words and those before are taken together.
// Words to which we chose to say nothing are different: they were heard in their own time, and
// [State.fresh] removes them.
func from(h *checkpoint.History, t *orchestration.Turn, in *input) checkpoint.ID {
	in.lost = t.Covered
	if t.Late || t.Since == 0 {
		return checkpoint.ID{}
	}
	since := 0 // the place of the oldest reply that was not heard
	for _, cp := range h.Line() {
		if cp.Turn.Conversation != t.Line.ConversationID || cp.Turn.Place >= t.Place {
			continue
		}
		var s State
		if cp.Turn.Place < t.Since || json.Unmarshal(cp.State, &s) == nil && s.Quiet.Since == t.Since && strings.HasPrefix(in.words, s.Quiet.Heard) {
			break
		}
		since = cp.Turn.Place
	}
	id, lost := graph.Unheard(h, t.Line.ConversationID, since, t.Place)
	in.lost = in.lost || lost
	return id
}

// fresh removes from the words those that were heard before without a reply.
func (s *State) fresh(in *input) {
	rest, ok := strings.CutPrefix(in.words, s.Quiet.Heard)
	if s.Quiet.Since == 0 || s.Quiet.Since != in.since || s.Conversation != in.conversation || !ok {
		return
	}
	in.words = strings.TrimSpace(rest)
}

// missed reports whether the person spoke before the end of our last words, with more than spared
// words left, or answers words that are not ours but safety's, or a fixed sentence.
func (in *input) missed(spoken string, spared int) bool {
	if in.lost || spoken != "" && english.Share(in.last, spoken) < oursShare {
		return true
	}
	whole, part := strings.Fields(spoken), strings.Fields(strings.TrimRight(in.last, " .…-–—"))
	if !in.wasCut || len(part) >= len(whole) {
		return false
	}
	for i, w := range part {
		if w != whole[i] && i < len(part)-1 { // the last word may itself be cut
			return false
		}
	}
	return len(whole)-len(part) > spared
}
