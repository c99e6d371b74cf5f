package carrier

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// errShape is what is wrong with a message that warning 31951 is about.
var errShape = errors.New("invalid message")

// command is a message that our peer may send on a media stream.
type command struct {
	event string // media, mark or clear
	audio []byte // of media
	name  string // of mark
}

// parseCommand reads a message as strictly as Twilio does: exactly the known
// fields, spelled and placed exactly so, and the stream's own name. The error
// wraps errShape.
func parseCommand(b []byte, streamSID string) (command, error) {
	top, err := object(b)
	if err != nil {
		return command{}, err
	}
	cmd := command{}
	if cmd.event, err = text(top, "event"); err != nil {
		return command{}, err
	}
	sid, err := text(top, "streamSid")
	if err != nil {
		return command{}, err
	}
	if sid != streamSID {
		return command{}, fmt.Errorf("%w: streamSid of another stream", errShape)
	}
	switch cmd.event {
	case "clear":
		err = only(top, "event", "streamSid")
	case "mark":
		cmd.name, err = inner(top, "mark", "name")
		if err == nil && cmd.name == "" {
			err = fmt.Errorf("%w: a mark without a name", errShape)
		}
	case "media":
		var payload string
		if payload, err = inner(top, "media", "payload"); err == nil {
			cmd.audio, err = sound(payload)
		}
	default:
		err = fmt.Errorf("%w: event of an unknown kind", errShape)
	}
	if err != nil {
		return command{}, err
	}
	return cmd, nil
}

// object reads a JSON object without giving its keys any leeway.
func object(b []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil || m == nil {
		return nil, fmt.Errorf("%w: not a JSON object", errShape)
	}
	return m, nil
}

// text is the string in m under key.
func text(m map[string]json.RawMessage, key string) (string, error) {
	var s *string
	if err := json.Unmarshal(m[key], &s); err != nil || s == nil {
		return "", fmt.Errorf("%w: %s is not a string", errShape, key)
	}
	return *s, nil
}

// inner is the string m[body][field], where m has nothing but a message's
// frame and body, and body has nothing but field.
func inner(m map[string]json.RawMessage, body, field string) (string, error) {
	if err := only(m, "event", "streamSid", body); err != nil {
		return "", err
	}
	in, err := object(m[body])
	if err != nil {
		return "", err
	}
	if err := only(in, field); err != nil {
		return "", err
	}
	return text(in, field)
}

// only returns an error when m has other keys than these.
func only(m map[string]json.RawMessage, keys ...string) error {
	for key := range m {
		if !strings.Contains("\x00"+strings.Join(keys, "\x00")+"\x00", "\x00"+key+"\x00") {
			return fmt.Errorf("%w: field %q", errShape, key)
		}
	}
	return nil
}

// sound is the audio in a payload: base64, and no file with a header.
func sound(payload string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		return nil, fmt.Errorf("%w: payload is not base64", errShape)
	}
	for _, header := range []string{"RIFF", "OggS", "ID3", "fLaC", ".snd"} {
		if bytes.HasPrefix(b, []byte(header)) {
			return nil, fmt.Errorf("%w: payload with a file header", errShape)
		}
	}
	return b, nil
}
