package twilio

import (
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// TwiMLContentType is the Content-Type of an answer to the voice webhook.
const TwiMLContentType = "text/xml; charset=utf-8"

// Verb is one instruction of a TwiML document.
type Verb interface{ verb() }

// Say speaks a text with Twilio's own voice.
type Say struct {
	XMLName  xml.Name `xml:"Say"`
	Voice    string   `xml:"voice,attr,omitempty"`
	Language string   `xml:"language,attr,omitempty"` // BCP 47, such as en-GB
	Text     string   `xml:",chardata"`
}

// Pause waits in silence.
type Pause struct {
	XMLName xml.Name `xml:"Pause"`
	Seconds int      `xml:"length,attr,omitempty"` // 0 means one second
}

// Redirect goes on with the TwiML that URL answers to a POST.
type Redirect struct {
	XMLName xml.Name `xml:"Redirect"`
	Method  string   `xml:"method,attr,omitempty"` // empty means POST
	URL     string   `xml:",chardata"`
}

// Hangup ends the call.
type Hangup struct {
	XMLName xml.Name `xml:"Hangup"`
}

// Reject refuses an inbound call without answering it, which costs nothing.
type Reject struct {
	XMLName xml.Name `xml:"Reject"`
	Reason  string   `xml:"reason,attr,omitempty"` // "busy", or empty for "rejected"
}

type connect struct {
	XMLName xml.Name `xml:"Connect"`
	Stream  stream   `xml:"Stream"`
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

func (Say) verb()      {}
func (Pause) verb()    {}
func (Redirect) verb() {}
func (Hangup) verb()   {}
func (Reject) verb()   {}
func (connect) verb()  {}

// Document returns the TwiML document that carries out verbs in turn. Text is
// escaped; characters that XML cannot hold become U+FFFD.
func Document(verbs ...Verb) string {
	out, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"Response"`
		Verbs   []Verb
	}{Verbs: verbs})
	if err != nil {
		panic("twilio: TwiML does not marshal: " + err.Error()) // the types above leave nothing that can fail
	}
	return xml.Header + string(out)
}

// maxParameter bounds a stream parameter's name and value together, in bytes.
const maxParameter = 500

// ConnectStream returns TwiML that opens a two-way Media Stream to streamURL
// (wss, or ws on loopback; without a query, which Twilio drops) and hands it
// params in its start message. What becomes of the stream, and why it could not
// be opened, is posted to statusURL, an absolute address; empty means that
// nobody wants to know. When the stream ends and the call goes on, the call
// continues at redirectURL, or ends if that is empty.
func ConnectStream(streamURL string, params map[string]string, statusURL, redirectURL string) (string, error) {
	if err := checkStreamURL(streamURL); err != nil {
		return "", fmt.Errorf("connect stream: %w", err)
	}
	c := connect{Stream: stream{URL: streamURL}}
	if statusURL != "" {
		if err := checkStatusURL(statusURL); err != nil {
			return "", fmt.Errorf("connect stream: %w", err)
		}
		c.Stream.StatusCallback, c.Stream.StatusMethod = statusURL, http.MethodPost
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if len(name)+len(params[name]) >= maxParameter {
			return "", fmt.Errorf("connect stream: parameter %q has 500 bytes or more", name)
		}
		c.Stream.Parameters = append(c.Stream.Parameters, parameter{Name: name, Value: params[name]})
	}
	verbs := []Verb{c}
	if redirectURL != "" {
		verbs = append(verbs, Redirect{URL: redirectURL})
	}
	return Document(verbs...), nil
}

func checkStreamURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "":
		return errors.New("stream address is not a URL")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return errors.New("stream address must have no query and no fragment")
	case u.Scheme == "wss", u.Scheme == "ws" && isLoopback(u.Hostname()):
		return nil
	default:
		return errors.New("stream address must be wss, or ws on loopback")
	}
}

func checkStatusURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("status address is not an absolute URL")
	}
	return nil
}

// SayHangup returns TwiML that speaks text in language and ends the call.
func SayHangup(text, language string) string {
	return Document(Say{Text: text, Language: language}, Hangup{})
}
