package elevenlabs

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	audioPayload = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xff, 0x7f, 0x3e, 0x00}, 400))

	alignment = `{"chars":["H","\u00ef","\"","é"],"char_start_times_ms":[0,80.5,1e2,-3],"char_durations_ms":[80,90],"last":null,"ok":[true,false,{}, []]}`

	audioFirst  = `{"audio_event":{"audio_base_64":"` + audioPayload + `","event_id":5,"alignment":` + alignment + `},"type":"audio"}`
	typeFirst   = `{"type":"audio","audio_event":{"event_id":5,"normalized_alignment":` + alignment + `,"alignment":null,"audio_base_64":"` + audioPayload + `"}}`
	audioSpaced = "{ \"type\": \"audio\",\n \"audio_event\": { \"event_id\": 5, \"audio_base_64\": \"" + audioPayload + "\" } }\n"
	audioOdd    = `{"type":"\u0061udio","v":2,"audio_event":{"Alignment":1,"event_id":"5","audio_base_64":"` + strings.ReplaceAll(audioPayload, "/", `\/`) + `"}}`
)

func TestDecodeAudioInAnyLayout(t *testing.T) {
	t.Parallel()
	want := Event{Kind: KindAudio, ID: 5, Audio: []byte(audioPayload)}
	for name, tt := range map[string]struct {
		frame string
		fast  bool
	}{
		"audio first": {audioFirst, true}, "type first": {typeFirst, true},
		"spaced": {audioSpaced, true}, "odd": {audioOdd, false},
	} {
		var e Event
		if err := Decode([]byte(tt.frame), &e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if fast := scanAudio([]byte(tt.frame), &e); fast != tt.fast {
			t.Errorf("%s: fast = %v, want %v", name, fast, tt.fast)
		}
	}
	frame := []byte(audioFirst)
	var e Event
	if err := Decode(frame, &e); err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(frame, e.Audio); at < 0 || &frame[at] != &e.Audio[0] || cap(e.Audio) != len(e.Audio) {
		t.Error("the audio was copied, or can grow into the frame")
	}
}

// TestNoAllocations is not parallel: the count is the process's.
func TestNoAllocations(t *testing.T) {
	frame, buf := []byte(typeFirst), make([]byte, 0, 8192)
	var e Event
	n := testing.AllocsPerRun(100, func() {
		if err := Decode(frame, &e); err != nil {
			t.Error(err)
		}
		buf = AppendUserAudio(buf[:0], e.Audio)
		buf = AppendPong(buf[:0], e.ID)
	})
	if n != 0 {
		t.Errorf("%v allocations for a frame", n)
	}
}

func TestDecodeOthers(t *testing.T) {
	t.Parallel()
	for frame, want := range map[string]Event{
		`{"type":"conversation_initiation_metadata","conversation_initiation_metadata_event":{"conversation_id":"conv_01","agent_output_audio_format":"ulaw_8000","user_input_audio_format":"pcm_16000"}}`: {
			Kind: KindMetadata, Metadata: &Metadata{ConversationID: "conv_01", OutputFormat: "ulaw_8000", InputFormat: "pcm_16000"},
		},
		`{"type":"ping","ping_event":{"event_id":0,"ping_ms":null}}`:  {Kind: KindPing},
		`{"type":"ping","ping_event":{"event_id":"7","ping_ms":"x"}}`: {Kind: KindPing, ID: 7},
		`{"type":"user_transcript","user_transcription_event":{"user_transcript":"hello","event_id":4}}`: {
			Kind: KindUserTranscript, ID: 4, Text: "hello",
		},
		`{"type":"agent_response","agent_response_event":{"agent_response":"Hi Ada.","event_id":5}}`: {
			Kind: KindAgentResponse, ID: 5, Text: "Hi Ada.",
		},
		`{"type":"agent_response_correction","agent_response_correction_event":{"original_agent_response":"Hi Ada. How?","corrected_agent_response":"Hi Ada.","event_id":5}}`: {
			Kind: KindAgentCorrection, ID: 5, Text: "Hi Ada.", Original: "Hi Ada. How?",
		},
		`{"type":"interruption","interruption_event":{"event_id":5}}`: {Kind: KindInterruption, ID: 5},
		`{"type":"agent_tool_response","agent_tool_response":{"tool_name":"end_call","tool_call_id":"t_9","tool_type":"system","is_error":false,"is_called":true,"event_id":7}}`: {
			Kind: KindToolResponse, ID: 7, Tool: &Tool{Name: ToolEndCall, Called: true},
		},
		`{"type":"agent_tool_response","agent_tool_response":{"tool_name":"end_call","is_error":true,"is_called":false}}`: {
			Kind: KindToolResponse, Tool: &Tool{Name: ToolEndCall, IsError: true},
		},
		`{"type":"client_tool_call","client_tool_call":{"tool_name":"look","tool_call_id":"t_1","parameters":{"a":1},"event_id":8}}`: {},
		`{"type":"error","error_event":{"code":1008,"error_type":"override_error","message":"no"}}`: {
			Kind: KindError, Failure: &Failure{Code: 1008, Type: "override_error", Message: "no"},
		},
		`{"type":"error","code":"1002","message":"no"}`: {Kind: KindError, Failure: &Failure{Code: 1002, Message: "no"}},
		`{"type":"error"}`: {Kind: KindError, Failure: &Failure{}},
		`{"type":"vad_score","vad_score_event":{"vad_score":0.5}}`:    {},
		`{"type":"tentative_user_transcript","message":{"code":"x"}}`: {},
	} {
		e := Event{Kind: KindAudio, ID: 99, Text: "old", Audio: []byte("old")}
		if err := Decode([]byte(frame), &e); err != nil {
			t.Errorf("%s: %v", frame, err)
		}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", frame, diff)
		}
	}
	if !(Metadata{OutputFormat: "ulaw_8000", InputFormat: "ulaw_8000"}).ULaw8k() || (Metadata{OutputFormat: "ulaw_8000"}).ULaw8k() {
		t.Error("ULaw8k is wrong")
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	audio := func(payload string) string {
		return `{"type":"audio","audio_event":{"event_id":1,"audio_base_64":` + payload + `}}`
	}
	for frame, want := range map[string]error{
		``:                  ErrMalformed,
		`null`:              ErrMalformed,
		`pong`:              ErrMalformed,
		`{}`:                ErrMalformed,
		`{"type":1}`:        ErrMalformed,
		`{"type":"audio"}`:  ErrMalformed,
		audioFirst + "x":    ErrMalformed,
		audio(`null`):       ErrMalformed,
		audio(`""`):         ErrMalformed,
		audio(`"{error}"`):  ErrAudio,
		audio(`"AAAAA"`):    ErrAudio,
		audio(`"AAAA\u00"`): ErrMalformed,
		`{"type":"ping"}`:   ErrMalformed,
		`{"type":"conversation_initiation_metadata","conversation_initiation_metadata_event":{}}`: ErrMalformed,
		`{"type":"user_transcript"}`:                              ErrMalformed,
		`{"type":"agent_response"}`:                               ErrMalformed,
		`{"type":"agent_response_correction"}`:                    ErrMalformed,
		`{"type":"interruption"}`:                                 ErrMalformed,
		`{"type":"agent_tool_response"}`:                          ErrMalformed,
		`{"type":"agent_tool_response","agent_tool_response":{}}`: ErrMalformed,
	} {
		var e Event
		if err := Decode([]byte(frame), &e); !errors.Is(err, want) {
			t.Errorf("%s: err = %v, want %v", frame, err, want)
		}
	}
}

// FuzzDecode: the fast way says nothing that the general way would not say, and
// what is passed on is base64.
func FuzzDecode(f *testing.F) {
	short := strings.NewReplacer(audioPayload, "/38+AA==")
	for _, seed := range []string{
		audioFirst, typeFirst, audioSpaced, audioOdd,
		`{"type":"audio","audio_event":{"audio_base_64":"AAAA","x":[[[[[[[[[[1]]]]]]]]]]}}`,
		`{"type":"audio","audio_event":{"audio_base_64":"AAAA","x":-0.5e+10,"y":"\ud800","z":"` + "\xff" + `"}}`,
		`{"type":"audio","audio_event":{"audio_base_64":"AAAA","event_id":01}}`,
		`{"type":"ping","ping_event":{"event_id":0}}`,
		`{"type":"error","error_event":null,"code":1e3}`,
	} {
		f.Add([]byte(short.Replace(seed)))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var fast, slow Event
		if scanAudio(frame, &fast) {
			if err := decodeSlow(frame, &slow); err != nil {
				t.Fatalf("fast accepts what slow refuses: %v", err)
			}
			if diff := cmp.Diff(slow, fast); diff != "" {
				t.Fatalf("fast and slow differ (-slow +fast):\n%s", diff)
			}
		}
		var e Event
		if err := Decode(frame, &e); err != nil || e.Kind != KindAudio {
			return
		}
		if _, err := base64.StdEncoding.DecodeString(string(e.Audio)); err != nil {
			t.Fatalf("audio: %v", err)
		}
		if out := AppendUserAudio(nil, e.Audio); !json.Valid(out) {
			t.Fatalf("encoded %s", out)
		}
	})
}

func BenchmarkDecodeAudio(b *testing.B) {
	benchmarkAudio(b, Decode)
}

// BenchmarkDecodeAudioSlow is what the fast way saves.
func BenchmarkDecodeAudioSlow(b *testing.B) {
	benchmarkAudio(b, decodeSlow)
}

func benchmarkAudio(b *testing.B, decode func([]byte, *Event) error) {
	b.Helper()
	frame := []byte(audioFirst)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	var e Event
	for b.Loop() {
		if err := decode(frame, &e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendUserAudio(b *testing.B) {
	payload := []byte(audioPayload[:216])
	buf := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendUserAudio(buf[:0], payload)
	}
}
