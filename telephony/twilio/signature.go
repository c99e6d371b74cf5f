package twilio

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the signature's algorithm is Twilio's choice
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// SignatureHeader carries the signature of every webhook and stream upgrade.
const SignatureHeader = "X-Twilio-Signature"

// maxWebhookBytes bounds a webhook's body. Real ones are about 1 kB.
const maxWebhookBytes = 64 << 10

var (
	// ErrSignature is returned for a request whose signature is missing or wrong.
	// Answer 403 and change nothing.
	ErrSignature = errors.New("signature is missing or wrong")
	// ErrTooLarge is returned for a body of more than 64 kB, of which the rest is not read.
	ErrTooLarge = errors.New("body is too large")
	// ErrMalformed is returned for a body or message that does not have the required form.
	ErrMalformed = errors.New("malformed")
)

// VerifierConfig configures a [Verifier].
type VerifierConfig struct {
	// PublicURL is the address at which Twilio reaches this process: scheme, host, and the path
	// that a proxy strips, if any. It must be https, or http on loopback.
	PublicURL string
	// Tokens are the account's auth tokens that are accepted: the primary one, and during a
	// rotation the secondary one too. At least one is required.
	Tokens []Secret
	// Fragments are the tuning fragments of the webhooks' URLs. Whether Twilio signs them is not
	// documented, so a signature is accepted with or without them.
	Fragments []string
}

// Verifier checks that requests come from Twilio. It may be used concurrently.
//
// Twilio signs the URL as it is configured there, so the verifier rebuilds it from the configured
// public URL and the request line; it ignores the Host header and X-Forwarded-* headers.
type Verifier struct {
	http, stream []string // variants of the URL's part before the request's own
	tokens       []Secret
	fragments    []string
}

// NewVerifier returns a verifier, or an error if cfg is not valid.
func NewVerifier(cfg VerifierConfig) (*Verifier, error) {
	u, err := rest.ParseURL(cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("twilio: public URL: %w", err)
	}
	if len(cfg.Tokens) == 0 || slices.Contains(cfg.Tokens, "") {
		return nil, errors.New("twilio: auth token is missing")
	}
	v := &Verifier{tokens: slices.Clone(cfg.Tokens), fragments: []string{""}}
	for _, f := range cfg.Fragments {
		if f = strings.TrimPrefix(f, "#"); f != "" {
			v.fragments = append(v.fragments, "#"+f)
		}
	}
	v.http = origins(u, u.Scheme)
	v.stream = origins(u, streamScheme(u.Scheme))
	return v, nil
}

func streamScheme(scheme string) string {
	if scheme == "https" {
		return "wss"
	}
	return "ws"
}

// origins returns the variants of the start of a URL that Twilio may have signed: as configured,
// without a port, and with the scheme's default port.
func origins(u *url.URL, scheme string) []string {
	port := "443"
	if scheme == "http" || scheme == "ws" {
		port = "80"
	}
	host := u.Hostname()
	bare := host
	if strings.Contains(host, ":") {
		bare = "[" + host + "]"
	}
	hosts := []string{u.Host, bare}
	if u.Port() == "" {
		hosts = append(hosts, net.JoinHostPort(host, port))
	}
	slices.Sort(hosts)
	var all []string
	for _, h := range slices.Compact(hosts) {
		all = append(all, scheme+"://"+h+strings.TrimRight(u.EscapedPath(), "/"))
	}
	return all
}

// StreamURL returns the address of the Media Stream endpoint at path, in the form that TwiML
// requires: wss, or ws if the public URL is plain http on loopback.
func StreamURL(publicURL, path string) (string, error) {
	u, err := rest.ParseURL(publicURL)
	if err != nil {
		return "", fmt.Errorf("stream address: %w", err)
	}
	return streamScheme(u.Scheme) + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/") + path, nil
}

// Form verifies a webhook, which is a POST, and returns its parameters. It reads the body.
//
// Its errors wrap [ErrSignature], [ErrTooLarge] or [ErrMalformed], or the error of reading the
// body.
func (v *Verifier) Form(r *http.Request) (url.Values, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, fmt.Errorf("%w: webhook is not a form", ErrMalformed)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxWebhookBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read webhook: %w", err)
	}
	if len(body) > maxWebhookBytes {
		return nil, fmt.Errorf("read webhook: %w", ErrTooLarge)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fmt.Errorf("%w: webhook is not a form", ErrMalformed) // the cause would quote the body
	}
	if !v.signed(r, v.http, form, "") {
		return nil, ErrSignature
	}
	return form, legible(form)
}

// legible refuses parameters with a NUL, which cannot be stored and which Twilio never sends, and
// replaces invalid UTF-8 by U+FFFD.
func legible(form url.Values) error {
	for name, values := range form {
		for i, value := range values {
			if strings.ContainsRune(name+value, 0) {
				return fmt.Errorf("%w: a parameter holds a NUL", ErrMalformed)
			}
			values[i] = strings.ToValidUTF8(value, "\uFFFD")
		}
	}
	return nil
}

// Upgrade verifies the request that opens a Media Stream. Twilio signs its wss address, sometimes
// with a trailing slash.
func (v *Verifier) Upgrade(r *http.Request) error {
	if !v.signed(r, v.stream, nil, "", "/") {
		return ErrSignature
	}
	return nil
}

// signed reports whether the request's signature matches a variant of its URL under one of the
// tokens.
func (v *Verifier) signed(r *http.Request, origins []string, form url.Values, ends ...string) bool {
	given := []byte(r.Header.Get(SignatureHeader))
	// The request line's path and query as received, before routers strip prefixes.
	target := r.RequestURI
	if !strings.HasPrefix(target, "/") {
		target = r.URL.RequestURI()
	}
	params := signedParams(form)
	good := 0
	for _, token := range v.tokens {
		for _, origin := range origins {
			for _, end := range ends {
				for _, fragment := range v.fragments {
					good |= subtle.ConstantTimeCompare(given, []byte(sign(token, origin+target+end+fragment, params)))
				}
			}
		}
	}
	return good == 1
}

// Sign returns Twilio's signature of a request to address with the given form parameters, which may
// be nil. For a stream upgrade address begins with wss.
func Sign(token Secret, address string, form url.Values) string {
	return sign(token, address, signedParams(form))
}

// signedParams joins parameters as they are signed: by name in byte order, each name followed by
// its value. Each distinct value of a repeated name counts once, in order, as in Twilio's Node
// library.
func signedParams(form url.Values) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(form)) {
		values := slices.Clone(form[name])
		slices.Sort(values)
		for _, value := range slices.Compact(values) {
			b.WriteString(name)
			b.WriteString(value)
		}
	}
	return b.String()
}

func sign(token Secret, address, params string) string {
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(address)) // a hash never fails to write
	mac.Write([]byte(params))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
