package elevenlabs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// SignatureHeader carries the signature of every webhook.
const SignatureHeader = "ElevenLabs-Signature"

const (
	// maxAge is how old a delivery may be; ElevenLabs' own library uses the same limit.
	maxAge = 30 * time.Minute
	// maxAhead is how far ElevenLabs' clock may run ahead of ours.
	maxAhead = 5 * time.Minute
)

var (
	// ErrSignature is returned for a webhook whose signature is missing or wrong.
	// Answer 403 and change nothing.
	ErrSignature = errors.New("signature is missing or wrong")
	// ErrStale is returned for a webhook signed too long ago, or in the future, whether or not the
	// signature is correct: it may be a replay.
	ErrStale = errors.New("signature is too old or from the future")
	// ErrMalformed is returned for a body or event that does not have the required form.
	ErrMalformed = errors.New("malformed")
)

// Signature is the signature that a webhook's header claims for its body.
type Signature struct {
	macs [][]byte
	hash hash.Hash
}

// NewSignature parses a webhook's header. It returns [ErrSignature] or [ErrStale] if the header
// alone shows that ElevenLabs did not sign with secret shortly before now; then the body need not
// be read.
func NewSignature(secret Secret, header string, now time.Time) (*Signature, error) {
	var s Signature
	var stamp string
	for part := range strings.SplitSeq(header, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "t":
			stamp = value
		case "v0":
			if mac, err := hex.DecodeString(value); err == nil && len(mac) == sha256.Size && len(s.macs) < maxSignatures {
				s.macs = append(s.macs, mac)
			}
		}
	}
	unix, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || unix <= 0 || unix > maxUnix || len(s.macs) == 0 || secret == "" {
		return nil, ErrSignature
	}
	if age := now.Sub(time.Unix(unix, 0)); age > maxAge || age < -maxAhead {
		return nil, ErrStale
	}
	s.hash = newMAC(secret, stamp)
	return &s, nil
}

// Check returns [ErrSignature] unless body is what was signed. It may be called only once.
func (s *Signature) Check(body []byte) error {
	s.hash.Write(body) // a hash never fails to write
	want, good := s.hash.Sum(nil), false
	for _, mac := range s.macs {
		good = hmac.Equal(mac, want) || good
	}
	if !good {
		return ErrSignature
	}
	return nil
}

// maxSignatures bounds the number of signatures checked for one header.
const maxSignatures = 4

// SignWebhook returns the header that ElevenLabs would send with body at the given time.
func SignWebhook(secret Secret, body []byte, at time.Time) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := newMAC(secret, stamp)
	mac.Write(body) // a hash never fails to write
	return "t=" + stamp + ",v0=" + hex.EncodeToString(mac.Sum(nil))
}

// newMAC returns the hash of a signed webhook's time stamp, to which the body must still be
// written.
func newMAC(secret Secret, stamp string) hash.Hash {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "."))
	return mac
}

// PostCallTranscription is the Type of the webhook that delivers a finished conversation.
const PostCallTranscription = "post_call_transcription"

// WebhookEvent is a delivery. The same one may come twice: its Type and the conversation's id
// identify it.
type WebhookEvent struct {
	Type string
	// ConversationID is the conversation that the event is about, or "" if it names none.
	ConversationID ConversationID
	// Conversation is the record, for [PostCallTranscription] only, else nil.
	Conversation *Conversation
}

// ParseWebhook parses a verified body. Events of an unknown type are returned without details; it
// returns [ErrMalformed] only for a body that is no event, and for a transcription without a
// conversation id.
func ParseWebhook(body []byte) (WebhookEvent, error) {
	var wire struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	var data struct {
		ConversationID ConversationID `json:"conversation_id"`
		Conversation
	}
	if err := rest.Tolerant(json.Unmarshal(body, &wire)); err != nil || wire.Type == "" {
		return WebhookEvent{}, fmt.Errorf("read webhook: %w", ErrMalformed)
	}
	if len(wire.Data) > 0 {
		_ = json.Unmarshal(wire.Data, &data) // it is JSON; fields of another type stay zero
	}
	event := WebhookEvent{Type: wire.Type, ConversationID: data.ConversationID}
	if event.Type == PostCallTranscription {
		event.Conversation = &data.Conversation
	}
	if strings.ContainsRune(wire.Type+string(data.ConversationID), 0) || event.Conversation != nil && data.ConversationID == "" {
		return WebhookEvent{}, fmt.Errorf("read webhook: type or conversation id: %w", ErrMalformed)
	}
	return event, nil
}

// Conversation holds the fields of a conversation's record that are used. Fields of another type
// than expected are left zero.
type Conversation struct {
	Transcript []TranscriptTurn `json:"transcript"`
	Metadata   CallMetadata     `json:"metadata"`
}

// TranscriptTurn is what was said, or done, in one turn.
type TranscriptTurn struct {
	Role    string  `json:"role"`    // "user" or "agent"
	Message string  `json:"message"` // empty when nothing was said, as in a mere tool call
	Seconds float64 `json:"time_in_call_secs"`
}

// At returns when in the conversation the turn began.
func (t TranscriptTurn) At() time.Duration {
	if !(t.Seconds > 0 && t.Seconds < maxSeconds) { // false for NaN, too
		return 0
	}
	return time.Duration(t.Seconds * float64(time.Second))
}

// CallMetadata holds data on the conversation as a whole.
type CallMetadata struct {
	StartUnix float64 `json:"start_time_unix_secs"`
}

// Started returns when the conversation began, or zero if that is missing or out of range.
func (m CallMetadata) Started() time.Time {
	if m.StartUnix <= 0 || m.StartUnix > maxUnix {
		return time.Time{}
	}
	return time.Unix(int64(m.StartUnix), 0).UTC()
}

// maxUnix and maxSeconds keep numbers from outside well below overflow.
const (
	maxUnix    = 1 << 40
	maxSeconds = 1 << 30
)
