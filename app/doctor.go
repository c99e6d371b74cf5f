package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/app/agent"
	"github.com/naiber/naiber/app/cli"
	"github.com/naiber/naiber/app/doctor"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/schedules"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// Doctor checks everything that `naiber serve` depends on, prints what it finds
// and what to do, and reports whether all is well.
func (p *program) Doctor(ctx context.Context, out io.Writer, asJSON bool) (bool, error) {
	if p.sandbox {
		return p.doctorSandbox(ctx, out, asJSON), nil
	}
	cfg := p.cfg
	carrier, voice := cfg.clients()
	settings := cfg.agentSettings()
	checks := []doctor.Check{configCheck(cfg, ForService), doctor.DataDir(cfg.DataDir)}
	database, memories, crowd, end := p.databaseChecks(ctx)
	defer end()
	checks = append(checks, database, crowd, promptsCheck(cfg.Prompts.Dir),
		doctor.TwilioAccount(carrier),
		doctor.TwilioNumber(carrier, cfg.Twilio.Number, cfg.Server.PublicURL, cfg.Twilio.MessagingNumber == "" && cfg.Twilio.MessagingServiceSID == ""),
		doctor.ElevenLabsKey(voice),
		doctor.ElevenLabsAgent(voice, settings),
		doctor.ElevenLabsAgent(voice, cfg.cognitiveAgentSettings()),
		doctor.ElevenLabsConversation(voice, elevenlabs.AgentID(cfg.ElevenLabs.AgentID)),
		doctor.ElevenLabsWebhook(voice, cfg.Server.PublicURL+"/elevenlabs/webhook", settings.HasWebhookSecret),
	)
	checks = append(checks, cfg.modelChecks()...)
	checks = append(checks, doctor.Redis(cfg.Redis.URL.Reveal()), doctor.Qdrant(cfg.qdrantConfig(nil)), memories, doctor.Mail(cfg.mailConfig()), doctor.Heartbeat(cfg.Watch.HeartbeatURL.Reveal(), cfg.Watch.HeartbeatEvery))
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

// doctorSandbox checks what the sandbox depends on, and whether it runs or can be started.
// Simulated services need no check.
func (p *program) doctorSandbox(ctx context.Context, out io.Writer, asJSON bool) bool {
	if p.cfg.simulated().Model {
		p.cfg.OpenAI.EmbeddingModel = sandboxEmbedding // as in the sandbox
	}
	cfg := p.cfg
	cfg.Server.Host = sandboxHost(cfg)
	database, memories, _, end := p.databaseChecks(ctx)
	defer end()
	checks := []doctor.Check{configCheck(cfg, ForSandbox), doctor.DataDir(cfg.DataDir), p.sandboxCheck(cfg), database, memories, promptsCheck(cfg.Prompts.Dir)}
	if !cfg.simulated().Model {
		checks = append(checks, cfg.modelChecks()...)
	}
	checks = append(checks, doctor.Redis(cfg.Redis.URL.Reveal()), doctor.Qdrant(cfg.qdrantConfig(nil)), doctor.Mail(cfg.mailConfig()), doctor.TimeZones())
	return doctor.Run(ctx, checks, out, asJSON)
}

// sandboxCheck returns a check of whether the sandbox of the data folder runs or can be started.
func (p *program) sandboxCheck(cfg Config) doctor.Check {
	return doctor.Check{Name: "sandbox", Run: func(ctx context.Context) doctor.Finding {
		address := net.JoinHostPort(cfg.Server.Host, strconv.Itoa(cfg.Server.Port))
		if err := p.Healthy(ctx); err == nil {
			if remote, err := p.Remote(ctx); err == nil {
				if _, _, err = remote.FindPerson(ctx, store.NewPersonID().String()); errors.Is(err, cli.ErrNotFound) {
					return doctor.Finding{Status: doctor.OK, Detail: "runs at " + remote.URL}
				}
			}
			return doctor.Finding{Status: doctor.Fail, Detail: "another nAIber answers at " + announced(cfg), Fix: "choose another port for this folder's: PORT=3001 naiber serve --sandbox"}
		}
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err != nil {
			return doctor.Finding{Status: doctor.Fail, Detail: "does not run, and cannot be started: " + err.Error(), Fix: "choose another port: PORT=3001 naiber serve --sandbox"}
		}
		if err := l.Close(); err != nil {
			return doctor.Finding{Status: doctor.Fail, Detail: err.Error()}
		}
		return doctor.Finding{Status: doctor.OK, Detail: "does not run; `naiber serve --sandbox` starts it at " + address}
	}}
}

// databaseChecks returns checks of the database, of what memory needs of it, and of whether the
// planned calls can be made. The caller must call end when they have run.
func (p *program) databaseChecks(ctx context.Context) (database, memories, crowd doctor.Check, end func()) {
	url, model := p.cfg.Database.URL, p.cfg.embeddingModel()
	if !url.Empty() {
		return doctor.Postgres(url.Reveal()), doctor.Memory(url.Reveal(), model), p.crowdCheck(func(ctx context.Context) (*store.Store, func(), error) {
			st, err := store.Open(ctx, url.Reveal(), slog.New(slog.DiscardHandler))
			return st, func() { st.Close() }, err
		}), func() {}
	}
	tools, err := p.Open(ctx)
	switch {
	case err == nil:
		open := func(context.Context) (*store.Store, func(), error) { return tools.Store, func() {}, nil }
		return doctor.PostgresOn(tools.Store), doctor.MemoryOn(tools.Store, model), p.crowdCheck(open), tools.Close
	case errors.Is(err, errNoDatabase):
		database = doctor.Check{Name: "database", Run: func(context.Context) doctor.Finding {
			return doctor.Finding{Status: doctor.OK, Detail: "none yet in " + p.cfg.DataDir + "; the first start makes it"}
		}}
	default: // the other checks are still worth running
		database = noDatabase(err)
	}
	none := func(context.Context) (*store.Store, func(), error) { return nil, func() {}, errNoDatabase }
	return database, doctor.Memory("", model), p.crowdCheck(none), func() {}
}

const (
	// usualCall is the assumed duration of a call.
	usualCall = 6 * time.Minute
	// mostPlanned bounds the occurrences that are examined.
	mostPlanned = 20_000
)

// crowdCheck returns a check of whether the calls planned for the next 24 hours can be made in
// their windows.
func (p *program) crowdCheck(open func(context.Context) (*store.Store, func(), error)) doctor.Check {
	return doctor.Check{Name: "scheduled calls", Run: func(ctx context.Context) doctor.Finding {
		st, end, err := open(ctx)
		if err != nil {
			return doctor.Finding{Status: doctor.OK, Detail: "not looked at without a database"}
		}
		defer end()
		list, err := st.Occurrences(ctx, schedules.Filter{Status: schedules.Due, To: time.Now().Add(24 * time.Hour), Limit: mostPlanned})
		cfg, err2 := p.cfg.scheduleConfig()
		if err := errors.Join(err, err2); err != nil {
			return doctor.Finding{Status: doctor.Warn, Detail: "cannot be read: " + err.Error()}
		}
		c, crowded := schedule.Crowded(list, cfg.Limits, usualCall)
		if !crowded {
			return doctor.Finding{Status: doctor.OK, Detail: strconv.Itoa(len(list)) + " in the next 24 hours"}
		}
		return doctor.Finding{
			Status: doctor.Warn,
			Detail: fmt.Sprintf("%d calls are due from %s to %s, and about %d can be made", c.Calls, c.From.UTC().Format(time.RFC3339), c.To.UTC().Format(time.RFC3339), c.Fit),
			Fix:    "Raise schedules.at_once and schedules.per_second as far as the carrier lets you, or spread the windows.",
		}
	}}
}

// modelChecks returns checks of the model server.
func (c Config) modelChecks() []doctor.Check {
	return doctor.Models(doctor.ModelConfig{
		BaseURL: c.OpenAI.BaseURL, APIKey: c.OpenAI.APIKey.Reveal(), Models: c.OpenAI.Models, EmbeddingModel: c.OpenAI.EmbeddingModel,
	})
}

// clients returns the vendors' clients, nil if their credentials are missing.
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

func configCheck(cfg Config, mode Mode) doctor.Check {
	return doctor.Check{Name: "configuration", Run: func(context.Context) doctor.Finding {
		if err := cfg.Validate(mode); err != nil {
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

// isOutside reports whether the host of an address is not this machine.
func isOutside(address string) bool {
	u, err := url.Parse(address)
	return err == nil && !agent.Loopback(u.Hostname())
}
