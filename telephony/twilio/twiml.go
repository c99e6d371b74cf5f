package twilio

import (
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
	"time"
)

// TwiMLContentType is the Content-Type of the answers in TwiML.
const TwiMLContentType = "text/xml; charset=utf-8"

// response is a TwiML document, with its instructions in the order of their execution. Empty ones
// are left out.
type response struct {
	XMLName  xml.Name `xml:"Response"`
	Connect  *connect
	Gather   []gather
	Say      *say
	Dial     *dial
	Redirect string `xml:",omitempty"`
	Hangup   *struct{}
	Message  string `xml:",omitempty"`
}

// gather says something and waits for a key. With a key the call continues at Action, without one
// at the next instruction.
type gather struct {
	Input   string `xml:"input,attr"`
	Digits  int    `xml:"numDigits,attr,omitempty"` // 0: until the hash key
	Timeout int    `xml:"timeout,attr"`             // seconds
	Action  string `xml:"action,attr"`
	Method  string `xml:"method,attr"`
	Say     say
}

// dial joins a conference until the conference is over.
type dial struct {
	TimeLimit  string `xml:"timeLimit,attr"` // seconds
	Conference conference
}

// conference connects two calls; it is over when one of them leaves.
type conference struct {
	Name  string  `xml:",chardata"`
	Most  int     `xml:"maxParticipants,attr"`
	Ends  bool    `xml:"endConferenceOnExit,attr"`
	Beep  bool    `xml:"beep,attr"`
	Music *string `xml:"waitUrl,attr"` // nil: Twilio's music; empty: silence
}

type connect struct {
	Stream stream
}

type stream struct {
	URL            string      `xml:"url,attr"`
	StatusCallback string      `xml:"statusCallback,attr,omitempty"`
	StatusMethod   string      `xml:"statusCallbackMethod,attr,omitempty"`
	Parameters     []parameter `xml:"Parameter"`
}

type parameter struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type say struct {
	Language string `xml:"language,attr,omitempty"` // BCP 47, such as en-GB
	Text     string `xml:",chardata"`
}

// String returns the document. Text is escaped; characters that XML cannot represent become U+FFFD.
func (r response) String() string { return document(r) }

func document(r any) string {
	out, err := xml.Marshal(r)
	if err != nil {
		panic("twilio: TwiML does not marshal: " + err.Error()) // the types above cannot fail to marshal
	}
	return xml.Header + string(out)
}

// ConnectStream returns TwiML that opens a two-way Media Stream to streamURL, see [StreamURL], and
// passes it params in its start message: each shorter than 500 bytes including its name. The status
// of the stream, and the reason if it could not be opened, is posted to statusURL. If the stream
// ends while the call goes on, the call continues at redirectURL. Both are absolute addresses. An
// empty statusURL means no posts, and an empty redirectURL that the call ends.
func ConnectStream(streamURL string, params map[string]string, statusURL, redirectURL string) string {
	c := &connect{Stream: stream{URL: streamURL}}
	if statusURL != "" {
		c.Stream.StatusCallback, c.Stream.StatusMethod = statusURL, http.MethodPost
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		c.Stream.Parameters = append(c.Stream.Parameters, parameter{Name: name, Value: params[name]})
	}
	return response{Connect: c, Redirect: redirectURL}.String()
}

// SayHangup returns TwiML that speaks text in language and ends the call.
func SayHangup(text, language string) string {
	return response{Say: &say{Language: language, Text: text}, Hangup: &struct{}{}}.String()
}

// keyWait is for how many seconds after its text [AskKey] waits for a key.
const keyWait = 6

// AskKey returns TwiML that speaks text in language, repeated up to times times, and waits for one
// key each time. With a key the call continues at actionURL; without one it says last and ends.
func AskKey(text, language string, times int, actionURL, last string) string {
	r := response{Hangup: &struct{}{}}
	for range times {
		r.Gather = append(r.Gather, gather{"dtmf", 1, keyWait, actionURL, http.MethodPost, say{Language: language, Text: text}})
	}
	if last != "" {
		r.Say = &say{Language: language, Text: last}
	}
	return r.String()
}

// AskKeys returns TwiML that speaks text in language and waits for keys, up to the hash key. With
// keys the call continues at actionURL, without any at elseURL.
func AskKeys(text, language, actionURL, elseURL string) string {
	return document(struct {
		XMLName  xml.Name `xml:"Response"`
		Gather   gather
		Redirect string
	}{Gather: gather{"dtmf", 0, keyWait, actionURL, http.MethodPost, say{Language: language, Text: text}}, Redirect: elseURL})
}

// Join returns TwiML that speaks text in language and connects the call with another one that joins
// the same name, until one of them leaves, or for limit, in whole seconds. Then the call continues
// at redirectURL. Until the other call is there, it hears music or silence. We receive none of the
// conference's audio.
func Join(text, language, name string, limit time.Duration, music bool, redirectURL string) string {
	c := conference{Name: name, Most: 2, Ends: true}
	if !music {
		c.Music = new(string)
	}
	return response{Say: &say{Language: language, Text: text}, Dial: &dial{TimeLimit: wholeSeconds(limit), Conference: c}, Redirect: redirectURL}.String()
}

// Reply returns TwiML that answers a text message; an empty text sends no answer.
func Reply(text string) string { return response{Message: text}.String() }

// Hangup returns TwiML that ends the call.
func Hangup() string { return response{Hangup: &struct{}{}}.String() }
