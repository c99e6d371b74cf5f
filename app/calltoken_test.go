package app

import (
	"strings"
	"testing"

	"github.com/naiber/naiber/store"
)

func TestCallTokenNamesItsCallOnly(t *testing.T) {
	t.Parallel()
	ours, err := newTokens("a secret of some length")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := newTokens("another secret of some length")
	if err != nil {
		t.Fatal(err)
	}
	id, other := store.NewCallID(), store.NewCallID()
	token := ours.mint(id)
	if got, ok := ours.verify(token); !ok || got != id {
		t.Fatalf("verify(%q) = %v, %v; want %v", token, got, ok, id)
	}
	_, sig, _ := strings.Cut(token, ".")
	for name, bad := range map[string]string{
		"empty":             "",
		"id alone":          id.String(),
		"another call":      other.String() + "." + sig,
		"another key":       theirs.mint(id),
		"cut":               token[:len(token)-1],
		"not base64":        id.String() + ".!!",
		"signed, but no id": "x." + sig,
	} {
		if got, ok := ours.verify(bad); ok {
			t.Errorf("%s: %q is taken for call %v", name, bad, got)
		}
	}
}

func FuzzCallToken(f *testing.F) {
	t, err := newTokens("a secret of some length")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(t.mint(store.NewCallID()))
	f.Add("a.b")
	f.Fuzz(func(tt *testing.T, token string) {
		if id, ok := t.verify(token); ok && !strings.HasPrefix(token, id.String()) {
			tt.Errorf("%q names %v", token, id)
		}
	})
}
