package app

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func TestSecretNeverShows(t *testing.T) {
	t.Parallel()
	const hidden = "hunter2"
	c := Default()
	c.Auth.APIToken = NewSecret(hidden)
	c.Database.URL = NewSecret(hidden)
	inside := map[string]any{"a": c, "b": &c, "c": []Secret{NewSecret(hidden)}, "d": &c.Auth}

	var shown bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&shown, verb, NewSecret(hidden))
		fmt.Fprintf(&shown, verb, c)
		fmt.Fprintf(&shown, verb, inside)
	}
	fmt.Fprint(&shown, NewSecret(hidden), c.Auth)
	for _, log := range []*slog.Logger{
		slog.New(slog.NewTextHandler(&shown, nil)), slog.New(slog.NewJSONHandler(&shown, nil)),
	} {
		log.InfoContext(t.Context(), "x", slog.Any("secret", NewSecret(hidden)), slog.Any("config", c), slog.Any("auth", c.Auth))
	}
	for name, encode := range map[string]func(any) ([]byte, error){"json": json.Marshal, "yaml": yaml.Marshal} {
		out, err := encode(inside)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		shown.Write(out)
	}
	type auth struct{ LLMSecret, APIToken, AdminPassword Secret } // XML wants a name
	out, err := xml.Marshal(auth(c.Auth))
	if err != nil {
		t.Fatal(err)
	}
	shown.Write(out)

	for _, form := range []string{hidden, fmt.Sprintf("%x", hidden), fmt.Sprintf("%X", hidden)} {
		if strings.Contains(shown.String(), form) {
			t.Errorf("%q shows in:\n%s", form, shown.String())
		}
	}
	if NewSecret(hidden).Reveal() != hidden {
		t.Error("Reveal does not reveal")
	}
	if got := fmt.Sprint(Secret{}); got != "" {
		t.Errorf("nothing shows as %q", got)
	}
}
