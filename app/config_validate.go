package app

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
)

// weakSecret is the length in bytes below which a secret of an endpoint is too easily guessed.
const weakSecret = 16

// Mode is the purpose of a configuration.
type Mode int

// The modes.
const (
	// ForTools is for commands that only need the database: no option is required.
	ForTools Mode = iota
	// ForService is `naiber serve` with real services: all of them must be configured.
	ForService
	// ForSandbox is `naiber serve --sandbox`: a service must be configured completely or not at
	// all; see [Config.Sandboxed].
	ForSandbox
)

// Validate returns an error for everything that prevents the use of c in mode, one line for each,
// with the option and its variable. [Load] has reported values that are wrong by themselves.
func (c Config) Validate(mode Mode) error {
	problems := c.consistency()
	simulated := Simulated{}
	if mode == ForSandbox {
		simulated = c.simulated()
	}
	if mode != ForTools {
		problems = append(problems, c.missing(simulated, mode)...)
	}
	return errors.Join(problems...)
}

// missing returns an error for each unset option that mode and the services that are not
// simulated require.
func (c Config) missing(simulated Simulated, mode Mode) []error {
	var needed []string
	need := func(keys ...string) { needed = append(needed, keys...) }
	if mode == ForService {
		need("auth.llm_secret", "auth.api_token")
	}
	if !simulated.Twilio || !simulated.ElevenLabs {
		need("server.public_url")
	}
	if !simulated.Model {
		need("openai.api_key")
	}
	if !simulated.Twilio {
		need("twilio.account_sid", "twilio.auth_token", "twilio.number")
	}
	if !simulated.ElevenLabs {
		need("elevenlabs.api_key", "elevenlabs.agent_id")
	}
	return c.unset(needed...)
}

// unset returns an error for each of the options whose text is empty, with how to set it.
func (c Config) unset(keys ...string) []error {
	var problems []error
	for _, key := range keys {
		o := optionByKey[key]
		if text(valueOf(o.field(&c))) == "" {
			problems = append(problems, fmt.Errorf("%s is missing: set it in the file, or %s", key, o.envName()))
		}
	}
	return problems
}

// consistency returns an error for each rule between values that c breaks.
func (c Config) consistency() []error {
	var problems []error
	rule := func(ok bool, problem string) {
		if !ok {
			problems = append(problems, errors.New(problem))
		}
	}
	rule(c.Calls.QuietStart != c.Calls.QuietEnd,
		"calls.quiet_start and calls.quiet_end must differ: it is not said whether it is always quiet or never")
	rule(c.Turn.FillerAfter < c.Turn.FirstTokenDeadline,
		"turn.filler_after must be less than turn.first_token_deadline, or nothing ever covers dead air; 0 turns it off")
	rule(c.Turn.FailoverAfter < c.Turn.FirstTokenDeadline,
		"turn.failover_after must be less than turn.first_token_deadline, or the next model never gets its turn")
	rule(c.Turn.FirstTokenDeadline < c.Turn.Deadline,
		"turn.first_token_deadline must be less than turn.deadline")
	rule(c.Calls.SilenceHangup < c.Calls.TimeLimit,
		"calls.silence_hangup must be less than calls.time_limit")
	rule(c.Health.WordsDeadline+c.Health.ReadDeadline < c.Turn.FirstTokenDeadline,
		"health.words_deadline and health.read_deadline together must be less than turn.first_token_deadline: an answer is read before the next question is worded")
	rule(c.Health.ResumeWindow <= c.Checkpoints.TTL,
		"health.resume_window must not be more than checkpoints.ttl, or there is nothing left to go on with")
	rule(c.RAG.KeywordWeight+c.RAG.VectorWeight > 0,
		"rag.keyword_weight and rag.vector_weight must not both be 0, or nothing is ever found")
	rule(c.RAG.Deadline < c.Turn.FirstTokenDeadline,
		"rag.deadline must be less than turn.first_token_deadline")
	rule(c.Chat.RecallDeadline < c.Chat.Deadline,
		"chat.recall_deadline must be less than chat.deadline")
	rule(c.Twilio.MessagingNumber == "" || c.Twilio.MessagingServiceSID == "",
		"set twilio.messaging_number or twilio.messaging_service_sid, not both")
	rule(c.Alerts.OnCallWebhook == "" || !c.Alerts.WebhookSecret.Empty(),
		"alerts.webhook_secret must be set where alerts.on_call_webhook is, or nothing is posted")
	sender, _ := mail.ParseAddress(c.Email.From)
	user, _ := mail.ParseAddress(c.Email.User)
	rule(c.Email.Host != "" || c.Email.User == "" && c.Email.Password.Empty() && c.Email.From == "",
		"email.host must be set where email.user, email.password or email.from is; Gmail's is smtp.gmail.com")
	rule(c.Email.Host == "" || sender != nil || user != nil,
		"email.from must be set where email.user is no e-mail address")
	rule(c.Email.Host == "" || (c.Email.User == "") == c.Email.Password.Empty(),
		"email.user and email.password must both be set, or neither")
	rule(c.Email.TLS != "none" || c.Email.User == "",
		"email.tls must not be none where email.password is sent")
	doors := map[string]string{}
	for _, d := range []struct {
		key   string
		value Secret
	}{
		{"auth.llm_secret", c.Auth.LLMSecret},
		{"auth.api_token", c.Auth.APIToken},
		{"auth.admin_password", c.Auth.AdminPassword},
	} {
		if d.value.Empty() {
			continue
		}
		if other, taken := doors[d.value.Reveal()]; taken {
			problems = append(problems, fmt.Errorf("%s and %s must differ: each opens its own door only", other, d.key))
		}
		doors[d.value.Reveal()] = d.key
		if strings.HasPrefix(c.Server.PublicURL, "https:") && len(d.value.Reveal()) < weakSecret {
			problems = append(problems, fmt.Errorf(
				"%s must have %d characters or more where everybody can knock: openssl rand -hex 32 makes one", d.key, weakSecret))
		}
	}
	return problems
}
