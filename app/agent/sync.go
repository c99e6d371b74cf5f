package agent

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

// shownRunes bounds what is shown of one value, in characters: a prompt can be pages long.
const shownRunes = 90

// Sync prints what differs to out, calls confirm, applies the plan, and prints what to put into
// the configuration. With dryRun it only prints the plan. If confirm reports false, Sync changes
// nothing and returns no error.
//
// It prints the secret of a newly created webhook in full, since that cannot be shown again: out
// must be a terminal, not a log.
func Sync(ctx context.Context, out io.Writer, client *elevenlabs.Client, s Settings, confirm func() bool, dryRun bool) (Result, error) {
	p, err := NewPlan(ctx, client, s)
	if err != nil {
		return Result{}, err
	}
	before := Result{AgentID: p.AgentID()}
	if err := write(out, p.describe(dryRun)); err != nil {
		return before, err // the user could not see what to confirm
	}
	if dryRun {
		return before, nil
	}
	if !confirm() {
		return before, write(out, "Nothing was changed.\n")
	}
	res, err := p.Apply(ctx)
	printErr := write(out, report(res, s, err == nil))
	if err != nil {
		return res, err
	}
	return res, printErr
}

// describe returns the plan as text for users.
func (p *Plan) describe(dryRun bool) string {
	var b strings.Builder
	if p.Empty() {
		fmt.Fprintf(&b, "The agent %s is as nAIber needs it; there is nothing to do.\n", p.agent.ID)
	} else {
		b.WriteString("To make the agent as nAIber needs it, this\n")
		for _, line := range p.Lines() {
			b.WriteString("  - " + line + "\n")
		}
		for _, c := range p.Changes {
			b.WriteString("      " + short(c) + "\n")
		}
	}
	switch {
	case p.secret == "":
	case dryRun:
		fmt.Fprintf(&b, "The value of the secret %s cannot be read back, so it is not compared.\n", secretName)
	default:
		fmt.Fprintf(&b, "The value of the secret %s cannot be read back, so it will be written anew.\n", secretName)
	}
	if p.webhook != nil && !p.settings.HasWebhookSecret {
		fmt.Fprintf(&b, "Note: The webhook %s exists, but ELEVENLABS_WEBHOOK_SECRET is not set, and ElevenLabs does not "+
			"show the secret again. If nobody has it, delete the webhook at ElevenLabs and run this again.\n", p.webhook.ID)
	}
	return b.String()
}

// short returns a change on one line that about fits a terminal.
func short(c elevenlabs.Change) string {
	c.Have, c.Want = english.Shorten(c.Have, shownRunes), english.Shorten(c.Want, shownRunes)
	return c.String()
}

// report returns a text that says what was done, and what to put into the configuration.
func report(res Result, s Settings, whole bool) string {
	var b strings.Builder
	for _, done := range res.Done {
		b.WriteString("✓ " + done + "\n")
	}
	if whole {
		b.WriteString("✓ read back: the agent is as nAIber needs it\n")
	}
	var lines []string
	if res.AgentID != "" && res.AgentID != s.AgentID {
		lines = append(lines, s.Variable()+"="+string(res.AgentID))
	}
	if res.WebhookSecret != "" {
		lines = append(lines, "ELEVENLABS_WEBHOOK_SECRET="+string(res.WebhookSecret))
	}
	if len(lines) > 0 {
		b.WriteString("\nPut this into the environment (or config.yaml):\n\n")
		for _, line := range lines {
			b.WriteString("  " + line + "\n")
		}
	}
	if res.WebhookSecret != "" {
		b.WriteString("\nThe webhook's secret is shown this once.\n")
	}
	return b.String()
}

func write(out io.Writer, text string) error { //nolint:predeclared // it is what it does
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
