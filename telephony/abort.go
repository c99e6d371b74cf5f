package telephony

// causeAborted is no ending: it drops a call as a crash of the process would.
const causeAborted = "aborted"

// Abort drops every live call at once: sockets break without a goodbye, and no
// ending is recorded. What the carrier does then, and what the next process
// makes of it, is what a crash would bring about; the sandbox plays one so.
func (s *Service) Abort() {
	s.live.mu.Lock()
	s.live.draining = true
	s.live.mu.Unlock()
	for _, c := range s.live.all() {
		go c.end(verdict{cause: causeAborted})
	}
	s.live.running.Wait()
}

// crash is the ending that is none.
func (c *liveCall) crash() {
	if st := c.loop.stream; st != nil {
		_ = st.conn.CloseNow()
		<-st.gone
	}
	c.talks.Wait()
}
