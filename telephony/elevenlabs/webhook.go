package elevenlabs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader carries the signature of every webhook.
const SignatureHeader = "ElevenLabs-Signature"

const (
	// maxAge is how old a delivery may be; ElevenLabs' own library allows it.
	maxAge = 30 * time.Minute
	// maxAhead is how far its clock may run ahead of ours.
	maxAhead = 5 * time.Minute
)

var (
	// ErrSignature is returned for a webhook whose signature is missing or wrong.
	// Answer 403 and change nothing.
	ErrSignature = errors.New("signature is missing or wrong")
	// ErrStale is returned for a webhook signed too long ago, or in the future,
	// whether the signature is good or not: it may be a replay.
	ErrStale = errors.New("signature is too old or from the future")
	// ErrMalformed is returned for a body or event that is not in the form it
	// must have.
	ErrMalformed = errors.New("malformed")
)

// VerifyWebhook checks that body, in its raw bytes, was signed by ElevenLabs
// with secret not long before now. It returns [ErrSignature] or [ErrStale].
func VerifyWebhook(secret Secret, header string, body []byte, now time.Time) error {
	s, err := parseSignature(header, now)
	if err != nil {
		return err
	}
	want := webhookMAC(secret, s.stamp, body)
	good := false
	for _, mac := range s.macs {
		good = hmac.Equal(mac, want) || good
	}
	if !good || secret == "" {
		return ErrSignature
	}
	return nil
}

// Signed reports whether header may be a signature made not long before now. It
// proves nothing, but it needs no body, so none need be read without it. It
// returns what [VerifyWebhook] would.
func Signed(header string, now time.Time) error {
	_, err := parseSignature(header, now)
	return err
}

// signature is what a header claims.
type signature struct {
	stamp string
	macs  [][]byte
}

func parseSignature(header string, now time.Time) (signature, error) {
	var s signature
	for part := range strings.SplitSeq(header, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "t":
			s.stamp = value
		case "v0":
			if mac, err := hex.DecodeString(value); err == nil && len(s.macs) < maxSignatures {
				s.macs = append(s.macs, mac)
			}
		}
	}
	unix, err := strconv.ParseInt(s.stamp, 10, 64)
	if err != nil || unix <= 0 || unix > maxUnix || len(s.macs) == 0 {
		return s, ErrSignature
	}
	if age := now.Sub(time.Unix(unix, 0)); age > maxAge || age < -maxAhead {
		return s, ErrStale
	}
	return s, nil
}

// maxSignatures bounds the work for one header.
const maxSignatures = 4

// SignWebhook returns the header that ElevenLabs would send with body at a
// moment.
func SignWebhook(secret Secret, body []byte, at time.Time) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	return "t=" + stamp + ",v0=" + hex.EncodeToString(webhookMAC(secret, stamp, body))
}

func webhookMAC(secret Secret, stamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp)) // a hash never fails to write
	mac.Write([]byte{'.'})
	mac.Write(body)
	return mac.Sum(nil)
}

// PostCallTranscription is the Type of the webhook that brings a finished
// conversation.
const PostCallTranscription = "post_call_transcription"

// WebhookEvent is a delivery. The same one may come twice: it is known by its
// Type and the conversation's id.
type WebhookEvent struct {
	Type string
	At   time.Time
	// ConversationID is the conversation it is about, "" if it says nothing.
	ConversationID ConversationID
	// Conversation is the record, for [PostCallTranscription] only, else nil.
	Conversation *Conversation
}

// ParseWebhook reads a verified body. Events of an unknown type are returned
// without details; only a body that is no event at all, or a transcription
// without its conversation, is [ErrMalformed].
func ParseWebhook(body []byte) (WebhookEvent, error) {
	var wire struct {
		Type      string          `json:"type"`
		Timestamp float64         `json:"event_timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	if err := tolerant(json.Unmarshal(body, &wire)); err != nil || wire.Type == "" {
		return WebhookEvent{}, fmt.Errorf("read webhook: %w", ErrMalformed)
	}
	event := WebhookEvent{Type: wire.Type, At: CallMetadata{StartUnix: wire.Timestamp}.Started()}
	var about struct {
		ConversationID ConversationID `json:"conversation_id"`
	}
	if len(wire.Data) > 0 && tolerant(json.Unmarshal(wire.Data, &about)) == nil {
		event.ConversationID = about.ConversationID
	}
	if event.Type != PostCallTranscription {
		return event, nil
	}
	event.Conversation = new(Conversation)
	if len(wire.Data) == 0 || tolerant(json.Unmarshal(wire.Data, event.Conversation)) != nil || event.ConversationID == "" {
		return WebhookEvent{}, fmt.Errorf("read transcription: %w", ErrMalformed)
	}
	return event, nil
}
