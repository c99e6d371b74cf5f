package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/naiber/naiber/telephony/elevenlabs"
)

// Result is what came of applying a plan.
type Result struct {
	AgentID elevenlabs.AgentID
	// WebhookSecret proves that post-call webhooks come from ElevenLabs. It is
	// set only when the webhook was created, also when Apply failed afterwards:
	// ElevenLabs does not show it again.
	WebhookSecret elevenlabs.Secret
	// Created says that the agent did not exist before.
	Created bool
	// Done is what was done, in order, in sentences for people.
	Done []string
}

// IncompleteError says that a plan was carried out in part. What was done stays
// done, and applying again goes on from there.
type IncompleteError struct {
	Done []string
	Err  error
}

// Error tells what went wrong and what was done before.
func (e *IncompleteError) Error() string {
	done := "nothing was changed"
	if len(e.Done) > 0 {
		done = "done before that: " + strings.Join(e.Done, ", ")
	}
	return e.Err.Error() + " (" + done + "; it is safe to run this again)"
}

// Unwrap returns what went wrong.
func (e *IncompleteError) Unwrap() error { return e.Err }

// StillDiffersError says that ElevenLabs took the settings and did not keep them.
type StillDiffersError struct {
	AgentID elevenlabs.AgentID
	Changes []elevenlabs.Change
}

// Error names the settings.
func (e *StillDiffersError) Error() string {
	paths := make([]string, len(e.Changes))
	for i, c := range e.Changes {
		paths[i] = c.Path
	}
	return fmt.Sprintf("agent %s was changed, but ElevenLabs did not keep: %s", e.AgentID, strings.Join(paths, ", "))
}

// Apply makes things as planned, reads the agent back and compares again.
//
// The secret is always written: its value cannot be read back, so there is no
// other way to know that it is ours. The order (secret, webhook, agent) makes
// sure that the agent never refers to what does not exist.
//
// A failure is an *[IncompleteError], or a *[StillDiffersError] when all was
// written and some of it was not kept. Applying again looks at how things stand
// first, so nothing is created twice.
func (p *Plan) Apply(ctx context.Context) (Result, error) {
	res := Result{AgentID: p.AgentID(), WebhookSecret: p.webhookSecret}
	if p.settings.LLMSecret == "" {
		return res, &IncompleteError{Err: errors.New("NAIBER_LLM_SECRET is not set: anybody could speak with the model endpoint")}
	}
	if p.tried {
		fresh, err := NewPlan(ctx, p.client, p.settings)
		if err != nil {
			return res, &IncompleteError{Err: err}
		}
		fresh.webhookSecret = p.webhookSecret
		*p = *fresh
	}
	p.tried = true
	for _, step := range []func(context.Context, *Result) error{p.applySecret, p.applyWebhook, p.applyAgent} {
		if err := step(ctx, &res); err != nil {
			return res, &IncompleteError{Done: res.Done, Err: err}
		}
	}
	if err := p.readBack(ctx); err != nil {
		if _, differs := errors.AsType[*StillDiffersError](err); differs {
			return res, err
		}
		return res, &IncompleteError{Done: res.Done, Err: err}
	}
	return res, nil
}

func (p *Plan) applySecret(ctx context.Context, res *Result) error {
	name := p.settings.secretName()
	if p.secret != "" {
		if err := p.client.UpdateSecret(ctx, p.secret, name, p.settings.LLMSecret); err != nil {
			return err
		}
		res.Done = append(res.Done, "wrote the value of the secret "+name)
		return nil
	}
	id, err := p.client.CreateSecret(ctx, name, p.settings.LLMSecret)
	if err != nil {
		return err
	}
	p.secret = id
	res.Done = append(res.Done, "created the secret "+name)
	return nil
}

func (p *Plan) applyWebhook(ctx context.Context, res *Result) error {
	if p.webhook == nil {
		id, secret, err := p.client.CreateWebhook(ctx, p.settings.Name, p.settings.WebhookURL)
		if err != nil {
			return err
		}
		p.webhook = &elevenlabs.Webhook{ID: id, Name: p.settings.Name, URL: p.settings.WebhookURL}
		p.webhookSecret, res.WebhookSecret = secret, secret
		res.Done = append(res.Done, "created the webhook "+string(id))
	}
	if !p.webhookOff() {
		return nil
	}
	// A new webhook does not retry either, until it is told to.
	if err := p.client.UpdateWebhook(ctx, p.webhook.ID, cmp.Or(p.webhook.Name, p.settings.Name), false, true); err != nil {
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
		p.agent = &elevenlabs.Agent{ID: id, Name: p.settings.Name, Config: desired}
		res.AgentID, res.Created = id, true
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

// readBack compares the agent, as it stands now, with what it ought to be.
func (p *Plan) readBack(ctx context.Context) error {
	now, err := p.client.GetAgent(ctx, p.agent.ID)
	if err != nil {
		return err
	}
	// What is desired depends on what was there before, so that is compared with.
	desired, err := p.settings.desired(p.agent, p.secret, p.webhook.ID)
	if err != nil {
		return err
	}
	p.agent.Config = now.Config
	if p.Changes = elevenlabs.Diff(now.Config, desired); len(p.Changes) > 0 {
		return &StillDiffersError{AgentID: p.agent.ID, Changes: p.Changes}
	}
	return nil
}
