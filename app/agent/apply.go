package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

// Result is the result of applying a plan.
type Result struct {
	AgentID elevenlabs.AgentID
	// WebhookSecret verifies that post-call webhooks come from ElevenLabs. It is set only if the
	// webhook was created, even if Apply failed afterwards: ElevenLabs does not show it again.
	WebhookSecret elevenlabs.Secret
	// Done lists what was done, in order, as sentences for users.
	Done []string
}

// Apply carries out the plan, once, then reads the agent back and compares it again.
//
// The secret is always written: its value cannot be read back, so there is no other way to know
// that it is ours. The order (secret, webhook, agent) makes sure that the agent never refers to
// something that does not exist.
//
// Steps done before a failure stay done, and the error lists them. A new plan goes on from there,
// so nothing is created twice.
func (p *Plan) Apply(ctx context.Context) (Result, error) {
	res := Result{AgentID: p.AgentID()}
	if p.settings.LLMSecret == "" {
		return res, errors.New("NAIBER_LLM_SECRET is not set: anybody could speak with the model endpoint")
	}
	for _, step := range []func(context.Context, *Result) error{p.applySecret, p.applyWebhook, p.applyAgent, p.readBack} {
		if err := step(ctx, &res); err != nil {
			done := "nothing was changed"
			if len(res.Done) > 0 {
				done = "done before that: " + strings.Join(res.Done, ", ")
			}
			return res, fmt.Errorf("%w (%s; it is safe to run this again)", err, done)
		}
	}
	return res, nil
}

func (p *Plan) applySecret(ctx context.Context, res *Result) error {
	if p.secret != "" {
		if err := p.client.UpdateSecret(ctx, p.secret, secretName, p.settings.LLMSecret); err != nil {
			return err
		}
		res.Done = append(res.Done, "wrote the value of the secret "+secretName)
		return nil
	}
	id, err := p.client.CreateSecret(ctx, secretName, p.settings.LLMSecret)
	if err != nil {
		return err
	}
	p.secret = id
	res.Done = append(res.Done, "created the secret "+secretName)
	return nil
}

func (p *Plan) applyWebhook(ctx context.Context, res *Result) error {
	if p.webhook == nil {
		id, secret, err := p.client.CreateWebhook(ctx, name, p.settings.webhookURL())
		if err != nil {
			return err
		}
		p.webhook = &elevenlabs.Webhook{ID: id, Name: name, URL: p.settings.webhookURL()}
		res.WebhookSecret = secret
		res.Done = append(res.Done, "created the webhook "+string(id))
	}
	if !p.webhookOff() {
		return nil
	}
	// A new webhook does not retry either, until that is set.
	if err := p.client.UpdateWebhook(ctx, p.webhook.ID, cmp.Or(p.webhook.Name, name), false, true); err != nil {
		return err
	}
	p.webhook.Disabled, p.webhook.AutoDisabled, p.webhook.RetryEnabled = false, false, true
	res.Done = append(res.Done, "set the webhook "+string(p.webhook.ID)+" to deliver, and to try again")
	return nil
}

func (p *Plan) applyAgent(ctx context.Context, res *Result) error {
	desired, err := p.settings.desired(p.agent, p.secret, p.webhook.ID)
	if err != nil {
		return err
	}
	if p.agent == nil {
		id, err := p.client.CreateAgent(ctx, desired)
		if err != nil {
			return err
		}
		p.agent = &elevenlabs.Agent{ID: id, Name: p.settings.name(), Config: desired}
		res.AgentID = id
		res.Done = append(res.Done, "created the agent "+string(id))
		return nil
	}
	patch := elevenlabs.Patch(p.agent.Config, desired)
	if len(patch) == 0 {
		return nil
	}
	if _, err := p.client.UpdateAgent(ctx, p.agent.ID, patch); err != nil {
		return err
	}
	res.Done = append(res.Done, "changed the agent "+string(p.agent.ID))
	return nil
}

// readBack compares the agent, as it is now, with the desired configuration.
func (p *Plan) readBack(ctx context.Context, _ *Result) error {
	now, err := p.client.GetAgent(ctx, p.agent.ID)
	if err != nil {
		return err
	}
	// The desired configuration depends on the agent before the change.
	desired, err := p.settings.desired(p.agent, p.secret, p.webhook.ID)
	if err != nil {
		return err
	}
	changes := elevenlabs.Diff(now.Config, desired)
	if len(changes) == 0 {
		return nil
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return fmt.Errorf("agent %s was changed, but ElevenLabs did not keep: %s", p.agent.ID, strings.Join(paths, ", "))
}
