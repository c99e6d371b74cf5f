package app

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A database that does not start hides nothing else, and every mistake of the
// configuration has a line of its own.
func TestDoctorGoesOnWithoutDatabase(t *testing.T) {
	t.Parallel()
	cfg, err := Load(LoadOptions{Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const nobody = "http://127.0.0.1:1"
	cfg.DataDir, cfg.Twilio.BaseURL, cfg.ElevenLabs.BaseURL, cfg.OpenAI.BaseURL = file, nobody, nobody, nobody
	p := &program{out: io.Discard, errOut: io.Discard, cfg: cfg, log: slog.New(slog.DiscardHandler)}
	var out bytes.Buffer
	if well, err := p.Doctor(t.Context(), &out, false); well || err != nil {
		t.Errorf("well %t, %v", well, err)
	}
	for _, want := range []string{
		"✗ database", "the private one does not start: ", "NAIBER_DATA_DIR", "✓ time zones",
		"→ auth.llm_secret is missing", "\n                                twilio.number is missing",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
