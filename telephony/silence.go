package telephony

import "time"

// onQuiet ends a call in which nothing is said any more: the last line of
// defence behind the gentle questions that the conversation asks.
func (c *liveCall) onQuiet() *verdict {
	l := &c.loop
	last := l.lastWords
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
