package twilio

import (
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// TwiMLContentType is the Content-Type of an answer to the voice webhook.
const TwiMLContentType = "text/xml; charset=utf-8"

// response is a TwiML document, its instructions in the order in which they are
// carried out. What is empty is left out.
type response struct {
	XMLName  xml.Name `xml:"Response"`
	Connect  *connect
	Redirect string `xml:",omitempty"`
	Say      *say
	Hangup   *struct{}
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

// String returns the document. Text is escaped; characters that XML cannot hold
// become U+FFFD.
func (r response) String() string {
	out, err := xml.Marshal(r)
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
	c := &connect{Stream: stream{URL: streamURL}}
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
	return response{Connect: c, Redirect: redirectURL}.String(), nil
}

func checkStreamURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "":
		return errors.New("stream address is not a URL")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return errors.New("stream address must have no query and no fragment")
	case u.Scheme == "wss", u.Scheme == "ws" && rest.IsLoopback(u.Hostname()):
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
	return response{Say: &say{Language: language, Text: text}, Hangup: &struct{}{}}.String()
}

// Hangup returns TwiML that ends the call.
func Hangup() string { return response{Hangup: &struct{}{}}.String() }
