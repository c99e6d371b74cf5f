package app

import "github.com/naiber/naiber/store"

// MintCallToken returns the signed token of a call, as the voice service is given
// it at a call's opening.
func MintCallToken(secret string, id store.CallID) (string, error) {
	t, err := newTokens(secret)
	return t.mint(id), err
}
