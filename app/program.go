package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/app/agent"
	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/app/cli"
	"github.com/naiber/naiber/app/telemetry"
	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/jobs/schedule"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

// program implements [cli.Program].
type program struct {
	out, errOut io.Writer
	cfg         Config
	sandbox     bool
	log         *slog.Logger
}

var _ cli.Program = (*program)(nil)

// Version returns the version of this build.
func (p *program) Version() string { return telemetry.Version() }

// Options returns every option that is not secret, for use as a flag.
func (p *program) Options() []cli.Option {
	var out []cli.Option
	for _, o := range options {
		if !o.secret() { // a command line is visible to every user of the machine
			out = append(out, cli.Option{Name: o.key, Doc: o.doc})
		}
	}
	return out
}

// OpenAPI returns the description of the API as JSON, as a running server would, without running
// one.
func (p *program) OpenAPI() ([]byte, error) {
	r, open := chi.NewRouter(), func(h http.Handler) http.Handler { return h }
	doc := api.Mount(r, api.Deps{Version: p.Version(), Memory: new(service.Service)}, open)
	return json.MarshalIndent(doc, "", "  ")
}

// Load reads the configuration. It is called once before every command that needs one.
func (p *program) Load(file string, flags map[string]string, sandbox bool) error {
	cfg, err := Load(LoadOptions{Path: file, Flags: flags})
	if err != nil {
		return fmt.Errorf("the configuration is not right:\n%s", indent(err.Error()))
	}
	p.cfg, p.sandbox = cfg, sandbox
	p.log, err = telemetry.NewLogger(p.errOut, cfg.Log.Level, cfg.Log.Format)
	return err
}

// Serve runs the server until ctx is done.
func (p *program) Serve(ctx context.Context) error {
	if p.sandbox {
		return serveSandbox(ctx, p.cfg.forTrying(), p.log, p.out, sandboxOptions{seed: firstSeed})
	}
	return serve(ctx, p.cfg, p.log, p.out)
}

var errNoDatabase = errors.New("there is no database yet")

// Open connects to the database, starting the private one if no process runs it. It creates no
// database: only serve does.
func (p *program) Open(ctx context.Context) (*cli.Tools, error) {
	quiet := slog.New(slog.DiscardHandler) // a command prints its answer, not logs
	url, end := p.cfg.Database.URL.Reveal(), func() {}
	if url == "" {
		if _, err := os.Stat(filepath.Join(p.cfg.DataDir, "postgres", "cluster")); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w in %s: `naiber serve --sandbox` makes one; for another, set NAIBER_DATA_DIR or DATABASE_URL", errNoDatabase, p.cfg.DataDir)
		}
		cluster, err := startCluster(ctx, p.cfg, quiet, p.errOut)
		if err != nil {
			return nil, err
		}
		url = cluster.URL()
		end = func() {
			if err := bounded(context.WithoutCancel(ctx), clusterStop, "stop the private database", cluster.Stop); err != nil {
				say(p.errOut, "%v", err)
			}
		}
	}
	st, err := store.Open(ctx, url, quiet)
	if err != nil {
		end()
		return nil, err
	}
	j, err := jobs.New(jobs.Config{}, st, nil, quiet, nil)
	if err != nil {
		st.Close()
		end()
		return nil, err
	}
	remembers, forsake, err := p.cfg.commandMemory(st, quiet)
	if err != nil {
		st.Close()
		end()
		return nil, fmt.Errorf("memory: %w", err)
	}
	st.OnDelete(remembers.ForgetPerson)
	plans, err := p.cfg.scheduleConfig()
	if err != nil { // cannot happen: the configuration was checked
		forsake()
		st.Close()
		end()
		return nil, err
	}
	return &cli.Tools{Store: st, Jobs: j, Memory: remembers, Schedules: schedule.New(plans, schedule.Deps{Store: st, Log: quiet}), PublicURL: p.cfg.Server.PublicURL, Close: func() { forsake(); st.Close(); end() }}, nil
}

// Remote returns a client for the API of the running server.
func (p *program) Remote(context.Context) (*cli.Remote, error) {
	token := p.cfg.Auth.APIToken
	if token.Empty() {
		kept, found, err := SandboxAPIToken(p.cfg.DataDir)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, errors.New("no NAIBER_API_TOKEN is configured, and there is no sandbox here; start one with `naiber serve --sandbox`")
		}
		token = kept
	}
	return &cli.Remote{URL: announced(p.cfg), Token: token.Reveal(), HTTP: http.DefaultClient}, nil
}

// healthTimeout is longer than the server may take to report its readiness.
const healthTimeout = readyTimeout + time.Second

// Healthy returns an error unless the running server reports that it can carry calls.
func (p *program) Healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, announced(p.cfg)+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no nAIber answers: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(res.Body, 200)) // the status suffices without it
		return fmt.Errorf("nAIber cannot carry calls: %s %s", res.Status, strings.TrimSpace(string(why)))
	}
	return nil
}

// SyncAgent creates or updates the voice agents: the ordinary one and the one for cognitive
// checks.
func (p *program) SyncAgent(ctx context.Context, out io.Writer, confirm func() bool, dryRun bool) error {
	if err := errors.Join(p.cfg.unset("server.public_url", "elevenlabs.api_key", "auth.llm_secret")...); err != nil {
		return err
	}
	client, err := elevenlabs.New(p.cfg.elevenLabsConfig())
	if err != nil {
		return err
	}
	_, _, err = syncAgents(ctx, out, client, p.cfg.agentSettings(), p.cfg.cognitiveAgentSettings(), confirm, dryRun)
	return err
}

// syncAgents sets up both agents, one after the other, because they share a secret and a webhook.
func syncAgents(ctx context.Context, out io.Writer, client *elevenlabs.Client, ordinary, cognitive agent.Settings, confirm func() bool, dryRun bool) (res, resCognitive agent.Result, err error) {
	if res, err = agent.Sync(ctx, out, client, ordinary, confirm, dryRun); err != nil {
		return res, resCognitive, err
	}
	cognitive.HasWebhookSecret = cognitive.HasWebhookSecret || res.WebhookSecret != ""
	if _, err = fmt.Fprint(out, "\nThe agent of cognitive checks:\n"); err != nil {
		return res, resCognitive, err
	}
	resCognitive, err = agent.Sync(ctx, out, client, cognitive, confirm, dryRun)
	return res, resCognitive, err
}

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }
