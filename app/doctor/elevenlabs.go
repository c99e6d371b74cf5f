package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/naiber/naiber/app/agent"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

const (
	elevenLabsKeyFix     = "Set ELEVENLABS_API_KEY to a key of https://elevenlabs.io/app/settings/api-keys; a residency workspace also wants its ELEVENLABS_BASE_URL."
	elevenLabsServiceFix = "Check the network, ELEVENLABS_BASE_URL, and https://status.elevenlabs.io."
	syncFix              = "Run: naiber agent sync"

	// shownChanges is how many settings a finding names; it only counts the rest.
	shownChanges = 5
)

// ElevenLabsKey returns a check that the key is valid and the plan not used up. A nil client
// means that there is no key.
func ElevenLabsKey(client *elevenlabs.Client) Check {
	return Check{Name: "elevenlabs key", Run: func(ctx context.Context) Finding {
		if client == nil {
			return fail("not configured", elevenLabsKeyFix+"\nTo try nAIber without an account: naiber serve --sandbox")
		}
		s, err := client.Subscription(ctx)
		switch {
		case notPermitted(err):
			return warn("the key may not read the plan, so what is left of the quota is not known", "Give the key the permission user_read.")
		case refusedByElevenLabs(err):
			return fail("the key is refused", elevenLabsKeyFix)
		case err != nil:
			return fail(reason(err), elevenLabsServiceFix)
		case s.Exhausted():
			return warn(fmt.Sprintf("the plan %s is used up: %d of %d characters", s.Tier, s.CharacterCount, s.CharacterLimit),
				"Upgrade the plan or allow usage-based billing at https://elevenlabs.io/app/subscription; until then calls may be mute.")
		case s.Status == "past_due" || s.Status == "unpaid" || s.Status == "incomplete":
			return warn("the plan is "+strings.ReplaceAll(s.Status, "_", " "), "Pay the bill at https://elevenlabs.io/app/subscription.")
		}
		detail := "the plan " + s.Tier + " is " + strings.ReplaceAll(s.Status, "_", " ")
		if s.CharacterLimit > 0 {
			detail += ", " + strconv.FormatInt(100*s.CharacterCount/s.CharacterLimit, 10) + " % used"
		}
		return ok(detail)
	}}
}

// ElevenLabsAgent returns a check that an agent is as nAIber needs it. The agent for cognitive
// checks may be absent.
func ElevenLabsAgent(client *elevenlabs.Client, s agent.Settings) Check {
	name := "elevenlabs agent"
	if s.Cognitive {
		name = "elevenlabs cognitive agent"
	}
	return Check{Name: name, Run: func(ctx context.Context) Finding {
		switch {
		case client == nil:
			return skip("there is no key")
		case s.Cognitive && s.AgentID == "":
			return skip(s.Variable() + " is not set: the ordinary agent speaks in cognitive checks")
		case s.PublicURL == "":
			return skip("PUBLIC_URL is not set, so it is not known what the agent should be like")
		}
		p, err := agent.NewPlan(ctx, client, s)
		switch {
		case errors.Is(err, agent.ErrAmbiguous):
			return fail(reason(err), "Do what it says, then run: naiber agent sync")
		case err != nil:
			return elevenLabsProblem(err, "Check "+s.Variable()+" and PUBLIC_URL, then run: naiber agent sync")
		case p.AgentID() == "":
			return fail("there is no agent yet", syncFix)
		case s.AgentID == "":
			return fail("the agent "+string(p.AgentID())+" is there, but not configured", "Set "+s.Variable()+"="+string(p.AgentID()))
		case len(p.Changes) > 0:
			return fail(changes(p.Changes), syncFix)
		}
		return ok("the agent " + string(p.AgentID()) + " is as nAIber needs it")
	}}
}

// changes returns a list of the settings that differ.
func changes(all []elevenlabs.Change) string {
	what := "settings differ"
	if len(all) == 1 {
		what = "setting differs"
	}
	var paths []string
	for _, c := range all[:min(shownChanges, len(all))] {
		paths = append(paths, c.Path)
	}
	detail := fmt.Sprintf("%d %s: %s", len(all), what, strings.Join(paths, ", "))
	if more := len(all) - len(paths); more > 0 {
		detail += fmt.Sprintf(" and %d more", more)
	}
	return detail
}

// ElevenLabsConversation returns a check that a conversation with the agent can begin.
func ElevenLabsConversation(client *elevenlabs.Client, id elevenlabs.AgentID) Check {
	return Check{Name: "elevenlabs conversation", Run: func(ctx context.Context) Finding {
		switch {
		case client == nil:
			return skip("there is no key")
		case id == "":
			return skip("ELEVENLABS_AGENT_ID is not set")
		}
		_, err := client.SignedURL(ctx, id)
		switch {
		case elevenlabs.ClassOf(err) == elevenlabs.ClassBusy:
			return warn("as many conversations as the plan allows are under way", "Wait, or choose a plan with more of them.")
		case err != nil:
			return elevenLabsProblem(err, "Check ELEVENLABS_AGENT_ID, and that the key has the permission convai_write.")
		}
		return ok("a signed address is handed out")
	}}
}

// ElevenLabsWebhook returns a check that finished conversations are reported to address, and that
// hasSecret is set: without the secret, the reports are refused.
func ElevenLabsWebhook(client *elevenlabs.Client, address string, hasSecret bool) Check {
	return Check{Name: "elevenlabs webhook", Run: func(ctx context.Context) Finding {
		switch {
		case client == nil:
			return skip("there is no key")
		case !strings.Contains(address, "://"):
			return skip("PUBLIC_URL is not set")
		}
		all, err := client.Webhooks(ctx)
		if err != nil {
			return elevenLabsProblem(err, "Give the key the permission to read webhooks of the workspace.")
		}
		var ours []elevenlabs.Webhook
		for _, w := range all {
			if strings.TrimRight(w.URL, "/") == address {
				ours = append(ours, w)
			}
		}
		return judgeWebhooks(ours, address, hasSecret)
	}}
}

// judgeWebhooks returns the finding for the webhooks to our address. Which of several the agent
// uses is left to the agent's check.
func judgeWebhooks(ours []elevenlabs.Webhook, address string, hasSecret bool) Finding {
	if len(ours) == 0 {
		return fail("there is none to "+address, syncFix)
	}
	for _, w := range ours {
		switch {
		case w.AutoDisabled:
			last := ""
			if w.LastErrorCode != 0 {
				last = fmt.Sprintf(", the last with HTTP %d", w.LastErrorCode)
			}
			return fail("ElevenLabs switched "+string(w.ID)+" off after too many failures"+last,
				"See that PUBLIC_URL is reachable and ELEVENLABS_WEBHOOK_SECRET is right, then run: naiber agent sync")
		case w.Disabled:
			return fail("somebody switched "+string(w.ID)+" off", syncFix)
		}
	}
	if !hasSecret {
		return fail("ELEVENLABS_WEBHOOK_SECRET is not set, so what comes is turned away",
			"Set it to the secret shown when the webhook was created. If it is lost,\ndelete the webhook "+string(ours[0].ID)+" at ElevenLabs and run: naiber agent sync")
	}
	for _, w := range ours {
		if !w.RetryEnabled {
			return warn(string(w.ID)+" does not try again what could not be delivered", syncFix)
		}
	}
	return ok("the webhook " + string(ours[0].ID) + " is on")
}

// elevenLabsProblem returns the finding for an error of a check other than the key's. It skips if
// the key is refused.
func elevenLabsProblem(err error, fix string) Finding {
	switch {
	case refusedByElevenLabs(err) && !notPermitted(err):
		return skip("the key is refused")
	case elevenlabs.ClassOf(err) == elevenlabs.ClassUnavailable, elevenlabs.ClassOf(err) == elevenlabs.ClassBusy:
		return fail(reason(err), elevenLabsServiceFix)
	}
	return fail(reason(err), fix)
}

func refusedByElevenLabs(err error) bool {
	e, is := errors.AsType[*elevenlabs.Error](err)
	return is && (e.HTTPStatus == http.StatusUnauthorized || e.Status == "invalid_api_key")
}

// notPermitted reports whether the key is valid but lacks the permission.
func notPermitted(err error) bool {
	e, is := errors.AsType[*elevenlabs.Error](err)
	return is && (e.Status == "missing_permissions" || e.HTTPStatus == http.StatusForbidden)
}
