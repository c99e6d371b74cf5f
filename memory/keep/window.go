package keep

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store/memories"
)

// windowTurns is how many turns a window has. One follows after each turn, so
// most turns are in three.
const windowTurns = 3

// cut makes the windows that begin with one of turns up to the first after place
// last: that one may have begun the conversation before, or does now. Those
// behind it are only looked at. begins says that the conversation begins with the
// first of turns. It returns as well the turns that begin no window.
//
// A window of fewer than three turns is made only of a conversation that has no
// more. So when a turn is added, earlier windows stay as they are.
func cut(turns []memories.Turn, last int, begins bool) (windows [][]memories.Turn, none []uuid.UUID) {
	for i, t := range turns {
		switch {
		case i > 0 && turns[i-1].Seq > last:
			return windows, none
		case i+windowTurns <= len(turns):
			windows = append(windows, turns[i:i+windowTurns])
		case i == 0 && begins:
			windows = append(windows, turns)
		default:
			none = append(none, t.ID)
		}
	}
	return windows, none
}

// window writes turns down as they are searched.
func window(turns []memories.Turn, loc *time.Location, learned map[uuid.UUID][]string) memories.Window {
	var b, extra strings.Builder
	b.WriteString(turns[0].At.In(loc).Format("Monday, 2 January 2006"))
	w := memories.Window{Conversation: turns[0].Conversation, At: turns[0].At}
	seen := map[string]bool{}
	for _, t := range turns {
		b.WriteString("\n" + memory.Speaker(t) + ": " + t.Text)
		w.Turns = append(w.Turns, t.ID)
		for _, f := range learned[t.ID] {
			if seen[f] {
				continue
			}
			seen[f] = true
			if extra.Len() > 0 {
				extra.WriteByte('\n')
			}
			extra.WriteString(f)
		}
	}
	w.Text, w.Extra = b.String(), extra.String()
	return w
}
