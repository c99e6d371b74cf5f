package telephony

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

// reopenPause, times the number of attempts, is the pause before another attempt at a conversation
// that did not open.
const reopenPause = 500 * time.Millisecond

// onLost decides how the call continues after a conversation that ended, or did not open.
func (c *liveCall) onLost(ctx context.Context, v *conversation, err error) *verdict {
	l := &c.loop
	if v != l.conv {
		return nil
	}
	closing := closingOf(v, err)
	ran := v.id != ""
	c.dropConversation()
	c.log.LogAttrs(ctx, slog.LevelInfo, "conversation ended",
		slog.String("conversation_id", v.id), slog.String("reason", closing.Reason),
		slog.Int("status", int(websocket.CloseStatus(err))), slog.Any("err", err))
	switch {
	case errors.Is(err, errAudioFormat):
		return &verdict{cause: causeAudioFormat, phone: phoneSorry}
	case l.bye != nil, closing.By == elevenlabs.PartyTimeLimit: // a goodbye that has begun keeps its verdict
		c.sayGoodbye(farewell{verdict: verdict{cause: causeTimeLimit, phone: phoneHangUp}, ended: true})
		return nil
	case closing.By == elevenlabs.PartyNobody && ran:
		c.sayGoodbye(farewell{verdict: verdict{cause: causeGoodbye, by: byElevenLabs, phone: phoneHangUp}, ended: true})
		return nil
	case !closing.Retry || l.reopened >= c.cfg.ReconnectLimit:
		return &verdict{cause: causeConversationFailed, by: partyBy(closing.By), phone: phoneSorry}
	}
	l.reopened++
	c.metrics.reconnects.WithLabelValues("conversation").Inc()
	c.notes.event("reconnecting", map[string]any{"cause": closing.Reason, "n": l.reopened})
	if ran {
		_ = l.stream.clear() //nolint:contextcheck // half a sentence must not run into the apology; see noDeadline
		l.reopen.Reset(0)
	} else {
		l.reopen.Reset(time.Duration(l.reopened) * reopenPause)
	}
	return nil
}

// partyBy returns the party of an ending for the party that caused a conversation's failure.
func partyBy(p elevenlabs.Party) string {
	if p == elevenlabs.PartyUs {
		return byNaiber
	}
	return byElevenLabs
}

// errAudioFormat means that a conversation's audio format differs from the telephone's.
var errAudioFormat = errors.New("conversation audio is not ulaw_8000 both ways")

// errNotOpened means that a conversation did not open.
var errNotOpened = errors.New("conversation was not opened")

// closingOf returns the reason for the end of a conversation.
func closingOf(v *conversation, err error) elevenlabs.Closing {
	if errors.Is(err, errNotOpened) {
		switch elevenlabs.ClassOf(err) {
		case elevenlabs.ClassConfiguration, elevenlabs.ClassBilling, elevenlabs.ClassNotFound, elevenlabs.ClassInvalid:
			return elevenlabs.Closing{Reason: "not_opened", By: elevenlabs.PartyUs}
		default:
			return elevenlabs.Closing{Reason: "not_opened", By: elevenlabs.PartyElevenLabs, Retry: true}
		}
	}
	return elevenlabs.CloseReason(websocket.CloseStatus(err), v.failure.Type)
}
