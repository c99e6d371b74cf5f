package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

// Placeholders in a plan's changes for what does not exist yet.
const (
	newSecret  = "(the new secret)"
	newWebhook = "(the new webhook)"
)

// foundLimit is how many agents [elevenlabs.Client.FindAgents] returns at most.
const foundLimit = 30

// ErrAmbiguous is returned if several things could be meant. The text names their ids.
var ErrAmbiguous = errors.New("several could be meant")

// Plan is the difference between the actual and the desired state at ElevenLabs. It is not safe
// for concurrent use.
type Plan struct {
	// Changes are the settings of the agent that differ. For an agent that is yet to be created
	// they are all that nAIber sets.
	Changes []elevenlabs.Change

	client   *elevenlabs.Client
	settings Settings
	agent    *elevenlabs.Agent   // nil: to be created
	secret   elevenlabs.SecretID // empty: to be created
	webhook  *elevenlabs.Webhook // nil: to be created
}

// NewPlan reads the state at ElevenLabs and returns a plan for it. It changes nothing.
//
// An AgentID that ElevenLabs does not know is an error and not a reason to create an agent. If
// several agents, secrets or webhooks could be meant, the error wraps [ErrAmbiguous].
func NewPlan(ctx context.Context, client *elevenlabs.Client, s Settings) (*Plan, error) {
	s.PublicURL = strings.TrimRight(s.PublicURL, "/")
	err := s.check()
	if err != nil {
		return nil, err
	}
	p := &Plan{client: client, settings: s}
	if p.agent, err = findAgent(ctx, client, s); err != nil {
		return nil, err
	}
	if p.secret, err = findSecret(ctx, client, p.agent); err != nil {
		return nil, err
	}
	if p.webhook, err = findWebhook(ctx, client, s, p.agent); err != nil {
		return nil, err
	}
	desired, err := s.desired(p.agent, cmp.Or(p.secret, newSecret), cmp.Or(p.webhookID(), newWebhook))
	if err != nil {
		return nil, err
	}
	p.Changes = elevenlabs.Diff(p.current(), desired)
	return p, nil
}

// Empty reports whether nothing is known to differ. The secret's value cannot be
// read back, so it may differ all the same.
func (p *Plan) Empty() bool {
	return p.agent != nil && p.secret != "" && p.webhook != nil && !p.webhookOff() && len(p.Changes) == 0
}

// AgentID returns the agent's id, empty if the agent is yet to be created.
func (p *Plan) AgentID() elevenlabs.AgentID {
	if p.agent == nil {
		return ""
	}
	return p.agent.ID
}

// Lines returns what the plan will do, as sentences for users. The changes themselves are in
// Changes.
func (p *Plan) Lines() []string {
	var lines []string
	if p.secret == "" {
		lines = append(lines, "will create the secret "+secretName)
	}
	switch {
	case p.webhook == nil:
		lines = append(lines, "will create the webhook to "+p.settings.webhookURL())
	case p.webhook.AutoDisabled:
		lines = append(lines, "will switch the webhook "+string(p.webhook.ID)+" on again, which ElevenLabs switched off after "+failures(p.webhook))
	case p.webhook.Disabled:
		lines = append(lines, "will switch the webhook "+string(p.webhook.ID)+" on again, which somebody switched off")
	case !p.webhook.RetryEnabled:
		lines = append(lines, "will let the webhook "+string(p.webhook.ID)+" deliver again what could not be delivered")
	}
	switch {
	case p.agent == nil:
		lines = append(lines, "will create the agent "+p.settings.name())
	case len(p.Changes) == 1:
		lines = append(lines, "will change one setting of the agent "+string(p.agent.ID))
	case len(p.Changes) > 1:
		lines = append(lines, fmt.Sprintf("will change %d settings of the agent %s", len(p.Changes), p.agent.ID))
	}
	return lines
}

func failures(w *elevenlabs.Webhook) string {
	if w.LastErrorCode == 0 {
		return "failed deliveries"
	}
	return fmt.Sprintf("failed deliveries (the last was answered with %d)", w.LastErrorCode)
}

func (p *Plan) current() elevenlabs.Document {
	if p.agent == nil {
		return elevenlabs.Document{}
	}
	return p.agent.Config
}

func (p *Plan) webhookID() elevenlabs.WebhookID {
	if p.webhook == nil {
		return ""
	}
	return p.webhook.ID
}

// webhookOff reports whether the webhook exists but is disabled or does not retry.
func (p *Plan) webhookOff() bool {
	return p.webhook != nil && (p.webhook.Disabled || p.webhook.AutoDisabled || !p.webhook.RetryEnabled)
}

// findAgent returns the agent as it is, or nil if it is yet to be created.
func findAgent(ctx context.Context, client *elevenlabs.Client, s Settings) (*elevenlabs.Agent, error) {
	id := s.AgentID
	if id == "" {
		found, err := client.FindAgents(ctx, s.name())
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, a := range found { // the search also finds names that merely contain this one
			if a.Name == s.name() {
				ids = append(ids, string(a.ID))
			}
		}
		switch {
		case len(ids) > 1:
			return nil, fmt.Errorf("agents called %s: %w: %s; set %s to one of them", s.name(), ErrAmbiguous, strings.Join(ids, ", "), s.Variable())
		case len(ids) == 0 && len(found) >= foundLimit:
			return nil, fmt.Errorf("agents with %s in their names: %w, as there are %d or more; set %s", s.name(), ErrAmbiguous, len(found), s.Variable())
		case len(ids) == 0:
			return nil, nil //nolint:nilnil // there is none, which is no error
		}
		id = elevenlabs.AgentID(ids[0])
	}
	a, err := client.GetAgent(ctx, id)
	if elevenlabs.ClassOf(err) == elevenlabs.ClassNotFound {
		return nil, fmt.Errorf("%w; correct %s, or leave it empty to find or create the agent %s", err, s.Variable(), s.name())
	}
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// findSecret returns the id of the secret with our bearer, empty if it is yet to be created.
func findSecret(ctx context.Context, client *elevenlabs.Client, a *elevenlabs.Agent) (elevenlabs.SecretID, error) {
	all, err := client.Secrets(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, secret := range all {
		if secret.Name == secretName {
			ids = append(ids, string(secret.ID))
		}
	}
	id, err := choose("secrets called "+secretName, ids, inUse(a, "conversation_config", "agent", "prompt", "custom_llm", "api_key", "secret_id"))
	return elevenlabs.SecretID(id), err
}

// findWebhook returns the webhook that calls our address, or nil if it is yet to be created.
func findWebhook(ctx context.Context, client *elevenlabs.Client, s Settings, a *elevenlabs.Agent) (*elevenlabs.Webhook, error) {
	all, err := client.Webhooks(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	byID := map[string]*elevenlabs.Webhook{}
	for i, w := range all {
		if strings.TrimRight(w.URL, "/") == s.webhookURL() {
			ids = append(ids, string(w.ID))
			byID[string(w.ID)] = &all[i]
		}
	}
	id, err := choose("webhooks to "+s.webhookURL(), ids, inUse(a, "platform_settings", "workspace_overrides", "webhooks", "post_call_webhook_id"))
	return byID[id], err
}

// inUse returns the id that the agent has at path, if there is an agent.
func inUse(a *elevenlabs.Agent, path ...string) string {
	if a == nil {
		return ""
	}
	return textAt(a.Config, path...)
}

// choose returns the only id, or among several the one in use. It returns "" if there are no ids.
func choose(what string, ids []string, used string) (string, error) {
	switch len(ids) {
	case 0:
		return "", nil
	case 1:
		return ids[0], nil
	}
	for _, id := range ids {
		if id == used {
			return id, nil
		}
	}
	return "", fmt.Errorf("%s: %w: %s; delete those that are not used", what, ErrAmbiguous, strings.Join(ids, ", "))
}
