package twilio

import "github.com/naiber/naiber/internal/jsonscan"

// AppendMedia appends a message that plays payload, which must be base64 of
// µ-law audio without a header, in any length. Twilio answers a wrong message
// with silence, not with an error, so payload is to come from a decoder that
// checked it. Except for growing dst, it does not allocate.
func AppendMedia(dst []byte, sid StreamSID, payload []byte) []byte {
	dst = append(dst, `{"event":"media","streamSid":`...)
	dst = jsonscan.AppendString(dst, string(sid))
	dst = append(dst, `,"media":{"payload":"`...)
	dst = append(dst, payload...)
	return append(dst, `"}}`...)
}

// AppendMark appends a message that Twilio sends back once everything before it
// was played. Names should be unique on a stream, since a clear returns all
// that are pending.
func AppendMark(dst []byte, sid StreamSID, name string) []byte {
	dst = append(dst, `{"event":"mark","streamSid":`...)
	dst = jsonscan.AppendString(dst, string(sid))
	dst = append(dst, `,"mark":{"name":`...)
	dst = jsonscan.AppendString(dst, name)
	return append(dst, `}}`...)
}

// AppendClear appends a message that throws away all audio not yet played.
func AppendClear(dst []byte, sid StreamSID) []byte {
	dst = append(dst, `{"event":"clear","streamSid":`...)
	dst = jsonscan.AppendString(dst, string(sid))
	return append(dst, '}')
}
