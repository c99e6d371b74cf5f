package app

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/naiber/naiber/app/agent"
)

// Simulated reports which services the sandbox stands in for: those of which
// nothing is configured.
type Simulated struct{ Twilio, ElevenLabs, Model bool }

func (c Config) simulated() Simulated {
	return Simulated{
		Twilio:     c.Twilio.AccountSID == "" && c.Twilio.AuthToken.Empty() && c.Twilio.Number == "",
		ElevenLabs: c.ElevenLabs.APIKey.Empty() && c.ElevenLabs.AgentID == "",
		Model:      c.OpenAI.APIKey.Empty(),
	}
}

// Sandboxed returns c with what the sandbox lacks filled in, and the services
// to be simulated; the caller, which starts them, sets their addresses. Keys to
// our own endpoints are made once and stored in the data folder, readable by
// its owner alone, so that a command in another terminal knows them.
func (c Config) Sandboxed() (Config, Simulated, error) {
	simulated := c.simulated()
	keys, err := keptKeys(c.DataDir)
	if err != nil {
		return c, simulated, err
	}
	fillSecret(&c.Auth.LLMSecret, keys.LLMSecret)
	fillSecret(&c.Auth.APIToken, keys.APIToken)
	fillSecret(&c.Auth.AdminPassword, keys.AdminPassword)
	fillSecret(&c.Webhooks.Key, keys.LLMSecret) // secrets derived from it do not reveal it
	if simulated.Model {
		c.OpenAI.APIKey = NewSecret(rand.Text())
	}
	if simulated.Twilio {
		c.Twilio.AccountSID = "AC" + randomHex(16)
		c.Twilio.AuthToken = NewSecret(randomHex(16))
		c.Twilio.Number = "+15005550006" // Twilio's number for tests, which nobody has
		c.Calls.LegalHours = false       // calls to simulated telephones break no law
	}
	if simulated.ElevenLabs {
		c.ElevenLabs.APIKey = NewSecret("sk_" + randomHex(24))
		c.ElevenLabs.AgentID = "agent_sandbox"
		fillSecret(&c.ElevenLabs.WebhookSecret, "wsec_"+randomHex(32))
	}
	if c.Server.Host == "" {
		c.Server.Host = "127.0.0.1"
	}
	if c.Server.PublicURL == "" && c.Server.Port != 0 {
		host := "127.0.0.1"
		if agent.Loopback(c.Server.Host) {
			host = c.Server.Host
		}
		c.Server.PublicURL = "http://" + net.JoinHostPort(host, strconv.Itoa(c.Server.Port))
	}
	return c, simulated, nil
}

// SandboxAPIToken returns the bearer token of the sandbox whose data is in
// dataDir; found is false if there never was one.
func SandboxAPIToken(dataDir string) (token Secret, found bool, err error) {
	keys, err := readKeys(keysFile(dataDir))
	if errors.Is(err, fs.ErrNotExist) {
		return Secret{}, false, nil
	}
	return NewSecret(keys.APIToken), err == nil, err
}

// sandboxKeys is the content of the keys file. Its fields are plain strings,
// because the file must hold them.
type sandboxKeys struct {
	LLMSecret     string `json:"llm_secret"`
	APIToken      string `json:"api_token"`
	AdminPassword string `json:"admin_password"`
}

func keysFile(dataDir string) string { return filepath.Join(dataDir, "sandbox-keys.json") }

func readKeys(path string) (sandboxKeys, error) {
	var keys sandboxKeys
	data, err := os.ReadFile(path)
	if err != nil {
		return keys, fmt.Errorf("read the sandbox's keys: %w", err)
	}
	if err := json.Unmarshal(data, &keys); err != nil {
		return keys, fmt.Errorf("read the sandbox's keys: %s is not ours; remove it: %w", path, err)
	}
	if keys.LLMSecret == "" || keys.APIToken == "" || keys.AdminPassword == "" {
		return keys, fmt.Errorf("read the sandbox's keys: %s is incomplete; remove it", path)
	}
	return keys, nil
}

// keptKeys reads the keys, or makes them. The folder's lock keeps two processes
// from making them at the same time.
func keptKeys(dataDir string) (sandboxKeys, error) {
	path := keysFile(dataDir)
	keys, err := readKeys(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	keys = sandboxKeys{LLMSecret: rand.Text(), APIToken: rand.Text(), AdminPassword: rand.Text()}
	if err := publish(path, keys); err != nil {
		return keys, fmt.Errorf("keep the sandbox's keys: %w", err)
	}
	return keys, nil
}

// publish writes the keys atomically: a concurrent reader finds all of them or
// none.
func publish(path string, keys sandboxKeys) error {
	data, err := json.Marshal(keys) //nolint:gosec // a file of keys is what it is
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the private database's user passes through
		return err
	}
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func fillSecret(s *Secret, value string) {
	if s.Empty() {
		*s = NewSecret(value)
	}
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
