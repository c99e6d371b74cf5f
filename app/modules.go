package app

import (
	"cmp"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/agent"
	"github.com/naiber/naiber/jobs/mail"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/chat"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/twilio"
)

// The configuration of each module, from the options.

// addr returns the address to listen on.
func (c Config) addr() string { return net.JoinHostPort(c.Server.Host, strconv.Itoa(c.Server.Port)) }

func (c Config) memorySettings() search.Settings {
	return search.Settings{
		KeywordWeight: c.RAG.KeywordWeight, VectorWeight: c.RAG.VectorWeight, DateWeight: c.RAG.DateWeight, RRFK: c.RAG.RRFK,
		Candidates: c.RAG.Candidates, Similarity: c.RAG.SimilarityThreshold, Limit: c.RAG.Limit, Budget: c.RAG.Budget,
	}
}

func (c Config) chatConfig() chat.Config {
	return chat.Config{
		SystemPrompt: c.Chat.SystemPrompt, RecallDeadline: c.Chat.RecallDeadline, RecallBudget: c.Chat.RecallBudget,
		Summaries: chat.Summaries{
			ThresholdTokens: c.Chat.SummaryThreshold, MinEpisodes: c.Chat.SummaryMinEpisodes, MaxTokens: c.Chat.SummaryMax,
		},
	}
}

func (c Config) modelConfig(log *slog.Logger) llm.Config {
	temperature := c.Turn.Temperature
	return llm.Config{
		BaseURL: c.OpenAI.BaseURL, APIKey: c.OpenAI.APIKey.Reveal(), Models: c.OpenAI.Models, BackgroundModel: c.OpenAI.Background,
		EmbeddingModel: c.OpenAI.EmbeddingModel, EmbeddingDimensions: c.OpenAI.EmbeddingDims, FailoverAfter: c.Turn.FailoverAfter,
		FirstTokenDeadline: c.Turn.FirstTokenDeadline, Deadline: c.Turn.Deadline,
		MaxTokens: c.Turn.MaxTokens, Temperature: &temperature, Log: log,
	}
}

func (c Config) twilioConfig() twilio.Config {
	return twilio.Config{
		AccountSID: twilio.AccountSID(c.Twilio.AccountSID), AuthSecret: twilio.Secret(c.Twilio.AuthToken.Reveal()),
		BaseURL: c.Twilio.BaseURL,
	}
}

func (c Config) elevenLabsConfig() elevenlabs.Config {
	return elevenlabs.Config{APIKey: elevenlabs.Secret(c.ElevenLabs.APIKey.Reveal()), BaseURL: c.ElevenLabs.BaseURL}
}

func (c Config) callsConfig() telephony.Config {
	return telephony.Config{
		PublicURL: c.Server.PublicURL, Number: c.Twilio.Number, AgentID: c.ElevenLabs.AgentID, CognitiveAgentID: c.ElevenLabs.CognitiveID,
		WebhookSecret: c.ElevenLabs.WebhookSecret.Reveal(),
		QuietHours:    people.QuietHours{Start: c.Calls.QuietStart, End: c.Calls.QuietEnd},
		LegalHours:    c.Calls.LegalHours,
		OptOutKeyIn:   c.Calls.OptOutKeyIn,
		Costs:         telephony.Costs{PerMinute: c.Calls.CostPerMinute, Person: c.Calls.PersonMonthlyCost, Everybody: c.Calls.MonthlyCost},
		DailyCap:      c.Calls.DailyCap, RingTimeout: c.Calls.RingTimeout, TimeLimit: c.Calls.TimeLimit,
		StreamStartTimeout: c.Calls.StreamStartTimeout, SilenceHangUp: c.Calls.SilenceHangup,
		ReconnectLimit: c.Calls.ReconnectLimit, ReconnectGrace: c.Calls.ReconnectGrace, GoodbyeCap: c.Calls.GoodbyeCap, OpeningDeadline: c.Calls.OpeningDeadline,
		UnknownLiveCap: c.Calls.UnknownLiveCap, Languages: c.ElevenLabs.Languages, InboundCheck: telephony.InboundCheck(c.Calls.InboundCheck), Presumed: c.presumed(),
		MessagingNumber: c.Twilio.MessagingNumber, MessagingService: c.Twilio.MessagingServiceSID, ReplyWithin: c.Alerts.LinkTTL,
	}
}

// presumed returns the types of call on which anybody who answers as the person would is taken
// for the person. Checks are about one person alone: there only a yes counts.
func (c Config) presumed() []calls.CallType {
	if !c.Calls.Presume {
		return nil
	}
	return []calls.CallType{calls.CallGeneral, calls.CallApplianceHelp}
}

// mailConfig returns the configuration of the mail server. Without a host there is no server.
func (c Config) mailConfig() mail.Config {
	return mail.Config{
		Host: c.Email.Host, Port: c.Email.Port, Security: c.Email.TLS, User: c.Email.User, Password: c.Email.Password.Reveal(),
		From: cmp.Or(c.Email.From, c.Email.User),
	}
}

// ladder returns the words for a silence: as many prompts as configured, with the last built-in
// one repeated, then the goodbye.
func (c Config) ladder() orchestration.Ladder {
	l := orchestration.DefaultLadder
	var prompts []string
	for i := range c.Turn.SilencePrompts {
		prompts = append(prompts, l.Prompts[min(i, len(l.Prompts)-1)])
	}
	l.Prompts = prompts
	return l
}

// byCountry returns the numbers of entries such as AT=144, by country.
func byCountry(entries []string) map[string]string {
	by := make(map[string]string)
	for _, entry := range entries {
		country, number, _ := strings.Cut(entry, "=")
		by[country] = number
	}
	return by
}

// forTrying returns the configuration for a sandbox, in which frequent calls disturb nobody and
// simulated calls need not be waited for. It keeps what an operator has set, except a value that
// equals the default, as in the shipped config.yaml.
func (c Config) forTrying() Config {
	usual := Default()
	if c.Calls.DailyCap == usual.Calls.DailyCap {
		c.Calls.DailyCap = 100
	}
	if c.Server.CallDrain == usual.Server.CallDrain {
		c.Server.CallDrain = 5 * time.Second
	}
	return c
}

// cognitiveAgentSettings returns the settings of the agent for cognitive checks.
func (c Config) cognitiveAgentSettings() agent.Settings {
	s := c.agentSettings()
	s.Cognitive, s.AgentID = true, elevenlabs.AgentID(c.ElevenLabs.CognitiveID)
	return s
}

// agentSettings returns the settings of the ordinary voice agent.
func (c Config) agentSettings() agent.Settings {
	return agent.Settings{
		AgentID: elevenlabs.AgentID(c.ElevenLabs.AgentID), PublicURL: c.Server.PublicURL, LLMSecret: elevenlabs.Secret(c.Auth.LLMSecret.Reveal()),
		VoiceID: c.ElevenLabs.VoiceID, TTSModel: c.ElevenLabs.TTSModel, Languages: c.ElevenLabs.Languages, MaxDuration: c.Calls.TimeLimit,
		HasWebhookSecret: !c.ElevenLabs.WebhookSecret.Empty(),
	}
}
