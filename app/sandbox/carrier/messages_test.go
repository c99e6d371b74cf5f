package carrier

import (
	"errors"
	"testing"
)

func TestParseCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, message string
		ok            bool
	}{
		{"media", `{"event":"media","streamSid":"MZ1","media":{"payload":"/w=="}}`, true},
		{"in another order", `{ "media": {"payload":""}, "streamSid":"MZ1", "event":"media" }`, true},
		{"mark", `{"event":"mark","streamSid":"MZ1","mark":{"name":"a"}}`, true},
		{"clear", `{"event":"clear","streamSid":"MZ1"}`, true},
		{"not JSON", `media`, false},
		{"a list", `[]`, false},
		{"null", `null`, false},
		{"no streamSid", `{"event":"clear"}`, false},
		{"stream_sid", `{"event":"clear","stream_sid":"MZ1"}`, false},
		{"StreamSid", `{"event":"clear","StreamSid":"MZ1"}`, false},
		{"both spellings", `{"event":"clear","streamSid":"MZ1","stream_sid":"MZ1"}`, false},
		{"another stream", `{"event":"clear","streamSid":"MZ2"}`, false},
		{"unknown event", `{"event":"dtmf","streamSid":"MZ1","dtmf":{"digit":"1"}}`, false},
		{"track in media", `{"event":"media","streamSid":"MZ1","media":{"payload":"/w==","track":"outbound"}}`, false},
		{"sequence number", `{"event":"media","streamSid":"MZ1","sequenceNumber":"1","media":{"payload":"/w=="}}`, false},
		{"no media", `{"event":"media","streamSid":"MZ1"}`, false},
		{"payload is null", `{"event":"media","streamSid":"MZ1","media":{"payload":null}}`, false},
		{"payload is not base64", `{"event":"media","streamSid":"MZ1","media":{"payload":"*"}}`, false},
		{"a WAV file", `{"event":"media","streamSid":"MZ1","media":{"payload":"UklGRgAAAAA="}}`, false},
		{"mark without name", `{"event":"mark","streamSid":"MZ1","mark":{"name":""}}`, false},
		{"clear with more", `{"event":"clear","streamSid":"MZ1","mark":{"name":"a"}}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseCommand([]byte(tt.message), "MZ1")
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, errShape) {
				t.Errorf("got %v, want ok %t", err, tt.ok)
			}
		})
	}
}

func FuzzParseCommand(f *testing.F) {
	f.Add([]byte(`{"event":"media","streamSid":"MZ1","media":{"payload":"/w=="}}`))
	f.Add([]byte(`{"event":"mark","streamSid":"MZ1","mark":{"name":"a"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		cmd, err := parseCommand(b, "MZ1")
		if err == nil && cmd.event != "media" && cmd.event != "mark" && cmd.event != "clear" {
			t.Errorf("accepted %q as %q", b, cmd.event)
		}
	})
}

func FuzzParseTwiML(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><Response><Connect><Stream url="wss://x/y"><Parameter name="a" value="b"/></Stream></Connect></Response>`))
	f.Add([]byte(`<Response><Say>a &amp; b</Say></Response>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		verbs, err := parseTwiML(b)
		if err != nil && (verbs != nil || !errors.Is(err, errTwiML)) {
			t.Errorf("%v with %d verbs", err, len(verbs))
		}
	})
}

func FuzzOverrides(f *testing.F) {
	f.Add("rc=3&rp=all&rt=5000&ct=100&tt=15000")
	f.Fuzz(func(t *testing.T, s string) {
		o := parseOverrides(s)
		if o.retries < 0 || o.retries > 5 || o.total > defaultTotal || o.connect <= 0 {
			t.Errorf("%q gives %+v", s, o)
		}
	})
}

// A reader that is too slow loses the oldest frames, and nothing else.
func TestOutboxDropsTheOldest(t *testing.T) {
	t.Parallel()
	o := newOutbox("MZ1")
	o.put("start", nil)
	for range maxUnsent + 10 {
		o.frame([]byte{0xFF}, false)
	}
	o.put("stop", nil)
	o.close()
	got, more := o.take()
	if more || len(got) != maxUnsent+1 || o.lost != 11 {
		t.Errorf("%d messages, %d dropped", len(got), o.lost)
	}
	if first := string(got[0].message); first[:16] != `{"event":"start"` {
		t.Errorf("first: %s", first)
	}
}
