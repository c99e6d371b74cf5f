package voice

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/app/sandbox/faults"
)

// bargeIn is how much voice without a whole word counts as a barge-in; less may be a cough.
const bargeIn = 160 * time.Millisecond

// An ear holds the state of listening to the user.
type ear struct {
	endOfTurn time.Duration
	decoder   audio.Decoder
	words     audio.Words
	said      []string      // words since the last turn
	sounds    string        // all that was heard since then, including part of a word
	voice     time.Duration // uninterrupted voice
	quiet     time.Duration // silence since the last voice
	inTurn    bool          // the user has begun to speak
	lastHeard time.Time     // when the user was last heard
	goesOn    bool          // the last turn was not answered: the next speech continues it
}

// listen handles audio from the user, in base64.
func (c *conversation) listen(now time.Time, chunk string) {
	b, err := base64.StdEncoding.DecodeString(chunk)
	if err != nil {
		c.end(badInput("invalid_message", "user_audio_chunk is not base64"))
		return
	}
	for len(b) > 0 && c.over == nil {
		n := min(len(b), audio.FrameBytes)
		c.hear(now, b[:n])
		b = b[n:]
	}
}

// hear handles at most one frame of audio.
func (c *conversation) hear(now time.Time, p []byte) {
	pieces := c.decoder.Write(p)
	if c.deaf(now) {
		return
	}
	if audio.Silent(p) {
		c.quiet += audio.Duration(len(p))
		if c.quiet > c.endOfTurn/2 {
			c.voice = 0
		}
		c.maybeEndTurn(now)
		return
	}
	c.quiet = 0
	c.voice += audio.Duration(len(p))
	c.inTurn = true
	c.idleSince, c.lastHeard = now, now
	for _, piece := range pieces {
		if piece.Start {
			c.sounds += " "
		}
		c.sounds += piece.Text
		for _, w := range c.words.Add(piece) {
			c.said = append(c.said, w)
			c.emit("tentative_user_transcript", map[string]any{"tentative_user_transcription_event": map[string]any{
				"user_transcript": strings.Join(c.said, " "), "event_id": c.lastID + 1,
			}})
		}
	}
	if c.voice < bargeIn && len(c.said) == 0 || c.leaving != nil {
		return
	}
	switch {
	case c.speaking(now):
		if c.interruptible() && !c.set.mayIgnore(c.sounds) {
			c.interrupt(now)
		}
	case c.turn != nil:
		c.turn.stale = true // the user goes on: the answer is not voiced
	}
}

// interrupt stops the agent in the middle of its reply: a barge-in.
func (c *conversation) interrupt(now time.Time) {
	c.turn = nil
	c.forget()
	r := c.reply
	rest := r.unsent
	c.emit("interruption", map[string]any{"interruption_event": map[string]any{"event_id": r.eventID}})
	if c.s.cfg.Faults.On(faults.LateAudio) && len(rest) > 0 {
		c.sendChunk(now, rest[:min(len(rest), 999)])
	}
	c.announce()
	c.stopReply(now)
	c.emit("agent_response_correction", map[string]any{"agent_response_correction_event": map[string]any{
		"original_agent_response": strings.TrimSpace(r.text.String()), "corrected_agent_response": r.heard, "event_id": r.eventID,
	}})
	c.goesOn = r.heard == ""
	c.commitReply()
}

// maybeEndTurn ends the user's turn after enough silence. While the agent speaks, the turn goes
// on.
func (c *conversation) maybeEndTurn(now time.Time) {
	if !c.inTurn || c.quiet < c.endOfTurn || c.leaving != nil || c.over != nil {
		return
	}
	if c.speaking(now) {
		c.passOver()
		return
	}
	c.inTurn, c.voice, c.sounds = false, 0, ""
	if w := c.words.Cut(); w != "" {
		c.said = append(c.said, w)
	}
	text := strings.Join(c.said, " ")
	c.said = nil
	switch {
	case text != "":
		c.heardTurn(text)
	case c.turn != nil && c.turn.stale, c.turn == nil && c.goesOn && c.unanswered():
		c.ask() // it was only noise: ask the same turn again
	}
}

// unanswered reports whether the last message of the history is the user's.
func (c *conversation) unanswered() bool {
	return len(c.history) > 0 && c.history[len(c.history)-1].Role == "user"
}

// typed handles a typed message, which counts as spoken.
func (c *conversation) typed(now time.Time, text string) {
	text = strings.TrimSpace(text)
	if c.leaving != nil {
		return
	}
	if c.speaking(now) && c.greeting() {
		c.hold(text)
		return
	}
	if c.speaking(now) && c.reply != nil {
		c.interrupt(now)
	}
	if text != "" {
		c.heardTurn(text)
	}
}

// heardTurn handles a finished turn of the user. If the turn before it was not answered yet, this
// is its continuation, and both are asked together.
func (c *conversation) heardTurn(text string) {
	c.commitReply()
	if c.turn != nil || c.goesOn {
		text = strings.TrimSpace(c.unsay() + " " + text)
	}
	c.goesOn = false
	c.followUps = 0
	c.push("user", text, note{})
	c.emit("user_transcript", map[string]any{"user_transcription_event": map[string]any{
		"user_transcript": text, "event_id": c.nextEvent(),
	}})
	c.ask()
}

// maybePrompt asks the model for something to say if nobody has spoken for a while.
func (c *conversation) maybePrompt(now time.Time) {
	quiet := c.s.real(time.Duration(c.set.Turn.Timeout * float64(time.Second)))
	if quiet <= 0 || c.turn != nil || c.inTurn || c.leaving != nil || c.over != nil || c.speaking(now) ||
		now.Sub(c.idleSince) < quiet || now.Sub(c.playEnd) < quiet {
		return
	}
	c.commitReply()
	c.promptNo++
	c.followUps = 0
	if c.promptNo%2 == 1 { // the real service sends both forms
		c.push("user", dots, note{platform: "user_turn_timeout"})
	}
	c.ask()
}

// interruptible reports whether the user's speech may interrupt the agent: the client must have
// subscribed to interruptions (without that there are none), and the agent must not be speaking a
// first message that is always spoken in full.
func (c *conversation) interruptible() bool {
	return slices.Contains(c.set.Conversation.Events, "interruption") && !c.greeting()
}

// greeting reports whether the reply is a first message that may not be
// interrupted.
func (c *conversation) greeting() bool {
	return c.reply != nil && c.reply.greeting && c.set.Agent.FirstInFull
}

// deaf reports whether the user's speech is ignored: while a first message that may not be
// interrupted is spoken, unless the agent transcribes the user meanwhile.
func (c *conversation) deaf(now time.Time) bool {
	return c.greeting() && !c.set.Turn.Transcribe && c.speaking(now)
}

// hold stores typed text until the agent has finished.
func (c *conversation) hold(text string) {
	if text == "" {
		return
	}
	c.inTurn = true
	c.said = append(c.said, text)
	c.sounds += " " + text
}

// passOver forgets what the user said while the agent speaks, if it is one of the terms to
// ignore. Anything else waits to be the next turn.
func (c *conversation) passOver() {
	if !c.set.ignores(c.sounds) {
		return
	}
	c.words.Cut()
	c.inTurn, c.voice, c.sounds, c.said = false, 0, "", nil
}

// ignores reports whether text is one of the terms that do not interrupt.
func (set *setup) ignores(text string) bool {
	text = plain(text)
	return slices.ContainsFunc(set.Turn.Ignore, func(term string) bool { return plain(term) == text })
}

// mayIgnore reports whether text, which may be incomplete, can still become a term that does not
// interrupt. Noise cannot.
func (set *setup) mayIgnore(text string) bool {
	text = plain(text)
	return text != "" && slices.ContainsFunc(set.Turn.Ignore, func(term string) bool {
		return strings.HasPrefix(plain(term), text)
	})
}

// plain returns text in the form in which it is compared: in lower case, without outer space and
// trailing punctuation.
func plain(text string) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(text), ".,;:!?… "))
}
