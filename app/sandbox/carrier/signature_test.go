package carrier

import (
	"net/url"
	"testing"
)

func TestSignature(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url  string
		form url.Values
		want string
	}{
		{"https://naiber.example.org/twilio/status", url.Values{"CallSid": {"CA123"}, "CallStatus": {"completed"}}, "wA6+/bgAgsoI9kXyZ352cutoWKY="},
		{"wss://naiber.example.org/media", nil, "H4/P7LucoVPnUQ7Kg1Fd4cxT0GE="},
		{"wss://naiber.example.org/media/", nil, "ZtrHuRHG/cICg0nBnxyp3pZuRr8="},
		{"wss://naiber.example.org:443/media", nil, "oDLtmahb1o2au4V4swqZ81+kZrM="},
	}
	for _, tt := range tests {
		if got := sign("12345", tt.url, tt.form); got != tt.want {
			t.Errorf("sign(%s) = %s, want %s", tt.url, got, tt.want)
		}
	}
}
