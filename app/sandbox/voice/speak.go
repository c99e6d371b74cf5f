package voice

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/naiber/naiber/app/sandbox/audio"
)

// A reply is something that the agent says.
type reply struct {
	eventID   int
	greeting  bool            // it is the first message
	text      strings.Builder // what to say, as far as it is known
	spoken    int             // bytes of text that were turned into audio
	audio     []byte          // the whole reply
	unsent    []byte          // the rest of audio, still to be sent
	announced bool            // the client has been sent the text
	complete  bool            // nothing more will come
	committed bool            // it is in the history
	cut       bool            // it was interrupted
	heard     string          // what the user heard of it, if cut
	at        time.Time
	ttfb      time.Duration
}

// newReply begins a reply. The reply before it goes to the history.
func (c *conversation) newReply() {
	c.commitReply()
	c.reply = &reply{eventID: c.nextEvent(), at: time.Now()}
}

// speakUpTo turns the first n bytes of the reply's text into audio.
func (c *conversation) speakUpTo(n int) {
	r := c.reply
	text := r.text.String()[r.spoken:n]
	r.spoken = n
	if !strings.ContainsFunc(text, letter) {
		return // an ellipsis is not heard
	}
	wpm := c.s.cfg.WPM
	if speed := c.set.TTS.Speed; speed != nil {
		wpm = int(float64(wpm) * *speed)
	}
	b := audio.Encode(text, wpm)
	r.audio = append(r.audio, b...)
	r.unsent = append(r.unsent, b...)
}

// letter reports whether r can be heard.
func letter(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > 0x7F && r != '…' && r != '–' && r != '—'
}

// sentenceEnd returns the index after the last whole sentence of s, its punctuation and the white
// space after it, or 0 if there is none.
func sentenceEnd(s string) int {
	end := 0
	for i, r := range s {
		if r != ' ' && r != '\n' || i == 0 {
			continue
		}
		if before := strings.TrimRight(s[:i], "\"'”’)"); strings.HasSuffix(before, "…") ||
			before != "" && strings.ContainsRune(".?!:", rune(before[len(before)-1])) {
			end = i + 1
		}
	}
	return end
}

// announce sends the reply's text to the client, once.
func (c *conversation) announce() {
	r := c.reply
	if r.announced {
		return
	}
	r.announced = true
	c.emit("agent_response", map[string]any{"agent_response_event": map[string]any{
		"agent_response": strings.TrimSpace(r.text.String()), "event_id": r.eventID,
	}})
}

// finishReply speaks the rest of the reply's text, which is complete.
func (c *conversation) finishReply() {
	c.speakUpTo(c.reply.text.Len())
	c.reply.complete = true
	c.announce()
	c.idleSince = time.Now()
}

// speaking reports whether the user hears the agent, or soon will.
func (c *conversation) speaking(now time.Time) bool {
	r := c.reply
	if r == nil || r.cut {
		return false
	}
	return len(r.unsent) > 0 || c.playEnd.After(now) || !r.complete && len(r.audio) > 0
}

// sendAudio sends the next piece of audio, if there is one: many times what is played until the
// next tick, and never a whole number of frames, except perhaps the last. After the last piece it
// ends a conversation that is leaving.
func (c *conversation) sendAudio(now time.Time) {
	r := c.reply
	if r != nil && len(r.unsent) > 0 {
		c.chunkRNG = c.chunkRNG*1664525 + 1013904223
		n := min(601+int(c.chunkRNG>>16)%2400, len(r.unsent))
		if n%audio.FrameBytes == 0 && n < len(r.unsent) {
			n++
		}
		c.sendChunk(now, r.unsent[:n])
		r.unsent = r.unsent[n:]
	}
	if c.leaving != nil && (r == nil || len(r.unsent) == 0) {
		c.toolUsed(*c.leaving, false)
		c.end(&ending{codeNormal, "", c.leaving.Function.Name + " tool was called"})
	}
}

// sendChunk sends audio of the reply and adds its duration to playEnd.
func (c *conversation) sendChunk(now time.Time, p []byte) {
	if c.playEnd.Before(now) {
		c.playEnd = now
	}
	c.playEnd = c.playEnd.Add(c.s.real(audio.Duration(len(p))))
	c.emit("audio", map[string]any{"audio_event": map[string]any{
		"event_id": c.reply.eventID, "audio_base_64": base64.StdEncoding.EncodeToString(p), "alignment": alignment(p),
	}})
}

// alignment returns the times at which the characters in p are heard.
func alignment(p []byte) map[string]any {
	chars, starts, lengths := []string{}, []int64{}, []int64{}
	var d audio.Decoder
	for _, piece := range d.Write(p) {
		n := int64(len([]rune(piece.Text)))
		at := audio.Duration(int(piece.At)).Milliseconds()
		for i, r := range []rune(piece.Text) {
			chars = append(chars, string(r))
			starts = append(starts, at+int64(i)*audio.FrameDuration.Milliseconds()/n)
			lengths = append(lengths, audio.FrameDuration.Milliseconds()/n)
		}
	}
	return map[string]any{"chars": chars, "char_start_times_ms": starts, "char_durations_ms": lengths}
}

// stopReply cuts the reply at the point that the user has heard by now.
func (c *conversation) stopReply(now time.Time) {
	r := c.reply
	sent := len(r.audio) - len(r.unsent)
	if ahead := c.playEnd.Sub(now); ahead > 0 {
		sent = max(0, sent-audio.Bytes(time.Duration(float64(ahead)*float64(audio.FrameDuration)/float64(c.s.cfg.FrameInterval))))
	}
	r.cut, r.complete, r.unsent = true, true, nil
	r.heard = audio.Heard(r.audio[:sent])
	c.playEnd = now
}

// commitReply adds a complete reply to the history, once: the part that was heard, and no message
// if none was.
func (c *conversation) commitReply() {
	r := c.reply
	if r == nil || r.committed || !r.complete {
		return
	}
	r.committed = true
	text := strings.TrimSpace(r.text.String())
	n := note{at: r.at.Sub(c.started), ttfb: r.ttfb}
	if r.cut {
		n.interrupted, n.original = true, text
		text = r.heard
	}
	if text == "" {
		return
	}
	c.goesOn = false
	c.history = append(c.history, message{Role: "assistant", Content: &text, note: n})
}
