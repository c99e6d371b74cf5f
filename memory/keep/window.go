package keep

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store/memories"
)

const (
	// windowTurns is the maximum number of turns in a window. One window ends with each
	// turn, so the first turn of a conversation is in as many as any other.
	windowTurns = 3
	// pause is the time between two turns from which they no longer belong together: a chat
	// may go on for weeks.
	pause = time.Hour
)

// cut returns the windows that end with one of the turns from place first on. Turns before
// that are only context. A later turn leaves existing windows unchanged.
func cut(turns []memories.Turn, first int) [][]memories.Turn {
	var windows [][]memories.Turn
	begin := 0
	for i, t := range turns {
		if i > 0 && t.At.Sub(turns[i-1].At).Abs() >= pause {
			begin = i
		}
		if t.Seq >= first {
			windows = append(windows, turns[max(begin, i+1-windowTurns):i+1])
		}
	}
	return windows
}

// window formats turns as they are searched, with the facts learned from them as extra
// text.
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
