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
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

// Settings is what the agent is to be like.
type Settings struct {
	// Name finds the agent where AgentID is empty, and names what is created: the
	// secret is called Name-llm, so that two installations in one workspace do
	// not overwrite each other's. Empty means "naiber".
	Name string
	// AgentID is the agent to be kept. Empty means the one called Name, or a new one.
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
	// Language is the agent's own, an ISO 639-1 code. Empty means "en".
	Language string
	// Languages are the others that a conversation may choose.
	Languages []string
	// MaxDuration ends a conversation, in whole seconds. Zero means 30 minutes.
	MaxDuration time.Duration
	// WebhookURL is told of finished conversations. Empty means
	// PublicURL/elevenlabs/webhook.
	WebhookURL string
	// HasWebhookSecret says whether the configuration holds a webhook's secret.
	// Where it does not although the webhook exists, the plan says what to do.
	HasWebhookSecret bool
}

// withDefaults returns s with every optional field filled, or all that is wrong
// with it.
func (s Settings) withDefaults() (Settings, error) {
	var errs []error
	if s.Name == "" {
		s.Name = "naiber"
	}
	if s.Language == "" {
		s.Language = "en"
	}
	s.PublicURL = strings.TrimRight(s.PublicURL, "/")
	if s.PublicURL == "" {
		errs = append(errs, errors.New("PUBLIC_URL is not set: ElevenLabs could not reach the model endpoint"))
	} else if err := checkURL(s.PublicURL); err != nil {
		errs = append(errs, fmt.Errorf("PUBLIC_URL %w", err))
	}
	if s.WebhookURL == "" {
		s.WebhookURL = s.PublicURL + "/elevenlabs/webhook"
	} else if err := checkURL(s.WebhookURL); err != nil {
		errs = append(errs, fmt.Errorf("webhook URL %w", err))
	}
	if s.MaxDuration < 0 {
		errs = append(errs, errors.New("maximum duration must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return s, fmt.Errorf("agent settings: %w", err)
	}
	return s, nil
}

func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return errors.New("is not a URL") // the cause would repeat it, with any password
	case u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("must be a scheme, a host and perhaps a path, and no more")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	default:
		return errors.New("must be https, or http on loopback")
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// secretName is what the secret with the bearer is called in the workspace.
func (s Settings) secretName() string { return s.Name + "-llm" }

// englishModels are the speech models that speak English only.
var englishModels = []string{"eleven_flash_v2", "eleven_turbo_v2", "eleven_monolingual_v1"}

// desired is the configuration that the agent must have, given how it stands
// (nil: it does not exist) and the ids of secret and webhook.
func (s Settings) desired(current *elevenlabs.Agent, secret elevenlabs.SecretID, webhook elevenlabs.WebhookID) (elevenlabs.Document, error) {
	want := elevenlabs.AgentSettings{
		Name: s.Name, LLMURL: s.PublicURL + "/v1", SecretID: secret, WebhookID: webhook,
		VoiceID: s.VoiceID, TTSModel: s.TTSModel, Language: s.Language, Languages: s.Languages,
		MaxDurationSeconds: int((s.MaxDuration + time.Second - 1) / time.Second),
	}
	if current != nil {
		if s.AgentID != "" && current.Name != "" {
			want.Name = current.Name // known by its id, so its name is its owner's
		}
		model := textAt(current.Config, "conversation_config", "tts", "model_id")
		if speaks := !s.manyTongues() || !slices.Contains(englishModels, model); want.TTSModel == "" && speaks {
			want.TTSModel = model
		}
	}
	return want.Config()
}

// manyTongues reports whether English alone will not do.
func (s Settings) manyTongues() bool {
	return s.Language != "en" || slices.ContainsFunc(s.Languages, func(l string) bool { return l != "en" })
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
