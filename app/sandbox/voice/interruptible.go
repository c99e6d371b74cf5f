package voice

import (
	"slices"
	"strings"
	"time"
)

// interruptible reports whether what the user says may stop the agent: the
// client wants to hear of interruptions (without them there are none), and what
// is being said is not a first message that is to be heard in full.
func (c *conversation) interruptible() bool {
	return slices.Contains(c.events, "interruption") && !c.greeting()
}

// greeting reports whether the reply is a first message that may not be
// interrupted.
func (c *conversation) greeting() bool {
	return c.reply != nil && c.reply.greeting && c.set.Agent.FirstInFull
}

// deaf reports whether the user is not listened to: while a first message is
// spoken that may not be interrupted, unless the agent is to transcribe what is
// said meanwhile.
func (c *conversation) deaf(now time.Time) bool {
	return c.greeting() && !c.set.Turn.Transcribe && c.speaking(now)
}

// hold keeps what was typed until the agent has finished.
func (c *conversation) hold(text string) {
	if text == "" {
		return
	}
	c.inTurn = true
	c.said = append(c.said, text)
	c.sounds += " " + text
}

// passOver forgets what was said while the agent speaks, if it was only the
// sound of a listener. Anything else waits to be the next turn.
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

// mayIgnore reports whether text, which may go on, can still become a term that
// does not interrupt. Noise cannot.
func (set *setup) mayIgnore(text string) bool {
	text = plain(text)
	return text != "" && slices.ContainsFunc(set.Turn.Ignore, func(term string) bool {
		return strings.HasPrefix(plain(term), text)
	})
}

// plain is text without what does not count in a comparison: case, outer space
// and marks at its end.
func plain(text string) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(text), ".,;:!?… "))
}
