package doctor

import (
	"context"
	"net/http"

	"github.com/coder/websocket"

	"github.com/naiber/naiber/telephony/twilio"
)

// streamPath is the path to which Twilio streams a call's audio.
const streamPath = "/outbound-media-stream"

// stream checks that a media stream opens with Twilio's signature, and not with another. It
// closes the stream before it names a call.
func (p Public) stream(ctx context.Context) Finding {
	if p.TwilioToken == "" {
		return skip("TWILIO_AUTH_TOKEN is not set, so nothing can be signed")
	}
	address, err := twilio.StreamURL(p.URL, streamPath)
	if err != nil {
		return fail(reason(err), "Correct PUBLIC_URL.")
	}
	status, err := p.upgrade(ctx, address, "bm90IGEgc2lnbmF0dXJl")
	if status == http.StatusSwitchingProtocols {
		return fail("a stream with a wrong signature was let in", "Something else than nAIber answers at "+address+".")
	}
	if status == http.StatusForbidden {
		status, err = p.upgrade(ctx, address, twilio.Sign(p.TwilioToken, address, nil))
		switch status {
		case http.StatusSwitchingProtocols:
			return ok("opens to Twilio's signature only")
		case http.StatusForbidden:
			return fail("a good signature is refused",
				"The server runs with another PUBLIC_URL or TWILIO_AUTH_TOKEN, or the proxy changes the path. Restart the server.")
		}
	}
	switch status {
	case 0:
		return fail(reason(err), "See the public address above.")
	case http.StatusServiceUnavailable:
		return warn("nAIber takes no calls now: it is about to stop", "Run this again when it is up.")
	default:
		return fail("an upgrade is answered with "+statusText(status), "The proxy must pass on WebSockets: the Upgrade and Connection headers, and HTTP/1.1.")
	}
}

// upgrade opens a WebSocket and closes it again. The status is 0 if there was no answer.
func (p Public) upgrade(ctx context.Context, address, signature string) (status int, err error) {
	conn, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{ //nolint:bodyclose // the library does
		HTTPClient: &http.Client{
			Transport:     transport(p.HTTPClient),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		HTTPHeader: http.Header{twilio.SignatureHeader: {signature}, "User-Agent": {"naiber-doctor"}},
	})
	if err != nil {
		if resp == nil {
			return 0, err
		}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			return 0, err // the failure came after the upgrade
		}
		return resp.StatusCode, err
	}
	// The server may close first, since no start message came; both are fine.
	_ = conn.Close(websocket.StatusNormalClosure, "")
	return http.StatusSwitchingProtocols, nil
}
