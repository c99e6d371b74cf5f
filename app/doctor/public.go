package doctor

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/naiber/naiber/app/agent"
	"github.com/naiber/naiber/telephony/twilio"
)

// Public is the way in which others reach this process. Its checks need a running server, and are
// skipped without one.
type Public struct {
	// URL is PUBLIC_URL.
	URL string
	// LocalURL is the server's own address, such as http://127.0.0.1:3000. If empty, the server
	// is taken to run, and whatever answers at URL to be it.
	LocalURL string
	// Outside means that Twilio or ElevenLabs is the real service, which cannot reach loopback.
	Outside bool
	// LLMSecret is the bearer of the model endpoint.
	LLMSecret string
	// TwilioToken signs the test of the media stream.
	TwilioToken twilio.Secret
	// HTTPClient's transport is used unless it is nil.
	HTTPClient *http.Client
}

// Checks returns the checks of the address, the media stream and the model endpoint.
func (p Public) Checks() []Check {
	p.URL, p.LocalURL = strings.TrimRight(p.URL, "/"), strings.TrimRight(p.LocalURL, "/")
	return []Check{
		{Name: "public address", Run: p.reach},
		{Name: "media stream", Run: p.whenRunning(p.stream)},
		{Name: "model endpoint", Run: p.whenRunning(p.endpoint)},
	}
}

// reach checks the address, and that it leads to our server.
func (p Public) reach(ctx context.Context) Finding {
	if f, bad := p.address(); bad {
		return f
	}
	local, running := p.local(ctx)
	if !running {
		return warn("nAIber does not run here, so it cannot be tried whether "+p.URL+" leads to it", "Run naiber serve, and this again.")
	}
	got, err := ask(ctx, p.HTTPClient, http.MethodGet, p.URL+"/healthz", nil, "")
	const fix = "PUBLIC_URL must lead to this process: check DNS, certificate, proxy or tunnel."
	switch {
	case err != nil:
		return fail(p.URL+" cannot be reached: "+reason(err), fix)
	case got.status >= 300 && got.status < 400:
		return fail(p.URL+" redirects to another address, which breaks signatures", "Set PUBLIC_URL to the address that it redirects to.")
	case got.status != http.StatusOK:
		return fail(p.URL+" answers "+statusText(got.status), fix)
	case !strings.HasPrefix(got.body, "ok"):
		return fail(p.URL+" is answered by something other than nAIber", fix)
	case p.LocalURL != "" && strings.TrimSpace(got.body) != local:
		return warn(p.URL+" is answered by another process of nAIber than the one here", "That is right only where several share the address.")
	}
	return ok(p.URL + " leads here")
}

// address checks the URL without a request. It returns a finding and true if something is wrong.
func (p Public) address() (Finding, bool) {
	const fix = "Set PUBLIC_URL to the https address by which Twilio and ElevenLabs reach this process."
	if p.URL == "" {
		return fail("PUBLIC_URL is not set", fix), true
	}
	u, err := url.Parse(p.URL)
	switch {
	case err != nil, u != nil && u.Hostname() == "":
		return fail("PUBLIC_URL is not an address", fix), true
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fail("PUBLIC_URL is more than a scheme, a host and perhaps a path", fix), true
	case u.Scheme == "http" && !agent.Loopback(u.Hostname()):
		return fail("PUBLIC_URL is plain http", fix), true
	case u.Scheme != "http" && u.Scheme != "https":
		return fail("PUBLIC_URL is neither https nor http", fix), true
	case p.Outside && agent.Loopback(u.Hostname()):
		return fail("PUBLIC_URL is this machine's own loopback, which Twilio and ElevenLabs do not reach", fix+"\nA tunnel such as cloudflared or ngrok gives one."), true
	}
	return Finding{}, false
}

// local returns the server's own answer to a health request, and whether it runs.
func (p Public) local(ctx context.Context) (body string, running bool) {
	if p.LocalURL == "" {
		return "", true
	}
	got, err := ask(ctx, p.HTTPClient, http.MethodGet, p.LocalURL+"/healthz", nil, "")
	if err != nil || got.status != http.StatusOK {
		return "", false
	}
	return strings.TrimSpace(got.body), true
}

// whenRunning returns run, but skips it if the address is wrong or the server does not run.
func (p Public) whenRunning(run func(context.Context) Finding) func(context.Context) Finding {
	return func(ctx context.Context) Finding {
		if _, bad := p.address(); bad {
			return skip("PUBLIC_URL is not right")
		}
		if _, running := p.local(ctx); !running {
			return skip("nAIber does not run")
		}
		return run(ctx)
	}
}

// endpoint checks that the model endpoint refuses strangers and admits ElevenLabs.
func (p Public) endpoint(ctx context.Context) Finding {
	const path = "/v1/chat/completions"
	header := http.Header{"Content-Type": {"application/json"}}
	got, err := ask(ctx, p.HTTPClient, http.MethodPost, p.URL+path, header, "{}")
	switch {
	case err != nil:
		return fail(reason(err), "See the public address above.")
	case got.status == http.StatusNotFound || got.status == http.StatusMethodNotAllowed:
		return fail(path+" is not there: "+statusText(got.status), "The proxy must pass on every path below PUBLIC_URL.")
	case got.status >= 500:
		return fail(path+" answers "+statusText(got.status), "See the logs of nAIber, and of the proxy if there is one.")
	case got.status != http.StatusUnauthorized:
		return fail(path+" answers a stranger with "+statusText(got.status)+", not 401", "The proxy must pass on requests as they are, and must not add a bearer.")
	case p.LLMSecret == "":
		return fail("NAIBER_LLM_SECRET is not set, so ElevenLabs cannot get in", "Set NAIBER_LLM_SECRET (openssl rand -hex 32), restart, and run: naiber agent sync")
	}
	got, err = ask(ctx, p.HTTPClient, http.MethodGet, p.URL+"/v1/models", http.Header{"Authorization": {"Bearer " + p.LLMSecret}}, "")
	switch {
	case err != nil:
		return fail(reason(err), "See the public address above.")
	case got.status == http.StatusUnauthorized:
		return fail("the bearer is refused", "The server runs with another NAIBER_LLM_SECRET, or the proxy drops the Authorization header.\nRestart the server; then run: naiber agent sync")
	case got.status != http.StatusOK || !strings.Contains(got.body, `"data"`):
		return fail("/v1/models answers "+statusText(got.status)+", without a list of models", "The proxy must pass on every path below PUBLIC_URL.")
	}
	return ok("shut to strangers, open to who has the secret")
}
