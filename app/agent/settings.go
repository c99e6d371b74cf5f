// Package agent keeps the voice agent at ElevenLabs as nAIber needs it: it looks
// at how the agent, the secret that the agent presents to our model endpoint and
// the webhook that is told of finished conversations stand, says what differs,
// and sets it right.
//
// It promises to show before it changes, to find what an earlier, interrupted
// run made instead of making it twice, and to read back what it wrote. What is
// not nAIber's business on an agent is left to whoever looks after it.
package agent

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

// Names of what is created, by which it is found again.
const (
	name       = "naiber"
	secretName = name + "-llm"
	cognitive  = name + "-cognitive" // the agent of cognitive checks
)

// Settings is what the agent is to be like.
type Settings struct {
	// Cognitive says that this is the agent of cognitive checks, called naiber-cognitive:
	// it leaves more time to think.
	Cognitive bool
	// AgentID is the agent to be kept. Empty means the one called naiber, or a new one.
	AgentID elevenlabs.AgentID
	// PublicURL is how ElevenLabs reaches this process: https, or http on
	// loopback. Required.
	PublicURL string
	// LLMSecret is the bearer that the model endpoint wants. Required to apply a
	// plan, not to make one.
	LLMSecret elevenlabs.Secret
	// VoiceID is the agent's voice. Empty leaves the agent's own.
	VoiceID string
	// TTSModel is the speech model. Empty leaves the agent's own where that can
	// speak all Languages, else a fast one that can.
	TTSModel string
	// Languages are those that a conversation may choose besides English.
	Languages []string
	// MaxDuration ends a conversation, in whole seconds. Zero means 30 minutes.
	MaxDuration time.Duration
	// HasWebhookSecret says whether the configuration holds a webhook's secret.
	// Where it does not although the webhook exists, the plan says what to do.
	HasWebhookSecret bool
}

// name is what the agent is called, and by which it is found.
func (s Settings) name() string {
	if s.Cognitive {
		return cognitive
	}
	return name
}

// Variable is the environment variable that holds the agent's id.
func (s Settings) Variable() string {
	if s.Cognitive {
		return "ELEVENLABS_COGNITIVE_AGENT_ID"
	}
	return "ELEVENLABS_AGENT_ID"
}

// webhookURL is told of finished conversations.
func (s Settings) webhookURL() string { return s.PublicURL + "/elevenlabs/webhook" }

// check returns what is wrong with the address.
func (s Settings) check() error {
	if s.PublicURL == "" {
		return errors.New("PUBLIC_URL is not set: ElevenLabs could not reach the model endpoint")
	}
	u, err := url.Parse(s.PublicURL)
	switch {
	case err != nil:
		return errors.New("PUBLIC_URL is not a URL") // the cause would repeat it, with any password
	case u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("PUBLIC_URL must be a scheme, a host and perhaps a path, and no more")
	case u.Scheme == "https", u.Scheme == "http" && Loopback(u.Hostname()):
		return nil
	default:
		return errors.New("PUBLIC_URL must be https, or http on loopback")
	}
}

// Loopback reports whether a host is this machine itself.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// englishModels are the speech models that speak English only.
var englishModels = []string{"eleven_flash_v2", "eleven_turbo_v2", "eleven_monolingual_v1"}

// desired is the configuration that the agent must have, given how it stands
// (nil: it does not exist) and the ids of secret and webhook.
func (s Settings) desired(current *elevenlabs.Agent, secret elevenlabs.SecretID, webhook elevenlabs.WebhookID) (elevenlabs.Document, error) {
	want := elevenlabs.AgentSettings{
		Name: s.name(), LLMURL: s.PublicURL + "/v1", SecretID: secret, WebhookID: webhook,
		VoiceID: s.VoiceID, TTSModel: s.TTSModel, Language: "en", Languages: s.Languages,
		MaxDurationSeconds: int((s.MaxDuration + time.Second - 1) / time.Second), Unhurried: s.Cognitive,
	}
	if current != nil {
		if s.AgentID != "" && current.Name != "" {
			want.Name = current.Name // known by its id, so its name is its owner's
		}
		model := textAt(current.Config, "conversation_config", "tts", "model_id")
		if speaks := len(s.Languages) == 0 || !slices.Contains(englishModels, model); want.TTSModel == "" && speaks {
			want.TTSModel = model
		}
	}
	return want.Config()
}

// textAt returns the text at path, or "" where there is none.
func textAt(d map[string]any, path ...string) string {
	for _, name := range path[:len(path)-1] {
		inner, isObject := d[name].(map[string]any)
		if !isObject {
			return ""
		}
		d = inner
	}
	text, _ := d[path[len(path)-1]].(string) // "" when it is anything else
	return text
}
