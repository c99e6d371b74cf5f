// Package agent keeps the voice agent at ElevenLabs as nAIber needs it. It reads the state of the
// agent, of the secret that the agent presents to our model endpoint and of the webhook that
// receives finished conversations, says what differs, and corrects it.
//
// It shows changes before it makes them, finds what an earlier, interrupted run created instead
// of creating it twice, and reads back what it wrote. Settings of the agent that nAIber does not
// need are left to its owner.
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

// Settings is the desired state of the agent.
type Settings struct {
	// Cognitive means that this is the agent of cognitive checks, called naiber-cognitive, which
	// leaves more time to think.
	Cognitive bool
	// AgentID is the agent to configure. Empty means the one called naiber, or naiber-cognitive,
	// or a new one.
	AgentID elevenlabs.AgentID
	// PublicURL is the address at which ElevenLabs reaches this process: https, or http on
	// loopback. Required.
	PublicURL string
	// LLMSecret is the bearer of the model endpoint. Required to apply a plan, not to make one.
	LLMSecret elevenlabs.Secret
	// VoiceID is the agent's voice. Empty leaves the voice as it is.
	VoiceID string
	// TTSModel is the speech model. Empty leaves the model as it is if it can speak all
	// Languages, else a fast one that can.
	TTSModel string
	// Languages are the languages that a conversation may choose besides English.
	Languages []string
	// MaxDuration bounds a conversation, and is rounded up to whole seconds. Zero means 30
	// minutes.
	MaxDuration time.Duration
	// HasWebhookSecret reports whether the configuration holds a webhook's secret. If it does not
	// although the webhook exists, the plan says what to do.
	HasWebhookSecret bool
}

// name returns the agent's name, by which it is found.
func (s Settings) name() string {
	if s.Cognitive {
		return cognitive
	}
	return name
}

// Variable returns the name of the environment variable that holds the agent's id.
func (s Settings) Variable() string {
	if s.Cognitive {
		return "ELEVENLABS_COGNITIVE_AGENT_ID"
	}
	return "ELEVENLABS_AGENT_ID"
}

// webhookURL returns the address that receives finished conversations.
func (s Settings) webhookURL() string { return s.PublicURL + "/elevenlabs/webhook" }

// check returns an error if PublicURL cannot be used.
func (s Settings) check() error {
	if s.PublicURL == "" {
		return errors.New("PUBLIC_URL is not set: ElevenLabs could not reach the model endpoint")
	}
	u, err := url.Parse(s.PublicURL)
	switch {
	case err != nil:
		return errors.New("PUBLIC_URL is not a URL") // the cause would repeat the URL, with any password
	case u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("PUBLIC_URL must be a scheme, a host and perhaps a path, and no more")
	case u.Scheme == "https", u.Scheme == "http" && Loopback(u.Hostname()):
		return nil
	default:
		return errors.New("PUBLIC_URL must be https, or http on loopback")
	}
}

// Loopback reports whether host is this machine: localhost or a loopback address.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// englishModels are the speech models that speak English only.
var englishModels = []string{"eleven_flash_v2", "eleven_turbo_v2", "eleven_monolingual_v1"}

// desired returns the configuration that the agent must have, given its current state (nil: it
// does not exist) and the ids of secret and webhook.
func (s Settings) desired(current *elevenlabs.Agent, secret elevenlabs.SecretID, webhook elevenlabs.WebhookID) (elevenlabs.Document, error) {
	want := elevenlabs.AgentSettings{
		Name: s.name(), LLMURL: s.PublicURL + "/v1", SecretID: secret, WebhookID: webhook,
		VoiceID: s.VoiceID, TTSModel: s.TTSModel, Language: "en", Languages: s.Languages,
		MaxDurationSeconds: int((s.MaxDuration + time.Second - 1) / time.Second), Unhurried: s.Cognitive,
	}
	if current != nil {
		if s.AgentID != "" && current.Name != "" {
			want.Name = current.Name // an agent configured by its id keeps its name
		}
		model := textAt(current.Config, "conversation_config", "tts", "model_id")
		if speaks := len(s.Languages) == 0 || !slices.Contains(englishModels, model); want.TTSModel == "" && speaks {
			want.TTSModel = model
		}
	}
	return want.Config()
}

// textAt returns the text at path, or "" if there is none.
func textAt(d map[string]any, path ...string) string {
	for _, name := range path[:len(path)-1] {
		inner, isObject := d[name].(map[string]any)
		if !isObject {
			return ""
		}
		d = inner
	}
	text, _ := d[path[len(path)-1]].(string) // "" if it is anything else
	return text
}
