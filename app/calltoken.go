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
// comes back with each of its turns; whether the call still lives is asked of
// the directory, not of the token.
type tokens struct{ key []byte }

// newTokens derives the signing key from the model endpoint's secret: the two
// open the same door, for the same caller.
func newTokens(secret string) (tokens, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "naiber call token v1", sha256.Size)
	return tokens{key}, err
}

// mint returns the token of a call: its id, a dot, and the signature.
func (t tokens) mint(id store.CallID) string {
	return id.String() + "." + base64.RawURLEncoding.EncodeToString(t.sign(id.String()))
}

// verify returns the call that a token names, and false for one that is not ours.
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
