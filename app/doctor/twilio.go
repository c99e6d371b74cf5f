package doctor

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/naiber/naiber/telephony/twilio"
)

const twilioFix = "Set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN to the values shown at https://console.twilio.com."

// twilioMissing returns the finding without a client.
func twilioMissing() Finding {
	return fail("not configured", twilioFix+"\nTo try nAIber without an account: naiber serve --sandbox")
}

// TwilioAccount returns a check that the credentials are valid and the account may call. A nil
// client means that there are none.
func TwilioAccount(client *twilio.Client) Check {
	return Check{Name: "twilio account", Run: func(ctx context.Context) Finding {
		if client == nil {
			return twilioMissing()
		}
		a, err := client.Account(ctx)
		switch {
		case refusedByTwilio(err):
			return fail("the credentials are refused", twilioFix)
		case twilio.ClassOf(err) == twilio.ClassNotFound:
			return fail("Twilio does not know the account", twilioFix)
		case err != nil:
			return fail(reason(err), "Check the network, TWILIO_BASE_URL, and https://status.twilio.com.")
		case !a.Active():
			return fail("the account is "+a.Status, "See https://console.twilio.com for the reason; an unpaid bill is the usual one.")
		case a.Trial():
			return warn("a trial account: only verified numbers can be called, after an announcement", "Upgrade at https://console.twilio.com.")
		}
		return ok("the account is active")
	}}
}

// TwilioNumber returns a check that the number is ours, has voice, and calls us at publicURL.
// texts means that text messages are sent from it, too.
func TwilioNumber(client *twilio.Client, number, publicURL string, texts bool) Check {
	return Check{Name: "twilio number", Run: func(ctx context.Context) Finding {
		switch {
		case client == nil:
			return skip("there is no account")
		case number == "":
			return fail("TWILIO_NUMBER is not set", "Set TWILIO_NUMBER to a number of the account, as in +15551234567.")
		}
		n, found, err := client.Number(ctx, number)
		switch {
		case refusedByTwilio(err):
			return skip("the credentials are refused")
		case err != nil:
			return fail(reason(err), "Check the network, TWILIO_BASE_URL, and https://status.twilio.com.")
		case !found:
			return fail("the account has no number "+masked(number),
				"Buy it, or set TWILIO_NUMBER to one of https://console.twilio.com/us1/develop/phone-numbers/manage/incoming.")
		}
		n.Capabilities.SMS = n.Capabilities.SMS && texts
		return judgeNumber(n, strings.TrimRight(publicURL, "/"))
	}}
}

// judgeNumber returns the finding for a number's configuration.
func judgeNumber(n twilio.Number, publicURL string) Finding {
	voice, status := publicURL+"/twilio/voice", publicURL+"/twilio/status"
	where := "At Twilio, for the number " + masked(n.PhoneNumber) + ", "
	set := where + "set “A call comes in” to webhook, " + voice + ", HTTP POST,\nand “Call status changes” to " + status + "."
	switch {
	case !n.Capabilities.Voice:
		return fail(masked(n.PhoneNumber)+" cannot make voice calls", "Buy a number with voice, and set TWILIO_NUMBER to it.")
	case publicURL == "":
		return skip("PUBLIC_URL is not set, so there is nothing to compare the number's webhooks with")
	case n.ApplicationSID != "":
		return fail(masked(n.PhoneNumber)+" is handled by the TwiML app "+n.ApplicationSID+", which takes the place of its webhooks",
			where+"choose webhooks in place of the TwiML app, then\nset “A call comes in” to "+voice+", HTTP POST, and “Call status changes” to "+status+".")
	case n.VoiceURL == "":
		return fail("calls to "+masked(n.PhoneNumber)+" go nowhere", set)
	case address(n.VoiceURL) != voice:
		return fail("calls to "+masked(n.PhoneNumber)+" go to "+address(n.VoiceURL), set)
	case n.VoiceMethod != http.MethodPost:
		return fail("calls to "+masked(n.PhoneNumber)+" are announced by "+n.VoiceMethod, set)
	case address(n.StatusCallback) != status:
		return warn("the end of calls to "+masked(n.PhoneNumber)+" is not reported here", set)
	case n.Capabilities.SMS && address(n.SMSURL) != publicURL+"/twilio/sms":
		return warn("text messages to "+masked(n.PhoneNumber)+" do not come here: nobody can answer one about an alert",
			where+"set “A message comes in” to webhook, "+publicURL+"/twilio/sms, HTTP POST.")
	}
	return ok(masked(n.PhoneNumber) + " can make and take calls")
}

// address returns a webhook's URL without its fragment, credentials and query, which may hold a
// secret.
func address(hook string) string {
	hook, _, _ = strings.Cut(hook, "#")
	hook, _, hasQuery := strings.Cut(hook, "?")
	if hasQuery {
		hook += "?…"
	}
	scheme, rest, ok := strings.Cut(hook, "://")
	if !ok {
		return hook
	}
	host, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = "…" + host[at:]
	}
	if hasPath {
		host += "/" + path
	}
	return scheme + "://" + host
}

// masked returns the part of a telephone number that may be shown: its last two digits.
func masked(number string) string {
	return "…" + number[max(0, len(number)-2):]
}

func refusedByTwilio(err error) bool {
	e, isTwilio := errors.AsType[*twilio.Error](err)
	return isTwilio && e.HTTPStatus == http.StatusUnauthorized
}
