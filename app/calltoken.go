package app

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/naiber/naiber/store"
)

// tokens signs the ids of calls, so that a request for a turn proves which call
// it is for. The token goes to the voice service with the call's opening and
// returns with each turn. Whether the call is still live is a question for the
// directory, not for the token.
type tokens struct{ key []byte }

// newTokens derives the signing key from the secret of the model endpoint: both
// authorize the same caller at the same endpoint.
func newTokens(secret string) (tokens, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "naiber call token v1", sha256.Size)
	return tokens{key}, err
}

// mint returns the token of a call: its id, a dot, and the signature.
func (t tokens) mint(id store.CallID) string {
	return id.String() + "." + base64.RawURLEncoding.EncodeToString(t.sign(id.String()))
}

// verify returns the call that a token names, and false if we did not sign it.
func (t tokens) verify(token string) (store.CallID, bool) {
	id, sig, ok := strings.Cut(token, ".")
	if !ok {
		return store.CallID{}, false
	}
	mac, err := base64.RawURLEncoding.DecodeString(sig)
	if err != nil || !hmac.Equal(mac, t.sign(id)) {
		return store.CallID{}, false
	}
	call, err := store.ParseCallID(id)
	return call, err == nil
}

func (t tokens) sign(id string) []byte {
	h := hmac.New(sha256.New, t.key)
	h.Write([]byte(id))
	return h.Sum(nil)
}
