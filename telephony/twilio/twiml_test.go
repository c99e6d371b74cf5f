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
	connect := ConnectStream("wss://naiber.example.org/outbound-media-stream",
		map[string]string{"token": `a"<&>'b`, "call": "c_123"},
		"https://naiber.example.org/twilio/stream?call=c#rc=3&rp=all", "https://naiber.example.org/twilio/reconnect?call=c&n=1")
	last := ConnectStream("ws://127.0.0.1:3000/s", nil, "", "")
	for _, tt := range []struct{ name, got, want string }{
		{"connect", connect, `<Response><Connect><Stream url="wss://naiber.example.org/outbound-media-stream"` +
			` statusCallback="https://naiber.example.org/twilio/stream?call=c#rc=3&amp;rp=all" statusCallbackMethod="POST">` +
			`<Parameter name="call" value="c_123"></Parameter>` +
			`<Parameter name="token" value="a&#34;&lt;&amp;&gt;&#39;b"></Parameter></Stream></Connect>` +
			`<Redirect>https://naiber.example.org/twilio/reconnect?call=c&amp;n=1</Redirect></Response>`},
		{"connect on loopback", last, `<Response><Connect><Stream url="ws://127.0.0.1:3000/s"></Stream></Connect></Response>`},
		{"say and hang up", SayHangup("Bye </Say> & \x00 all", "en-GB"), `<Response><Say language="en-GB">Bye &lt;/Say&gt; &amp; ` + "\uFFFD" + ` all</Say><Hangup></Hangup></Response>`},
		{"ask for a key", AskKey("Press <1>.", "de-DE", 2, "https://naiber.example.org/twilio/notice?token=T#rc=5", "Bye."), `<Response>` +
			strings.Repeat(`<Gather input="dtmf" numDigits="1" timeout="6" action="https://naiber.example.org/twilio/notice?token=T#rc=5" method="POST">`+
				`<Say language="de-DE">Press &lt;1&gt;.</Say></Gather>`, 2) + `<Say language="de-DE">Bye.</Say><Hangup></Hangup></Response>`},
		{"ask once", AskKey("Press 2.", "en-US", 1, "https://naiber.example.org/n", ""), `<Response><Gather input="dtmf" numDigits="1" timeout="6"` +
			` action="https://naiber.example.org/n" method="POST"><Say language="en-US">Press 2.</Say></Gather><Hangup></Hangup></Response>`},
		{"join", Join("Anne & you", "en-US", "c_123", 90*time.Second, false, "https://naiber.example.org/twilio/reconnect?call=c"), `<Response><Say language="en-US">Anne &amp; you</Say>` +
			`<Dial timeLimit="90"><Conference maxParticipants="2" endConferenceOnExit="true" beep="false" waitUrl="">c_123</Conference></Dial>` +
			`<Redirect>https://naiber.example.org/twilio/reconnect?call=c</Redirect></Response>`},
		{"join with music", Join("", "", "c", time.Second, true, "https://naiber.example.org/n"), `<Response><Say></Say><Dial timeLimit="1">` +
			`<Conference maxParticipants="2" endConferenceOnExit="true" beep="false">c</Conference></Dial><Redirect>https://naiber.example.org/n</Redirect></Response>`},
		{"reply", Reply("Thanks & bye"), `<Response><Message>Thanks &amp; bye</Message></Response>`},
		{"no reply", Reply(""), `<Response></Response>`},
		{"hang up", Hangup(), `<Response><Hangup></Hangup></Response>`},
	} {
		if tt.got != header+tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, tt.got, header+tt.want)
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
