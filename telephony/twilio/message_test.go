package twilio

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var frame20ms = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xff, 0x7f, 0x3e, 0x00}, 40))

var (
	mediaFrame = `{"event":"media","sequenceNumber":"4","media":{"track":"inbound","chunk":"2","timestamp":"25","payload":"` +
		frame20ms + `"},"streamSid":"MZ01"}`
	mediaSpaced = `{ "streamSid": "MZ01", "media": {"payload": "` + frame20ms + `", "timestamp": 25, "chunk": 2, "track": "inbound"},
		"sequenceNumber": 4, "event": "media" }` + "\n"
	mediaEscaped = `{"event":"\u006dedia","sequenceNumber":"4","streamSid":"MZ01","new":[1],"media":{"track":"inbound","chunk":"2",` +
		`"timestamp":"25","payload":"` + strings.ReplaceAll(frame20ms, "/", `\/`) + `"}}`
)

func TestDecodeMediaInAnyLayout(t *testing.T) {
	t.Parallel()
	want := Message{
		Event: EventMedia, Media: Media{Payload: []byte(frame20ms)},
	}
	for name, tt := range map[string]struct {
		frame string
		fast  bool
	}{
		"as Twilio sends it": {mediaFrame, true},
		"as Twilio shows it": {`{"event":"media","sequenceNumber":"4","streamSid":"MZ01","media":{"track":"inbound","chunk":"2","timestamp":"25","payload":"` + frame20ms + `"}}`, true},
		"spaced, reordered":  {mediaSpaced, true},
		"escaped, extended":  {mediaEscaped, false},
	} {
		var m Message
		if err := Decode([]byte(tt.frame), &m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if fast := scanMedia([]byte(tt.frame), &m); fast != tt.fast {
			t.Errorf("%s: fast = %v, want %v", name, fast, tt.fast)
		}
	}
}

func TestDecodeAliasesTheFrame(t *testing.T) {
	t.Parallel()
	frame := []byte(mediaFrame)
	var m Message
	if err := Decode(frame, &m); err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(frame, m.Media.Payload)
	if at < 0 || &frame[at] != &m.Media.Payload[0] {
		t.Error("the payload was copied")
	}
	if cap(m.Media.Payload) != len(m.Media.Payload) {
		t.Error("appending to the payload would write into the frame")
	}
}

// TestNoAllocations is not parallel: the count is the process's.
func TestNoAllocations(t *testing.T) {
	frame, buf := []byte(mediaFrame), make([]byte, 0, 512)
	var m Message
	n := testing.AllocsPerRun(100, func() {
		if err := Decode(frame, &m); err != nil {
			t.Error(err)
		}
		buf = AppendMedia(buf[:0], "MZ01", m.Media.Payload)
	})
	if n != 0 {
		t.Errorf("%v allocations for a frame", n)
	}
}

func TestDecodeOthers(t *testing.T) {
	t.Parallel()
	for frame, want := range map[string]Message{
		`{"event":"connected","protocol":"Call","version":"1.0.0"}`: {Event: EventConnected},
		`{"event":"start","sequenceNumber":"1","streamSid":"MZ01","start":{"accountSid":"AC00","streamSid":"MZ01","callSid":"CA01","tracks":["inbound"],` +
			`"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":"1"},"customParameters":{"call":"c_123","token":"t"}}}`: {
			Event: EventStart, Start: &Start{
				CallSID: "CA01", StreamSID: "MZ01", Format: MediaFormat{Encoding: "audio/x-mulaw", SampleRate: 8000, Channels: 1},
				Parameters: map[string]string{"call": "c_123", "token": "t"},
			},
		},
		`{"event":"start","streamSid":"MZ02","start":{"callSid":"CA01"}}`:                                     {Event: EventStart, Start: &Start{CallSID: "CA01", StreamSID: "MZ02"}},
		`{"event":"dtmf","sequenceNumber":9,"streamSid":"MZ01","dtmf":{"track":"inbound_track","digit":"#"}}`: {Event: EventDTMF, Digit: "#"},
		`{"event":"mark","sequenceNumber":12.0,"streamSid":"MZ01","mark":{"name":"bye-7"}}`:                   {Event: EventMark, Mark: "bye-7"},
		`{"event":"stop","sequenceNumber":{},"streamSid":"MZ01","stop":{"callSid":"CA01"}}`:                   {Event: EventStop},
		`{"event":"media","media":{"track":"outbound","payload":"AAAA"}}`:                                     {Event: EventMedia, Media: Media{Outbound: true, Payload: []byte("AAAA")}},
		`{"event":"new","media":null}`: {Event: EventUnknown},
	} {
		m := Message{Event: EventMedia, Media: Media{Outbound: true}, Mark: "old"}
		if err := Decode([]byte(frame), &m); err != nil {
			t.Errorf("%s: %v", frame, err)
		}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("%s (-want +got):\n%s", frame, diff)
		}
	}
	if !(MediaFormat{Encoding: "audio/x-mulaw", SampleRate: 8000, Channels: 1}).ULaw8k() ||
		(MediaFormat{Encoding: "audio/x-mulaw", SampleRate: 16000, Channels: 1}).ULaw8k() {
		t.Error("ULaw8k is wrong")
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	media := func(payload string) string { return `{"event":"media","media":{"payload":` + payload + `}}` }
	for frame, want := range map[string]error{
		``:                      ErrMalformed,
		`null`:                  ErrMalformed,
		`[]`:                    ErrMalformed,
		`{}`:                    ErrMalformed,
		`{"event":5}`:           ErrMalformed,
		`{"event":"media"`:      ErrMalformed,
		`{"event":"media"}`:     ErrMalformed,
		`{"event":"start"}`:     ErrMalformed,
		`{"event":"dtmf"}`:      ErrMalformed,
		`{"event":"mark"}`:      ErrMalformed,
		mediaFrame + "x":        ErrMalformed,
		media(`null`):           ErrMalformed,
		media(`5`):              ErrMalformed,
		media(`""`):             ErrMalformed,
		media(`"not base64!!"`): ErrPayload,
		media(`"AAA"`):          ErrPayload,
		media(`"A==="`):         ErrPayload,
		media(`"===="`):         ErrPayload,
		media(`"AA=A"`):         ErrPayload,
		media(`"AAAA\n"`):       ErrPayload,
		media(`"AA-_"`):         ErrPayload,
		`{"event":"start","start":{"streamSid":"MZ01"}}`: ErrMalformed,
	} {
		var m Message
		if err := Decode([]byte(frame), &m); !errors.Is(err, want) {
			t.Errorf("%s: err = %v, want %v", frame, err, want)
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{string(AppendMedia(nil, "MZ01", []byte("AAAA"))), `{"event":"media","streamSid":"MZ01","media":{"payload":"AAAA"}}`},
		{string(AppendMark([]byte("x"), "MZ01", "bye-7")), `x{"event":"mark","streamSid":"MZ01","mark":{"name":"bye-7"}}`},
		{string(AppendClear(nil, "MZ01")), `{"event":"clear","streamSid":"MZ01"}`},
		{string(AppendMark(nil, `M"Z`, "ä\n")), `{"event":"mark","streamSid":"M\"Z","mark":{"name":"ä\n"}}`},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// FuzzDecode: the fast way says nothing that the general way would not say, and
// what is passed on is base64.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(mediaFrame))
	f.Add([]byte(mediaSpaced))
	f.Add([]byte(mediaEscaped))
	f.Add([]byte(`{"event":"media","sequenceNumber":007,"media":{"payload":"","chunk":"007"}}`))
	f.Add([]byte(`{"event":"media","EVENT":"stop","media":{"payload":"AA==","Payload":"BB=="}}`))
	f.Add([]byte(`{"event":"start","start":{"callSid":"CA","streamSid":"MZ","customParameters":{"a":1}}}`))
	f.Add([]byte(`{"event":"mark","mark":{"name":"m"},"sequenceNumber":"1e3"}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		var fast, slow Message
		if scanMedia(frame, &fast) {
			if err := decodeSlow(frame, &slow); err != nil {
				t.Fatalf("fast accepts what slow refuses: %v", err)
			}
			if diff := cmp.Diff(slow, fast); diff != "" {
				t.Fatalf("fast and slow differ (-slow +fast):\n%s", diff)
			}
		}
		var m Message
		if err := Decode(frame, &m); err != nil || m.Event != EventMedia {
			return
		}
		if _, err := base64.StdEncoding.DecodeString(string(m.Media.Payload)); err != nil {
			t.Fatalf("payload: %v", err)
		}
		if out := AppendMedia(nil, "MZ01", m.Media.Payload); !json.Valid(out) {
			t.Fatalf("encoded %s", out)
		}
	})
}

func BenchmarkDecodeMedia(b *testing.B) {
	frame := []byte(mediaFrame)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	var m Message
	for b.Loop() {
		if err := Decode(frame, &m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeMediaSlow is what the fast way saves.
func BenchmarkDecodeMediaSlow(b *testing.B) {
	frame := []byte(mediaFrame)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	var m Message
	for b.Loop() {
		if err := decodeSlow(frame, &m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendMedia(b *testing.B) {
	buf, payload := make([]byte, 0, 512), []byte(frame20ms)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendMedia(buf[:0], "MZ0123456789abcdef0123456789abcdef", payload)
	}
}
