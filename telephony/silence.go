package telephony

import (
	"sync"
	"time"
)

// onQuiet ends a call in which nothing is said any more: the last line of
// defence behind the gentle questions that the conversation asks.
func (c *liveCall) onQuiet() *verdict {
	l := &c.loop
	last := c.lastWords.get()
	if st := l.stream; st == nil {
		last = time.Now() // other timers watch over a broken line
	} else if ends := st.played.ends(); ends.After(last) {
		last = ends
	}
	if left := c.cfg.SilenceHangUp - time.Since(last); left > 0 {
		l.quiet.Reset(left)
		return nil
	}
	return &verdict{cause: causeSilence, phone: phoneHangUp}
}

// lastTime is the latest of some moments.
type lastTime struct {
	mu sync.Mutex // guards at
	at time.Time
}

func (l *lastTime) set(t time.Time) {
	l.mu.Lock()
	l.at = t
	l.mu.Unlock()
}

func (l *lastTime) get() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}
