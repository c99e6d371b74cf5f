package carrier

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the signature's definition asks for SHA-1
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/naiber/naiber/app/sandbox/faults"
)

// sign is X-Twilio-Signature: the HMAC-SHA1 under token of the URL, followed
// by every parameter's name and value in byte order of the names.
func sign(token, rawURL string, form url.Values) string {
	var b strings.Builder
	b.WriteString(rawURL)
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range form[name] {
			b.WriteString(name)
			b.WriteString(value)
		}
	}
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(b.String()))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// token is what to sign with, which a fault can make wrong.
func (c *Carrier) token() string {
	if c.cfg.Faults.On(faults.BadSignature) {
		return "not-" + c.cfg.AuthToken
	}
	return c.cfg.AuthToken
}
