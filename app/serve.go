package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/naiber/naiber/app/sandbox"
	"github.com/naiber/naiber/app/sandbox/audio"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/embedded"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

// errRestart is the cause with which a run of the sandbox's nAIber ends when a restart is
// simulated.
var errRestart = errors.New("the sandbox plays a restart")

// serve runs nAIber until ctx is done.
func serve(ctx context.Context, cfg Config, log *slog.Logger, out io.Writer) error {
	if err := cfg.Validate(ForService); err != nil {
		return fmt.Errorf("the configuration is not complete:\n%w\n\nTo try nAIber without any account: naiber serve --sandbox", err)
	}
	return withDatabase(ctx, cfg, log, out, func(url string) error {
		a, err := New(ctx, cfg, Options{DatabaseURL: url}, log)
		if err != nil {
			return err
		}
		defer announce(cfg, a.Addr(), log)()
		say(out, "nAIber is running: %s", cfg.Server.PublicURL)
		return a.Run(ctx)
	})
}

// serveSandbox runs nAIber with simulated services until ctx is done. The services outlive a
// simulated restart, as the real ones do. It holds the lock of its data folder.
func serveSandbox(ctx context.Context, cfg Config, log *slog.Logger, out io.Writer, opts sandboxOptions) error {
	if err := cfg.Validate(ForSandbox); err != nil {
		return fmt.Errorf("the configuration is not right:\n%w", err)
	}
	release, err := lockSandbox(cfg.DataDir)
	if err != nil {
		return err
	}
	// A database in the folder belongs to the sandbox if the folder does. That must be checked
	// now: newSandboxed stores its keys in any folder that has none.
	_, ours, err := SandboxAPIToken(cfg.DataDir)
	if err != nil {
		return errors.Join(err, release())
	}
	adopt := ours && cfg.Database.URL.Empty()
	err = withDatabase(ctx, cfg, log, out, func(url string) error {
		if err := checkSandbox(ctx, url, adopt, log); err != nil {
			return err
		}
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(sandboxHost(cfg), strconv.Itoa(cfg.Server.Port)))
		if err != nil {
			return fmt.Errorf("%w (is another nAIber running? another port is chosen by PORT=3001)", err)
		}
		tcp, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			return fmt.Errorf("listen: %v is no TCP address", l.Addr())
		}
		cfg.Server.Port = tcp.Port
		s, err := newSandboxed(ctx, cfg, log, opts)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		err = s.run(ctx, Options{Listener: l, Sandbox: s.sandbox, DatabaseURL: url, Adopt: adopt, Pace: opts.pace * float64(cfg.Sandbox.SpeechWPM) / audio.DefaultWPM}, out)
		return errors.Join(err, s.sandbox.Close())
	})
	return errors.Join(err, release())
}

// checkSandbox returns an error if the database is not a sandbox's. It is called before anything
// else is made.
func checkSandbox(ctx context.Context, url string, adopt bool, log *slog.Logger) error {
	st, err := store.Open(ctx, url, log)
	if err != nil {
		return err
	}
	defer st.Close()
	return st.CheckDeployment(ctx, store.Sandbox, adopt)
}

// firstSeed is a seed with which each elder answers the first call in a sandbox.
const firstSeed = 59

// sandboxOptions are the settings in which a simulation differs from the usual sandbox.
type sandboxOptions struct {
	seed  int64
	pace  float64    // see sandbox.Config
	ready func(*App) // called in a goroutine as the first run starts
}

// sandboxed is nAIber with the simulated services that it uses.
type sandboxed struct {
	cfg     Config
	log     *slog.Logger
	opts    sandboxOptions
	sandbox *sandbox.Sandbox
	restart chan struct{}
}

func newSandboxed(ctx context.Context, cfg Config, log *slog.Logger, opts sandboxOptions) (*sandboxed, error) {
	cfg, simulated, err := cfg.Sandboxed()
	if err != nil {
		return nil, err
	}
	s := &sandboxed{log: log, opts: opts, restart: make(chan struct{}, 1)}
	s.sandbox, err = sandbox.Start(ctx, sandbox.Config{
		AccountSID: cfg.Twilio.AccountSID, AuthToken: cfg.Twilio.AuthToken.Reveal(), Number: cfg.Twilio.Number,
		VoiceURL: cfg.Server.PublicURL + "/twilio/voice", TextURL: cfg.Server.PublicURL + "/twilio/sms",
		VoiceKey: cfg.ElevenLabs.APIKey.Reveal(), ModelKey: cfg.OpenAI.APIKey.Reveal(),
		FirstTokenDelay: cfg.Sandbox.FirstTokenDelay, TokenDelay: cfg.Sandbox.TokenDelay,
		WPM: cfg.Sandbox.SpeechWPM, Seed: opts.seed, Pace: opts.pace, Restart: s.playRestart, Log: log.With("part", "sandbox"),
	})
	if err != nil {
		return nil, err
	}
	if simulated.Twilio {
		cfg.Twilio.BaseURL = s.sandbox.URL()
	}
	if simulated.Model {
		cfg.OpenAI.BaseURL = s.sandbox.URL() + "/v1"
		cfg.OpenAI.EmbeddingModel = sandboxEmbedding
		cfg.Qdrant.Collection += "_sandbox" // next to production's collection if both use one Qdrant
	}
	if simulated.ElevenLabs {
		cfg.ElevenLabs.BaseURL = s.sandbox.URL()
		if err := syncSandboxAgents(ctx, &cfg); err != nil {
			return nil, errors.Join(err, s.sandbox.Close())
		}
	}
	s.cfg = cfg
	return s, nil
}

// syncSandboxAgents sets up the simulated voice service as `naiber agent sync`
// sets up the real one.
func syncSandboxAgents(ctx context.Context, c *Config) error {
	client, err := elevenlabs.New(c.elevenLabsConfig())
	if err != nil {
		return err
	}
	c.ElevenLabs.CognitiveID = ""
	ordinary, cognitive := c.agentSettings(), c.cognitiveAgentSettings()
	ordinary.AgentID, ordinary.HasWebhookSecret = "", false
	res, resCognitive, err := syncAgents(ctx, io.Discard, client, ordinary, cognitive, func() bool { return true }, false)
	if err != nil {
		return fmt.Errorf("set up the sandbox's agents: %w", err)
	}
	c.ElevenLabs.AgentID, c.ElevenLabs.CognitiveID = string(res.AgentID), string(resCognitive.AgentID)
	c.ElevenLabs.WebhookSecret = NewSecret(string(res.WebhookSecret))
	return nil
}

// sandboxEmbedding names the simulated embedding model: its vectors must not be taken for a real
// model's if one replaces it in the same data folder.
const sandboxEmbedding = "sandbox-embedding"

func (s *sandboxed) playRestart() {
	select {
	case s.restart <- struct{}{}:
	default: // one is under way
	}
}

// run serves, and serves again after each simulated restart.
func (s *sandboxed) run(ctx context.Context, opts Options, out io.Writer) error {
	for first := true; ; first = false {
		a, err := New(ctx, s.cfg, opts, s.log)
		if err != nil {
			return err
		}
		if err := errors.Join(settle(ctx, a.store, s.sandbox.Elders()), stock(ctx, a.store)); err != nil {
			a.release(ctx)
			return err
		}
		done := announce(s.cfg, a.Addr(), s.log)
		if first {
			say(out, "\n  Console: http://localhost:%d\n", s.cfg.Server.Port)
			say(out, "  Jobs:    http://localhost:%d/admin/queues (user admin, password in %s)", s.cfg.Server.Port, keysFile(s.cfg.DataDir))
			say(out, "  Or:      naiber call margaret --type general\n  Ctrl-C stops it all; the data stays in %s.\n", s.cfg.DataDir)
		}
		if first && s.opts.ready != nil {
			go s.opts.ready(a)
		}
		err = s.runOnce(ctx, a)
		done()
		if !errors.Is(err, errRestart) {
			return err
		}
		say(out, "The sandbox plays a restart.")
		if opts.Listener, err = new(net.ListenConfig).Listen(ctx, "tcp", a.Addr().String()); err != nil {
			return fmt.Errorf("listen again: %w", err)
		}
	}
}

// restartPause leaves time to answer the request for a restart.
const restartPause = 100 * time.Millisecond

// runOnce serves until ctx is done or a restart is simulated.
func (s *sandboxed) runOnce(ctx context.Context, a *App) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stopped := make(chan struct{})
	defer func() { <-stopped }()
	ended, end := context.WithCancel(ctx)
	defer end()
	go func() {
		defer close(stopped)
		select {
		case <-ended.Done():
		case <-s.restart:
			answered := time.NewTimer(restartPause)
			defer answered.Stop()
			select {
			case <-answered.C:
			case <-ended.Done():
				return
			}
			a.Abort()
			cancel(errRestart)
		}
	}()
	err := a.Run(ctx)
	if errors.Is(context.Cause(ctx), errRestart) {
		return errRestart
	}
	return err
}

// withDatabase calls do with the URL of the configured database, or else of a private one, which
// it stops when do returns.
func withDatabase(ctx context.Context, cfg Config, log *slog.Logger, out io.Writer, do func(url string) error) error {
	if !cfg.Database.URL.Empty() {
		return do(cfg.Database.URL.Reveal())
	}
	cluster, err := startCluster(ctx, cfg, log, out)
	if err != nil {
		return err
	}
	err = do(cluster.URL())
	return errors.Join(err, bounded(context.WithoutCancel(ctx), clusterStop, "stop the private database", cluster.Stop))
}

// clusterStop bounds the stop of the private database, which writes everything to disk.
const clusterStop = 30 * time.Second

func startCluster(ctx context.Context, cfg Config, log *slog.Logger, out io.Writer) (*embedded.Cluster, error) {
	dir, err := filepath.Abs(filepath.Join(cfg.DataDir, "postgres"))
	if err != nil {
		return nil, fmt.Errorf("find the data folder: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // the database's user passes through
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	return embedded.Start(ctx, embedded.Config{Dir: dir, Log: log, Progress: func(line string) { say(out, "%s", line) }})
}

func sandboxHost(cfg Config) string {
	if cfg.Server.Host != "" {
		return cfg.Server.Host
	}
	return "127.0.0.1"
}

func say(out io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(out, format+"\n", args...) // a failure to print is ignored
}
