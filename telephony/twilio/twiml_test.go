package twilio

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"
)

const header = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

func TestTwiML(t *testing.T) {
	t.Parallel()
	connect, err := ConnectStream("wss://naiber.example.org/outbound-media-stream",
		map[string]string{"token": `a"<&>'b`, "call": "c_123"},
		"https://naiber.example.org/twilio/stream?call=c#rc=3&rp=all", "https://naiber.example.org/twilio/reconnect?call=c&n=1")
	if err != nil {
		t.Fatal(err)
	}
	last, err := ConnectStream("ws://127.0.0.1:3000/s", nil, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, got, want string }{
		{"connect", connect, `<Response><Connect><Stream url="wss://naiber.example.org/outbound-media-stream"` +
			` statusCallback="https://naiber.example.org/twilio/stream?call=c#rc=3&amp;rp=all" statusCallbackMethod="POST">` +
			`<Parameter name="call" value="c_123"></Parameter>` +
			`<Parameter name="token" value="a&#34;&lt;&amp;&gt;&#39;b"></Parameter></Stream></Connect>` +
			`<Redirect>https://naiber.example.org/twilio/reconnect?call=c&amp;n=1</Redirect></Response>`},
		{"connect on loopback", last, `<Response><Connect><Stream url="ws://127.0.0.1:3000/s"></Stream></Connect></Response>`},
		{"say and hang up", SayHangup("Bye </Say> & \x00 all", "en-GB"), `<Response><Say language="en-GB">Bye &lt;/Say&gt; &amp; ` + "\uFFFD" + ` all</Say><Hangup></Hangup></Response>`},
		{"hang up", Hangup(), `<Response><Hangup></Hangup></Response>`},
	} {
		if tt.got != header+tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, tt.got, header+tt.want)
		}
	}
}

func TestConnectStreamRefuses(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"query": "wss://h/s?token=1", "empty query": "wss://h/s?", "https": "https://h/s", "plain": "ws://example.org/s", "none": "",
	} {
		if _, err := ConnectStream(address, nil, "", ""); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	_, err := ConnectStream("wss://h/s", map[string]string{"token": strings.Repeat("x", 495)}, "", "")
	if err == nil || strings.Contains(err.Error(), "xxx") {
		t.Errorf("long parameter: err = %v", err)
	}
	for _, address := range []string{"/twilio/stream", "naiber.example.org/stream", "wss://h/stream", "https://", "%"} {
		if _, err := ConnectStream("wss://h/s", nil, address, ""); err == nil {
			t.Errorf("status address %q: no error", address)
		}
	}
}

func TestWebhookURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tuning Tuning
		want   string
	}{
		{Tuning{}, "https://h/s?a=b"},
		{Tuning{Retries: 3, Policy: RetryAll, ReadTimeout: 5 * time.Second}, "https://h/s?a=b#rc=3&rp=all&rt=5000"},
		{Tuning{Retries: 9, Policy: "5xx,ct", ReadTimeout: time.Hour, ConnectTimeout: time.Hour, TotalTimeout: 1}, "https://h/s?a=b#rc=5&rp=5xx,ct&rt=15000&ct=10000&tt=100"},
	} {
		if got := WebhookURL("https://h/s?a=b#old", tt.tuning); got != tt.want {
			t.Errorf("%+v: got %s, want %s", tt.tuning, got, tt.want)
		}
	}
}

// FuzzSayHangup: whatever is said stays inside its element.
func FuzzSayHangup(f *testing.F) {
	f.Add("Hello.", "en-GB")
	f.Add("</Say><Dial>+1", `"><Dial>`)
	f.Fuzz(func(t *testing.T, text, language string) {
		var doc struct {
			Say []struct {
				Text string `xml:",chardata"`
				Any  []any  `xml:",any"`
			} `xml:"Say"`
			Hangup []struct{} `xml:"Hangup"`
		}
		if err := xml.Unmarshal([]byte(SayHangup(text, language)), &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Say) != 1 || len(doc.Say[0].Any) != 0 || len(doc.Hangup) != 1 {
			t.Errorf("got %+v", doc)
		}
	})
}
