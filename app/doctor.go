package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"

	"github.com/naiber/naiber/app/doctor"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// Doctor checks everything that `naiber serve` depends on, prints what it finds
// and what to do, and reports whether all is well.
func (p *program) Doctor(ctx context.Context, out io.Writer, asJSON bool) (bool, error) {
	cfg := p.cfg
	carrier, voice := cfg.clients()
	settings := cfg.agentSettings()
	checks := []doctor.Check{configCheck(cfg), doctor.DataDir(cfg.DataDir)}

	database, memories := doctor.Postgres(cfg.Database.URL.Reveal()), doctor.Memory(cfg.Database.URL.Reveal(), cfg.embeddingModel())
	if cfg.Database.URL.Empty() {
		tools, err := p.Open(ctx)
		if err == nil {
			defer tools.Close()
			database, memories = doctor.PostgresOn(tools.Store), doctor.MemoryOn(tools.Store, cfg.embeddingModel())
		} else { // the other checks are worth seeing all the same
			database = noDatabase(err)
		}
	}
	checks = append(checks, database, promptsCheck(cfg.Prompts.Dir),
		doctor.TwilioAccount(carrier),
		doctor.TwilioNumber(carrier, cfg.Twilio.Number, cfg.Server.PublicURL),
		doctor.ElevenLabsKey(voice),
		doctor.ElevenLabsAgent(voice, settings),
		doctor.ElevenLabsConversation(voice, elevenlabs.AgentID(cfg.ElevenLabs.AgentID)),
		doctor.ElevenLabsWebhook(voice, cfg.Server.PublicURL+"/elevenlabs/webhook", settings.HasWebhookSecret),
	)
	checks = append(checks, doctor.Models(doctor.ModelConfig{
		BaseURL: cfg.OpenAI.BaseURL, APIKey: cfg.OpenAI.APIKey.Reveal(), Models: cfg.OpenAI.Models, EmbeddingModel: cfg.OpenAI.EmbeddingModel,
	})...)
	checks = append(checks, doctor.Redis(cfg.Redis.URL.Reveal()), doctor.Qdrant(cfg.qdrantConfig(nil)), memories)
	checks = append(checks, doctor.Public{
		URL: cfg.Server.PublicURL, LocalURL: announced(cfg), Outside: isOutside(cfg.Twilio.BaseURL) || isOutside(cfg.ElevenLabs.BaseURL),
		LLMSecret: cfg.Auth.LLMSecret.Reveal(), TwilioToken: twilio.Secret(cfg.Twilio.AuthToken.Reveal()),
	}.Checks()...)
	checks = append(checks,
		doctor.Clock(nil, cfg.Twilio.BaseURL, cfg.ElevenLabs.BaseURL),
		doctor.TimeZones(),
		doctor.Secrets(
			doctor.NamedSecret{Name: "NAIBER_LLM_SECRET", Value: cfg.Auth.LLMSecret.Reveal(), Required: true},
			doctor.NamedSecret{Name: "NAIBER_API_TOKEN", Value: cfg.Auth.APIToken.Reveal(), Required: true},
			doctor.NamedSecret{Name: "NAIBER_ADMIN_PASSWORD", Value: cfg.Auth.AdminPassword.Reveal()},
		),
	)
	return doctor.Run(ctx, checks, out, asJSON), nil
}

// clients are the vendors' clients, nil where credentials are missing.
func (c Config) clients() (*twilio.Client, *elevenlabs.Client) {
	carrier, err := twilio.New(c.twilioConfig())
	if err != nil {
		carrier = nil
	}
	voice, err := elevenlabs.New(c.elevenLabsConfig())
	if err != nil {
		voice = nil
	}
	return carrier, voice
}

func noDatabase(err error) doctor.Check {
	return doctor.Check{Name: "database", Run: func(context.Context) doctor.Finding {
		return doctor.Finding{Status: doctor.Fail, Detail: "the private one does not start: " + err.Error(), Fix: "set NAIBER_DATA_DIR to a folder that this user may write, or DATABASE_URL to a database of your own"}
	}}
}

func configCheck(cfg Config) doctor.Check {
	return doctor.Check{Name: "configuration", Run: func(context.Context) doctor.Finding {
		if err := cfg.Validate(ForService); err != nil {
			mistakes := strings.Count(err.Error(), "\n") + 1
			return doctor.Finding{Status: doctor.Fail, Detail: fmt.Sprintf("%d to set or to mend:", mistakes), Fix: err.Error()}
		}
		return doctor.Finding{Status: doctor.OK, Detail: "complete"}
	}}
}

func promptsCheck(dir string) doctor.Check {
	return doctor.Check{Name: "prompts", Run: func(context.Context) doctor.Finding {
		lib, err := prompts.Load(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			return doctor.Finding{Status: doctor.Fail, Detail: err.Error(), Fix: "prompts.dir must name a folder"}
		}
		if err := errors.Join(lib.Problems()...); err != nil {
			return doctor.Finding{Status: doctor.Warn, Detail: err.Error(), Fix: "mend these files; until then the built-in texts are used in their place"}
		}
		return doctor.Finding{Status: doctor.OK, Detail: "all texts can be read"}
	}}
}

// isOutside reports whether an address lies beyond this machine.
func isOutside(address string) bool {
	u, err := url.Parse(address)
	return err == nil && !loopback(u.Hostname())
}
