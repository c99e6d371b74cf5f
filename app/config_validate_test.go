package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// complete is a configuration with real services.
func complete() Config {
	c := Default()
	c.Server.PublicURL = "https://naiber.example.org"
	c.OpenAI.APIKey = NewSecret("sk-test")
	c.Twilio.AccountSID = "AC" + strings.Repeat("0", 32)
	c.Twilio.AuthToken = NewSecret("token")
	c.Twilio.Number = "+15551234567"
	c.ElevenLabs.APIKey = NewSecret("key")
	c.ElevenLabs.AgentID = "agent_1"
	c.Auth.LLMSecret = NewSecret("a-secret-of-the-model")
	c.Auth.APIToken = NewSecret("a-token-of-the-api")
	return c
}

func gmail(c *Config) {
	c.Email.Host, c.Email.User, c.Email.Password = "smtp.gmail.com", "ada@gmail.com", NewSecret("sesame")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		mode   Mode
		change func(*Config)
		want   []string // parts, one for each line
	}{
		{"complete", ForService, func(*Config) {}, nil},
		{"tools need nothing", ForTools, func(c *Config) { *c = Default() }, nil},
		{"the sandbox needs nothing", ForSandbox, func(c *Config) { *c = Default() }, nil},
		{"the service needs all", ForService, func(c *Config) { *c = Default() }, []string{
			"auth.llm_secret is missing: set it in the file, or NAIBER_LLM_SECRET", "auth.api_token", "server.public_url",
			"openai.api_key", "twilio.account_sid", "twilio.auth_token", "twilio.number", "elevenlabs.api_key", "elevenlabs.agent_id",
		}},
		{"half a carrier in the sandbox", ForSandbox, func(c *Config) { *c = Default(); c.Twilio.Number = "+15551234567" }, []string{
			"server.public_url", "twilio.account_sid", "twilio.auth_token",
		}},
		{"a real model in the sandbox", ForSandbox, func(c *Config) { *c = Default(); c.OpenAI.APIKey = NewSecret("sk") }, nil},
		{"one key for two doors", ForService, func(c *Config) { c.Auth.APIToken = c.Auth.LLMSecret }, []string{
			"auth.llm_secret and auth.api_token must differ",
		}},
		{"quiet hours of no length", ForTools, func(c *Config) { c.Calls.QuietEnd = c.Calls.QuietStart }, []string{"calls.quiet_start"}},
		{"late filler", ForTools, func(c *Config) { c.Turn.FillerAfter = c.Turn.FirstTokenDeadline }, []string{"turn.filler_after"}},
		{"late failover", ForTools, func(c *Config) { c.Turn.FailoverAfter = c.Turn.FirstTokenDeadline }, []string{"turn.failover_after"}},
		{"late first token", ForTools, func(c *Config) { c.Turn.FirstTokenDeadline = c.Turn.Deadline }, []string{"turn.first_token_deadline"}},
		{"a check that waits for models too long", ForTools, func(c *Config) { c.Health.ReadDeadline = c.Turn.FirstTokenDeadline - c.Health.WordsDeadline }, []string{"health.words_deadline and health.read_deadline"}},
		{"checks forgotten before they are resumed", ForTools, func(c *Config) { c.Checkpoints.TTL = c.Health.ResumeWindow - 1 }, []string{"health.resume_window"}},
		{"checks kept just as long as they are resumed", ForTools, func(c *Config) { c.Checkpoints.TTL = c.Health.ResumeWindow }, nil},
		{"mail by Gmail", ForService, gmail, nil},
		{"mail without a password", ForService, func(c *Config) { c.Email.Host, c.Email.From = "mail.example.org", "nAIber <help@example.org>" }, nil},
		{"a mail user without a host", ForTools, func(c *Config) { gmail(c); c.Email.Host = "" }, []string{"email.host must be set"}},
		{"mail from nobody", ForTools, func(c *Config) { gmail(c); c.Email.User = "ada" }, []string{"email.from"}},
		{"half of who we are", ForTools, func(c *Config) { gmail(c); c.Email.Password = Secret{} }, []string{"email.user and email.password"}},
		{"a password for all to read", ForTools, func(c *Config) { gmail(c); c.Email.TLS = "none" }, []string{"email.tls"}},
		{"long silence", ForTools, func(c *Config) { c.Calls.SilenceHangup = c.Calls.TimeLimit }, []string{"calls.silence_hangup"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := complete()
			tt.change(&c)
			var lines []string
			if err := c.Validate(tt.mode); err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if len(lines) != len(tt.want) {
				t.Fatalf("got %d problems %q, want %d", len(lines), lines, len(tt.want))
			}
			for i, part := range tt.want {
				if !strings.Contains(lines[i], part) {
					t.Errorf("line %d: got %q, want %q", i, lines[i], part)
				}
			}
		})
	}
}

func TestSandboxed(t *testing.T) {
	t.Parallel()
	c := Default()
	c.DataDir = filepath.Join(t.TempDir(), "data")
	if _, found, err := SandboxAPIToken(c.DataDir); found || err != nil {
		t.Errorf("before the first start: %v, %v", found, err)
	}
	got, simulated, err := c.Sandboxed()
	if err != nil {
		t.Fatal(err)
	}
	if got.Calls.LegalHours {
		t.Error("the sandbox keeps the law's hours: it cannot be tried at night")
	}
	if simulated != (Simulated{Twilio: true, ElevenLabs: true, Model: true}) {
		t.Errorf("simulated = %+v", simulated)
	}
	if err := got.Validate(ForService); err != nil {
		t.Errorf("what was filled in does not do for a service: %v", err)
	}
	if got.Server.Host != "127.0.0.1" || got.Server.PublicURL != "http://127.0.0.1:3000" {
		t.Errorf("host %q, public URL %q", got.Server.Host, got.Server.PublicURL)
	}
	l := loader{cfg: got}
	if l.check(); len(l.problems) > 0 {
		t.Errorf("what was filled in is wrong: %v", l.problems)
	}

	// The keys are the same next time, and private.
	again, _, err := c.Sandboxed()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got.Auth, again.Auth); diff != "" {
		t.Errorf("the keys changed: %s", diff)
	}
	if token, found, err := SandboxAPIToken(c.DataDir); !token.Equal(got.Auth.APIToken) || !found || err != nil {
		t.Errorf("SandboxAPIToken: same %v, %v, %v", token.Equal(got.Auth.APIToken), found, err)
	}
	info, err := os.Stat(keysFile(c.DataDir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("keys file: %v, %v", info, err)
	}
	if entries, err := os.ReadDir(c.DataDir); err != nil || len(entries) != 1 {
		t.Errorf("data folder: %v, %v", entries, err)
	}
}

func TestSandboxedKeepsWhatIsSet(t *testing.T) {
	t.Parallel()
	c := complete()
	c.DataDir = t.TempDir()
	c.Server.Host = "0.0.0.0"
	got, simulated, err := c.Sandboxed()
	if err != nil || simulated != (Simulated{}) {
		t.Fatalf("%+v, %v", simulated, err)
	}
	c.Auth.AdminPassword, c.Webhooks.Key = got.Auth.AdminPassword, got.Webhooks.Key // what was missing
	if diff := cmp.Diff(c, got, ignoreSources); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBrokenSandboxKeys(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", "not json", `{"api_token": "x"}`} {
		c := Default()
		c.DataDir = t.TempDir()
		if err := os.WriteFile(keysFile(c.DataDir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Sandboxed(); err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
